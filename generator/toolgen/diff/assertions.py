"""Whether one assertion takes a value, asked of what the checks ask: for proofs about listed values, for samples."""

from __future__ import annotations

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
