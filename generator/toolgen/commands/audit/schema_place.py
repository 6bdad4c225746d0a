"""Find where in a tool's schema the constraint of an issue stands."""

from __future__ import annotations

from typing import Any, Final

from toolgen.compiler.schema.cycles import same_value
from toolgen.compiler.schema.ir import Schema
from toolgen_runtime.schema.facts import items_field
from toolgen_runtime.schema.keywords import GRAPH, UNIONS, UNKNOWN_KEYS
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.raw import as_raw, listed
from toolgen_runtime.validation.issues import ANY_ITEM, ValidationIssue, field_of

ANY_KEY: Final = "*"
"""The step in a field that stands for a key the schema does not name."""
OF_TEXT: Final = frozenset(("json", "truncated", "duplicate_key"))


def locate(root: Schema | None, issue: ValidationIssue) -> tuple[str, str]:
    """Return where in the schema the constraint of an issue stands, and the issue's field.

    Items and unknown keys are generalized in the field.

    The place is the JSON pointer to the keyword. If a reference leads to the keyword, the pointer is that in the
    referenced schema. The place is empty if the schema cannot be read again.
    """
    path, constraint = issue.path, issue.constraint
    if constraint in OF_TEXT:
        return "", ""
    missing = path[-1] if path and constraint == "required" else None
    around = path[:-1] if missing is not None or constraint in UNKNOWN_KEYS else path
    here = [] if root is None else list(same_value([root]))
    shown: list[str | int] = []
    for step in around:
        if type(step) is int:
            shown.append(ANY_ITEM)
        elif any(step in schema.properties for schema in here):
            shown.append(step)
        else:
            shown.append(ANY_KEY)
        here = list(same_value(_below(here, step)))
    if missing is not None:
        shown.append(missing)
    field = items_field(field_of(shown)).replace(f'["{ANY_KEY}"]', f".{ANY_KEY}").removeprefix(".")
    return _pointer(here, constraint, issue.expected, missing), field


def _below(here: list[Schema], step: str | int) -> list[Schema]:
    """Return the schemas that apply to one member, by its name or index, and those for all other members."""
    if type(step) is int:
        numbered = [s.prefix_items[step] for s in here if step < len(s.prefix_items)]
        return numbered + [s for schema in here for word in _ITEMS for s in schema.below(word)]
    named = [schema.properties[str(step)] for schema in here if step in schema.properties]
    return named + [s for schema in here for word in _MEMBERS for s in schema.below(word)]


_ITEMS: Final = tuple(row.name for row in GRAPH.values() if row.subject == "any item")
_MEMBERS: Final = tuple(row.name for row in GRAPH.values() if row.subject == "any member")


def _pointer(here: list[Schema], constraint: str, expected: Any, missing: Any) -> str:
    """Return the pointer to the keyword that an issue is about. If several match, use the first."""
    having = [
        (schema, word)
        for schema in here
        for word in schema.keywords
        if schema.spelling.get(word, word) == constraint
    ]
    for schema, word in having:
        if _says(schema, word, expected, missing):
            # Each name in `required` is a constraint of its own.
            names = listed(as_raw(schema.raw), "required")
            return _join(schema, constraint, *([str(names.index(missing))] if missing in names else ()))
    if len(having) > 1:  # the issue joins several branches
        unions = [(s, word) for s in here for word in reversed(UNIONS) if word in s.listed]
        if unions:
            return _join(*unions[0])
    if having:
        return _join(having[0][0], constraint)
    refused = [schema for schema in here if schema.verdict is False]
    if here:
        return _join((refused or here)[0])
    return ""


def _says(schema: Schema, word: str, expected: Any, missing: Any) -> bool:
    if missing is not None:
        return missing in schema.required
    value = schema.assertions.get(word)
    if isinstance(value, list | tuple) and isinstance(expected, list | tuple):
        return list(value) == list(expected)
    return bool(value == expected) or value == (expected,)


def _join(schema: Schema, *steps: str) -> str:
    pointer = schema.pointer + join(*steps)
    if schema.document:
        return f"{schema.document}#{pointer}"
    return pointer
