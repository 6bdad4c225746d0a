"""Edits made and checked: which reading of a value is taken, which edits are certain, asked, or no help.

`choose` and `problems_afterwards` ask the check while a diagnosis is made, `settle` when all its edits are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.certainty import Step, rule_of
from toolgen_runtime.hints.edits import Draft, Edit, apply_edits
from toolgen_runtime.hints.problems import UNKNOWN, Locator, Problem, below, gather
from toolgen_runtime.hints.values.wrong_values import read_value, take_next
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]

_PUTS = ("set", "wrap", "unwrap")
"""Edits that put a value where the check can refuse it."""
MAX_FAILED = 20
"""Edits that do not fit; the rest is left out then."""


def settle(
    locator: Locator, problems: Sequence[Problem], check: Check | None, *, tool: str, changes: bool
) -> None:
    """Make the edits of problems uncertain that no rule allows; leave out those that do not fit, or help nothing.

    Args:
        locator: the payload as it was sent.
        problems: in the order of their edits.
        check: the tool's own check.
        tool: its name.
        changes: whether it may change or remove what is there.
    """
    if locator.payload is MISSING:
        _settle_unseen(problems, tool, changes)
        return
    draft = Draft(locator.payload)
    made: list[Edit] = []
    doubtful: set[Path] = set()
    failed = 0
    for problem in problems:
        if not problem.edits:
            continue
        try:
            certain = failed <= MAX_FAILED and _made(locator, draft, problem, tool, changes)
        except ValueError:
            failed += 1
            problem.withdraw()
            draft = Draft(locator.payload)
            for edit in made if failed <= MAX_FAILED else ():
                draft.apply(edit)
            continue
        made += problem.edits
        if not certain or (doubtful and _is_below(problem, doubtful)):
            problem.doubt()
            doubtful.update(map(_place_of, problem.edits))
    if check is not None and made:
        _drop_refused(draft.root[0], problems, check)


def _place_of(edit: Edit) -> Path:
    """Return where an edit puts something."""
    if edit.op in ("rename", "move"):
        return edit.to or ()
    return (*edit.path, *edit.to) if edit.op == "wrap" and edit.to else edit.path


def _is_below(problem: Problem, places: set[Path]) -> bool:
    """Return whether a problem is where an uncertain edit has put something, or below."""
    return any(e.path[:n] in places for e in problem.edits for n in range(len(e.path) + 1))


def _made(locator: Locator, draft: Draft, problem: Problem, tool: str, changes: bool) -> bool:
    """Make the edits of a problem; return whether a rule allows each of them."""
    allowed = True
    for edit in problem.edits:
        before = _at(draft.root[0], edit.path)
        draft.apply(edit)
        if not allowed or not edit.certain:
            allowed = False
            continue
        after = before if edit.op in ("rename", "remove", "move") else _at(draft.root[0], edit.path)
        allowed = rule_of(_step(locator, problem, edit, before, after, tool, changes)) is not None
    return allowed


def _step(
    locator: Locator, problem: Problem, edit: Edit, before: Any, after: Any, tool: str, changes: bool
) -> Step:
    location = problem.location
    if edit.path == problem.path:
        node, around = problem.node, location.node
    else:
        around = locator.locate(edit.path[:-1]).node if edit.path else locator.root.node
        node = around.child(edit.path[-1]) if edit.path else locator.root.node
    return Step(edit, revealed(before), revealed(after), node, around, tool, changes)


def _settle_unseen(problems: Sequence[Problem], tool: str, changes: bool) -> None:
    """Settle edits of a payload that is not known: by the values that the issues name."""
    for problem in problems:
        for edit in problem.edits:
            after = edit.value if edit.op == "set" else problem.got
            step = Step(
                edit, problem.got, revealed(after), problem.node, problem.location.node, tool, changes
            )
            if not edit.certain or rule_of(step) is None:
                problem.doubt()
                break


def _drop_refused(payload: Any, problems: Sequence[Problem], check: Check) -> None:
    """Leave out the values that the check refuses where they would be put."""
    if not any(edit.op in _PUTS for problem in problems for edit in problem.edits):
        return
    issues = check(payload)
    if not issues:
        return
    wrong = {i.path for i in issues if i.constraint not in UNKNOWN}
    lacking = {i.path[:-1] for i in issues if i.constraint == "required"}
    for problem in problems:
        for edit in problem.edits:
            if edit.op not in _PUTS or problem.moves:
                continue
            value = _at(payload, edit.path)
            if edit.path in wrong or (value in ([], {}) and edit.path in lacking):
                problem.withdraw()
                break


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = below(value, step)
    return value


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
