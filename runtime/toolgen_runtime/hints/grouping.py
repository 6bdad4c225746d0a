"""Combine problems that many array items share into one line, such as `rows[0-29].qty`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from toolgen_runtime.hints.problems import general
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import MAX_ECHO, clean
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import ANY_ITEM, field_of, key_text

MAX_SPANS = 6
MAX_FIELD = 200
"""The most characters of a field's text."""
MAX_KEY = MAX_ECHO
"""The most characters of one key: keys of a payload can be long and contain anything."""


def group_alike(findings: list[Finding]) -> list[Finding]:
    """Combine findings that are the same for several array items."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_likeness(finding), []).append(finding)
    if len(groups) == len(findings):
        return findings
    return [finding for group in groups.values() for finding in _joined(group)]


def _likeness(finding: Finding) -> object:
    problem, proposal = finding.problem, finding.proposal
    reading = proposal.reading
    return (
        general(problem.path),
        tuple([issue.constraint for issue in problem.issues]),
        proposal.rename_from,
        proposal.did_you_mean,
        problem.location.choice,
        proposal.order,
        proposal.question,
        reading and (reading.op, proposal.is_certain, json_type(reading.value)),
        finding.then and _likeness(finding.then),
    )


def _joined(group: list[Finding]) -> list[Finding]:
    """Return one finding if the paths are all combinations of their indices.

    Otherwise return one finding for each array that the last index belongs to.
    """
    paths = [finding.problem.path for finding in group]
    size = 1
    for steps in zip(*paths, strict=True):
        size *= len(set(steps))
    at = 0
    if size != len(group):
        at = max(i for i, step in enumerate(paths[0]) if type(step) is int)
    rows: dict[Path, list[Finding]] = {}
    for finding in group:
        rows.setdefault(finding.problem.path[:at], []).append(finding)
    return [_together(row) for row in rows.values()]


def _together(row: list[Finding]) -> Finding:
    """Return the first finding of a row, with all findings of the row as its group.

    The findings that follow a rename are grouped in the same way.
    """
    first = row[0]
    if len(row) == 1:
        return first
    then = [finding.then for finding in row if finding.then is not None]
    if then:
        following = then[0]._replace(group=tuple(then))
    else:
        following = None
    return first._replace(group=tuple(row), then=following)


def field_text(finding: Finding, above: int = 0) -> str:
    """Return a finding's field in dotted form, on one line of limited length. A group shows ranges of
    indexes.

    `above` is the number of steps to leave out at the end.
    """
    path = finding.problem.path
    length = min(len(path) - above, MAX_FIELD)
    if finding.group:
        paths = [each.problem.path[:length] for each in finding.group]
        parts = [_steps(steps) for steps in zip(*paths, strict=True)]
    else:
        parts = [_step(step) for step in path[:length]]
    text = "".join(parts).removeprefix(".")
    if len(text) <= MAX_FIELD:
        return text
    return text[: MAX_FIELD - 1] + "…"


def _steps(steps: Sequence[str | int]) -> str:
    """Return the same step of several paths as text."""
    indices = sorted({step for step in steps if type(step) is int})
    if indices:
        return _spans(indices)
    return _step(steps[0])


def _step(step: str | int) -> str:
    if isinstance(step, str):
        if len(step) > MAX_KEY and type(step) is str:  # a secret key is masked as a whole
            return _key.__wrapped__(step[: MAX_KEY - 1] + "…")
        return _key(step)
    if step == ANY_ITEM:
        return "[]"
    return f"[{clean(key_text(step))}]"


@lru_cache(maxsize=1024)
def _key(name: str) -> str:
    """Return a key as one step of a dotted field, written as `field_of` does, with unprintable characters escaped."""
    text = field_of((name,))
    if text[0] == "[":
        return clean(text)
    return "." + clean(text)


def _spans(indices: list[int]) -> str:
    """Return indices as ranges, such as `[0-29]` or `[0,4,7-9]`. After `MAX_SPANS` ranges, `…` stands for the rest."""
    spans: list[list[int]] = []
    for index in indices:
        if spans and index == spans[-1][1] + 1:
            spans[-1][1] = index
        else:
            spans.append([index, index])
    texts = [key_text(a) if a == b else f"{key_text(a)}-{key_text(b)}" for a, b in spans[:MAX_SPANS]]
    return f"[{','.join(texts)}{',…' if len(spans) > MAX_SPANS else ''}]"
