"""Check strict tools: whether their schemas are in the subset, and whether all of them together are within
the limits.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from typing import Any

from toolgen_runtime.schema.pointer import PointerError, parse, resolve
from toolgen_transcripts.codec import models
from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.rule import CHAT, CLAUDE, OPENAI, rule, step
from toolgen_transcripts.strict.subsets import Rewritten, StrictSubset, strict_schema, tool_excess

NOT_STRICT = rule(
    "not-strict",
    25,
    "a strict tool whose schema is outside the strict subset",
    "leave out unsupported keywords; send tools with open objects without `strict`",
    "{place}: {detail}",
    r"'additionalProperties' must be explicitly set to false",
    r"For '\w+' type, property '\w+' is not supported",
    r"'additionalProperties' is required to be supplied and to be false",
    r"'required' is required to be supplied and to be an array including every key",
    r"In context=\(.{0,80}?\), '\w+' is not permitted",
    of=CLAUDE | OPENAI,
    openai="Invalid schema for function at {place}: {detail}",
    where="tools",
    source="vercel/ai#20681",
)


TOO_MANY_UNIONS = rule(
    "too-many-unions",
    26,
    "too many parameters of union type in strict tools",
    "send the tools over the limit without `strict`",
    "Schemas contains too many parameters with union types ({detail} parameters with type arrays or"
    " anyOf) (limit: 16 parameters with unions).",
    r"too many parameters with union types",
    of=CLAUDE,
    where="tools",
    source="langchain-aws#1114",
)


TOO_MANY_STRICT = rule(
    "too-many-strict",
    39,
    "too many strict tools, or too many optional parameters in them",
    "send the tools over the limit without `strict`",
    "Too many strict tools ({detail}). The maximum number of strict tools supported is 20.",
    r"too many strict tools",
    r"too many optional parameters",
    r"compiled grammar is too large",
    r"schema is too complex for compilation",
    of=CLAUDE,
    optional="Schemas contains too many optional parameters ({detail}), which would make grammar"
    " compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit:"
    " 24).",
    where="tools",
    source="alphaXiv#49, genkit#5230",
)


_LIMITS = {
    "unions": (TOO_MANY_UNIONS, ""),
    "tools": (TOO_MANY_STRICT, ""),
    "optional": (TOO_MANY_STRICT, "optional"),
}
"""The rules about all strict tools of a request together, with their wordings, by the name of the limit."""


def _strict_fault(schema: dict[str, Any], narrowed: Rewritten, subset: StrictSubset) -> str | None:
    """Return why the server rejects a strict tool's schema; None if it accepts the schema."""
    if narrowed.schema == schema and not narrowed.hindrances:
        return tool_excess(schema, subset)
    if subset.all_required:
        return (narrowed.hindrances or narrowed.losses)[0].message
    if narrowed.hindrances:
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    *holder, word = parse(narrowed.losses[0].pointer)
    kind = "any"
    with suppress(PointerError):  # a key that is not a string
        kind = resolve(schema, holder).get("type", kind)
    return f"For '{kind}' type, property '{word}' is not supported"


STRICT_REFUSED = rule(
    "strict-refused",
    74,
    "strict tools, for a model that Bedrock does not offer them with",
    "leave `strict` out",
    "tools.{detail}.custom.strict: Extra inputs are not permitted",
    r"\bstrict: Extra inputs are not permitted",
    where="tools",
    source="vercel/ai#16237, litellm#33193, lobehub#19876",
)
MIXED_STRICT = rule(
    "mixed-strict",
    75,
    "strict tools next to others, for DeepSeek",
    "make all tools strict, or none",
    "all functions must have strict set to true if one has (DeepSeek, beta endpoint)",
    of=CHAT,
    where="tools",
    source="https://api-docs.deepseek.com/guides/function_calling, vercel/ai#19387, vercel/ai#19428",
)


@step(STRICT_REFUSED, when=lambda r: models.rejects_strict(r.model, r.wire, r.host))
def leave_out_strict(draft: Draft) -> None:
    """Remove `strict` from the tools, because Bedrock rejects it for the model."""
    for index, tool in enumerate(draft.tools()):
        if "strict" in tool.spec:
            draft.fix(STRICT_REFUSED, tool.place, "sent without strict", detail=str(index))
            del tool.spec["strict"]


@step(MIXED_STRICT, when=attrgetter("is_deepseek"))
def find_mixed(draft: Draft) -> None:
    """Find requests to DeepSeek that have both strict tools and others."""
    strict = {tool.spec.get("strict") is True for tool in draft.tools()}
    if len(strict) > 1:
        draft.find(MIXED_STRICT, "tools")


@step(
    NOT_STRICT,
    TOO_MANY_UNIONS,
    TOO_MANY_STRICT,
    after=("root-not-object",),
    why="a schema without malformed keywords may be in the subset",
)
def fix_strict(draft: Draft) -> None:
    """Bring strict tools into the subset and within the limits, or send them without `strict`.

    Servers that only implement OpenAI's API are left out, because they differ.
    """
    request, subset = draft.request, draft.request.wire.tools.strict
    if subset is None or (request.wire.of_many and not request.is_openai):
        return
    if request.model is not None and not models.is_claude(request.model):  # another model on Bedrock
        subset = replace(subset, limits={k: v for k, v in subset.limits.items() if k == "unions"})
    given, kept = Counter[str](), Counter[str]()
    for tool in draft.tools():
        schema = tool.schema
        if tool.spec.get("strict") is not True or not isinstance(schema, dict):
            continue
        given = subset.with_tool(given, schema)
        made = strict_schema(schema, subset)
        if fault := _strict_fault(schema, made, subset):
            draft.find(NOT_STRICT, tool.place, detail=fault)
        use = subset.with_tool(kept, made.schema)
        broken = [_LIMITS[name][0] for name in subset.over(use)]
        if made.hindrances or tool_excess(made.schema, subset):
            broken = [NOT_STRICT]
        if broken:
            draft.note(broken[0], tool.place, "sent without strict")
            del tool.spec["strict"]
            continue
        kept = use
        if made.schema != schema:
            draft.note(NOT_STRICT, tool.schema_place, "keywords outside the strict subset left out")
            tool.put_schema(made.schema)
    for name in subset.over(given):
        broken_rule, wording = _LIMITS[name]
        draft.find(broken_rule, "tools", detail=str(given[name]), wording=wording)
