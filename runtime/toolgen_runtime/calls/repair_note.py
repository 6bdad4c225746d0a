"""Write the line that tells the model what was repaired in its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen_runtime.calls.adjustments import SILENT_RULES
from toolgen_runtime.hints.quoting import shown
from toolgen_runtime.validation.issues import field_of
from toolgen_runtime.validation.redaction import MASK

if TYPE_CHECKING:
    from toolgen_runtime.hints.repair import Change

MAX_TOLD: Final = 3
"""The maximum number of changes that the line names."""
_RENAMED: Final = ("key", "alias")
_AROUND: Final = ("moved", "unwrapped", "wrapped")


def repair_note(changes: Sequence[Change]) -> tuple[str, ...]:
    """Return one line about the corrections; an empty tuple if none of the changes is worth mentioning."""
    told = [change for change in changes if change["rule"] not in SILENT_RULES]
    if not told:
        return ()
    words = [_in_words(change) for change in told[:MAX_TOLD]]
    if len(told) > MAX_TOLD:
        words.append(f"{len(told) - MAX_TOLD} more")
    return (f"Note: the arguments were corrected before the call: {'; '.join(words)}.",)


def _in_words(change: Change) -> str:
    if not change["path"]:
        if change["rule"] in _AROUND:
            return "what was around them was removed or added"
        return "they were read as a JSON object"
    field = shown(field_of(change["path"]))
    if "to" not in change:
        return f"{field} was left out"
    if change["rule"] in _RENAMED:
        return f"{field} is now {shown(change['to'])}"
    if change["rule"] == "moved":
        if change["to"] == MASK:
            return f"{field} was moved"
        return f"{field} was moved to {_place(change['to'])}"
    return f"{field} is now {_value(change['to'])}"


def _place(path: Any) -> str:
    if isinstance(path, (tuple, list)):
        return shown(field_of(tuple(path)))
    return "another place"


def _value(value: Any) -> str:
    if value == MASK:
        return MASK
    return shown(value)
