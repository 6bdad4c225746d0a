"""The subsets of JSON Schema for which providers guarantee valid calls, and their limits.

A keyword outside the subset is removed, so that the schema accepts more. If a schema could become strict only by
accepting less (an open object, or an optional property if all must be required), it is sent without `strict`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen_runtime.schema.keywords import KEYWORDS, NAMED
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.raw import children, each_schema, follow, listed, map_schema, named, required_of
from toolgen_transcripts.codec.members import Schema
from toolgen_transcripts.strict.convert_arguments import SAME, Form
from toolgen_transcripts.tools.schemas import Loss, types_of


@dataclass(frozen=True, slots=True)
class StrictSubset:
    """The part of JSON Schema that a provider supports in strict tools.

    It has the supported `keywords`, whether all properties must be required, and whether a schema may be recursive.

    It has the supported `keywords`, whether all properties must be required, and whether a schema may be recursive.

    `limited` are keywords that are supported only with some values. `limits` are the limits for a whole request: the
    number of strict `tools`, and the total number of their parameters of union type (`unions`) and `optional`
    parameters. `tool_limits` are the limits for each tool's schema. `measure` counts them. With
    `together`, all tools in a request must be strict if one is.
    """

    keywords: frozenset[str]
    all_required: bool
    recursive: bool
    limited: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    tool_limits: Mapping[str, int] = field(default_factory=dict)
    together: bool = False

    def takes(self, keyword: str, value: Any) -> bool:
        """Return whether the subset allows a keyword with this value."""
        if keyword in self.limited:
            return isinstance(value, str | int) and self.limited[keyword](value)
        return keyword in self.keywords

    def with_tool(self, use: Counter[str], schema: Schema) -> Counter[str]:
        """Return how much of the limits is used if a tool with this schema is added to a request."""
        size = measure(schema)
        return use + Counter({name: size[name] for name in self.limits})

    def over(self, use: Counter[str]) -> list[str]:
        """Return the names of the limits that a request's strict tools exceed together."""
        return [name for name, limit in self.limits.items() if use[name] > limit]


@dataclass(frozen=True, slots=True)
class Hindrance:
    """A reason why a schema cannot be rewritten for a subset: where, why, and which change would help."""

    message: str
    change: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A schema that was rewritten for a strict subset, with the conversion of its payloads.

    Use both only if `hindrances` is empty.

    `changes` counts the differences from the original: `optional` fields that may now be null, objects that are now
    `closed`, and `maps` that are now lists of pairs.
    """

    schema: Schema
    form: Form
    losses: tuple[Loss, ...]
    hindrances: tuple[Hindrance, ...]
    changes: Mapping[str, int]


def _is_recursive(root: Schema) -> bool:
    def targets(schema: Any) -> set[str]:
        return {s["$ref"] for _, s in each_schema(schema) if isinstance(s.get("$ref"), str)}

    pending = {ref: targets(follow(root, ref)) for ref in targets(root)}
    while leaves := {ref for ref, below in pending.items() if not below & pending.keys()}:
        for ref in leaves:
            del pending[ref]
    return bool(pending)


def _hindrance(schema: Schema, subset: StrictSubset) -> str | None:
    """Return why this schema could be strict only by accepting less; None if there is no reason."""
    if "object" in types_of(schema) or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            return "an object allows unknown properties"
        if schema.get("patternProperties"):
            return "an object has properties by pattern"
        if subset.all_required and set(schema.get("properties") or ()) - set(schema.get("required") or ()):
            return "an object has an optional property"
    if "prefixItems" in schema:
        return "an array is a tuple"
    return None


def _kept(schema: Schema, subset: StrictSubset) -> Schema:
    out = {k: v for k, v in schema.items() if subset.takes(k, v)}
    if "oneOf" in schema and "anyOf" not in out:
        out["anyOf"] = schema["oneOf"]
    return out


def strict_schema(schema: Schema, subset: StrictSubset) -> Rewritten:
    """Return a schema in the subset. Only keywords are removed, so payloads can be sent unchanged."""
    losses: list[Loss] = []
    hindrances: list[Hindrance] = []
    if not subset.recursive and _is_recursive(schema):
        hindrances.append(Hindrance("the schema is recursive", "", ""))
    for steps, part in each_schema(schema):
        why = _hindrance(part, subset)
        if why:
            hindrances.append(Hindrance(why, "", join(*steps)))
        for word, value in part.items():
            if not subset.takes(word, value):
                message = f"{word} is outside the strict subset: loosened"
                losses.append(Loss("strict-keyword", message, join(*steps, word)))
    losses.sort(key=lambda x: x.pointer)
    kept = map_schema(schema, lambda s: _kept(s, subset))
    return Rewritten(kept, SAME, tuple(losses), tuple(hindrances[:1]), {})


def tool_excess(schema: Schema, subset: StrictSubset) -> str | None:
    """Return a message about the first limit that one tool's strict schema exceeds; None if there is none."""
    size = measure(schema)
    for name, limit in subset.tool_limits.items():
        if size[name] > limit:
            return f"{size[name]:,} {LIMITS[name]}, at most {limit:,} are allowed"
    return None


