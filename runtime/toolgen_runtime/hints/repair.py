"""`repair`: fix arguments that are wrong in their spelling only; opt-in, recorded, all or nothing.

Only failing places are touched, only where the schema admits a single reading, and only if the whole result is
valid in the end. No value is invented and no string is read where a string is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from toolgen_runtime.hints.problems import Locator, Problem, gather
from toolgen_runtime.schema.facts import facts_of
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.schema.spelling import fold, same_key
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.redaction import MASK, Secrets
from toolgen_runtime.validation.tool import Tool

if TYPE_CHECKING:
    from toolgen_runtime.hints.malformed.reading import Reading

MAX_ROUNDS = 6
"""How often at most: a fixed container shows the problems inside it."""
MAX_CHANGES = 1_000
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")


Change = TypedDict("Change", {"path": Path, "from": Any, "to": NotRequired[Any], "rule": str})
"""One fixed value, as plain data: `from` and `to` are the values, of a renamed key its spellings.

A dropped value has no `to`; of a secret both are masked.
"""


@dataclass(frozen=True, slots=True)
class Repair:
    """The payload to use, and what was changed: the payload given and nothing, if it could not be fixed wholly."""

    payload: Any
    changes: tuple[Change, ...] = ()


def repair(tool: Tool[Any], payload: Any) -> Repair:
    """Return a payload that its schema allows, if spelling is all that is wrong; the payload given is not touched.

    A text is read first, as `malformed.reading.read_loosely` does (rule `read`; `parsed` where it is JSON).

    The other rules: `parsed` (a container, number or boolean sent as a string; `"5.0"` for an integer is 5),
    `spelling` (case of an allowed value), `dropped` (null for an optional field), `wrapped` (one item for a list),
    `key` (case and separators of a key).
    """
    issues = tool.validate(payload)
    if not issues:
        return Repair(payload)
    facts = facts_of(tool)
    draft, changes = payload, list[Change]()
    if isinstance(payload, str | bytes) and (reading := _reading(payload)) is not None:
        draft, changes = reading.value, [_change((), payload, reading.value, reading.rule)]
        if not (issues := tool.validate(draft)):
            return Repair(draft, concealed(changes, tool.secrets))
    for _ in range(MAX_ROUNDS):
        found = [
            c
            for f in gather(Locator(facts, draft), issues[:MAX_CHANGES])
            if (c := _change_for(f)) is not None
        ]
        found = _apart(found)
        if not found or len(changes) + len(found) > MAX_CHANGES:
            break
        for change in found:
            draft = _applied(draft, change)
        changes += found
        issues = tool.validate(draft)
        if not issues:
            return Repair(draft, concealed(changes, tool.secrets))
    return Repair(payload)


def _reading(text: str | bytes) -> Reading | None:
    from toolgen_runtime.hints.malformed.reading import read_loosely

    reading = read_loosely(text)
    return reading if reading is not None and reading.certain else None


def concealed(changes: Iterable[Change], secrets: Secrets | None) -> tuple[Change, ...]:
    """Return the changes with `MASK` in place of every value that may be secret."""
    return tuple(changes) if secrets is None else tuple(_concealed(change, secrets) for change in changes)


def _concealed(change: Change, secrets: Secrets) -> Change:
    if change["rule"] == "key" or not secrets.hides(change["path"], value=change["from"]):
        return change
    masked = change.copy()
    masked["from"] = MASK
    if "to" in masked:
        masked["to"] = MASK
    return masked


def _change(path: Path, old: Any, new: Any, rule: str) -> Change:
    change: Change = {"path": path, "from": old, "to": new, "rule": rule}
    if new is MISSING:
        del change["to"]
    return change


def _apart(changes: list[Change]) -> list[Change]:
    """The changes without those below another one, which may be gone once that is made."""
    paths = {c["path"] for c in changes}
    return [c for c in changes if not any(c["path"][:n] in paths for n in range(len(c["path"])))]


def _applied(value: Any, change: Change) -> Any:
    """The value with one change made; only the containers on the way to it are copied."""
    root = [value]
    here: Any = root
    step: Any = 0
    for below in change["path"]:
        here[step] = here[step].copy()
        here, step = here[step], below
    if change["rule"] == "key":
        renamed = {change.get("to") if k == step else k: v for k, v in here.items()}
        here.clear()
        here.update(renamed)
    elif "to" in change:
        here[step] = change["to"]
    else:
        del here[step]
    return root[0]


def _change_for(problem: Problem) -> Change | None:
    if problem.unknown:
        return _key(problem)
    if problem.missing or problem.got is MISSING:
        return None
    broken = {issue.constraint: issue for issue in problem.issues}
    if "type" in broken:
        return _type(problem, broken["type"])
    if "enum" in broken or "const" in broken:
        return _spelling(problem)
    return None


def _key(problem: Problem) -> Change | None:
    """Another spelling of the only key that can be meant, which is not there."""
    name, sent, node = problem.path[-1], problem.location.value, problem.location.node
    known = same_key(name, node.properties) if isinstance(name, str) else None
    if not isinstance(name, str) or known is None or not isinstance(sent, dict) or known in sent:
        return None
    rivals = [k for k in sent if isinstance(k, str) and k not in node.properties and fold(k) == fold(name)]
    return _change(problem.path, name, known, "key") if rivals == [name] else None


def _type(problem: Problem, issue: ValidationIssue) -> Change | None:
    node, got, expected = problem.node, problem.got, issue.expected
    if got is None:
        return _dropped(problem)
    if isinstance(got, str) and (not node.types or "string" in node.types):
        return None
    wanted = {expected} if isinstance(expected, str) else set[str](expected)
    readings = [*_parsed(got, wanted), *_wrapped(node, got, wanted)]
    if len(readings) != 1:
        return None
    value, rule = readings[0]
    return _change(problem.path, got, value, rule)


def _dropped(problem: Problem) -> Change | None:
    """Null for a property that may be left out."""
    if (
        not problem.path
        or not isinstance(problem.path[-1], str)
        or not isinstance(problem.location.value, dict)
    ):
        return None
    if problem.path[-1] in problem.location.node.required:
        return None
    return _change(problem.path, None, MISSING, "dropped")


def _parsed(got: Any, wanted: set[str]) -> Iterator[tuple[Any, str]]:
    """What a string says that is a JSON container, a number or a boolean."""
    if not isinstance(got, str):
        return
    text = got.strip()
    value: Any = MISSING
    if text[:1] in ("[", "{") and wanted & {"array", "object"}:
        read, issues = _read(got)
        value = MISSING if issues else read
    elif _NUMBER.fullmatch(text) and wanted & {"integer", "number"}:
        value = int(text) if _INTEGER.fullmatch(text) else float(text)
        if "number" not in wanted and json_type(value) == "integer":
            value = int(value)
    elif text.lower() in ("true", "false") and "boolean" in wanted:
        value = text.lower() == "true"
    if value is not MISSING and admits(tuple(wanted), json_type(value)):
        yield value, "parsed"


def _read(text: str) -> tuple[Any, list[ValidationIssue]]:
    from toolgen_runtime.validation.json_text import read

    return read(text)


def _wrapped(node: SchemaNode, got: Any, wanted: set[str]) -> Iterator[tuple[Any, str]]:
    """One item where a list belongs, unless it is a text that might be a list itself."""
    if "array" not in wanted or isinstance(got, list):
        return
    if isinstance(got, str) and (got.lstrip()[:1] in ("[", "{") or "," in got or "\n" in got):
        return
    items = node.child(0)
    if items.types and admits(items.types, json_type(got)) and (not items.allowed or got in items.allowed):
        yield [got], "wrapped"


def _spelling(problem: Problem) -> Change | None:
    """The one allowed value that differs in case only."""
    got = problem.got
    if not isinstance(got, str):
        return None
    allowed = next((i.expected for i in problem.issues if i.constraint == "enum"), None)
    values = allowed if isinstance(allowed, list | tuple) else problem.node.allowed
    folded = got.strip().casefold()
    matches = [v for v in values if isinstance(v, str) and v.casefold() == folded]
    return _change(problem.path, got, matches[0], "spelling") if len(matches) == 1 else None
