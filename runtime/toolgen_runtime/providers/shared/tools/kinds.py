"""The kinds of values that a schema admits at most, by its types, values, unions and references.

Schemas come from anywhere: a keyword whose value has not the right shape says nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen_runtime.schema.keywords import UNIONS
from toolgen_runtime.schema.raw import json_type, listed, values_of
from toolgen_runtime.schema.subschemas import follow

KINDS: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that `type` names, in JSON Schema alone: OpenAPI's `nullable` adds none here."""
    given = schema.get("type")
    return tuple(name for name in (given if isinstance(given, list) else [given]) if isinstance(name, str))


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
    types, values = types_of(schema), values_of((schema,))
    if types:
        found &= {"number" if name == "integer" else name for name in types}
    if values:
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
