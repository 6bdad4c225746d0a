"""Strict tools: the subsets of JSON Schema in which a provider promises to keep the model to the schema.

A keyword outside the subset is left out, which accepts more. A schema that could only become strict by
accepting less (an open object, an optional property where all must be required) is sent without `strict`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen_runtime.providers.shared.tools.schemas import Loss
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.subschemas import each_schema, follow, map_schema


@dataclass(frozen=True, slots=True)
class StrictSubset:
    """The `keywords` that may stand; whether all properties must be required; whether a schema may recur.

    `limited` are keywords that may stand with some values only. `limits` are those of a whole request: how many
    `tools` may be strict, with how many parameters of union type (`unions`) and `optional` ones in all.
    """

    keywords: frozenset[str]
    all_required: bool
    recursive: bool
    limited: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)

    def takes(self, keyword: str, value: Any) -> bool:
        """Return whether a keyword may stand with this value."""
        return keyword in self.keywords or (keyword in self.limited and self.limited[keyword](value))


_COMMON = frozenset({
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf",
    "$ref", "$defs", "definitions", "title", "description",
})  # fmt: skip
_BOUNDS = frozenset({
    "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minItems", "maxItems",
})  # fmt: skip
OPENAI = StrictSubset(_COMMON | _BOUNDS, all_required=True, recursive=True)
_UNSUPPORTED_PATTERN = re.compile(r"\(\?(?!:)|\\[1-9bBkpP]|[*+?}][+?]")
"""Lookaround and other groups, backreferences, word boundaries, Unicode classes, lazy and possessive quantifiers."""


def _is_none_or_one(value: Any) -> bool:
    return value in (0, 1)


def _is_supported_pattern(value: Any) -> bool:
    return isinstance(value, str) and not _UNSUPPORTED_PATTERN.search(value)


CLAUDE = StrictSubset(
    _COMMON | {"allOf", "format", "default"},
    all_required=False,
    recursive=False,
    limited={"minItems": _is_none_or_one, "pattern": _is_supported_pattern},
    limits={"unions": 16, "tools": 20, "optional": 24},
)
"""https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations.

Claude compiles all strict tools of a request into one grammar; the limits are for that.
"""
LIMIT_NAMES = {
    "tools": "strict tools",
    "unions": "parameters of union type",
    "optional": "optional parameters",
}
"""What each of a subset's limits counts, in words."""


def _is_object(schema: dict[str, Any]) -> bool:
    types = schema.get("type")
    return types == "object" or (isinstance(types, list) and "object" in types) or "properties" in schema


def _is_recursive(root: dict[str, Any]) -> bool:
    def targets(schema: Any) -> set[str]:
        return {s["$ref"] for _, s in each_schema(schema) if isinstance(s.get("$ref"), str)}

    pending = {ref: targets(follow(root, ref)) for ref in targets(root)}
    while leaves := {ref for ref, below in pending.items() if not below & pending.keys()}:
        for ref in leaves:
            del pending[ref]
    return bool(pending)


def _hindrance(schema: dict[str, Any], subset: StrictSubset) -> str | None:
    """Why this schema cannot be strict without accepting less, if so."""
    if _is_object(schema):
        if schema.get("additionalProperties") is not False:
            return "an object allows unknown properties"
        if schema.get("patternProperties"):
            return "an object has properties by pattern"
        if subset.all_required and set(schema.get("properties") or ()) - set(schema.get("required") or ()):
            return "an object has an optional property"
    return "an array is a tuple" if "prefixItems" in schema else None


def _kept(schema: dict[str, Any], subset: StrictSubset) -> dict[str, Any]:
    out = {k: v for k, v in schema.items() if subset.takes(k, v)}
    if "oneOf" in schema and "anyOf" not in out:
        out["anyOf"] = schema["oneOf"]
    return out


def strict_schema(schema: dict[str, Any], subset: StrictSubset) -> tuple[dict[str, Any] | None, list[Loss]]:
    """Return the schema inside the subset and what was left out; None where it cannot be strict, and why."""
    if not subset.recursive and _is_recursive(schema):
        return None, [Loss("strict-dropped", "the schema is recursive: sent without strict")]
    losses: list[Loss] = []
    for steps, part in each_schema(schema):
        why = _hindrance(part, subset)
        if why is not None:
            return None, [Loss("strict-dropped", f"{why}: sent without strict", join(*steps))]
        for word in (word for word, value in part.items() if not subset.takes(word, value)):
            losses.append(
                Loss("strict-keyword", f"{word} is outside the strict subset: loosened", join(*steps, word))
            )
    return map_schema(schema, lambda s: _kept(s, subset)), sorted(losses, key=lambda x: x.pointer)


@dataclass(frozen=True, slots=True)
class StrictUse:
    """How much the strict tools of a request ask for: how many they are, their union and their optional parameters."""

    tools: int = 0
    unions: int = 0
    optional: int = 0

    def with_tool(self, schema: dict[str, Any]) -> StrictUse:
        """Return the use with one more strict tool of this schema."""
        return StrictUse(
            self.tools + 1,
            self.unions + union_parameters(schema),
            self.optional + optional_parameters(schema),
        )

    def over(self, subset: StrictSubset) -> list[str]:
        """Return the names of the limits that these tools exceed together."""
        return [name for name, limit in subset.limits.items() if getattr(self, name) > limit]


def optional_parameters(schema: dict[str, Any]) -> int:
    """Return how many properties, at any depth, need not be there; Claude limits their number over a request."""
    return sum(
        1
        for _, part in each_schema(schema)
        for name in _properties(part)
        if name not in (part["required"] if isinstance(part.get("required"), list) else ())
    )


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def union_parameters(schema: dict[str, Any]) -> int:
    """Return how many parameters, at any depth, have a union type; Claude limits their number over a request."""
    return sum(
        isinstance(each, dict) and ("anyOf" in each or "oneOf" in each or isinstance(each.get("type"), list))
        for _, part in each_schema(schema)
        for each in _properties(part).values()
    )
