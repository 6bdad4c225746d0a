"""Which allowed values, or valid keys, were likeliest meant by what was sent."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.similar_names import likeness, nearest, value_likeness, worth_comparing
from toolgen_runtime.hints.text import small
from toolgen_runtime.hints.values.allowed_values import allowed_of
from toolgen_runtime.schema.spelling import MAX_NAME
from toolgen_runtime.validation.issues import key_text

MAX_UNLIKE = 3
"""Valid keys that are named where none is like the unknown one."""
_UNLIKE = 9
"""The rank of an allowed value that is not like what was sent."""


def likeliest(problem: Problem, most: int) -> tuple[Any, ...]:
    """Return the allowed values, or for an unknown key the valid keys, the likeliest first.

    Keys are at most `most`, and `…` if there are more; values are all of them.
    """
    if problem.unknown:
        sent = problem.location.value if isinstance(problem.location.value, dict) else {}
        names = [n for n in problem.location.node.properties if n not in sent]
        name = key_text(problem.path[-1])
        keys = nearest(name, names, most)
        if keys and likeness(name, keys[0]) is None:
            keys = keys[:MAX_UNLIKE]
        return (*keys, "…") if len(names) > len(keys) else tuple(keys)
    allowed = allowed_of(problem)
    if len(allowed) <= most:
        return allowed
    got = problem.got if isinstance(problem.got, str) and not problem.secret else ""
    ranks = (
        {text: _rank(got, text) for text in worth_comparing(got, allowed) if type(text) is str} if got else {}
    )
    ranked = sorted(
        range(len(allowed)),
        key=lambda i: (allowed[i] != problem.did_you_mean, _rank_in(ranks, allowed[i]), i),
    )
    return tuple([allowed[i] for i in ranked])


def _rank(got: str, value: str) -> int:
    score = value_likeness(got[:MAX_NAME], value)
    return _UNLIKE if score is None else score


def _rank_in(ranks: dict[str, int], value: Any) -> int:
    return ranks.get(value, _UNLIKE) if type(value) is str else _UNLIKE


def capped(values: tuple[Any, ...], limit: int) -> tuple[Any, ...]:
    """Return the first few, each small enough to hand on; then `…`, if there are more."""
    kept = tuple([small(v) for v in values[:limit]])
    return (*kept, "…") if len(values) > limit else kept
