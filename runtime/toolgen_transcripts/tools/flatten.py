"""Replace unions at a schema's root with one object that accepts at least the same values.

Claude and OpenAI reject `anyOf`, `oneOf` and `allOf` at the root of a tool's schema. The merged object has the
properties of all branches. If one branch allows any value for a property, the merged object does too, and the schemas
of the other branches are only shown to the model.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from toolgen_runtime.schema.keywords import UNIONS
from toolgen_runtime.schema.raw import follow, listed, named
from toolgen_transcripts.codec.members import Schema, without

MERGED = (*UNIONS, "allOf")
"""The keywords with branches that a root must not have, and that are therefore merged."""
_NOT_CARRIED = frozenset(
    {"$defs", "definitions", "$id", "$anchor", "$dynamicAnchor", "unevaluatedProperties"}
)
_CONDITION = frozenset({"if", "then", "else"})


def _unique(values: list[Any]) -> list[Any]:
    return [*{json.dumps(value, sort_keys=True): value for value in reversed(values)}.values()][::-1]


def _all_of(schemas: list[Any]) -> Any:
    told = [s for s in _unique(schemas) if s not in ({}, True)]
    if not told:
        return {}
    if len(told) == 1:
        return told[0]
    return {"allOf": told}


def _members(parts: list[Schema]) -> dict[str, list[Any]]:
    """Return the schemas that the parts have for each property."""
    found: dict[str, list[Any]] = {}
    for part in parts:
        for name, schema in named(part, "properties").items():
            found.setdefault(name, []).append(schema)
    return found


def _either(branches: list[Schema]) -> Schema:
    """Return one object for a union.

    A property is required if all branches require it, and allowed if one allows it.
    """
    left_open = [
        b for b in branches if b.get("additionalProperties") is not False or b.get("patternProperties")
    ]
    named_open = Counter(name for branch in left_open for name in named(branch, "properties"))
    properties: Schema = {}
    for name, schemas in _members(branches).items():
        told = _unique(schemas)
        if named_open[name] < len(left_open):
            told = [*(s for s in told if s not in ({}, True)), {}]
        properties[name] = {"anyOf": told}
        if len(told) == 1:
            properties[name] = told[0]
    wanted = Counter(name for branch in branches for name in dict.fromkeys(listed(branch, "required")))
    required = [n for n in listed(branches[0], "required") if wanted[n] == len(branches)]
    out: Schema = {"properties": properties, "required": required}
    if not left_open:
        out["additionalProperties"] = False
    return out


def all_of(parts: list[Schema]) -> Schema:
    """Combine several object schemas into one that requires all of them.

    If a keyword cannot be merged, the first one is used.
    """
    out = dict(parts[0])
    for part in parts[1:]:
        skipped = _NOT_CARRIED
        if not _CONDITION.isdisjoint(out):
            skipped = _NOT_CARRIED | _CONDITION
        for word, value in part.items():
            if word not in skipped:
                out.setdefault(word, value)
        out.setdefault("properties", {})
        out.setdefault("required", [])
    out["properties"] = {name: _all_of(schemas) for name, schemas in _members(parts).items()}
    out["required"] = [*dict.fromkeys(name for part in parts for name in listed(part, "required"))]
    return out


def _flat(schema: Any, root: Schema, depth: int) -> Schema:
    if not isinstance(schema, dict) or depth > 16:
        return {}
    parts = [without(schema, *MERGED, "$ref")]
    parts += [_flat(part, root, depth + 1) for part in schema.get("allOf", ())]
    for word in UNIONS:
        branches = [b for b in schema.get(word, ()) if b is not False]
        if branches:
            parts.append(_either([_flat(b, root, depth + 1) for b in branches]))
    target = follow(root, schema.get("$ref"))
    if target is not None:
        parts.append(_flat(target, root, depth + 1))
    if len(parts) > 1:
        return all_of(parts)
    return parts[0]


def flatten(schema: Schema) -> Schema:
    """Merge the `$ref` and the unions at the root. The result accepts every object that `schema` accepts."""
    out = _flat(schema, schema, 0)
    out.pop("unevaluatedProperties", None)  # it depended on the branches
    if not out.get("required"):
        out.pop("required", None)
    return out
