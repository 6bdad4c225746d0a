"""Which tools' descriptions should change, by what calls got wrong: ranked, each with its reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toolgen.audit.schema_place import OF_TEXT
from toolgen.audit.summary import Broken, ProblemSummary, ToolSummary
from toolgen.audit.tools import AuditTools
from toolgen_runtime.registry import Registry
from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.keywords import GRAPH, UNKNOWN_KEYS

MIN_SHARE: Final = 0.01
"""A constraint that a smaller share of a tool's calls breaks says nothing about its description."""
MIN_CALLS: Final = 2
MAX_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Advice:
    """One change to a tool's texts; `calls` is how many broke the constraint that it is about."""

    tool: str
    field: str
    pointer: str
    calls: int
    reason: str


def advice(called: Mapping[str, ToolSummary], tools: AuditTools) -> list[Advice]:
    """Return the changes, those that concern most calls first; at most one for each constraint."""
    registry = tools.load().registry
    found = [
        Advice(name, problem.shortest[1], broken[0], problem.calls, reason)
        for name, tool in called.items()
        for broken, problem in tool.problems.items()
        if problem.calls >= max(MIN_CALLS, MIN_SHARE * tool.calls)
        for reason in [_reason(name, broken, problem, registry)]
    ]
    return sorted(found, key=lambda each: (-each.calls, each.tool, each.pointer, each.reason))


def _reason(tool: str, broken: Broken, problem: ProblemSummary, registry: Registry) -> str:
    _, constraint = broken
    field = problem.shortest[1]
    what = f"{field or 'the arguments'}"
    described = bool(field and registry.property_description(tool, field))
    bare = "" if described or not field or constraint in UNKNOWN_KEYS else "; it has no description"
    sent = _sent(problem)
    if constraint in OF_TEXT:
        return _TEXTS[constraint]
    if constraint in UNKNOWN_KEYS:
        if not field and not registry.facts_of(tool).at(()).properties:
            return f"arguments are sent{_as(sent)}, but the tool takes none: state this in the description"
        inside = f" in {field}" if field else ""
        return f"keys that are not fields are sent{inside}{_as(sent)}: name the fields in the description"
    if constraint in ("required", "dependentRequired"):
        return f"{what} is missing: state that it is required, and where its value comes from{bare}"
    say = _say(constraint, problem.expected)
    return f"{what} is sent as {sent}: {say}{bare}" if sent else f"{what} breaks {constraint}: {say}{bare}"


def _as(sent: str) -> str:
    return f" ({sent})" if sent else ""


def _sent(problem: ProblemSummary) -> str:
    """Return what is sent most often."""
    counted = sorted(problem.sent.items(), key=lambda item: (-item[1], item[0][1]))
    shown = ", ".join(text for (_, text), _ in counted[:MAX_NAMED])
    return f"{shown}, …" if len(counted) > MAX_NAMED or problem.sent.more else shown


_TEXTS: Final = {
    "json": "the arguments are often not JSON: use fewer nested fields, and avoid code or markup in them",
    "truncated": "the arguments are often cut off: state how much may be sent in one call",
    "duplicate_key": "keys are sent twice: use a list instead of repeated fields",
}


def _say(constraint: str, expected: str) -> str:
    """Return what a description should say of a keyword, by its row."""
    row = GRAPH.get(constraint)
    if row is None:
        return _OTHER
    if row.is_limit:
        return f"give the limit ({row.said(json.loads(expected))})"
    tag = ", and the field that identifies it" if constraint == "oneOf" else ", with an example"
    return f"describe each form{tag}" if row.is_union else _SAY.get(row.shape, _OTHER)


_OTHER: Final = "describe the allowed values"
_SAY: Final[Mapping[shapes.Shape, str]] = {
    shapes.TYPE: "give the type, with an example",
    shapes.VALUES: "list the allowed values",
    shapes.ANY: "give the only allowed value",
    shapes.FORMAT: "give the format, with an example",
    shapes.PATTERN: "describe the pattern in words, with an example",
    shapes.BOOLEAN: "state that all items must be different",
}
"""By what a keyword's own value is."""
