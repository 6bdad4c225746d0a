"""What a value must satisfy beside its type, in words: `at most 80 characters`, `date`."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.described import Described


def constraint_texts(value: Described) -> Iterator[str]:
    """Yield the constraints of a value."""
    for row, limit in value.limits():
        yield row.said(limit)
    if "string" in value.types:
        for pattern in value.asserted("pattern"):
            yield f"matches {pattern}"
        yield from value.asserted("format")
    if "array" in value.types and True in value.asserted("uniqueItems"):
        yield "no item twice"
