"""The rules about the reasoning that models want back, as data."""

from __future__ import annotations

from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.provider_rules.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        RuleId.MISSING_THINKING,
        "calls without the thinking that led to them, while thinking is on",
        "send thinking back with its calls, or turn thinking off; otherwise send the last calls"
        " and results as text",
        {
            "": "{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{detail}`. When"
            " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the"
            " lastmost set of `tool_use` and `tool_result` blocks)."
        },
        frozenset({"anthropic", "bedrock"}),
        also=(
            r"Expected .?thinking.? or .?redacted_thinking.?, but found",
            r"final .?assistant.? message must start with a thinking block",
        ),
    ),
    Rule(
        RuleId.MISSING_REASONING,
        "calls without the reasoning that led to them",
        "send `reasoning_content` back with the calls; otherwise send a placeholder",
        {"": "The `reasoning_content` in the thinking mode must be passed back to the API."},
        frozenset({"openai"}),
        also=(
            r"in the thinking mode must be passed back",
            r"Missing .?reasoning_content.? field in the assistant message",
            r"reasoning_content is missing in assistant tool call message",
        ),
    ),
    Rule(
        RuleId.MISSING_SIGNATURE,
        "a call without its thought signature",
        "send signatures back; for a call that Gemini did not make, send the value that skips the check",
        {
            "": "Function call is missing a thought_signature in functionCall parts. This is required for tools to"
            " work correctly, and missing thought_signature may lead to degraded model performance. Additional data,"
            " function call `{detail}`, at {place}."
        },
        frozenset({"gemini"}),
        also=(r"missing a .?thought_?signature",),
    ),
    Rule(
        RuleId.FOREIGN_SIGNATURE,
        "a signature from another host (Gemini: AI Studio, Vertex AI) or another model (Claude)",
        "repair the history with `moved=True`: this replaces Gemini's signatures with the value"
        " that skips the check, and leaves out Claude's thinking",
        {
            "": "{place}: Invalid `signature` in `thinking` block",
            "gemini": "Corrupted thought signature.",
        },
        frozenset({"gemini", "anthropic", "bedrock"}),
        also=(
            r"thought signature is not valid",
            r"(?:corrupted|invalid) thought_?\s?signature",
            r"invalid .?signature.? in .?thinking.? block",
        ),
    ),
    Rule(
        RuleId.UNSTORED_REASONING,
        "reasoning without `encrypted_content` that the server has not stored",
        "ask for `reasoning.encrypted_content` (`include`), or leave the item out",
        {
            "": "Item with id '{detail}' not found. Items are not persisted when `store` is set to false. Try again"
            " with `store` set to true, or remove this item from your input."
        },
        frozenset({"openai_responses"}),
        also=(r"Items are not persisted when .?store.? is set to false",),
    ),
    Rule(
        RuleId.TORN_REASONING,
        "reasoning without the item that followed it, or that item without its reasoning",
        "send reasoning items back with the items that followed them; leave out one whose next item is missing",
        {"": "Item '{detail}' of type 'reasoning' was provided without its required following item."},
        frozenset({"openai_responses"}),
        also=(r"of type '\w+' was provided without its required 'reasoning' item",),
    ),
)
