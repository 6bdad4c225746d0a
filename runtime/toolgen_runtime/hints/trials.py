"""What is learnt by making edits and checking again: what is wrong with a value once it is where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.problems import Locator, Problem, gather
from toolgen_runtime.hints.text import MAX_ECHO
from toolgen_runtime.hints.values.reading import Reading
from toolgen_runtime.hints.values.wrong_values import read_value, take
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]

MAX_TRIED = 1_000
"""Problems whose edits are made."""
MAX_CASED = 3
"""Values that are tried in the other case."""


def may_be_tried(problem: Problem) -> bool:
    """Return whether a check can tell more about a wrong value: another case of it, or the members that it is given."""
    if problem.constraint == "pattern":
        return True
    reading = problem.reading
    return reading is not None and isinstance(reading.value, (dict, list))


def problems_afterwards(
    locator: Locator, problems: Sequence[Problem], check: Check, *, changes: bool
) -> list[Problem]:
    """Return the problems that values have under their new names, or as what they were read as."""
    changed = dict(_new_places(problems[:MAX_TRIED]))
    if not changed:
        return []
    after = _edited(locator.payload, [edit for _, edit in changed.values()])
    if after is None:
        return []
    longest = max(map(len, changed))
    below = [i for i in check(after) if any(i.path[:n] in changed for n in range(longest + 1))]
    found = gather(Locator(locator.facts, after), below) if below else []
    for problem in found:
        read_value(problem, changes=changes)
        place = next(problem.path[:n] for n in range(longest + 1) if problem.path[:n] in changed)
        before, edit = changed[place]
        if not edit.certain:
            problem.doubt()
        if edit.op == "rename" and problem.path == place and not problem.missing and not problem.unknown:
            before.then, problem.shares_line = problem, True
    return found


def _new_places(problems: Sequence[Problem]) -> Iterator[tuple[Path, tuple[Problem, Edit]]]:
    """Yield each place that an edit gives another value than the check has seen there."""
    for problem in problems:
        for edit in problem.edits:
            if edit.op == "rename" and edit.to:
                yield edit.to, (problem, edit)
            elif _gives_members(problem, edit):
                yield edit.path, (problem, edit)


def _gives_members(problem: Problem, edit: Edit) -> bool:
    """Return whether there is an object or list after an edit whose members have not been checked."""
    if edit.op == "wrap":
        return isinstance(problem.got, dict)
    return edit.op == "set" and isinstance(revealed(edit.value), (dict, list))


def read_in_other_case(locator: Locator, problems: Sequence[Problem], check: Check) -> None:
    """Find out whether texts that do not match their pattern would in upper or lower case."""
    unread = [p for p in problems if p.constraint == "pattern" and p.reading is None and not p.secret]
    for problem in unread[:MAX_CASED]:
        got = problem.got
        if not isinstance(got, str) or len(got) > MAX_ECHO or len(problem.issues) > 1:
            continue
        for text in dict.fromkeys((got.upper(), got.lower())):
            after = _edited(locator.payload, [Edit("set", problem.path, None, text)]) if text != got else None
            if after is not None and all(i.path != problem.path for i in check(after)):
                take(problem, Reading("set", text, rule="spelling"))
                break


def _edited(payload: Any, edits: Sequence[Edit]) -> Any:
    """Return a payload after edits; None where it has no such places: issues may be of another."""
    try:
        return apply_edits(payload, edits)
    except ValueError:
        return None
