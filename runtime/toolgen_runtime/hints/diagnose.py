"""Find out what is wrong with a call, and which edits would correct it.

The steps:

1. Move values that are at the wrong level, such as the arguments inside an extra object. A move is kept if less is
   wrong after it.
2. Gather the issues that are left as problems: all issues at one path form one problem.
3. Propose corrections. For a key, there is at most one: rename it, remove it, move it into another object, or add it
   with its default. For a wrong value, there may be several values that it may mean, the most likely first.
4. If there are problems, add the undeclared keys at the root that resemble a field. With such a key, or another one
   that the tool would ignore though it may matter, no edit of the call is certain.
5. Resolve: apply the first proposal of every problem together, and check the result. If the check rejects a new value,
   try the next proposal of that problem in its place, and check again. A problem has no proposal if all were rejected.
   A proposal for a key is kept even if the value of the key is wrong; the next step corrects such a value.
6. Propose and resolve (as in 3 and 5) once or twice more, for what is still wrong at or below an edited path, or beside
   the tag of a union.

Hint text, `hint.edits` and `repair` all call this function, so they do not contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
MAX_ROUNDS = 2
"""The most times that values are looked at again after an edit: what JSON text holds, and what its tag asks for."""
_LIKENESS = 50
"""The cost of comparing two texts for similarity, relative to comparing them for equality."""


def diagnose(call: Call, issues: Sequence[ValidationIssue]) -> list[Finding]:
    """Return what is wrong with a call, with the edits that would correct it, in the order in which to apply
    them.
    """
    moved, call, issues = wrong_level.find_moves(call, issues)
    problems = gather(call, issues)
    proposals, explained = _propose(problems, call)
    problems = [problem for problem in problems if problem.path not in explained]
    ignored = keys.ignored_keys(call, problems, proposals) if problems or moved else []
    misspelt = keys.misspelt_root_fields(call, problems, ignored)
    for path, (problem, rename) in misspelt.items():
        problems.append(problem)
        proposals[path] = (rename,)
    findings = _resolve_all(call, problems, proposals, MAX_ROUNDS)
    is_doubtful = misspelt or any(not finding.proposal.is_certain for finding in moved)
    found = [*moved, *findings]
    # The corrected call would run without the ignored keys. After an uncertain move, the paths of the other edits are
    # uncertain, too.
    if is_doubtful or keys.may_matter(call, ignored):
        return [_doubted(finding) for finding in found]
    return found


def _propose(problems: Sequence[Problem], call: Call) -> tuple[dict[Path, Sequence[Proposal]], set[Path]]:
    """Return the proposals for each problem, the most likely first.

    Also return the explained paths: they need no line in the hint, because the line of another path covers them. An
    unknown key is explained if it is renamed to a missing field.
    """
    proposals: dict[Path, Sequence[Proposal]] = {}
    cost = 0
    problems = problems[:MAX_PROBLEMS_READ]
    by_key, explained = keys.propose_keys(problems, call)
    for problem in problems:
        if problem.path in by_key:
            proposals[problem.path] = (by_key[problem.path],)
        elif problem.is_value:
            if problem.constraint == "enum":
                cost += _cost_of_comparing(problem.issues[0].expected)
            if cost <= MAX_COMPARISONS:
                proposals[problem.path] = propose_value(problem, call)
    return proposals, explained


def _cost_of_comparing(allowed: Any) -> int:
    if isinstance(allowed, (tuple, list)):
        return len(allowed) + _LIKENESS * min(len(allowed), 2 * MAX_COMPARED)
    return 0


def _without_solved(
    findings: list[Finding], remaining: Sequence[ValidationIssue], call: Call
) -> list[Finding]:
    """Return the findings without those that have no edit and that the edits of the others solve.

    The issues of another validator may be none for the tool's own check; their findings are kept. So are all if values
    are only removed: the model may send others instead.
    """
    if all(edit.op == "remove" for finding in findings for edit in finding.proposal.edits):
        return findings
    solved = {finding.problem.path for finding in findings if not finding.proposal.edits}
    if solved:
        solved -= {issue.path[:n] for issue in remaining for n in range(len(issue.path) + 1)}
    if not solved:
        return findings
    solved &= {issue.path for issue in call.issues_of(call.payload)}
    return [finding for finding in findings if finding.problem.path not in solved]


def _doubted(finding: Finding) -> Finding:
    then = finding.then and _doubted(finding.then)
    return finding._replace(proposal=finding.proposal.doubted(), then=then)


def _resolve_all(
    call: Call, problems: Sequence[Problem], proposals: Mapping[Path, Sequence[Proposal]], rounds: int
) -> list[Finding]:
    """Return the findings of the problems, and of the problems that are left at, below or beside their edits."""
    findings, after, remaining = resolve(call, problems, proposals)
    if call.check is not None:
        findings = _without_solved(findings, remaining, call)
    if not remaining or not rounds:
        return findings
    changed = _changed_by(findings, call)
    lengths = sorted({*map(len, changed)}, reverse=True)

    def cause_of(path: Path) -> Finding | None:
        return next((changed[path[:n]] for n in lengths if path[:n] in changed), None)

    unsolved = {finding.problem.path for finding in findings if not finding.proposal.edits}
    later = [i for i in remaining if i.path not in unsolved and cause_of(i.path) is not None]
    if not later:
        return findings
    again = call.sent_as(after)
    problems = gather(again, later)
    proposals, explained = _propose(problems, again)
    problems = [problem for problem in problems if problem.path not in explained]
    return _joined(findings, _resolve_all(again, problems, proposals, rounds - 1), cause_of)


def _changed_by(findings: Sequence[Finding], call: Call) -> dict[Path, Finding]:
    """Map the paths after the edits of the findings, and the objects whose tags they change, to the findings."""
    changed: dict[Path, Finding] = {}
    for finding in findings[:MAX_PROBLEMS_READ]:
        for edit in finding.proposal.edits:
            path = edit.path
            if edit.op == "rename":
                path = edit.to or ()
            changed[path] = finding
            if call.locate(path[:-1]).wide.unions:
                changed.setdefault(path[:-1], finding)  # the value may be the tag of a branch
    return changed


def _joined(
    findings: Sequence[Finding], later: Sequence[Finding], cause_of: Callable[[Path], Finding | None]
) -> list[Finding]:
    """Return the findings, followed by the later ones. That of a renamed key's value becomes `then` of the rename."""
    then: dict[Path, Finding] = {}
    others: list[Finding] = []
    for finding in later:
        cause = cause_of(finding.problem.path)
        if cause is None:
            continue
        if not cause.proposal.is_certain:
            finding = _doubted(finding)
        if cause.proposal.edits[0].to == finding.problem.path:
            then[cause.problem.path] = finding
        else:
            others.append(finding)
    return [*[f._replace(then=then.get(f.problem.path, f.then)) for f in findings], *others]
