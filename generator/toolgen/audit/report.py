"""What an audit found, as plain JSON: the table, the JSON output and the page are all made of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from toolgen.audit.advice import advice
from toolgen.audit.bounded_sample import Smallest
from toolgen.audit.engines import Audited
from toolgen.audit.summary import Broken, ProblemSummary, ToolSummary
from toolgen.audit.tools import AuditTools
from toolgen_runtime.validation.tool import Tool


def report(audited: Audited, tools: AuditTools) -> dict[str, Any]:
    """Return what was found; tools and constraints with most invalid calls first."""
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
    """Return the tools under none of whose names a call was seen, each by its shortest name."""
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
    """Return a sample of counted texts, the most frequent first; `KEY_complete` says whether it has all of them."""
    texts = [(entry if isinstance(entry, str) else entry[1], count) for entry, count in sample.items()]
    ordered = sorted(texts, key=lambda each: (-each[1], each[0]))
    listed = [{item: text, "count": count} for text, count in ordered]
    return {key: listed, f"{key}_complete": not sample.more}
