"""`repair`: correct arguments with edits that are certain; opt-in, recorded, all or nothing.

The diagnosis decides which edits are certain: they are the ones that a hint orders. They are used only if the
resulting payload is valid. `without` removes unknown keys that do not change what the call does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from toolgen_runtime.hints.diagnose import MAX_READ, diagnose
from toolgen_runtime.hints.edits import Edit, apply_edits, at
from toolgen_runtime.hints.names import conditions
from toolgen_runtime.hints.problems import Call
from toolgen_runtime.hints.text import clean, name_shown
from toolgen_runtime.schema.facts import SchemaFacts, facts_of
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, field_of, revealed
from toolgen_runtime.validation.redaction import MASK, Secrets
from toolgen_runtime.validation.tool import Tool

MAX_ROUNDS = 6
"""The most rounds; more than one is needed because a corrected container shows the problems inside it."""
MAX_CHANGES = 1_000
MAX_DROPPED = 100
MAX_TEXT = 200
"""The most characters of a string that may be dropped."""
_PLAIN_NAME = re.compile(r"[A-Za-z][\w-]*")
"""A name alone; a mark before or after it (`!name`) could reverse the meaning."""


Change = TypedDict("Change", {"path": Path, "from": Any, "to": NotRequired[Any], "rule": str})
"""One correction as plain data: `from` and `to` are the values or, for a renamed key, its old and new name.

A dropped value has no `to`; for a moved one, `to` is the path. For a secret both are masked.
"""


@dataclass(frozen=True, slots=True)
class Repair:
    """The repaired payload and its changes; without a complete repair, the original payload and no changes."""

    payload: Any
    changes: tuple[Change, ...] = ()


def repair(
    tool: Tool[Any], payload: Any, *, trust_annotations: bool = False, omits_null: bool = False
) -> Repair:
    """Return the payload with certain corrections if it is then valid; the given payload does not change.

    A string is parsed first (rule `read`; `parsed` if it is valid JSON).

    The edits are those that a hint orders. Each change has the name of its rule: `parsed` (a container, number or
    boolean sent as a string), `spelling` (case and separators of an allowed value), `dropped` (null for an optional
    field), `wrapped` (one item for a list), `unwrapped` (a list of one item for the item), `key` (case and separators
    of a key), `default` (a required field gets its default), `text` (an id sent as a number), `moved` (data at the
    wrong level).
    Null for an optional field is left out only with `omits_null`, or with `trust_annotations` if the tool's
    annotations say that it only reads.
    """
    issues = tool.validate(payload)
    if not issues:
        return Repair(payload)
    facts = facts_of(tool)
    omits_null = omits_null or (trust_annotations and only_reads(tool))
    draft, changes = payload, list[Change]()
    if isinstance(payload, str | bytes):
        from toolgen_runtime.hints.malformed.read_text import is_certain, read_text

        reading = read_text(payload)
        if is_certain(reading, facts, tool.validate, tool.name):
            draft = reading.value
            rule = "read" if reading.slips else "parsed"
            changes.append({"path": (), "from": payload, "to": draft, "rule": rule})
            if not (issues := tool.validate(draft)):
                return Repair(draft, concealed(changes, tool.secrets))
    for _ in range(MAX_ROUNDS):
        call = Call(facts, draft, tool.validate, tool=tool.name, omits_null=omits_null)
        findings = diagnose(call, issues[: MAX_READ + 1])
        found = [(edit, rule) for each in findings for edit, rule in each.corrections() if rule]
        if not found or len(changes) + len(found) > MAX_CHANGES:
            break
        for edit, rule in found:
            after = apply_edits(draft, [edit])
            changes.append(_change(edit, rule, draft, after))
            draft = after
        issues = tool.validate(draft)
        if not issues:
            return Repair(draft, concealed(changes, tool.secrets))
    return Repair(payload)


def only_reads(tool: Tool[Any]) -> bool:
    """Return whether a tool's annotations say that it changes nothing (MCP, `readOnlyHint`)."""
    return bool(tool.annotations) and tool.annotations.get("readOnlyHint") is True


def concealed(changes: Iterable[Change], secrets: Secrets | None) -> tuple[Change, ...]:
    """Return the changes with `MASK` in place of every value that may be secret."""
    out = [change.copy() for change in changes]
    for change in out if secrets is not None else ():
        rule, path = change["rule"], change["path"]
        hides = rule == "moved" or (secrets is not None and secrets.hides(path, value=change["from"]))
        if hides and rule not in ("key", "alias"):
            change["from"] = MASK
            if "to" in change:
                change["to"] = MASK
    return tuple(out)


def _change(edit: Edit, rule: str, before: Any, after: Any) -> Change:
    """Return the record of one edit of a payload."""
    old = at(before, edit.path)
    if edit.op == "remove":
        return {"path": edit.path, "from": old, "rule": rule}
    if edit.op == "rename" and edit.to:
        return {"path": edit.path, "from": edit.path[-1], "to": edit.to[-1], "rule": rule}
    old = None if old is MISSING else old
    return {"path": edit.path, "from": old, "to": at(after, edit.path), "rule": rule}


def without(
    facts: SchemaFacts, payload: Any, issues: Sequence[ValidationIssue]
) -> tuple[Any, tuple[Change, ...], tuple[str, ...]] | None:
    """Return a payload without the unknown keys of these issues, the changes, and a line about each key.

    Return None if one of the keys must not be dropped: it may be meant for a field anywhere in the schema; it limits,
    tests or conditions the call; its value is an object, a list or a long string; or it is a key of a map.

    Issues of other kinds are ignored.
    """
    unknown = [issue for issue in issues if issue.constraint in UNKNOWN_KEYS and issue.path]
    call = Call(facts, payload)
    if not unknown or len(unknown) > MAX_DROPPED or not all(_may_go(call, i) for i in unknown):
        return None
    paths = dict.fromkeys(issue.path for issue in unknown)
    changes: list[Change] = [
        {"path": path, "from": call.locate(path).value, "rule": "dropped"} for path in paths
    ]
    try:
        left = apply_edits(payload, [Edit("remove", path) for path in paths])
    except ValueError:
        return None
    notes = []
    for *above, name in paths:
        where = f"in {clean(field_of(tuple(above))[:MAX_TEXT])}" if above else "of this tool"
        notes.append(f"Note: {name_shown(str(name))} is not a field {where}; it was ignored.")
    return left, tuple(changes), tuple(notes)


def _may_go(call: Call, issue: ValidationIssue) -> bool:
    name, value = issue.path[-1], revealed(issue.got)
    if not isinstance(name, str) or _PLAIN_NAME.fullmatch(name) is None or conditions(name):
        return False
    if isinstance(value, (dict, list)) or (isinstance(value, str) and len(value) > MAX_TEXT):
        return False
    from toolgen_runtime.hints.keys import BY_WORDS, SHARED_WORD, how_far_apart
    from toolgen_runtime.hints.malformed.read_text import declared_names

    location = call.locate(issue.path[:-1])
    node, sent = location.node, location.value
    if issue.constraint == "propertyNames" or not node.properties or not isinstance(sent, dict):
        return False
    if name in declared_names(call.facts):
        return False  # A field elsewhere in the schema.
    for field in node.properties:  # A sent field can only be meant if the spelling is nearly equal.
        apart = how_far_apart(name, field)
        if apart is not None and apart < (BY_WORDS if field in sent else SHARED_WORD):
            return False
    return True
