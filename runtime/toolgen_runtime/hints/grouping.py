"""Combine problems that many array items share into one line, such as `rows[0-29].qty`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

from toolgen_runtime.hints.problems import general
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import MAX_ECHO, clean, cut, first
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import ANY_ITEM, field_of, key_text

MAX_SPANS = 6
MAX_SHORT_INDEX = 1_000_000
"""Larger indices are rare; Python may refuse to write one of thousands of digits."""
MAX_FIELD = 200
"""The most characters of a field's text."""


def group_alike(findings: list[Finding]) -> list[Finding]:
    """Combine findings that are the same for several array items."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_likeness(finding), []).append(finding)
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
    shared = 0
    if prod([len(set(steps)) for steps in zip(*paths, strict=True)]) != len(group):
        shared = max(i for i, step in enumerate(paths[0]) if type(step) is int)
    rows: dict[Path, list[Finding]] = {}
    for finding in group:
        rows.setdefault(finding.problem.path[:shared], []).append(finding)
    return [_together(row) for row in rows.values()]


def _together(row: list[Finding]) -> Finding:
    """Return the first finding of a row, with all findings of the row as its group.

    The findings that follow a rename are grouped in the same way.
    """
    head = row[0]
    if len(row) == 1:
        return head
    then = head.then
    if then is not None:
        then = then._replace(group=tuple([each.then for each in row if each.then is not None]))
    return head._replace(group=tuple(row), then=then)


def field_text(finding: Finding, above: int = 0) -> str:
    """Return a finding's field in dotted form, on one line of limited length. A group shows ranges of
    indexes.

    `above` is the number of steps to leave out at the end.
    """
    length = min(len(finding.problem.path) - above, MAX_FIELD)
    if finding.group:
        paths = [each.problem.path[:length] for each in finding.group]
        parts = [_steps(steps) for steps in zip(*paths, strict=True)]
    else:
        parts = [_step(step) for step in finding.problem.path[:length]]
    return cut("".join(parts).removeprefix("."), MAX_FIELD)


def _steps(steps: Sequence[str | int]) -> str:
    """Return the same step of several paths as text."""
    if isinstance(steps[0], int):
        return _spans(sorted(set(steps)))
    return _step(steps[0])


def _step(step: str | int) -> str:
    """Return one step of a dotted field, written as `field_of` does."""
    if isinstance(step, int) and 0 <= step < MAX_SHORT_INDEX:
        return f"[{step}]"  # the usual case
    if isinstance(step, int):
        return _spans([step])
    if type(step) is str and len(step) <= MAX_ECHO:
        return _key(step)
    if type(step) is str:  # a secret key is masked as a whole
        step = cut(step, MAX_ECHO)
    return _key.__wrapped__(step)


@lru_cache(maxsize=1024)
def _key(name: str) -> str:
    """Return a key as one step of a dotted field. Most are those of the schema, so that they are kept."""
    text = clean(field_of((name,)))
    if text[0] == "[":
        return text
    return "." + text


def _spans(indices: Sequence[Any]) -> str:
    """Return indices as ranges, such as `[0-29]` or `[0,4,7-9]`. After `MAX_SPANS` ranges, `…` stands for the rest."""
    spans: list[list[int]] = []
    if indices == [ANY_ITEM]:
        return "[]"
    for index in indices:
        if spans and index == spans[-1][1] + 1:
            spans[-1][1] = index
        else:
            spans.append([index, index])
    texts = ["-".join(dict.fromkeys(map(key_text, span))) for span in spans[: MAX_SPANS + 1]]
    return f"[{','.join(first(texts, MAX_SPANS))}]"
