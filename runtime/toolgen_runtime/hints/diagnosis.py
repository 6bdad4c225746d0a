"""The diagnosis of a call: what is wrong, and which edits would put it right.

Text, `hint.edits` and `repair` are all made of it, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.levels.wrong_level import find_moves, is_flat, may_be_misplaced
from toolgen_runtime.hints.other_calls import is_several, stands_for_a_call
from toolgen_runtime.hints.problems import Locator, Problem, gather
from toolgen_runtime.hints.renames import match_renames, strays_like_fields
from toolgen_runtime.hints.settle import choose, problems_afterwards, settle
from toolgen_runtime.hints.similar_names import MAX_COMPARED
from toolgen_runtime.hints.values.wrong_values import other_no_values, read_value, says_nothing
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

Check = Callable[[Any], list[ValidationIssue]]

MAX_READ = 1_000
"""Problems whose edits are worked out."""
MAX_COMPARISONS = 1_500_000
"""What the values of enumerations may cost to be compared with what was sent; further wrong values get no edits."""
_LIKENESS = 50
"""How many times as much it costs to see how alike two texts are as to see whether they are equal."""


class Correction(NamedTuple):
    """One edit, and what a repair calls it."""

    edit: Edit
    rule: str


def corrections(problems: Sequence[Problem]) -> Iterator[Correction]:
    """Yield every edit of a diagnosis; each path is in the payload as the edits before it leave it."""
    for problem in problems:
        for edit in problem.edits:
            yield Correction(edit, _rule_of(problem, edit))


def _rule_of(problem: Problem, edit: Edit) -> str:
    if problem.reading is not None:
        return problem.reading.rule
    return problem.rule or {"rename": "key", "remove": "dropped"}.get(edit.op, edit.op)


def diagnose(
    facts: SchemaFacts,
    issues: Sequence[ValidationIssue],
    payload: Any,
    check: Check | None = None,
    *,
    name: str = "",
    changes: bool = False,
    tools: Collection[str] = (),
) -> list[Problem]:
    """Return what is wrong with a payload that has these issues, in the order in which the edits are made.

    Args:
        facts: the facts of the schema that the issues are about.
        issues: what the check, or another validator, says.
        payload: what was checked; `MISSING` where that is not known.
        check: the tool's own check; without it, nothing is tried elsewhere than where it stands.
        name: the tool's.
        changes: whether the tool changes what is there, so that null may mean "clear it".
        tools: the names of all tools, a call of which may stand in the place of its result.
    """
    moved: list[Problem] = []
    locator = start = Locator(facts, payload)
    if payload is MISSING:
        check = None
    if check is not None and may_be_misplaced(issues) and not is_flat(locator):
        moved, locator, issues = find_moves(locator, issues, check)
    problems = gather(locator, issues)
    by_key = no_value = to_try = False
    comparisons = 0
    for problem in problems[:MAX_READ] if len(problems) > MAX_READ else problems:
        if problem.unknown or problem.missing:
            by_key = by_key or problem.unknown or problem.location.has_strays()
        elif problem.got is not MISSING:
            if problem.constraint == "enum":
                comparisons += _comparisons(problem)
            if comparisons > MAX_COMPARISONS:
                continue
            if stands_for_a_call(problem, tools):
                continue
            read_value(problem, changes=changes, tried=check is not None)
            no_value = no_value or (type(problem.got) is str and says_nothing(problem.got))
            to_try = to_try or (
                problem.reading is not None and isinstance(problem.reading.value, (dict, list))
            )
    if check is not None:
        choose(locator.payload, problems, check)
        for problem in problems[:MAX_READ]:
            if problem.reading is None and not problem.said:
                is_several(problem, locator.payload, check)
    if no_value:
        problems += other_no_values(problems)
    if by_key:
        problems = match_renames(problems)
    for problem in problems:
        if problem.missing and not problem.edits and len(problem.node.allowed) == 1:
            problem.edits = (Edit("set", problem.path, None, problem.node.allowed[0]),)
    if check is not None and problems and not facts.root.closed and locator.root.has_strays():
        strays = _of_strays(locator, [*moved, *problems])
        problems += strays
        to_try = to_try or bool(strays)
    if check is not None and (by_key or to_try):
        problems += problems_afterwards(locator, problems, check, changes=changes)
    found = [*moved, *problems]
    settle(start, found, check, tool=name, changes=changes)
    return found


def _comparisons(problem: Problem) -> int:
    expected = problem.issues[0].expected
    if not isinstance(expected, (tuple, list)):
        return 0
    return len(expected) + _LIKENESS * min(len(expected), 2 * MAX_COMPARED)


def _of_strays(locator: Locator, problems: Sequence[Problem]) -> list[Problem]:
    """Keys that the schema lets pass though a field was meant; while there are any, nothing else is certain."""
    strays = strays_like_fields(locator.root, problems)
    told = {stray.path[-1] for stray in strays}
    for problem in problems if strays else ():
        problem.doubt()
        problem.strays = tuple([k for k in problem.strays if len(problem.path) > 1 or k not in told])
    return strays