def measure(schema: Schema) -> Counter[str]:
    """Count everything in a strict schema that a provider may limit, at all depths."""
    size = Counter(tools=1, levels=_levels(schema, schema, {}))
    for steps, part in each_schema(schema):
        properties = named(part, "properties")
        size["properties"] += len(properties)
        size["optional"] += len(properties.keys() - required_of((part,)))
        size["unions"] += sum(map(_is_union, properties.values()))
        size["empty"] += bool(steps) and "object" in types_of(part) and not properties
        size["union_refs"] += sum("$ref" in b for b in listed(part, "anyOf") if isinstance(b, dict))
        size["characters"] += sum(_length(named(part, word)) for word in NAMED)
        for values in (listed(part, "enum"), [part[word] for word in ("const",) if word in part]):
            size["values"] += len(values)
            size["characters"] += _length(values)
            if len(values) > 250:
                size["long_enum"] = max(size["long_enum"], _length(values))
    return size


def _length(values: Iterable[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _is_union(schema: Any) -> bool:
    return isinstance(schema, dict) and (
        "anyOf" in schema or "oneOf" in schema or isinstance(schema.get("type"), list)
    )


def _levels(schema: Any, root: Schema, known: dict[str, int]) -> int:
    """Return the depth of nested objects and arrays. Each definition is measured once (`known`)."""
    if not isinstance(schema, dict):
        return 0
    ref = schema.get("$ref")
    if isinstance(ref, str):
        if ref not in known:
            known[ref] = 0
            known[ref] = _levels(follow(root, ref), root, known)
        return known[ref]
    below = [
        _levels(part, root, known) for steps, part in children(schema) if KEYWORDS[str(steps[0])].subject
    ]
    return max(below, default=0) + (not {"object", "array"}.isdisjoint(types_of(schema)))


LIMITS: Final[Mapping[str, str]] = {
    "tools": "strict tools",
    "unions": "parameters of union type",
    "optional": "optional parameters",
    "properties": "properties",
    "levels": "levels of objects and arrays",
    "characters": "characters of names and values",
    "values": "values of enumerations",
    "long_enum": "characters in an enumeration of more than 250 values",
    "empty": "objects without properties below the root",
    "union_refs": "references in unions",
}
"""What each limit of a subset counts (`measure`)."""


# OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas, read 2026-02. Formats outside
# the list are refused (can1357/oh-my-pi#206, 2026-02-28), as are `oneOf` (openai-agents-python#1884), `propertyNames`
# (can1357/oh-my-pi#209) and keywords next to `$ref` (vectorize-io/hindsight#3944, 2026-08-31). Fine-tuned models take
# fewer keywords.
#
# Claude, also on Bedrock: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations,
# read 2026-09. All strict tools of a request become one grammar. A grammar within these limits may still be refused as
# too large; how its size is computed is not published (anthropic-sdk-python#1185, 2026-02-18).
_COMMON: Final = frozenset({
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf",
    "$ref", "$defs", "definitions", "title", "description",
})  # fmt: skip
_NUMBERS_AND_ITEMS: Final = frozenset({
    "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
})  # fmt: skip
_FORMATS: Final = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
_UNSUPPORTED_PATTERN: Final = re.compile(r"\(\?(?!:)|\\[1-9bBkpP]|[*+?}][+?]")
"""Lookaround and other groups, backreferences, word boundaries, Unicode classes, lazy and possessive quantifiers."""


def _is_supported_pattern(value: Any) -> bool:
    return isinstance(value, str) and not _UNSUPPORTED_PATTERN.search(value)


OPENAI: Final = StrictSubset(
    _COMMON | _NUMBERS_AND_ITEMS,
    all_required=True,
    recursive=True,
    limited={"format": _FORMATS.__contains__, "pattern": _is_supported_pattern},
    tool_limits={
        "properties": 5_000,
        "levels": 10,
        "characters": 120_000,
        "values": 1_000,
        "long_enum": 15_000,
    },
)
CLAUDE: Final = StrictSubset(
    _COMMON | {"allOf", "default"},
    all_required=False,
    recursive=False,
    limited={
        "minItems": (0, 1).__contains__,
        "pattern": _is_supported_pattern,
        "format": (_FORMATS | {"uri"}).__contains__,
    },
    limits={"unions": 16, "tools": 20, "optional": 24},
)

# https://api-docs.deepseek.com/guides/tool_calls, strict mode (beta), read 2026-11-28: all properties required, objects
# closed, every tool of the request strict (vercel/ai#19387), lengths and counts not supported. Not documented: an
# object without properties is refused (gajae-code#2760), and so is `$ref` in `anyOf` (rig-core 0.46, deepseek.rs).
DEEPSEEK: Final = StrictSubset(
    _COMMON | (_NUMBERS_AND_ITEMS - {"minItems", "maxItems"}),
    all_required=True,
    recursive=True,
    limited={
        "format": frozenset({"email", "hostname", "ipv4", "ipv6", "uuid"}).__contains__,
        "pattern": _is_supported_pattern,
    },
    tool_limits={"empty": 0, "union_refs": 0},
    together=True,
)
