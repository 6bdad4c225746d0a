"""What is learnt by making edits and checking again: what is wrong with a value once it is where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.problems import Locator, Problem, gather
from toolgen_runtime.hints.values.wrong_values import read_value, take_next
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]

MAX_TRIED = 1_000
"""Problems whose edits are made."""
MAX_ROUNDS = 4
"""Readings of one value that are tried."""


def choose(payload: Any, problems: Sequence[Problem], check: Check) -> None:
    """Take of each wrong value's readings the first that the check lets pass; none if it refuses them all."""
    open_ones = [p for p in problems if p.readings or (p.reading is not None and p.reading.whole)]
    for _ in range(MAX_ROUNDS if open_ones else 0):
        after = _edited(payload, [edit for p in open_ones for edit in p.edits])
        if after is None:
            return
        wrong = {i.path for i in check(after)}
        above = {path[:n] for path in wrong for n in range(len(path))} | wrong
        refused = [
            p
            for p in open_ones
            if p.reading is not None
            and p.reading.op != "remove"
            and p.edits[0].path in (above if p.reading.whole else wrong)
        ]
        for problem in refused:
            take_next(problem)
        if not refused:
            return


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
        read_value(problem, changes=changes, tried=True)
    choose(after, found, check)
    for problem in found:
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


def _edited(payload: Any, edits: Sequence[Edit]) -> Any:
    """Return a payload after edits; None where it has no such places: issues may be of another."""
    try:
        return apply_edits(payload, edits)
    except ValueError:
        return None
