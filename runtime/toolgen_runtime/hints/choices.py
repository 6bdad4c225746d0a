"""Find the allowed value that an invalid value probably means."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from toolgen_runtime.hints.names import fellows, value_likeness, worth_comparing
from toolgen_runtime.hints.proposals import Reading
from toolgen_runtime.hints.quoting import compact
from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME, fold

_SEVERAL = re.compile(r"[,;|]")
"""Separators of several values in one text."""
_SAME = fellows(
    "delete remove erase destroy rm|markdown md|= == eq equals equal is|!= <> ne neq not_equals not_equal"
    "|> gt greater_than greater|>= gte ge greater_than_or_equal greater_or_equal|< lt less_than less"
    "|<= lte le less_than_or_equal less_or_equal|create add new insert"
)
"""Words and signs with the same meaning."""


def readings_of_choice(got: Any, allowed: Sequence[Any]) -> list[Reading]:
    """Return the allowed value that the invalid value `got` most likely means, if one clearly stands out."""
    if isinstance(got, list) and len(got) == 1 and not isinstance(got[0], (list, dict)):
        return [reading._replace(whole=True) for reading in readings_of_choice(got[0], allowed)]
    sent = _spelling(got)
    forms: list[Callable[[str], str]] = [str.casefold]
    if isinstance(got, str):
        sent = got[: 4 * MAX_COMPARED_NAME].partition("</")[0].strip()  # some models append a closing tag
        if not sent.startswith("!"):  # folding would drop the negation
            forms.append(fold)
    for form in forms:
        same = [value for value in allowed if form(_spelling(value)) == form(sent)]
        if len(same) == 1:
            return [Reading("set", same[0])]
    likely = _likely_value(got, allowed)
    if likely is not None:
        return [Reading("set", likely, False)]
    return []


def _spelling(value: Any) -> str:
    if isinstance(value, str):
        return value
    return compact(value)


def _likely_value(got: Any, allowed: Sequence[Any]) -> Any:
    """Return the allowed value that `got` resembles: it is misspelled, has the same stem, or is a synonym."""
    if type(got) is not str or not got or len(got) > MAX_COMPARED_NAME or _SEVERAL.search(got):
        return None
    near, same = worth_comparing(got, allowed), _SAME.get(got.strip().lower(), ())
    named = [value.lower() for value in near if len(value) > 2 and value.lower() in got.lower()]
    longest = max(named, key=len, default="")
    if any(value not in longest for value in named):
        return None  # it names several values: `readwrite`, `mon-fri`
    meant = [value for value in near if value.lower().lstrip("$") in same]
    if len(meant) == 1 and not got.isalpha():
        return meant[0]  # a sign has no similar spelling
    scored = sorted((s, i) for i, v in enumerate(near) if (s := value_likeness(got, v)) is not None)
    if scored and (len(scored) == 1 or scored[0][0] < scored[1][0]):
        return near[scored[0][1]]
    if len(meant) == 1:
        return meant[0]
    return None
