"""Group equal problems of many array items into one line: `rows[0-29].qty`."""

from __future__ import annotations

from functools import lru_cache

from toolgen_runtime.hints.problems import Problem, general
from toolgen_runtime.hints.text import MAX_ECHO, clean
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import ANY_ITEM, field_of, key_text

MAX_SPANS = 6
MAX_FIELD = 200
"""The most characters of a field's text."""
MAX_KEY = MAX_ECHO
"""The most characters of one key: keys of a payload can be long and contain anything."""


def group_alike(problems: list[Problem]) -> list[Problem]:
    """Return the problems, those that are equal in several items joined into one."""
    groups: dict[object, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(_likeness(problem), []).append(problem)
    if len(groups) == len(problems):
        return problems
    return [problem for group in groups.values() for problem in _joined(group)]


def _likeness(f: Problem) -> object:
    return (
        general(f.path),
        tuple([i.constraint for i in f.issues]),
        f.rename_from,
        f.did_you_mean,
        f.choice,
        f.said,
        f.reading and (f.reading.op, f.sure, json_type(f.reading.value)),
        f.then and _likeness(f.then),
    )


def _joined(group: list[Problem]) -> list[Problem]:
    """Return one problem if the paths are all combinations of their indices, else one per array of the last index."""
    size = 1
    for steps in zip(*[f.path for f in group], strict=True):
        size *= len(set(steps))
    at = 0 if size == len(group) else max(i for i, step in enumerate(group[0].path) if type(step) is int)
    rows: dict[Path, list[Problem]] = {}
    for f in group:
        rows.setdefault(f.path[:at], []).append(f)
    for first, *others in rows.values():  # the first problem represents the others, and so does its `then`
        first.group = [first, *others] if others else ()
        if first.then is not None:
            first.then.group = [f.then for f in first.group if f.then is not None]
    return [row[0] for row in rows.values()]


def field_text(problem: Problem) -> str:
    """Return the dotted field of a problem, with the index ranges of its group, as one bounded line."""
    path = problem.path
    if not problem.group:
        parts = [_key(s) if type(s) is str and len(s) <= MAX_KEY else _step(s) for s in path[:MAX_FIELD]]
    else:
        parts = []
        for steps in zip(*[f.path for f in problem.group], strict=True):
            indices = sorted({s for s in steps if type(s) is int})
            parts.append(_spans(indices) if indices else _step(steps[0]))
    text = "".join(parts).removeprefix(".")
    return text if len(text) <= MAX_FIELD else text[: MAX_FIELD - 1] + "…"


def _step(step: str | int) -> str:
    if not isinstance(step, str):
        return "[]" if step == ANY_ITEM else f"[{clean(key_text(step))}]"
    return _key(step) if len(step) <= MAX_KEY else _key.__wrapped__(step[: MAX_KEY - 1] + "…")


@lru_cache(maxsize=1024)
def _key(name: str) -> str:
    """Return a key as a step of a dotted field, as `field_of` writes it, with unprintable characters escaped."""
    text = field_of((name,))
    return clean(text) if text[0] == "[" else "." + clean(text)


def _spans(indices: list[int]) -> str:
    """Return indices as ranges, `[0-29]` or `[0,4,7-9]`; `…` replaces those after the first `MAX_SPANS`."""
    spans: list[list[int]] = []
    for index in indices:
        if spans and index == spans[-1][1] + 1:
            spans[-1][1] = index
        else:
            spans.append([index, index])
    texts = [key_text(a) if a == b else f"{key_text(a)}-{key_text(b)}" for a, b in spans[:MAX_SPANS]]
    return f"[{','.join(texts)}{',…' if len(spans) > MAX_SPANS else ''}]"
