"""Prove that no value satisfies all of some schemas, and say why."""

from __future__ import annotations

from toolgen.compiler.containment.conjunction import Conjunction
from toolgen.compiler.schema import facts
from toolgen.compiler.schema.kinds import kind_of_type


def find_contradiction(together: Conjunction) -> str | None:
    """Return why no value can satisfy a conjunction.

    Return None unless the conjunction's own keywords prove it.

    An impossible value of a key is not a reason here, because the schema of that value has the reason.
    """
    if not together.types:
        return "they allow no common type"
    if together.values == []:
        return "they allow no common value"
    reasons = [_of_type(together, name) for name in sorted(together.types)]
    if all(reasons):
        return next(iter(reasons))
    return None


def _of_type(together: Conjunction, name: str) -> str | None:
    """Return why no value of a type is valid; None unless it is proved."""
    if name == "object":
        for key in sorted(together.required):
            if together.forbids(key):
                return f"{key!r} is required, but {_closed_by(together, key)}"
    if together.has_no_measure(kind_of_type(name)):
        return "their limits contradict each other"
    return None


def _closed_by(together: Conjunction, key: str) -> str:
    """Return what forbids a key."""
    for schema in together:
        if facts.is_closed(schema) and key not in schema.properties:
            keys = ", ".join(map(repr, list(schema.properties)[:3])) or "no keys"
            return f"{schema.pointer or 'the root'} allows only {keys}"
    return "no value is allowed there"
