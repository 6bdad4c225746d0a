"""Convert tool schemas to what providers accept: draft 2020-12 with an object at the root.

Providers require a root of type `object`, most of them without a union at the root, and read every schema as draft
2020-12. A constraint that they cannot express is loosened, never tightened, and each loss is reported. The exact check
of the tool's payloads still uses the original schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolgen_runtime.schema.keywords import ANNOTATIONS, KEYWORDS, OTHER_KEYS, UNIONS
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.raw import follow, json_type, listed, map_schema, named, values_of
from toolgen_transcripts.codec.members import JsonObject, Schema, as_list, without
from toolgen_transcripts.codec.wrapped import WRAPPED
from toolgen_transcripts.tools.drafts import lost_rules, modernize
from toolgen_transcripts.tools.flatten import MERGED, flatten

# Schemas come from any source: a keyword whose value has the wrong type is ignored here.
KINDS: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})


def types_of(schema: JsonObject) -> tuple[str, ...]:
    """Return the types that `type` lists. OpenAPI's `nullable` is ignored, as in JSON Schema."""
    return tuple(name for name in as_list(schema.get("type")) if isinstance(name, str))


def kind_of(value: Any) -> str:
    """Return the kind of a value, which is one of `KINDS`. An integer is a `number`."""
    name = json_type(value)
    if name == "integer":
        return "number"
    return name


def kinds(schema: Any, root: Any, known: dict[str, frozenset[str]] | None = None) -> frozenset[str]:
    """Return the kinds of values that a schema may accept.

    Local references are resolved in `root`, each only once (`known`).
    """
    if not isinstance(schema, dict):
        if schema is False:
            return frozenset()
        return KINDS
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
    if not isinstance(ref, str):
        return found
    if ref not in known:
        known[ref] = KINDS  # for a schema that refers to itself
        target = follow(root, ref)
        if target is not None:
            known[ref] = kinds(target, root, known)
    return found & known[ref]


_ANNOTATIONS = {*ANNOTATIONS, "$schema", "$id", "$defs", "definitions"}
_OBJECT_WORDS = {word for word, row in KEYWORDS.items() if row.kind == "object"}
_REFUSED_AT_ROOT = ("not", "enum", "const")


@dataclass(frozen=True, slots=True)
class Loss:
    """A constraint that the converted schema does not have. `pointer` is its place in the tool's schema."""

    code: str
    message: str
    pointer: str = ""


def _words(schema: Any, root: Any, depth: int = 0) -> frozenset[str]:
    """Return the keywords at the root, in the branches of its unions and in the target of its `$ref`."""
    if not isinstance(schema, dict) or depth > 32:
        return frozenset()
    branches = [b for word in MERGED for b in schema.get(word, ())]
    below = [*branches, follow(root, schema.get("$ref"))]
    own = frozenset(schema) - {*MERGED, "$ref"}
    return own.union(*(_words(b, root, depth + 1) for b in below))


def _with_references(schema: Schema, change: Callable[[str], str]) -> Schema:
    """Return the schema with its local references changed."""

    def move(part: Schema) -> Schema:
        ref = part.get("$ref")
        if isinstance(ref, str) and (ref == "#" or ref.startswith("#/")):
            return {**part, "$ref": change(ref)}
        return part

    return map_schema(schema, move)


_INSIDE = f"#/properties/{WRAPPED}"
_SHARED = ("$defs", "definitions")


def _into(ref: str) -> str:
    if ref.startswith(("#/$defs/", "#/definitions/")):
        return ref
    return _INSIDE + ref[1:]


def _wrap(schema: Any) -> Schema:
    """Return an object whose only property contains the payload. Shared definitions move to the new root."""
    out: Schema = {"type": "object", "properties": {WRAPPED: schema}, "required": [WRAPPED]}
    if isinstance(schema, dict) and not isinstance(schema.get("$id"), str):
        inner = _with_references(schema, _into)
        out["properties"] = {WRAPPED: without(inner, *_SHARED)}
        out |= {word: inner[word] for word in _SHARED if word in inner}
    return out | {"additionalProperties": False}


def unwrapped_schema(schema: Any) -> Any:
    """Return the original schema if it was wrapped in an object. Any other schema is returned unchanged."""
    if not isinstance(schema, dict) or schema.get("required") != [WRAPPED]:
        return schema
    properties = named(schema, "properties")
    if set(properties) != {WRAPPED}:
        return schema
    inner = properties[WRAPPED]
    if not isinstance(inner, dict):
        return inner
    whole = {**inner, **{word: schema[word] for word in _SHARED if word in schema}}
    return _with_references(whole, lambda ref: re.sub(f"^{_INSIDE}", "#", ref))


def _nameable(schema: Schema, pattern: str) -> tuple[Schema, list[Loss]]:
    """Return the schema without properties whose names the provider rejects. It allows unknown properties instead."""
    odd = [name for name in named(schema, "properties") if not re.fullmatch(pattern, name)]
    if not odd:
        return schema, []
    out = without(schema, *OTHER_KEYS)
    out["properties"] = without(schema["properties"], *odd)
    if isinstance(schema.get("required"), list):
        out["required"] = [n for n in schema["required"] if n not in odd]
    message = "the provider rejects this property's name: left out, and unknown properties allowed"
    return out, [Loss("property-name", message, join("properties", n)) for n in odd]


def _merged_root(schema: Schema, flat: bool) -> tuple[Schema, list[Loss]]:
    """Return the root without a reference.

    With `flat`, also without unions and other keywords that are rejected there.
    """
    unions = [word for word in MERGED if word in schema and (flat or "$ref" in schema)]
    losses = [Loss("root-flattened", f"{w} at the root: merged into one object", f"/{w}") for w in unions]
    out = dict(schema)
    if unions or "$ref" in schema:
        out = flatten(schema)
    for word in _REFUSED_AT_ROOT:
        if flat and word in out:
            del out[word]
            losses.append(Loss("root-flattened", f"{word} at the root: left out", f"/{word}"))
    return out, losses


def object_schema(
    schema: Schema | bool, *, flat: bool = False, property_names: str | None = None
) -> tuple[Schema, list[Loss]]:
    """Return a schema that accepts all values of `schema` and has an object at its root, with everything that
    is lost.

    If a payload may be something other than an object, it becomes the only property, `WRAPPED`, of an object, and
    responses are unwrapped. A root without a type is an object if it has keywords for objects or no constraints. With
    `flat`, there are no unions at the root. `property_names` is the pattern for the names of the root's properties.
    """
    if schema is True:
        schema = {}
    if schema is False:
        schema = {"type": "object", "properties": {}, "additionalProperties": False}
    modern = modernize(schema)
    losses = [Loss("draft-rule", message, pointer) for message, pointer in lost_rules(schema)]
    accepted, words = kinds(modern, modern), _words(modern, modern)
    means_object = words & _OBJECT_WORDS or not words - _ANNOTATIONS
    others, why = accepted - {"object"}, ""
    if others and others != accepted and means_object and not words & {"type", "const", "enum"}:
        losses.append(Loss("root-untyped", "the root names no type: taken to be an object"))
    elif others:
        why = f"no object at the root: sent as the property {WRAPPED!r}"
    if not why and WRAPPED in named(modern, "properties"):
        why = f"has a property {WRAPPED!r} itself: sent inside one"
    if why:
        return _wrap(modern), [*losses, Loss("root-wrapped", why)]
    modern, merged = _merged_root(modern, flat)
    losses += merged
    out = {"type": "object", **without(modern, "type")}
    if property_names is None:
        return out, losses
    out, odd = _nameable(out, property_names)
    return out, losses + odd
