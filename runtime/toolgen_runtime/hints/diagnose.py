"""Find out what is wrong with a call, and which edits would correct it.

The steps:

1. Gather the issues as problems, one for each path.
2. Move values that are at the wrong level, if fewer issues remain then, and gather the problems again.
3. Propose corrections: at most one for each key (renamed, filled in, moved, removed), and several for each wrong value
   (what it may mean).
4. If there are problems, add the undeclared keys at the root that resemble a field. With such a key, no edit of the
   call is certain.
5. Resolve: apply the first proposal of every problem together, and check the result once. Where the check rejects a new
   value, take the next proposal of that problem, and check again. The check rejects no proposal for a key.
6. Propose values (3) and resolve (5) once more for values that are still wrong at or below an edited path.

Hint text, `hint.edits` and `repair` all call this function, so they do not contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints import keys, wrong_level
from toolgen_runtime.hints.names import MAX_COMPARED
from toolgen_runtime.hints.problems import Call, Problem, gather
from toolgen_runtime.hints.proposals import Finding, Proposal, resolve
from toolgen_runtime.hints.strategies import propose_value
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import ValidationIssue

MAX_PROBLEMS_READ = 1_000
"""The most problems for which edits are searched."""
MAX_COMPARISONS = 1_500_000
"""The budget for comparing wrong values with enumerations; wrong values beyond it get no edits."""
_LIKENESS = 50
"""The cost of comparing two texts for similarity, relative to comparing them for equality."""


def diagnose(call: Call, issues: Sequence[ValidationIssue]) -> list[Finding]:
    """Return what is wrong with a call, with the edits that would correct it, in the order in which to apply
    them.
    """
    problems = gather(call, issues)
    moved, call, issues = wrong_level.find_moves(call, problems[:MAX_PROBLEMS_READ], issues)
    if moved:
        problems = gather(call, issues)
    proposals, explained = _propose(problems, call)
    problems = [problem for problem in problems if problem.path not in explained]
    misspelt = keys.misspelt_root_fields(call, problems, proposals)
    for path, (problem, rename) in misspelt.items():
        problems.append(problem)
        proposals[path] = (rename,)
    findings, after, remaining = resolve(call, problems, proposals)
    if remaining:
        findings = _with_later_problems(call, after, remaining, findings)
    is_doubtful = bool(misspelt) or not all(finding.proposal.is_certain for finding in moved)
    found = [*moved, *findings]
    # Values of misspelt optional fields would be lost, and other paths assume an uncertain move.
    if is_doubtful:
        return [_doubted(finding) for finding in found]
    return found


def _propose(problems: Sequence[Problem], call: Call) -> tuple[dict[Path, Sequence[Proposal]], set[Path]]:
    """Return the proposals for each problem, the most likely first.

    Also return the paths that need no line in the hint, because the line of another path covers them.
    """
    proposals: dict[Path, Sequence[Proposal]] = {}
    cost = 0
    by_key, explained = keys.propose_keys(problems[:MAX_PROBLEMS_READ], call)
    for problem in problems[:MAX_PROBLEMS_READ]:
        if problem.path in by_key:
            proposals[problem.path] = (by_key[problem.path],)
        elif problem.is_value:
            cost += _cost_of(problem)
            if cost <= MAX_COMPARISONS:
                proposals[problem.path] = propose_value(problem, call)
    return proposals, explained


def _cost_of(problem: Problem) -> int:
    expected = problem.issues[0].expected
    if problem.constraint != "enum" or not isinstance(expected, (tuple, list)):
        return 0
    return len(expected) + _LIKENESS * min(len(expected), 2 * MAX_COMPARED)


def _doubted(finding: Finding) -> Finding:
    then = finding.then and _doubted(finding.then)
    return finding._replace(proposal=finding.proposal.doubted(), then=then)


def _with_later_problems(
    call: Call, after: Any, remaining: Sequence[ValidationIssue], findings: Sequence[Finding]
) -> list[Finding]:
    """Return the findings, extended by the problems that values still have after their edits.

    Such a value is under a new name, or is itself new.
    """
    changed: dict[Path, Finding] = {}
    for finding in findings[:MAX_PROBLEMS_READ]:
        for edit in finding.proposal.edits:
            if edit.op == "rename":  # `to` of `wrap` and `unwrap` is relative to `path`
                place = edit.to
            else:
                place = None
            changed[place or edit.path] = finding
    lengths = sorted({*map(len, changed)})

    def cause_of(path: Path) -> Finding | None:
        return next((changed[path[:n]] for n in lengths if path[:n] in changed), None)

    later = [issue for issue in remaining if cause_of(issue.path) is not None]
    if not later:
        return [*findings]
    again = call.sent_as(after)
    problems = gather(again, later)
    proposals = {p.path: propose_value(p, again) for p in problems[:MAX_PROBLEMS_READ] if p.is_value}
    found, _, _ = resolve(again, problems, proposals)
    then: dict[Path, Finding] = {}
    others: list[Finding] = []
    for finding in found:
        cause = cause_of(finding.problem.path)
        if cause is None or not cause.proposal.is_certain:
            finding = finding._replace(proposal=finding.proposal.doubted())
        if cause is not None and cause.proposal.edits[0].to == finding.problem.path:
            then[cause.problem.path] = finding
        else:
            others.append(finding)
    return [*[f._replace(then=then.get(f.problem.path, f.then)) for f in findings], *others]
