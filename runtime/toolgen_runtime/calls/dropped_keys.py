"""`without_unknown_keys`: remove keys that the model invented, unless they may affect the call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen_runtime.calls.adjustments import holder_of
from toolgen_runtime.hints.edits import Edit, apply_edits, at
from toolgen_runtime.hints.names import conditions, opposed, words_of
from toolgen_runtime.hints.quoting import clean, name_shown
from toolgen_runtime.hints.renames import BY_WORDS, SHARED_WORD, how_far_apart
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, field_of

if TYPE_CHECKING:
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.schema.facts import SchemaFacts
    from toolgen_runtime.schema.node import Path

MAX_DROPPED: Final = 100
MAX_PLACE: Final = 200
"""The maximum number of characters of a path in a note."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z][\w-]*")
"""Matches a name without any mark before or after it; a mark (`!name`) could reverse the meaning."""
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})


class Dropped(NamedTuple):
    """The payload without the removed keys, a list of the changes, and a line for the model about each
    removed key.
    """

    payload: Any
    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def without_unknown_keys(
    facts: SchemaFacts, payload: Any, issues: Sequence[ValidationIssue]
) -> Dropped | None:
    """Return a payload without the unknown keys that these issues name.

    Return None if one of the keys must stay. A key must stay if it may be a misspelled field or belongs to a map. It
    must also stay if the key, or a key inside its value, limits the call, makes it conditional or makes it a mere test.
    Issues of other kinds are ignored.
    """
    unknown = [issue for issue in issues if issue.constraint in UNKNOWN_KEYS and issue.path]
    if not unknown or len(unknown) > MAX_DROPPED:
        return None
    if not all(_may_go(facts, payload, issue) for issue in unknown):
        return None
    paths = [*dict.fromkeys(issue.path for issue in unknown)]
    changes: list[Change] = [{"path": path, "from": at(payload, path), "rule": "dropped"} for path in paths]
    try:
        left = apply_edits(payload, [Edit("remove", path) for path in paths])
    except ValueError:
        return None
    return Dropped(left, tuple(changes), tuple([_note(path) for path in paths]))


def _note(path: Path) -> str:
    *above, name = path
    if above:
        where = f"in {clean(field_of(tuple(above))[:MAX_PLACE])}"
    else:
        where = "of this tool"
    if not str(name).strip():
        return f"Note: a key without a name {where} was ignored."
    return f"Note: {name_shown(str(name))} is not a field {where}; it was ignored."


def _may_go(facts: SchemaFacts, payload: Any, issue: ValidationIssue) -> bool:
    """Return whether the call does the same without the key that an issue names."""
    *above, name = issue.path
    place, value = tuple(above), at(payload, issue.path)
    holder, sent = holder_of(facts, payload, issue.path), at(payload, place)
    if not isinstance(name, str) or not isinstance(sent, dict) or value is MISSING:
        return False
    if issue.constraint == "propertyNames" or not holder.properties:
        return False  # a key of a map
    is_empty = _is_empty(value)
    if _conditions_call(name, sent) or any(conditions(key) for key in _keys_in(value)):
        return False
    if _PLAIN_NAME.fullmatch(name) is None and not is_empty:
        return False
    if not _is_no_misspelling(name, value, sent, holder.properties, is_empty=is_empty):
        return False
    declared = facts.declared_names
    if is_empty or _is_sent_above(name, value, payload, place):
        return True
    return name not in declared and declared.isdisjoint(_keys_in(value))


def _conditions_call(name: str, sent: dict[str, Any]) -> bool:
    """Return whether a key may make the call conditional, through a word that no similar key next to it contains."""
    beside = {
        word
        for key in sent
        if isinstance(key, str) and key != name and how_far_apart(name, key) is not None
        for word in words_of(key)
    }
    return conditions("_".join(word for word in words_of(name) if word not in beside))


def _is_no_misspelling(
    name: str, value: Any, sent: dict[str, Any], fields: Iterable[str], *, is_empty: bool
) -> bool:
    """Return whether a key cannot be a misspelled field.

    This is so if no similar or opposite field is missing and no nearly equal field has a different value. Models add
    keys such as `newText_2` with an empty string next to `newText` (earendil-works/pi#5434).
    """
    for field in fields:
        if field not in sent and opposed(name, field):
            return False  # `inactive` says something about `active`
        apart = how_far_apart(name, field)
        if apart is None or apart >= SHARED_WORD:
            continue
        if field not in sent:
            return False
        is_same = is_empty or (sent[field] == value and type(sent[field]) is type(value))
        if apart < BY_WORDS and not is_same:
            return False
    return True


def _is_sent_above(name: str, value: Any, payload: Any, place: Path) -> bool:
    """Return whether an enclosing object has the same key with the same value."""
    for length in range(len(place)):
        around = at(payload, place[:length])
        if isinstance(around, dict) and name in around and around[name] == value:
            return type(around[name]) is type(value)
    return False


def _is_empty(value: Any) -> bool:
    return any(value == empty and type(value) is type(empty) for empty in _EMPTY)


def _keys_in(value: Any) -> set[str]:
    """Return all keys of the objects in a value, at any depth."""
    keys: set[str] = set()
    todo = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, dict):
            keys.update(key for key in here if isinstance(key, str))
            todo += here.values()
        elif isinstance(here, list):
            todo += here
    return keys
