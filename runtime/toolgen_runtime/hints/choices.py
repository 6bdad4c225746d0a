"""Allowed values and valid keys: which one was meant, and which are named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.hints.names import likeness, nearest, value_likeness, worth_comparing
from toolgen_runtime.hints.text import small
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import is_one_of
from toolgen_runtime.schema.spelling import MAX_NAME, fold
from toolgen_runtime.validation.issues import MISSING, key_text

if TYPE_CHECKING:
    from toolgen_runtime.hints.problems import Problem

MAX_KEPT = 1_000
"""Allowed values of one place whose spellings are kept."""
MAX_UNLIKE = 3
"""Valid keys that are named where none is like the unknown one."""
_UNLIKE = 9
"""The rank of an allowed value that is not like what was sent."""
_SEVERAL = re.compile(r"[,;|]")
"""What stands between several values in one text."""
_SYNONYMS = (
    "delete remove erase destroy rm|markdown md|= == eq equals equal is|!= <> ne neq not_equals not_equal"
    "|> gt greater_than greater|>= gte ge greater_than_or_equal greater_or_equal|< lt less_than less"
    "|<= lte le less_than_or_equal less_or_equal"
)
_SAME = {word: group.split() for group in _SYNONYMS.split("|") for word in group.split()}
"""Each word and sign with all that mean the same."""


def readings_of_choice(node: SchemaNode, got: Any, allowed: Sequence[Any]) -> Iterator[Reading]:
    """Yield the allowed value that was meant, where one clearly was."""
    if isinstance(got, list) and len(got) == 1 and is_one_of(got[0], allowed):
        yield Reading("unwrap", got[0])
    elif (same := _same_value(node, got, allowed)) is not None:
        yield Reading("set", same)
    elif (likely := likely_value(got, allowed)) is not None:
        yield Reading("set", likely, False)
    elif len(allowed) == 1:
        yield Reading("set", allowed[0], False)


def _same_value(node: SchemaNode, got: Any, allowed: Sequence[Any]) -> Any:
    """Return the one allowed value that is `got` in another spelling: case, separators, quotes, a number as text."""
    text = got[: 4 * MAX_NAME].partition("</")[0].strip() if type(got) is str else _spelled(got)
    if text is None:
        return None
    own = allowed is node.allowed and len(allowed) <= MAX_KEPT
    spellings: dict[str, list[Any]] = (
        node.memo("spellings", lambda n: _spellings(n.allowed)) if own else _spellings(allowed)
    )
    matches = spellings.get(fold(text), [])
    if len(matches) > 1 or type(got) is not str:
        matches = [v for v in matches if str(_spelled(v)).casefold() == text.casefold()]
    return matches[0] if len(matches) == 1 else None


def _spelled(value: Any) -> str | None:
    """Return a scalar as text; None for what is none."""
    if type(value) is str:
        return value
    if value is None or type(value) in (bool, float) or (type(value) is int and value.bit_length() < 80):
        return "null" if value is None else str(value).lower()
    return None


def _spellings(allowed: Sequence[Any]) -> dict[str, list[Any]]:
    """Return allowed values by their folded text."""
    found: dict[str, list[Any]] = {}
    for value in allowed:
        if (text := _spelled(value)) is not None:
            found.setdefault(fold(text), []).append(value)
    return found


def likely_value(got: Any, allowed: Sequence[Any]) -> Any:
    """Return the allowed value that `got` is like: misspelt, of one stem, or a synonym."""
    if type(got) is not str or not got or len(got) > MAX_NAME or _SEVERAL.search(got):
        return None
    near, same = worth_comparing(got, allowed), _SAME.get(got.strip().lower(), ())
    matches = [v for v in near if isinstance(v, str) and v.lower().lstrip("$") in same]
    meant = matches[0] if len(matches) == 1 else None
    if meant is not None and not got.isalpha():
        return meant
    scored = sorted((s, i) for i, v in enumerate(near) if (s := value_likeness(got, v)) is not None)
    if scored and (len(scored) == 1 or scored[0][0] < scored[1][0]):
        return near[scored[0][1]]
    return meant


def allowed_of(problem: Problem) -> tuple[Any, ...]:
    """Return the values that a broken `enum` or `const` allows; of a place that has them else, the schema's own."""
    issue = problem.issues[0]
    if issue.constraint == "type" and len(problem.issues) > 1:
        issue = problem.issues[1]
    known = problem.node.allowed
    if issue.constraint == "enum" and isinstance(issue.expected, (list, tuple)):
        # The place's own tuple, if it is the same: what is derived from it is kept there.
        if issue.expected == known:
            return known
        return tuple([v for v in issue.expected if is_one_of(v, known)]) or tuple(issue.expected)
    if issue.constraint != "const" or (issue.expected is None and issue.got is MISSING):
        return known  # of a text that does not say which value
    return (issue.expected,)


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
    allowed, got = allowed_of(problem), problem.got
    if len(allowed) <= most:
        return allowed
    near = worth_comparing(got, allowed) if isinstance(got, str) and got and not problem.secret else ()
    alike = {v: s for v in near if (s := value_likeness(got[:MAX_NAME], v)) is not None}

    def rank(index: int) -> tuple[bool, int, int]:
        value = allowed[index]
        return (
            value != problem.did_you_mean,
            alike.get(value, _UNLIKE) if type(value) is str else _UNLIKE,
            index,
        )

    return tuple([allowed[i] for i in sorted(range(len(allowed)), key=rank)])


def capped(values: tuple[Any, ...], limit: int) -> tuple[Any, ...]:
    """Return the first few, each small enough to hand on; then `…`, if there are more."""
    kept = tuple([small(v) for v in values[:limit]])
    return (*kept, "…") if len(values) > limit else kept
