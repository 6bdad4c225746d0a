"""The edits of a diagnosis, made one after the other and checked: what is certain, what is asked, what is no help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolgen_runtime.hints.certainty import Step, rule_of
from toolgen_runtime.hints.edits import Draft, Edit
from toolgen_runtime.hints.problems import UNKNOWN, Locator, Problem, below
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]

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
    issues = check(payload)
    if not issues:
        return
    wrong = {i.path for i in issues if i.constraint not in UNKNOWN}
    lacking = {i.path[:-1] for i in issues if i.constraint == "required"}
    for problem in problems:
        for edit in problem.edits:
            if edit.op not in ("set", "wrap", "unwrap") or problem.moves:
                continue
            value = _at(payload, edit.path)
            if edit.path in wrong or (value in ([], {}) and edit.path in lacking):
                problem.withdraw()
                break


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = below(value, step)
    return value
