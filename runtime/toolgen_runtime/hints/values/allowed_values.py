"""Which of the allowed values, or valid keys, was meant by what was sent, and which are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.similar_names import likeness, nearest, value_likeness, worth_comparing
from toolgen_runtime.hints.text import small
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import is_one_of
from toolgen_runtime.schema.spelling import MAX_NAME
from toolgen_runtime.validation.issues import MISSING, key_text

MAX_KEPT = 1_000
"""Allowed values of one place whose spellings are kept."""
_SEPARATORS = re.compile(r"[\s_\-./:]+")
_DIGITS = re.compile(r"\d+")
_REMAINS = re.compile(r"\s*</\w*>?.*", re.DOTALL)
"""The end of an element in a model's own notation, left in a value."""
_SEVERAL = re.compile(r"[,;|]")
"""What stands between several values in one text."""
_SYMBOLS = {
    "=": ("eq", "equals", "equal", "is"),
    "==": ("eq", "equals", "equal", "is"),
    "!=": ("ne", "neq", "not_equals", "not_equal"),
    "<>": ("ne", "neq", "not_equals", "not_equal"),
    ">": ("gt", "greater_than", "greater"),
    ">=": ("gte", "ge", "greater_than_or_equal", "greater_or_equal"),
    "<": ("lt", "less_than", "less"),
    "<=": ("lte", "le", "less_than_or_equal", "less_or_equal"),
}
_SIGNS_OF: dict[str, set[str]] = {}
"""Each sign and word of a comparison with all that say the same."""
for _sign, _names in _SYMBOLS.items():
    for _name in (_sign, *_names):
        _SIGNS_OF.setdefault(_name, set()).update((_sign, *_names))


_SYNONYMS = tuple(frozenset(g.split()) for g in ("delete remove erase destroy rm", "markdown md"))


def readings_of_choice(node: SchemaNode, got: Any, allowed: Sequence[Any]) -> Iterator[Reading]:
    """Yield the allowed value that was meant, where one clearly was."""
    if isinstance(got, list) and len(got) == 1 and is_one_of(got[0], allowed):
        yield Reading("unwrap", got[0], True, "unwrapped")
        return
    same = _same_value(node, got, allowed)
    if same is not None:
        yield Reading("set", same, True, "spelling")
        return
    likely = likely_value(got, allowed)
    if likely is not None:
        yield Reading("set", likely, False, "spelling")
    elif len(allowed) == 1:
        yield Reading("set", allowed[0], False, "spelling")


def _same_value(node: SchemaNode, got: Any, allowed: Sequence[Any]) -> Any:
    """Return the one allowed value that is `got` in another spelling: case, separators, quotes, a number as text."""
    if type(got) is not str:
        text = _spelled(got)
        matches = [v for v in allowed if type(v) is str and v == text] if text else []
        return matches[0] if len(matches) == 1 else None
    text = got[: 4 * MAX_NAME]
    if "</" in text:
        text = _REMAINS.sub("", text)
    text = text.strip().strip("\"'`").strip()
    folded = text.casefold()
    matches = _known(node, allowed, _by_case).get(folded, [])
    if not matches and len(text) <= MAX_NAME and (short := _SEPARATORS.sub("", folded)).isalnum():
        texts = _known(node, allowed, _by_letters).get(short, [])
        digits = _DIGITS.findall(text) if texts else []
        matches = [v for v in texts if _DIGITS.findall(v) == digits and any(map(str.isalpha, v))]
    return matches[0] if len(matches) == 1 else None


def _spelled(value: Any) -> str | None:
    """Return a number, boolean or null as text; None for what is none of these."""
    if value is None or type(value) in (bool, float) or (type(value) is int and value.bit_length() < 80):
        return "null" if value is None else str(value).lower()
    return None


_Spellings = dict[str, list[Any]]
"""Allowed values by what is left of them when they are folded."""


def _known(
    node: SchemaNode, allowed: Sequence[Any], make: Callable[[Sequence[Any]], _Spellings]
) -> _Spellings:
    """Return the folded spellings of allowed values; those of a place's own, unless they are very many, are kept."""
    if allowed is not node.allowed or len(allowed) > MAX_KEPT:
        return make(allowed)
    kept: _Spellings = node.memo(make.__name__, lambda node: make(node.allowed))
    return kept


def _by_case(allowed: Sequence[Any]) -> _Spellings:
    found: _Spellings = {}
    for value in allowed:
        text = value.casefold() if type(value) is str else _spelled(value)
        if text is not None:
            found.setdefault(text, []).append(value)
    return found


def _by_letters(allowed: Sequence[Any]) -> _Spellings:
    found: _Spellings = {}
    for value in allowed:
        if type(value) is str:
            found.setdefault(_SEPARATORS.sub("", value.casefold()), []).append(value)
    return found


def likely_value(got: Any, allowed: Sequence[Any]) -> Any:
    """Return the allowed value that `got` is like: misspelt, of one stem, its sign or a synonym."""
    if type(got) is not str or not got or len(got) > MAX_NAME:
        return None
    if _SEVERAL.search(got):
        return None
    signs = _SIGNS_OF.get(got.strip().lower())
    if signs is not None:
        matches = [v for v in allowed if isinstance(v, str) and v.lower().lstrip("$") in signs]
        if len(matches) == 1:
            return matches[0]
    near = worth_comparing(got, allowed)
    scored = sorted((s, i) for i, v in enumerate(near) if (s := value_likeness(got, v)) is not None)
    if scored and (len(scored) == 1 or scored[0][0] < scored[1][0]):
        return near[scored[0][1]]
    words = frozenset(words_of(got))
    others = next((group for group in _SYNONYMS if words <= group), frozenset())
    matches = [v for v in near if isinstance(v, str) and words and others.issuperset(words_of(v))]
    return matches[0] if others and len(matches) == 1 else None


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
