"""Whether types and listed values of some schemas imply those of another."""

from __future__ import annotations

from functools import lru_cache

from toolgen.diff import assertions, limits
from toolgen.diff.conjunction import Together, types_of
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import narrowest_types


def implies_choice(together: Together, new: Schema, keyword: str) -> bool:
    """Return whether `type`, `enum` or `const` of a schema is implied by some others."""
    if keyword == "type":
        assert new.types is not None
        counts_alike = (
            new.whole_floats or "number" in new.types or not any(old.whole_floats for old in together)
        )
        return counts_alike and types_of(together) <= narrowest_types(new.types)
    left = limits.values(together)
    choices = new.assertions["enum"] if keyword == "enum" else [new.assertions["const"]]
    return left is not None and limits.all_among(left, choices)


def all_take(together: Together, keyword: str, held: object) -> bool:
    """Return whether only certain values are left, and an assertion takes each of them."""
    left = limits.values(together)
    return left is not None and all(assertions.takes(keyword, held, value) for value in left)


def type_names(together: Together) -> list[str]:
    """Return the names under `type` that cover what some schemas take."""
    types = types_of(together)
    return sorted(
        {"number" if name == "fraction" else name for name in types}
        - ({"integer"} if "fraction" in types else set())
    )


@lru_cache(maxsize=16)
def schema_of_type(name: str) -> Schema:
    """Return the schema that takes all values of a type."""
    return Schema("", "", assertions={"type": (name,)})
