"""Findings about providers and MCP: names, and strict modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolgen.diagnostics import Diagnostic
from toolgen.lint.subject import Subject
from toolgen_runtime.providers.shared.tools.lowering import refusal
from toolgen_runtime.providers.shared.tools.schemas import object_schema
from toolgen_runtime.providers.shared.tools.strict import strict_schema
from toolgen_runtime.providers.shared.tools.strict_rewrite import rewritten
from toolgen_runtime.providers.shared.wire import wire_of

PROVIDERS: Final = ("openai", "openai_responses", "anthropic", "bedrock", "gemini")


def names(subject: Subject) -> Iterator[Diagnostic]:
    """Yield names that MCP or a provider does not take."""
    name = subject.spec.name
    if not wire_of("mcp").name_rule.legal(name):
        yield subject.finding_of_tool("mcp-name", f"{name!r} does not follow MCP's recommendation for names")
    refusing = [p for p in subject.providers or PROVIDERS if not wire_of(p).name_rule.legal(name)]
    if refusing:
        yield subject.finding_of_tool("provider-name", f"refused by {', '.join(refusing)}")


def strict(subject: Subject) -> Iterator[Diagnostic]:
    """Yield whether a tool can go strict only when rewritten, or what keeps it from that, by provider."""
    spec = subject.spec.schema
    own = dict(spec) if isinstance(spec, Mapping) else spec
    for provider in subject.providers:
        shape = wire_of(provider).tools
        if shape.strict is None:
            continue
        schema, _ = object_schema(own, flat=shape.flat_root, property_names=shape.property_names)
        as_it_is = strict_schema(schema, shape.strict)
        if not as_it_is.hindrances and not as_it_is.losses:
            continue
        made = rewritten(schema, shape.strict)
        refused = refusal(made, shape.strict)
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
"""What `Rewritten.changes` counts, in words."""
