"""Claude's thinking, which must be sent back with its calls and its signature, and must never end a message."""

from __future__ import annotations

from collections.abc import Sequence

from toolgen_transcripts.codec.models import is_claude
from toolgen_transcripts.messages import Block, Reasoning, Text, ToolCall, Turn
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.history.calls_without_tools import turn_into_text
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.rule import CLAUDE, rule, step
from toolgen_transcripts.rules.well_formed import EMPTY

MISSING_THINKING = rule(
    "missing-thinking",
    42,
    "calls without the thinking that led to them, while thinking is on",
    "send thinking back with its calls, or turn thinking off; otherwise send the last calls and results"
    " as text",
    "{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{detail}`. When"
    " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding"
    " the lastmost set of `tool_use` and `tool_result` blocks).",
    r"Expected .?thinking.? or .?redacted_thinking.?, but found",
    r"final .?assistant.? message must start with a thinking block",
    of=CLAUDE,
    source="https://platform.claude.com/docs/en/build-with-claude/extended-thinking, opencode#3077",
)
UNSIGNED_THINKING = rule(
    "unsigned-thinking",
    50,
    "thinking without its signature, as an interrupted stream leaves it",
    "leave it out: it cannot be signed later",
    "{place}.thinking.signature: Field required",
    r"\bthinking\.signature: Field required",
    of=CLAUDE,
    source="gajae-code#107, hermes-agent#24107",
)
FINAL_THINKING = rule(
    "final-thinking",
    51,
    "an assistant message that ends in thinking",
    "leave the thinking at the end out",
    "{place}: The final block in an assistant message cannot be `thinking`.",
    r"final block in an assistant message cannot be .?(?:redacted_)?thinking",
    of=CLAUDE,
    source="forgecode#2107, claude-code#63374",
)
THINKING_WHILE_OFF = rule(
    "thinking-while-off",
    52,
    "thinking in the last assistant message, while thinking is off",
    "turn thinking on, or leave its thinking out",
    "{place}: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.",
    r"thinking.{0,3} is disabled, an .?assistant.? message in the final position cannot contain",
    of=CLAUDE,
    source="forgecode#1853",
)


def turns_since_prompt(turns: Sequence[Turn]) -> range:
    """Return the indices of the turns after the last user turn without results."""
    own = [i for i, turn in enumerate(turns) if turn.role == "user" and not turn.results]
    return range(own[-1] + 1 if own else 0, len(turns))


def _is_for_claude(request: Request) -> bool:
    """Return whether the model is Claude. Without a model, this is assumed for Anthropic's API but not for Bedrock."""
    return is_claude(request.model) or (request.model is None and not request.wire.tools.model_roots)


@step(
    UNSIGNED_THINKING,
    after=("foreign-signature",),
    why="signatures of another model have been left out with their thinking",
    when=_is_for_claude,
)
def drop_unsigned(draft: Draft) -> None:
    """Remove thinking without a signature."""

    def signed(entry: Entry, place: str, block: Block) -> Block | None:
        if not isinstance(block, Reasoning) or block.signature or block.redacted:
            return block
        draft.fix(UNSIGNED_THINKING, entry, "thinking without a signature left out", at=place)
        return None

    draft.each(signed)


@step(
    FINAL_THINKING,
    THINKING_WHILE_OFF,
    after=("empty-message",),
    why="a blank text at the end is dropped",
    when=_is_for_claude,
)
def drop_final(draft: Draft) -> None:
    """Remove thinking at the end of a message and, while thinking is off, in the last message."""
    request = draft.request
    for index, entry in enumerate(draft.entries):
        goes_on = draft.entries[index + 1 : index + 2]
        if entry.turn.role != "assistant" or (goes_on and goes_on[0].turn.role == "assistant"):
            continue  # the server joins messages of one role
        blocks = list(entry.turn.blocks)
        while blocks and isinstance(blocks[-1], Reasoning):
            blocks.pop()
        if len(blocks) < len(entry.turn.blocks):
            draft.fix(FINAL_THINKING, entry, "thinking at the end left out")
        said: list[Block] = [block for block in blocks if not isinstance(block, Reasoning)]
        if len(said) < len(blocks) and not goes_on and request.thinking is False:
            draft.fix(THINKING_WHILE_OFF, entry, "thinking left out")
            blocks = said
        if len(blocks) < len(entry.turn.blocks):
            draft.put(entry, blocks or [Text(EMPTY)])


@step(MISSING_THINKING, after=("empty-message",), why="the messages after the last prompt must be final")
def flatten_unthought(draft: Draft) -> None:
    """Turn the last calls into text if their thinking is missing, because it cannot be invented."""
    request, loop = draft.request, turns_since_prompt(draft.turns)
    claude = request.model is None or is_claude(request.model)
    if not (request.thinking is True and claude and loop):
        return
    entries = draft.entries[loop.start :]
    first = next((entry for entry in entries if entry.turn.calls), None)
    thought = any(isinstance(block, Reasoning) for entry in entries for block in entry.turn.blocks)
    if first is None or thought or not entries[-1].turn.results:
        return
    detail = "tool_use" if isinstance(first.turn.blocks[0], ToolCall) else "text"
    ids = [call.id for call in first.turn.calls]
    draft.find(MISSING_THINKING, draft.request.place(first.origin), ids, detail)
    turn_into_text(draft, entries, MISSING_THINKING)
