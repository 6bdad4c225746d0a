"""Whether one assertion takes a value, asked of what the checks ask: for proofs about listed values, for samples."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from toolgen.patterns import PatternError, translate
from toolgen.schema.kinds import kind_of, narrowest_types, type_of
from toolgen_runtime.schema.keywords import GRAPH
from toolgen_runtime.validation.formats import format_check


def takes(keyword: str, held: Any, value: Any) -> bool:
    """Return whether it is sure that an assertion takes a value."""
    row = GRAPH[keyword]
    if row.kind not in ("any", kind_of(value).value):
        return True
    if row.is_limit:
        return row.keeps(held, value)
    match keyword:
        case "type":
            return type_of(value) in narrowest_types(held)
        case "pattern":
            return _matches(held, value)
        case "format":
            return bool(format_check(held)(value))
        case _:
            return False


@lru_cache(maxsize=5_000)
def _matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches; False if it is not known to be quick."""
    try:
        translated = translate(pattern)
    except PatternError:
        return False
    return translated.linear and bool(translated.matcher()(text))


def frozen(value: Any) -> Hashable:
    """Return a JSON value as one that is equal where JSON's are: `1` to `1.0`, not to `true`."""
    if isinstance(value, dict):
        return ("object", frozenset((key, frozen(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return ("array", tuple(map(frozen, value)))
    return (isinstance(value, bool), value)
