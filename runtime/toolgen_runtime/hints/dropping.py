"""Keys that are left out of a call, if it is asked for: invented ones that change nothing of what the call does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.malformed.certainty import declared_names
from toolgen_runtime.hints.names import conditions
from toolgen_runtime.hints.problems import Locator
from toolgen_runtime.hints.renames import BY_WORDS, SHARED_WORD, how_far_apart
from toolgen_runtime.hints.repair import Change
from toolgen_runtime.hints.text import clean, name_shown
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import ValidationIssue, field_of, revealed

MAX_DROPPED = 100
MAX_TEXT = 200
"""Characters of a text that is left out."""
_PLAIN_NAME = re.compile(r"[A-Za-z][\w-]*")
"""What says no more than a name; a mark before or behind one can turn what is said round."""


class Dropped(NamedTuple):
    """A payload without keys that were left out of it."""

    payload: Any
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    """A line for the model about each place."""


def without(facts: SchemaFacts, payload: Any, issues: Sequence[ValidationIssue]) -> Dropped | None:
    """Return a payload without the unknown keys that these issues are about; None if one of them must not be dropped.

    A key is kept that may be meant for a field, at whatever place, that limits, tests or conditions the call, that
    holds an object or a list, or that is one of a map. Issues of other kinds are left as they are.
    """
    unknown = [issue for issue in issues if issue.constraint in UNKNOWN_KEYS and issue.path]
    locator = Locator(facts, payload)
    if not unknown or len(unknown) > MAX_DROPPED or not all(_may_go(locator, i) for i in unknown):
        return None
    paths = dict.fromkeys(issue.path for issue in unknown)
    changes: list[Change] = [
        {"path": path, "from": locator.locate(path).value, "rule": "dropped"} for path in paths
    ]
    try:
        left = apply_edits(payload, [Edit("remove", path) for path in paths])
    except ValueError:
        return None
    return Dropped(left, tuple(changes), tuple(map(_note, paths)))


def _note(path: Path) -> str:
    place = field_of(path[:-1])
    where = f"in {clean(place[:MAX_TEXT])}" if place else "of this tool"
    return f"Note: {name_shown(str(path[-1]))} is not a field {where}; it was ignored."


def _may_go(locator: Locator, issue: ValidationIssue) -> bool:
    name, value = issue.path[-1], revealed(issue.got)
    if not isinstance(name, str) or _PLAIN_NAME.fullmatch(name) is None or conditions(name):
        return False
    if isinstance(value, (dict, list)) or (isinstance(value, str) and len(value) > MAX_TEXT):
        return False
    location = locator.locate(issue.path[:-1])
    node, sent = location.node, location.value
    if issue.constraint == "propertyNames" or not node.properties or not isinstance(sent, dict):
        return False
    if name in declared_names(locator.facts.document.root):
        return False  # A field at another place.
    for field in node.properties:  # One that was sent too is meant only if the key is spelt nearly as it is.
        apart = how_far_apart(name, field)
        if apart is not None and apart < (BY_WORDS if field in sent else SHARED_WORD):
            return False
    return True
