"""The kinds of values that a schema admits at most, by its types, values, unions and references.

Schemas come from anywhere: a keyword whose value has not the right shape says nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen_runtime.schema.keywords import UNIONS
from toolgen_runtime.schema.subschemas import follow

KINDS: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})
_TYPES: Final = {str: "string", bool: "boolean", type(None): "null", dict: "object", list: "array"}


def json_type(value: Any) -> str:
    """Return the type of a value; `1.0` is an integer."""
    if isinstance(value, float) and not value.is_integer():
        return "number"
    return _TYPES.get(type(value), "integer")


def listed(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    """Return a keyword's list; empty if there is none."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def named(schema: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    """Return a keyword's object; empty if there is none."""
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def required_of(schema: Mapping[str, Any]) -> list[str]:
    """Return the names under `required`."""
    return [name for name in listed(schema, "required") if isinstance(name, str)]


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that `type` names; none if it says nothing."""
    given = schema.get("type")
    return tuple(name for name in (given if isinstance(given, list) else [given]) if isinstance(name, str))


def values_of(schema: Mapping[str, Any]) -> list[Any] | None:
    """Return the values that `const` or `enum` allows; None if neither is there."""
    return [schema["const"]] if "const" in schema else listed(schema, "enum") or None


def kind_of(value: Any) -> str:
    """Return the kind of a value; an integer is a number."""
    name = json_type(value)
    return "number" if name == "integer" else name


def kinds(schema: Any, root: Any, known: dict[str, frozenset[str]] | None = None) -> frozenset[str]:
    """Return the kinds that a schema may admit; local references are looked up in `root`, each once (`known`)."""
    if not isinstance(schema, dict):
        return frozenset() if schema is False else KINDS
    known = {} if known is None else known
    found = KINDS
    types, values = types_of(schema), values_of(schema)
    if types:
        found &= {"number" if name == "integer" else name for name in types}
    if values is not None:
        found &= {kind_of(value) for value in values}
    for word in UNIONS:
        if isinstance(schema.get(word), list):
            found &= frozenset[str]().union(*(kinds(each, root, known) for each in schema[word]))
    for part in listed(schema, "allOf"):
        found &= kinds(part, root, known)
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref not in known:
        known[ref] = KINDS  # of what refers to itself
        target = follow(root, ref)
        known[ref] = KINDS if target is None else kinds(target, root, known)
    return found & known[ref] if isinstance(ref, str) else found
