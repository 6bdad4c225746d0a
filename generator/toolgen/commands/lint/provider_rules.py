"""Check what providers and MCP require of names, strict modes and headers that repeat arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from toolgen.commands.lint.subject import Steps, Subject
from toolgen.commands.servers.param_headers import HEADER_NAME, MARK, MIRRORED_TYPES
from toolgen.compiler.diagnostics import Diagnostic, Level
from toolgen_runtime.schema.raw import is_secret
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.strict.assign import find_refusal
from toolgen_transcripts.strict.rewrite import rewrite
from toolgen_transcripts.strict.subsets import strict_schema
from toolgen_transcripts.tools.schemas import object_schema

PROVIDERS: Final = ("openai", "openai_responses", "anthropic", "bedrock", "gemini")


def names(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding for each name that a provider or MCP rejects."""
    name = subject.spec.name
    if not wire_of("mcp").name_rule.legal(name):
        yield subject.finding_of_tool("mcp-name", f"{name!r} does not follow MCP's recommendation for names")
    refusing = [p for p in subject.providers or PROVIDERS if not wire_of(p).name_rule.legal(name)]
    if refusing:
        yield subject.finding_of_tool("provider-name", f"rejected by {', '.join(refusing)}")


def strict(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding for each provider whose strict mode can express the tool only if it is rewritten, or
    not at all.
    """
    spec = subject.spec.schema
    own = dict(spec) if isinstance(spec, Mapping) else spec
    for provider in subject.providers:
        shape = wire_of(provider).tools
        if shape.strict is None:
            continue
        schema, _ = object_schema(own, flat=bool(shape.refused_at_root), property_names=shape.property_names)
        as_it_is = strict_schema(schema, shape.strict)
        if not as_it_is.hindrances and not as_it_is.losses:
            continue
        made = rewrite(schema, shape.strict)
        refused = find_refusal(made, shape.strict)
        if refused is None:
            said = (
                ", ".join(text for name, text in _REWRITTEN.items() if made.changes.get(name))
                or "some keywords are left out"
            )
            yield subject.finding("strict-rewritten", f'{provider}: supported with strict="auto" ({said})')
        elif not made.hindrances:
            yield subject.finding("strict-refused", f"{provider}: {refused.message.partition(': ')[0]}")
        for hindrance in made.hindrances:
            only = "; this one change would let it" if len(made.hindrances) == 1 else ""
            message = f"{provider}: {hindrance.message}: {hindrance.change}{only}"
            yield subject.finding("strict-refused", message, pointer=hindrance.pointer)


_REWRITTEN: Final = {
    "optional": "optional properties may be null",
    "closed": "objects are closed",
    "maps": "maps are lists of pairs",
}
"""The changes that `Rewritten.changes` counts, in words."""


def headers(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each use of `x-mcp-header` that MCP does not allow (2026-07-28, streamable HTTP, custom headers)."""
    taken = set[str]()
    for steps, schema in subject.schemas:
        if MARK in schema:
            for level, message in _header_problems(schema, steps, taken):
                yield replace(subject.finding("mcp-header", message, *steps, MARK), level=level)
            taken.add(str(schema[MARK]).lower())


def _header_problems(
    schema: Mapping[str, Any], steps: Steps, taken: Collection[str]
) -> Iterator[tuple[Level, str]]:
    value, kind = schema[MARK], schema.get("type")
    if not isinstance(value, str) or not value:
        yield "error", "the name of the header is not a string, or is empty"
    elif not HEADER_NAME.fullmatch(value):
        yield "error", f"{value!r} is not a valid header name (RFC 9110)"
    elif value.lower() in taken:
        yield "error", f"{value!r} is also the header of another field"
    if kind not in (*MIRRORED_TYPES, "number"):
        yield "error", f"only a {', '.join(MIRRORED_TYPES)} can be mirrored in a header, not {kind!r}"
    if not steps or any(word != "properties" for word in steps[::2]):
        yield "error", "only a field that is reached through `properties` alone can be mirrored in a header"
    if kind == "number":
        yield "warning", "the specification does not allow numbers here, although SDKs mirror them"
    if is_secret(schema):
        yield "warning", "a secret in a header is visible to every server between client and server"
