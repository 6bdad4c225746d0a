"""Choose the correction of each problem: strategies make several proposals, and `resolve` finds the first
that works.

Strategies return proposals. `resolve` applies the first proposal for each problem and runs the tool's check. If the
check rejects the result, it tries the next proposal. An edit is certain only if a rule in `certainty` allows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from toolgen_runtime.hints.certainty import rule_of
from toolgen_runtime.hints.edits import Draft, Edit
from toolgen_runtime.hints.problems import Call, Problem
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue

MAX_TRIED = 4
"""The most proposals of one problem that are tried."""


class Reading(NamedTuple):
    """What an invalid value may mean: the value to use instead, and the change that leads to it."""

    op: Literal["set", "remove", "wrap", "unwrap"]
    value: Any = MISSING
    """The new value; `MISSING` if the value is removed."""
    certain: bool = True
    """Whether a rule of `certainty` may make it certain."""
    above: int = 0
    """How many steps above the value the edit is made."""
    other: Any = MISSING
    """A second value that is about as likely, if the reading is not certain."""
    whole: bool = False
    """Whether the reading counts only if the check reports no issue for the new value or inside it."""

    def result(self) -> Any:
        """Return the value that results from the change."""
        if self.op == "wrap":
            return [self.value]
        return self.value


class Proposal(NamedTuple):
    """A way to correct a problem: its edits, and what the hint says about them."""

    edits: tuple[Edit, ...] = ()
    rules: tuple[str, ...] = ()
    """The rule for each edit, if the edits are certain; else empty."""
    reading: Reading | None = None
    """The value that replaces the sent one."""
    order: str = ""
    """The whole sentence, as an order, if the strategy writes it."""
    question: str = ""
    """The same as a question, for edits that are not certain."""
    rename_from: str | None = None
    """The undeclared key that was meant for a missing field."""
    did_you_mean: Any = None
    """The most likely allowed value, or field."""
    candidates: tuple[str, ...] = ()
    """The fields that are equally similar to an unknown key."""
    undeclared: tuple[str, ...] = ()
    """Keys sent in the object of a missing field that are not declared."""

    @property
    def is_certain(self) -> bool:
        """Whether the edits are certain."""
        return self.rules != ()

    def doubted(self) -> Proposal:
        """Return a copy in which no edit is certain."""
        if not self.rules:
            return self
        return self._replace(rules=(), edits=tuple([e._replace(certain=False) for e in self.edits]))


NONE = Proposal()
"""No proposal."""


class Finding(NamedTuple):
    """A problem and the proposal that was chosen for it. It becomes one line of a hint."""

    problem: Problem
    proposal: Proposal = NONE
    then: Finding | None = None
    """The problem of the value under its new name; it shares this line."""
    group: tuple[Finding, ...] = ()
    """The findings of several items that share this line, this one first."""

    def corrections(self) -> list[tuple[Edit, str]]:
        """Return each edit with the name of the rule that makes it certain, or with an empty string.

        If a key is renamed, the edits of its value come last.
        """
        edits, rules = self.proposal.edits, self.proposal.rules
        found = [*zip(edits, rules or [""] * len(edits), strict=True)]
        if self.then is not None:
            found += self.then.corrections()
        return found


def proposal(edits: Sequence[Edit], rules: Sequence[str] = (), **facts: Any) -> Proposal:
    """Create a proposal. Its edits are certain if `rules` names a rule for each of them."""
    if rules and all(rules):
        return Proposal(tuple([e._replace(certain=True) for e in edits]), tuple(rules), **facts)
    return Proposal(tuple(edits), **facts)


def proposal_of(reading: Reading, problem: Problem, call: Call) -> Proposal | None:
    """Turn a reading into a proposal; return None if it would guess a secret."""
    is_certain, location = reading.certain, problem.location
    if reading.op == "unwrap" and problem.is_member():
        # The value of an undeclared key may belong elsewhere.
        is_certain = is_certain and problem.path[-1] in location.node.properties
    elif reading.op == "wrap" and isinstance(items := location.value, list):
        # If several values replace lists, one list of all of them is as likely.
        is_certain = len(items) == 1 or any(isinstance(v, list) for v in items)
    if problem.secret and not is_certain:
        return None
    value: Any = MISSING
    meant = None
    if reading.op == "set":
        value = Secret(reading.value) if problem.secret else reading.value
        if problem.lists_values() and not problem.secret and not isinstance(reading.value, (dict, list)):
            meant = reading.value
    edit = Edit(reading.op, problem.path[: len(problem.path) - reading.above], None, value)
    rules: tuple[str, ...] = ()
    if is_certain:
        node = problem.node
        if reading.above:
            node = location.node
        rules = (rule_of(edit, problem.got, reading.value, node, location.node, call),)
    return proposal((edit,), rules, reading=reading, did_you_mean=meant)


def resolve(
    call: Call, problems: Sequence[Problem], proposals: Mapping[Path, Sequence[Proposal]]
) -> tuple[list[Finding], Any, list[ValidationIssue]]:
    """Choose a proposal for each problem, and return the findings, the corrected payload and the issues that
    remain.

    If the edits only remove values, the payload is not checked again, and no issues are returned.
    """
    tried = dict.fromkeys(proposals, 0)
    after, left = call.payload, list[ValidationIssue]()
    chosen: dict[Path, Proposal] = {}
    for _ in range(MAX_TRIED + 1):  # in the last round, a problem whose proposals were all refused has none
        chosen = {path: each for path, n in tried.items() for each in proposals[path][n:MAX_TRIED][:1]}
        if call.payload is MISSING or not any(each.edits for each in chosen.values()):
            break
        after, unfit = _applied(call.payload, chosen)
        for path in unfit:  # the issues may be of another payload
            del chosen[path]
        left = []
        if any(edit.op != "remove" for each in chosen.values() for edit in each.edits):
            left = call.issues_of(after)
        refused = _refused(chosen, left)
        for path in refused:
            tried[path] += 1
        if not refused:
            break
    return [Finding(p, chosen.get(p.path, NONE)) for p in problems], after, left


def _applied(payload: Any, chosen: Mapping[Path, Proposal]) -> tuple[Any, list[Path]]:
    """Return the payload after all edits, and the paths whose proposals cannot be applied to it."""
    draft, unfit = Draft(payload), []
    for path, each in chosen.items():
        try:
            for edit in each.edits:
                draft.apply(edit)
        except ValueError:
            unfit.append(path)
    return draft.root[0], unfit


def _refused(chosen: Mapping[Path, Proposal], left: Sequence[ValidationIssue]) -> list[Path]:
    """Return the paths of proposals whose new value the check rejects."""
    wrong = {issue.path for issue in left if issue.constraint not in UNKNOWN_KEYS}
    above = {issue.path[:n] for issue in left for n in range(len(issue.path) + 1)}
    refused = []
    for path, each in chosen.items():
        if each.reading is not None and each.edits[0].path in (above if each.reading.whole else wrong):
            refused.append(path)
    return refused
