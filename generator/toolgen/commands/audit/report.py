"""The findings of an audit as plain JSON, from which the table, the JSON output and the page are made.

The findings include ranked advice on which descriptions to improve, with a reason for each.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from toolgen.commands.audit.engines import Audited
from toolgen.commands.audit.schema_place import OF_TEXT
from toolgen.commands.audit.summary import Broken, ProblemSummary, Smallest, ToolSummary
from toolgen.commands.audit.tools import AuditTools
from toolgen_runtime.registry import Registry
from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.facts import parse_field
from toolgen_runtime.schema.keywords import GRAPH, UNKNOWN_KEYS
from toolgen_runtime.validation.tool import Tool


def report(audited: Audited, tools: AuditTools) -> dict[str, Any]:
    """Return the findings. The tools and constraints with the most invalid calls come first."""
    summary = audited.summary
    called = summary.called()
    rows = sorted(called.items(), key=lambda item: (-item[1].invalid, item[0]))
    return {
        "interrupted": audited.interrupted,
        "records": summary.records,
        "calls": sum(tool.calls for tool in called.values()),
        "invalid": sum(tool.invalid for tool in called.values()),
        "repaired": sum(tool.repaired for tool in called.values()),
        "malformed": {
            "records": summary.malformed,
            "first": [{"place": str(place), "reason": why} for place, why in summary.malformed_at.items()],
        },
        "unknown_tools": {"calls": summary.unknown, **_counted(summary.unknown_names, "names", "name")},
        "never_called": _never_called(tools.load().tools, called),
        "tools": [_tool(name, tool) for name, tool in rows],
        "descriptions": [asdict(each) for each in advice(called, tools)],
    }


def _never_called(tools: Mapping[str, Tool[Any]], called: Collection[str]) -> list[str]:
    """Return the tools that were never called, each under its shortest name."""
    seen = {id(tools[name]) for name in called if name in tools}
    names: dict[int, str] = {}
    for name in sorted(tools, key=lambda name: (len(name), "_" in name, name)):
        names.setdefault(id(tools[name]), name)
    return sorted(name for tool, name in names.items() if tool not in seen)


def _tool(name: str, tool: ToolSummary) -> dict[str, Any]:
    problems = sorted(tool.problems.items(), key=lambda item: (-item[1].calls, item[0]))
    return {
        "name": name,
        "calls": tool.calls,
        "invalid": tool.invalid,
        "share": round(tool.invalid / tool.calls, 4) if tool.calls else 0.0,
        "repaired": tool.repaired,
        "repair_rules": dict(sorted(tool.rules.items())),
        "problems": [_problem(broken, problem) for broken, problem in problems],
    }


def _problem(broken: Broken, problem: ProblemSummary) -> dict[str, Any]:
    return {
        "pointer": broken[0],
        "constraint": broken[1],
        "field": problem.shortest[1],
        "expected": problem.expected,
        "calls": problem.calls,
        "issues": problem.issues,
        "repaired": problem.repaired,
        **_counted(problem.sent, "sent", "value"),
        "examples": [
            {"arguments": example.arguments, "place": str(example.place), "hint": example.hint}
            for _, example in problem.examples.items()
        ],
    }


def _counted(sample: Smallest[Any, int], key: str, item: str) -> dict[str, Any]:
    """Return a sample of counted texts, the most frequent first. `KEY_complete` says whether it is complete."""
    texts = [(entry if isinstance(entry, str) else entry[1], count) for entry, count in sample.items()]
    ordered = sorted(texts, key=lambda each: (-each[1], each[0]))
    listed = [{item: text, "count": count} for text, count in ordered]
    return {key: listed, f"{key}_complete": not sample.more}


MIN_SHARE: Final = 0.01
"""The minimum share of a tool's calls that must break a constraint for advice about its description."""
MIN_CALLS: Final = 2
MAX_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Advice:
    """One suggested change to the texts of a tool. `calls` is the number of calls that broke the constraint."""

    tool: str
    field: str
    pointer: str
    calls: int
    reason: str


def advice(called: Mapping[str, ToolSummary], tools: AuditTools) -> list[Advice]:
    """Return the suggested changes, at most one for each constraint. Those that concern the most calls come
    first.
    """
    registry = tools.load().registry
    found = [
        Advice(name, problem.shortest[1], broken[0], problem.calls, _reason(name, broken, problem, registry))
        for name, tool in called.items()
        for broken, problem in tool.problems.items()
        if problem.calls >= max(MIN_CALLS, MIN_SHARE * tool.calls)
    ]
    return sorted(found, key=lambda each: (-each.calls, each.tool, each.pointer, each.reason))


def _reason(tool: str, broken: Broken, problem: ProblemSummary, registry: Registry) -> str:
    _, constraint = broken
    field = problem.shortest[1]
    what = field or "the arguments"
    sent = _sent(problem)
    if constraint in OF_TEXT:
        return _TEXTS[constraint]
    if constraint in UNKNOWN_KEYS:
        shown = sent and f" ({sent})"
        if not field and not registry.facts_of(tool).at(()).properties:
            return f"arguments are sent{shown}, but the tool takes none: state this in the description"
        inside = field and f" in {field}"
        return f"keys that are not fields are sent{inside}{shown}: name the fields in the description"
    is_bare = field and not registry.property_description(tool, field)
    bare = "; it has no description" if is_bare else ""
    if constraint in ("required", "dependentRequired"):
        path = parse_field(field)
        if path is not None and any("default" in raw for raw in registry.facts_of(tool).at(path).raws):
            return f"{what} is missing and has a default: take it out of `required`; calls get the default (`defaults`)"
        return f"{what} is missing: state that it is required, and where its value comes from{bare}"
    wrong = f"is sent as {sent}" if sent else f"breaks {constraint}"
    return f"{what} {wrong}: {_say(constraint, problem.expected)}{bare}"


def _sent(problem: ProblemSummary) -> str:
    """Return the most frequent values that were sent."""
    counted = sorted(problem.sent.items(), key=lambda item: (-item[1], item[0][1]))
    shown = ", ".join(text for (_, text), _ in counted[:MAX_NAMED])
    if len(counted) > MAX_NAMED or problem.sent.more:
        return f"{shown}, …"
    return shown


_TEXTS: Final = {
    "json": "the arguments are often not JSON: use fewer nested fields, and avoid code or markup in them",
    "truncated": "the arguments are often cut off: state how much may be sent in one call",
    "duplicate_key": "keys are sent twice: use a list instead of repeated fields",
}


def _say(constraint: str, expected: str) -> str:
    """Return the advice on how a description should explain a keyword."""
    row = GRAPH.get(constraint)
    if row is None:
        return _OTHER
    if row.is_limit:
        return f"give the limit ({row.said(json.loads(expected))})"
    tag = ", and the field that identifies it" if constraint == "oneOf" else ", with an example"
    if row.is_union:
        return f"describe each form{tag}"
    return _SAY.get(row.shape, _OTHER)


_OTHER: Final = "describe the allowed values"
_SAY: Final[Mapping[shapes.Shape, str]] = {
    shapes.TYPE: "give the type, with an example",
    shapes.VALUES: "list the allowed values",
    shapes.ANY: "give the only allowed value",
    shapes.FORMAT: "give the format, with an example",
    shapes.PATTERN: "describe the pattern in words, with an example",
    shapes.BOOLEAN: "state that all items must be different",
}
"""The advice for a keyword, looked up by the shape of its value."""
