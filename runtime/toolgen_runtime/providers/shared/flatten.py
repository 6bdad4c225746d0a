"""Merging the unions at a schema's root into one object that accepts no less.

Claude and OpenAI refuse `anyOf`, `oneOf` and `allOf` beside a tool's root type. The merged object names the
properties of all branches; one that a branch leaves open stays open, with the other branches' schemas shown.
"""

from __future__ import annotations

from typing import Any

from toolgen_runtime.schema.subschemas import follow

_MERGED = ("$ref", "anyOf", "oneOf", "allOf")
_NOT_CARRIED = frozenset(
    {"$defs", "definitions", "$id", "$anchor", "$dynamicAnchor", "unevaluatedProperties"}
)
_CONDITION = frozenset({"if", "then", "else"})


def _unique(values: list[Any]) -> list[Any]:
    return [v for i, v in enumerate(values) if v not in values[:i]]


def _all_of(schemas: list[Any]) -> Any:
    told = [s for s in _unique(schemas) if s not in ({}, True)]
    return {} if not told else told[0] if len(told) == 1 else {"allOf": told}


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _required(schema: dict[str, Any]) -> list[str]:
    found = schema.get("required")
    return found if isinstance(found, list) else []


def _closed(schema: dict[str, Any]) -> bool:
    return schema.get("additionalProperties") is False and not schema.get("patternProperties")


def _either(branches: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one object for a union: what every branch wants is wanted, what one branch allows is allowed."""
    names = dict.fromkeys(name for branch in branches for name in _properties(branch))
    properties: dict[str, Any] = {}
    for name in names:
        told = _unique([_properties(b)[name] for b in branches if name in _properties(b)])
        if any(name not in _properties(b) and not _closed(b) for b in branches):
            told = [*(s for s in told if s not in ({}, True)), {}]
        properties[name] = told[0] if len(told) == 1 else {"anyOf": told}
    required = [n for n in _required(branches[0]) if all(n in _required(b) for b in branches)]
    out: dict[str, Any] = {"properties": properties, "required": required}
    if all(map(_closed, branches)):
        out["additionalProperties"] = False
    return out


def _both(base: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return one object for two that both hold. Where both have a keyword that cannot be merged, `base` has it."""
    skipped = _NOT_CARRIED | (_CONDITION if _CONDITION & base.keys() else frozenset())
    carried = {k: v for k, v in other.items() if k not in base and k not in skipped}
    properties = {
        name: _all_of([s[name] for s in (_properties(base), _properties(other)) if name in s])
        for name in dict.fromkeys([*_properties(base), *_properties(other)])
    }
    required = _unique([*_required(base), *_required(other)])
    return {**base, **carried, "properties": properties, "required": required}


def _flat(schema: Any, root: dict[str, Any], depth: int) -> dict[str, Any]:
    if not isinstance(schema, dict) or depth > 16:
        return {}
    out = {k: v for k, v in schema.items() if k not in _MERGED}
    for part in schema.get("allOf", ()):
        out = _both(out, _flat(part, root, depth + 1))
    for word in ("anyOf", "oneOf"):
        branches = [b for b in schema.get(word, ()) if b is not False]
        if branches:
            out = _both(out, _either([_flat(b, root, depth + 1) for b in branches]))
    target = follow(root, schema.get("$ref"))
    if target is not None:
        out = _both(out, _flat(target, root, depth + 1))
    return out


def flattened(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the root with its `$ref` and unions merged in; it accepts every object that `schema` does."""
    out = _flat(schema, schema, 0)
    out.pop("unevaluatedProperties", None)  # it counted on the branches
    if not out.get("required"):
        out.pop("required", None)
    return out
