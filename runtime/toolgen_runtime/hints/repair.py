"""Correct a payload with safe edits only, and record each change.

The diagnosis decides which edits are certain. These are the edits that a hint orders. They are applied only if the
resulting payload is valid.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from toolgen_runtime.hints.diagnose import MAX_PROBLEMS_READ, diagnose
from toolgen_runtime.hints.edits import Edit, apply_edits, at
from toolgen_runtime.hints.problems import Call
from toolgen_runtime.schema.facts import facts_of
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.redaction import MASK, Secrets
from toolgen_runtime.validation.tool import Tool

MAX_ROUNDS = 6
"""The most rounds; more than one is needed because a corrected container shows the problems inside it."""
MAX_CHANGES = 1_000


Change = TypedDict("Change", {"path": Path, "from": Any, "to": NotRequired[Any], "rule": str})
"""One correction as plain data: `from` and `to` are the values or, for a renamed key, its old and new name.

A dropped value has no `to`; for a moved one, `to` is the path. For a secret both are masked.
"""


@dataclass(frozen=True, slots=True)
class Repair:
    """The repaired payload and the changes that were made.

    If the payload could not be made valid, this is the original payload without changes.
    """

    payload: Any
    changes: tuple[Change, ...] = ()


def repair(
    tool: Tool[Any], payload: Any, *, trust_annotations: bool = False, omits_null: bool = False
) -> Repair:
    """Correct a payload with safe edits, and return the result if it is valid. The given payload does not
    change.

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
                return Repair(draft, concealed(changes, tool.secrets, draft))
    sent = draft
    for _ in range(MAX_ROUNDS):
        call = Call(facts, draft, tool.validate, tool=tool.name, omits_null=omits_null)
        findings = diagnose(call, issues[: MAX_PROBLEMS_READ + 1])
        found = [(edit, rule) for each in findings for edit, rule in each.corrections() if rule]
        if not found or len(changes) + len(found) > MAX_CHANGES:
            break
        for edit, rule in found:
            after = apply_edits(draft, [edit])
            changes.append(_change(edit, rule, draft, after))
            draft = after
        issues = tool.validate(draft)
        if not issues:
            return Repair(draft, concealed(changes, tool.secrets, sent))
    return Repair(payload)


def only_reads(tool: Tool[Any]) -> bool:
    """Return whether a tool says in its annotations that it changes nothing (MCP, `readOnlyHint`)."""
    return bool(tool.annotations) and tool.annotations.get("readOnlyHint") is True


def concealed(changes: Iterable[Change], secrets: Secrets | None, payload: Any) -> tuple[Change, ...]:
    """Return the changes, with `MASK` in place of every value that may be secret."""
    out = [change.copy() for change in changes]
    if secrets is None:
        return tuple(out)
    texts = secrets.texts_of(payload)
    for change in out:
        rule, path = change["rule"], change["path"]
        change["path"] = secrets.masked_path(path, texts)
        if rule in ("key", "alias"):
            change["from"] = change["path"][-1]
        elif rule == "moved" or secrets.hides(path, value=change["from"]):
            change["from"] = MASK
            if "to" in change:
                change["to"] = MASK
    return tuple(out)


def _change(edit: Edit, rule: str, before: Any, after: Any) -> Change:
    """Return the record of one edit made to a payload."""
    old = at(before, edit.path)
    if edit.op == "remove":
        return {"path": edit.path, "from": old, "rule": rule}
    if edit.op == "rename" and edit.to:
        return {"path": edit.path, "from": edit.path[-1], "to": edit.to[-1], "rule": rule}
    if old is MISSING:
        old = None
    return {"path": edit.path, "from": old, "to": at(after, edit.path), "rule": rule}
