"""The parts that strict schemas are made of, and what is asked of a schema on the way."""

from __future__ import annotations

import json
from typing import Any, Final

from toolgen_runtime.providers.shared.tools.flatten import all_of
from toolgen_runtime.providers.shared.tools.kinds import kinds, named, required_of, values_of
from toolgen_runtime.providers.shared.tools.strict_forms import Look
from toolgen_runtime.schema.keywords import ANNOTATIONS, KEYWORDS, UNIONS
from toolgen_runtime.schema.subschemas import follow

Schema = dict[str, Any]

NULL: Final = {"type": "null"}
OPENNESS: Final = ("additionalProperties", "unevaluatedProperties")
_LONGEST_NOTE: Final = 80


def constraints(schema: Schema) -> Schema:
    """Return the keywords of a schema that constrain a value."""
    return {
        w: v for w, v in schema.items() if w in KEYWORDS and w not in (*ANNOTATIONS, "$defs", "definitions")
    }


def without(schema: Schema, *words: str) -> Schema:
    """Return a schema without some keywords."""
    return {word: value for word, value in schema.items() if word not in words}


def conjunction(parts: list[Schema]) -> Schema:
    """Return one schema for several that hold together."""
    out = all_of(parts)
    return (
        without(out, *(word for word in ("properties", "required") if not out[word]))
        if len(parts) > 1
        else out
    )


def noted(word: str, value: Any) -> list[str]:
    """Return a keyword in a few words; none if its value is long."""
    text = json.dumps(value, ensure_ascii=False)
    return [f"{word}: {text}"] if len(text) <= _LONGEST_NOTE else []


def closed(properties: Schema, required: list[str] | None = None) -> Schema:
    """Return the schema of an object of these properties alone, all of them required unless some are named."""
    wanted = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": wanted, "additionalProperties": False}


def pairs_of(name: Schema, value: Schema) -> Schema:
    """Return the schema of a list of pairs."""
    return {"type": "array", "items": closed({"name": name, "value": value})}


def either(strict: Schema, other: Schema) -> Schema:
    """Return a schema that takes what another takes, too."""
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
    branches = inner["anyOf"] if inner.keys() == {"anyOf"} else [inner]
    return {**about, "anyOf": [*branches, dict(other)]}


def look_of(schema: Any, root: Schema) -> Look:
    """Return how the values of a schema look."""
    found, seen = schema, 0
    while (
        isinstance(found, dict)
        and (target := follow(root, found.get("$ref"))) is not None
        and seen < len(KEYWORDS)
    ):
        found, seen = target, seen + 1
    if not isinstance(found, dict) or any(word in found for word in (*UNIONS, "allOf")):
        return Look(kinds(schema, root))
    properties = named(found, "properties")
    is_open = bool(named(found, "patternProperties")) or any(found.get(word) for word in OPENNESS)
    fixed = {
        name: values
        for name, each in properties.items()
        if isinstance(each, dict) and (values := values_of(each))
    }
    known = None if is_open or not properties else frozenset(properties)
    return Look(kinds(schema, root), frozenset(required_of(found)), known, fixed)
