"""The same problem at the same schema place of many array items, as one line: `rows[0-29].qty`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import MAX_ECHO, clean
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import field_of, key_text

MAX_SPANS = 6
MAX_FIELD = 200
"""Characters of a field."""
MAX_KEY = MAX_ECHO
"""Characters of one key of it: keys of a payload can be long, and say anything."""


def group_alike(problems: list[Problem], max_missing: int) -> list[Problem]:
    """Return the problems with those of many items, or of many missing fields of one object, in one line each."""
    if len(problems) > max_missing:
        problems = _missing_together(problems, max_missing)
    in_lists = [problem for problem in problems if int in map(type, problem.path)]
    return _items_together(problems) if len(in_lists) > 1 else problems


def _missing_together(problems: list[Problem], limit: int) -> list[Problem]:
    """Return where a nested object lacks more than `limit` fields, one line for the object."""
    groups: dict[Path, list[Problem]] = {}
    for f in problems:
        if f.missing and len(f.path) > 1 and f.rename_from is None and not f.tag:
            groups.setdefault(f.path[:-1], []).append(f)
    many = {path: group for path, group in groups.items() if len(group) > limit}
    if not many:
        return problems
    out: list[Problem] = []
    for f in problems:
        group = many.get(f.path[:-1], ()) if f.missing else ()
        if not group or f not in group:
            out.append(f)
        elif f is group[0]:
            out.append(_object_of(group))
    return out


def _object_of(group: list[Problem]) -> Problem:
    first = group[0]
    whole = Problem(first.path[:-1], first.issues[0], first.constraint, first.location, first.location.node)
    whole.siblings, whole.choice = group, first.choice
    return whole


def _items_together(problems: list[Problem]) -> list[Problem]:
    groups: dict[object, list[Problem]] = {}
    for f in problems:
        groups.setdefault(_likeness(f), []).append(f)
    if len(groups) == len(problems):
        return problems
    out: list[Problem] = []
    for group in groups.values():
        out += _joined(group)
    return out


def _likeness(f: Problem) -> object:
    return (
        tuple([ANY_ITEM if type(step) is int else step for step in f.path]),
        tuple([i.constraint for i in f.issues]),
        f.rename_from,
        f.did_you_mean,
        f.choice,
        len(f.siblings),
        f.said,
        f.reading and (f.reading.op, f.reading.certain, json_type(f.reading.value)),
        f.then and _likeness(f.then),
    )


def _joined(group: list[Problem]) -> list[Problem]:
    """Return one problem if the places are every combination of their indices, else one per last index."""
    first = group[0]
    if len(group) == 1:
        return group
    if _is_grid([f.path for f in group]):
        _share_line(group)
        return [first]
    at = max(i for i, step in enumerate(first.path) if type(step) is int)
    rows: dict[Path, list[Problem]] = {}
    for f in group:
        rows.setdefault(f.path[:at], []).append(f)
    for row in rows.values():
        _share_line(row)
    return [row[0] for row in rows.values()]


def _share_line(group: list[Problem]) -> None:
    """Let the first problem speak for all, and what is wrong with its value then for what is wrong with theirs."""
    first = group[0]
    first.group = group if len(group) > 1 else ()
    if first.then is not None:
        first.then.group = [f.then for f in group if f.then is not None] if len(group) > 1 else ()


def _is_grid(paths: list[Path]) -> bool:
    size = 1
    for steps in zip(*paths, strict=True):
        size *= len(set(steps))
    return size == len(paths)


def field_text(problem: Problem) -> str:
    """Return the dotted field of a problem, with the spans of all items that share its line; one line, bounded."""
    if problem.group:
        return _as_field(_spanning([f.path for f in problem.group]))
    steps = problem.path
    if len(steps) == 1 and type(steps[0]) is str and len(steps[0]) <= MAX_KEY:
        return _sole_key(steps[0])  # as most are
    # Steps as most are, without a call of `_step` for each.
    steps = steps[:MAX_FIELD]
    return _as_field("".join([_key(s) if type(s) is str and len(s) <= MAX_KEY else _step(s) for s in steps]))


def _as_field(text: str) -> str:
    text = text.removeprefix(".")
    return text if len(text) <= MAX_FIELD else text[: MAX_FIELD - 1] + "…"


@lru_cache(maxsize=1024)
def _sole_key(name: str) -> str:
    return _as_field(_key(name))


def _step(step: str | int) -> str:
    if not isinstance(step, str):
        return "[]" if step == ANY_ITEM else f"[{clean(key_text(step))}]"
    return _key(step) if len(step) <= MAX_KEY else _key.__wrapped__(step[: MAX_KEY - 1] + "…")


@lru_cache(maxsize=1024)
def _key(name: str) -> str:
    """Return one key as a step of a dotted field, as `field_of` writes it; what cannot be printed as escapes."""
    text = field_of((name,))
    return clean(text) if text[0] == "[" else "." + clean(text)


def _spanning(paths: Sequence[Path]) -> str:
    parts = []
    for steps in zip(*paths, strict=True):
        indices = {s for s in steps if type(s) is int}
        parts.append(_spans(sorted(indices)) if indices else _step(steps[0]))
    return "".join(parts)


def _spans(indices: list[int]) -> str:
    """Return `[0-29]`, `[0,4,7-9]`; after `MAX_SPANS` pieces, `…`."""
    spans: list[list[int]] = []
    for index in indices:
        if spans and index == spans[-1][1] + 1:
            spans[-1][1] = index
        else:
            spans.append([index, index])
    texts = [key_text(a) if a == b else f"{key_text(a)}-{key_text(b)}" for a, b in spans[:MAX_SPANS]]
    return f"[{','.join(texts)}{',…' if len(spans) > MAX_SPANS else ''}]"
