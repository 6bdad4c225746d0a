"""What a hint states is tried against the check: "only", "allowed", "not a field", limits, samples."""

from __future__ import annotations

import re
from typing import Any

from helpers.support import SHARED, JsonObject, for_each, read_json, table, tool_of

from toolgen_runtime import Edit, Tool, apply_edits, build_hint

DATA = SHARED / "data" / "reported-calls.json"
SAMPLES: tuple[Any, ...] = ("zzz", "5", 5, 1.5, True, None, [], ["zzz"], [5], {}, {"zzz": 1})
OWN = [(row["schema"], row["sent"]) for row in table("hint_cases.json")]


def reported() -> list[tuple[JsonObject, Any]]:
    rows = read_json(DATA) if DATA.is_file() else []
    return [(row["schema"], row["arguments"]) for row in rows if "called" not in row]


def accepts(tool: Tool[Any], payload: Any, path: tuple[Any, ...], value: Any) -> bool:
    changed = apply_edits(payload, [Edit("set", path, value=value)])
    return not any(issue.path[: len(path)] == path for issue in tool.validate(changed))


def untrue(tool: Tool[Any], payload: Any) -> list[str]:
    """The statements of a call's hint that the check contradicts."""
    issues = tool.validate(payload)
    paths = {issue.field: issue.path for issue in issues}
    found = []
    for field in build_hint(tool, issues, payload=payload).fields:
        path = paths.get(field.field)
        if path is None:
            continue
        if re.search(r"\bonly\b.* is\b", field.advice):
            others = [sample for sample in SAMPLES if sample not in (field.allowed_values or ())]
            found += [field.advice for sample in others if accepts(tool, payload, path, sample)]
        if "Allowed: " in field.advice:
            found += [
                field.advice
                for value in field.allowed_values or ()
                if value != "…" and not accepts(tool, payload, path, value)
            ]
        if field.advice.startswith("not a field") and accepts(tool, payload, path, payload):
            found.append(field.advice)
        for shape in re.findall(r"not a valid [\w-]+, send (\S+?)\.?$", field.advice):
            if accepts(tool, payload, path, shape):
                found.append(field.advice)
        for value in (field.minimum, field.maximum):
            if (
                field.type in ("integer", "number")
                and value is not None
                and not accepts(tool, payload, path, value)
            ):
                found.append(f"{value}: {field.advice}")
    return found


@for_each([*OWN, *reported()], ids=lambda each: str(each)[:60])
def test_statements_are_those_of_the_check(schema: JsonObject, sent: Any) -> None:
    if isinstance(sent, dict):
        tool = tool_of(schema)
        assert untrue(tool, sent) == []
