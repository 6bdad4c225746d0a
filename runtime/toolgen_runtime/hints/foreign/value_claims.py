"""Whether what a foreign text claims of a value can be true of the payload that was sent."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import LIMITS, MULTIPLE_OF, UNKNOWN_KEYS
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

REPORTED = "reported"
"""The constraint of an issue that is known in its author's own words only; `expected` holds them."""
_SCHEMA_SAYS = frozenset(("pattern", "format", "uniqueItems", "contains", "not"))
"""Constraints of which the tool's own check has to say whether the value breaks them."""


def contradicts(value: Any, issue: ValidationIssue, facts: SchemaFacts) -> bool:
    """Return whether a payload's value shows that an issue cannot be meant as the schema has it.

    A service that calls a declared field unknown, or a value of the declared type wrong, has rules of its own.
    """
    constraint, expected = issue.constraint, issue.expected
    if constraint in UNKNOWN_KEYS:
        return bool(issue.path) and issue.path[-1] in facts.at(issue.path[:-1]).properties
    if value is MISSING:
        return False
    if constraint == "required":
        return True
    if constraint == "type":
        return _is_of_type(value, expected)
    if constraint in _SCHEMA_SAYS:
        return facts.at(issue.path).first(constraint, (str, bool, int, list, dict)) is not None
    if constraint in ("enum", "const"):
        return (
            value in expected
            if constraint == "enum" and isinstance(expected, list | tuple)
            else value == expected
        )
    return _within(value, constraint, expected)


def _is_of_type(value: Any, expected: Any) -> bool:
    names = (expected,) if isinstance(expected, str) else tuple(expected or ())
    return bool(names) and admits(names, json_type(value))


def _within(value: Any, constraint: str, expected: Any) -> bool:
    """Return whether a value keeps a limit."""
    row = LIMITS.get(constraint)
    if row is None or isinstance(expected, bool) or not isinstance(expected, int | float):
        return False
    if row.comparison is MULTIPLE_OF and expected <= 0:
        return False
    return admits((row.kind,), json_type(value)) and row.keeps(expected, value)
