"""Helper functions for rewriting schemas: create parts and definitions, and compare union branches."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Any, Final

from toolgen_runtime.schema.keywords import ANNOTATIONS, KEYWORDS, OTHER_KEYS, UNIONS
from toolgen_runtime.schema.raw import follow, named, required_of, values_of
from toolgen_transcripts.codec.members import Schema, without
from toolgen_transcripts.strict.convert_arguments import (
    EXPLICIT_NULL,
    MEMBERS,
    SAME,
    Form,
    Items,
    Look,
    Pairs,
    Shared,
    Union,
)
from toolgen_transcripts.tools.flatten import all_of
from toolgen_transcripts.tools.schemas import KINDS, kinds

NULL: Final = {"type": "null"}
_LONGEST_NOTE: Final = 80
BUILT: Final = frozenset({
    "type", "enum", "const", "properties", "required", "additionalProperties", "patternProperties", "items",
    "unevaluatedProperties", "unevaluatedItems", "anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions",
    "description",
})  # fmt: skip
"""Keywords that the rewriting itself writes."""


def constraints(schema: Schema) -> Schema:
    """Return those keywords of a schema that constrain a value."""
    return {
        w: v for w, v in schema.items() if w in KEYWORDS and w not in (*ANNOTATIONS, "$defs", "definitions")
    }


def conjunction(parts: list[Schema]) -> Schema:
    """Combine several schemas into one that requires all of them."""
    out = all_of(parts)
    if len(parts) > 1:
        return without(out, *(word for word in ("properties", "required") if not out[word]))
    return out


def noted(word: str, value: Any) -> list[str]:
    """Write a keyword and its value as a note for the description. If the value is long, return no note."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= _LONGEST_NOTE:
        return [f"{word}: {text}"]
    return []


def closed(properties: Schema, required: list[str] | None = None) -> Schema:
    """Return the schema of an object that may have only these properties.

    All of them are required unless `required` is given.
    """
    if required is None:
        required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def pairs_of(name: Schema, value: Schema) -> Schema:
    """Return the schema of an array of objects with a `name` and a `value`."""
    return {"type": "array", "items": closed({"name": name, "value": value})}


def either(strict: Schema, other: Schema) -> Schema:
    """Return a schema that accepts whatever one of two schemas accepts."""
    kind = strict.get("type")
    if other == NULL and "anyOf" not in strict and "$ref" not in strict and kind not in ("object", "array"):
        out = {**strict, "type": [*(kind if isinstance(kind, list) else [kind]), "null"]}
        if "const" in out:
            out["enum"] = [out.pop("const"), None]
        elif "enum" in out:
            out["enum"] = [*out["enum"], None]
        return out
    about = {word: strict[word] for word in ("description",) if word in strict}
    inner = without(strict, "description")
    branches = [inner]
    if inner.keys() == {"anyOf"}:
        branches = inner["anyOf"]
    return {**about, "anyOf": [*branches, dict(other)]}


def look_of(schema: Any, root: Schema) -> Look:
    """Find out what the values of a schema look like."""
    found = schema
    for _ in KEYWORDS:  # references may lead in a circle
        target = follow(root, found.get("$ref")) if isinstance(found, dict) else None
        if target is None:
            break
        found = target
    if not isinstance(found, dict) or any(word in found for word in (*UNIONS, "allOf")):
        return Look(kinds(schema, root))
    properties = named(found, "properties")
    is_open = bool(named(found, "patternProperties")) or any(found.get(word) for word in OTHER_KEYS)
    fixed = {
        name: values
        for name, each in properties.items()
        if isinstance(each, dict) and (values := values_of((each,)))
    }
    known = None
    if properties and not is_open:
        known = frozenset(properties)
    return Look(kinds(schema, root), frozenset(required_of((found,))), known, fixed)


def distinguish(
    union: Union, branches: list[tuple[Any, tuple[Schema, Form]]], root: Schema, strict_root: Schema
) -> bool:
    """Set what each branch of a union looks like. Return whether the branches can be told apart after
    encoding.
    """
    union.given = [(look_of(given, root), form) for given, (_, form) in branches]
    union.sent = [(look_of(strict, strict_root), form) for _, (strict, form) in branches]
    pairs = combinations(union.sent, 2)
    return all(form == others or look.excludes(other) for (other, others), (look, form) in pairs)


class Definitions:
    """The definitions of one strict schema, by name: their schemas and the conversions of their payloads."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}
        self.forms: dict[str, Form] = {}
        self._names: dict[str, str] = {}

    @property
    def root(self) -> Schema:
        """The schema in which references to the definitions are resolved."""
        return {"$defs": self.schemas}

    def name(self, ref: str) -> str:
        """Return a unique name for the definition that a reference leads to, made of letters, digits and `_`."""
        if ref not in self._names:
            last = re.sub("[^A-Za-z0-9]", "_", ref.rpartition("/")[2]) or "root"
            taken = set(self._names.values())
            free = (f"{last}_{n}" if n else last for n in range(len(taken) + 1))
            self._names[ref] = next(name for name in free if name not in taken)
        return self._names[ref]

    def refer(self, name: str) -> tuple[Schema, Form]:
        """Return a reference to a definition, with the conversion of its payloads."""
        ref = {"$ref": f"#/$defs/{name}"}
        if self.forms.get(name) is SAME:
            return ref, SAME
        return ref, Shared(name, self.forms)

    def any_value(self) -> tuple[Schema, Form]:
        """Return a schema that accepts any JSON value, with its conversion.

        It is a recursive definition in which an object is a list of pairs.
        """
        name = self.name("any value")
        itself, shared = {"$ref": f"#/$defs/{name}"}, Shared(name, self.forms)
        simple = [{"type": kind} for kind in ("string", "number", "boolean", "null")]
        items: Schema = {"type": "array", "items": itself}
        pairs = closed({MEMBERS: pairs_of({"type": "string"}, itself)})
        self.schemas[name] = {"anyOf": [*simple, items, pairs]}
        forms = {"array": Items(shared), "object": Pairs(shared, wrapped=True)}
        looks = [(Look(frozenset({kind})), forms.get(kind, SAME)) for kind in sorted(KINDS)]
        self.forms[name] = Union(looks, looks)
        return itself, shared

    def or_absent(self, strict: Schema, given: Any, root: Schema) -> Schema:
        """Make a property nullable, so that null can mean that it is absent.

        If null is a valid value, another value expresses null.
        """
        takes_null = "null" in kinds(strict, self.root)
        if not takes_null:
            strict = either(strict, NULL)
        if not takes_null and "null" not in kinds(given, root):
            return strict
        name = self.name("explicit null")
        marks = {key: {"type": "boolean", "const": value} for key, value in EXPLICIT_NULL.items()}
        self.schemas[name] = closed(marks) | {"description": "for the value null itself"}
        return either(strict, {"$ref": f"#/$defs/{name}"})
