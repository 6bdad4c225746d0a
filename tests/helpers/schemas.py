"""Hypothesis strategies: schemas of three dialects grown from all keywords, and payloads to hold against them.

Names, strings and numbers come from small pools, so that schemas and payloads speak of the same things.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, settings, strategies as st

from helpers.payloads import example, mutations
from helpers.support import JsonObject

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"

NAMES = ("a", "b", "c", "a b", "kind")
TEXTS = ("", "a", "b", "ab", "abc", "x1", "\u00e9", "\U0001f600", "a\n", "kind")
NUMBERS = (0, 1, 2, 3, -1, 1.0, 2.0, 0.5, 1.5, -0.5, 10, 0.1, 0.3, 1e3, 2**53, 2**53 + 1, 10**20, 1e20)
SCALARS = (None, True, False, *NUMBERS, *TEXTS)
PATTERNS = ("a", "^a", "b$", "^[a-c]+$", r"^\w$", r"\d", "^$", "^.$", "^(a|kind)", "^x")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
DEFINITIONS = ("d0", "d1", "d2")
DYNAMIC = "node"

texts, names, patterns = st.sampled_from(TEXTS), st.sampled_from(NAMES), st.sampled_from(PATTERNS)
counts = st.integers(0, 4) | st.sampled_from((1.0, 2.0))
numbers = st.sampled_from(NUMBERS)
scalars = st.sampled_from(SCALARS)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)
Schemas = st.SearchStrategy[Any]


@dataclass(frozen=True)
class Draft:
    """What the grower has to know of a dialect."""

    uri: str
    definitions: str
    conditional_names: tuple[str, ...]
    references: tuple[str, ...]
    has_unevaluated: bool = True


D7 = Draft(DRAFT_07, "definitions", ("dependencies",), ("$ref",), has_unevaluated=False)
D2019 = Draft(
    DRAFT_2019, "$defs", ("dependentRequired", "dependentSchemas"), ("$ref", "$ref", "$recursiveRef")
)
D2020 = Draft(DRAFT_2020, "$defs", ("dependentRequired", "dependentSchemas"), ("$ref", "$ref", "$dynamicRef"))


def _maps(keys: st.SearchStrategy[str], held: Schemas, most: int = 3) -> Schemas:
    return st.dictionaries(keys, held, min_size=1, max_size=most)


def _type() -> Schemas:
    return st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True)


def _limits() -> dict[str, Schemas]:
    divisors = st.sampled_from((1, 2, 3, 0.5, 1.5, 0.1, 2.0, 1e-2))
    return {
        "type": _type(),
        "enum": st.lists(values, min_size=1, max_size=4),
        "const": values,
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), numbers),
        "multipleOf": divisors,
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), counts),
        **dict.fromkeys(("minProperties", "maxProperties"), counts),
        "pattern": patterns,
        "uniqueItems": st.booleans(),
        "required": st.lists(names, max_size=3, unique=True),
    }


def _applicators(draft: Draft, inner: Schemas) -> dict[str, Schemas]:
    some = st.lists(inner, min_size=1, max_size=3)
    out = {
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), some),
        **dict.fromkeys(("not", "additionalProperties", "contains", "propertyNames"), inner),
        "properties": _maps(names, inner, 4),
        "patternProperties": _maps(patterns, inner),
        **dict.fromkeys(("if", "then", "else"), inner),
    }
    if draft is D7:
        out["dependencies"] = _maps(names, inner | st.lists(names, max_size=2, unique=True), 2)
    else:
        out["dependentRequired"] = _maps(names, st.lists(names, max_size=2, unique=True), 2)
        out["dependentSchemas"] = _maps(names, inner, 2)
        out |= {"minContains": counts, "maxContains": counts}
        out |= dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), inner)
    if draft is D2020:
        return out | {"items": inner, "prefixItems": some}
    return out | {"items": inner | some, "additionalItems": inner}


PARTNERS = {
    "if": ("then", "else"),
    "then": ("if",),
    "else": ("if",),
    "contains": ("minContains", "maxContains", "unevaluatedItems"),
    "minContains": ("contains",),
    "maxContains": ("contains",),
    "prefixItems": ("items", "unevaluatedItems"),
    "additionalItems": ("items",),
    "unevaluatedProperties": ("properties", "anyOf", "oneOf", "allOf", "dependentSchemas", "if", "$ref"),
    "unevaluatedItems": ("prefixItems", "anyOf", "oneOf", "allOf", "contains", "if", "$ref"),
    "additionalProperties": ("properties", "patternProperties"),
}
"""Keywords that mean more together: where one is drawn, one of these often follows."""


def _references(draft: Draft) -> dict[str, Schemas]:
    targets = ["#", *(f"#/{draft.definitions}/{name}" for name in DEFINITIONS)]
    anchors = [] if draft is D7 else [f"#at-{name}" for name in DEFINITIONS[:2]]
    out: dict[str, Schemas] = {"$ref": st.sampled_from([*targets, *anchors])}
    if draft is D2020:
        out["$dynamicRef"] = st.sampled_from([f"#{DYNAMIC}", "#at-d0"])
    if draft is D2019:
        out["$recursiveRef"] = st.just("#")
    return out


def _grown(draft: Draft, inner: Schemas) -> Schemas:
    keywords = {**_limits(), **_applicators(draft, inner), **_references(draft)}

    @st.composite
    def schema(draw: Callable[[Schemas], Any]) -> Any:
        chosen = draw(st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True))
        for keyword in tuple(chosen):
            partners = [k for k in PARTNERS.get(keyword, ()) if k in keywords]
            if partners and draw(st.booleans()):
                chosen.append(draw(st.sampled_from(partners)))
        return {keyword: draw(keywords[keyword]) for keyword in dict.fromkeys(chosen)}

    return (
        schema()
        | _tagged_unions(inner)
        | (_unevaluated(inner) if draft.has_unevaluated else _tagged_unions(inner))
    )


def _tagged_unions(inner: Schemas) -> Schemas:
    """Unions as tools have them: objects with a tag, values or null."""

    def branch(tag: Any, members: JsonObject, required: bool, typed: bool) -> JsonObject:
        return {
            **({"type": "object"} if typed else {}),
            "properties": {**members, "kind": {"const": tag}},
            **({"required": ["kind"]} if required else {}),
        }

    tagged = st.builds(
        branch, texts, st.dictionaries(names, inner, max_size=2), st.integers(0, 5).map(bool), st.booleans()
    )
    return st.builds(
        lambda keyword, branches: {keyword: branches},
        st.sampled_from(("anyOf", "oneOf")),
        st.lists(tagged | st.just({"type": "null"}) | inner, min_size=2, max_size=3),
    )


def _unevaluated(inner: Schemas) -> Schemas:
    """Closed objects whose members stand in subschemas, which is what `unevaluatedProperties` is for."""
    members = st.builds(
        lambda held, wanted: {"properties": held, **({"required": [next(iter(held))]} if wanted else {})},
        _maps(names, inner, 2),
        st.booleans(),
    )
    parts = st.lists(members | inner, min_size=1, max_size=3)
    holders = {
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), parts),
        **dict.fromkeys(("if", "then", "else", "not"), members),
        "dependentSchemas": _maps(names, members, 2),
    }
    chosen = st.lists(st.sampled_from(sorted(holders)), min_size=1, max_size=3, unique=True)
    return st.builds(
        lambda held, rest: {**held, "unevaluatedProperties": rest},
        chosen.flatmap(lambda words: st.fixed_dictionaries({word: holders[word] for word in words})),
        st.just(False) | inner,
    )


def _leaves(draft: Draft) -> Schemas:
    limits = _limits() | _references(draft)
    one = st.sampled_from(sorted(limits)).flatmap(lambda k: limits[k].map(lambda v: {k: v}))
    typed = st.sampled_from(TYPES).map(lambda name: {"type": name})
    return st.booleans() | typed | one | st.just({})


def schemas(draft: Draft) -> Schemas:
    """Schemas of a dialect with the definitions and anchors that their references lead to."""
    body = st.recursive(_leaves(draft), lambda inner: _grown(draft, inner), max_leaves=10)
    parts = (_leaves(draft) | _grown(draft, _leaves(draft))).map(_as_object)

    @st.composite
    def whole(draw: Callable[[Schemas], Any]) -> Any:
        root = draw(body)
        if isinstance(root, bool):
            return root
        held = {name: draw(parts) for name in DEFINITIONS}
        schema = {"$schema": draft.uri, **root, draft.definitions: held}
        if draft is D7:
            return schema
        for name in DEFINITIONS[:2]:
            held[name] = {**held[name], "$anchor": f"at-{name}"}
        held["d2"] = {**held["d2"], **draw(_resources(draft))}
        return {**schema, **draw(st.sampled_from(_anchors(draft)))}

    return whole()


def plain_schemas() -> Schemas:
    """Schemas of 2020-12 of which two validators can agree on the whole list of issues: no unions, no `false`."""

    def grown(inner: Schemas) -> Schemas:
        keywords = {
            **_limits(),
            "allOf": st.lists(inner, min_size=1, max_size=3),
            "properties": _maps(names, inner, 4),
            **dict.fromkeys(("additionalProperties", "items"), inner),
            "$ref": st.sampled_from([f"#/$defs/{name}" for name in DEFINITIONS]),
        }
        chosen = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=5, unique=True)
        return chosen.flatmap(lambda words: st.fixed_dictionaries({word: keywords[word] for word in words}))

    part = st.recursive(_type().map(lambda name: {"type": name}), grown, max_leaves=8)
    closed = st.booleans().map(lambda is_closed: {"additionalProperties": False} if is_closed else {})
    return st.builds(
        lambda root, rest, *held: {**root, **rest, "$defs": dict(zip(DEFINITIONS, held, strict=True))},
        part,
        closed,
        *([part] * len(DEFINITIONS)),
    )


def _as_object(schema: Any) -> JsonObject:
    if isinstance(schema, dict):
        return schema
    return {} if schema else {"not": {}}


def _anchors(draft: Draft) -> list[JsonObject]:
    if draft is D2020:
        return [{"$dynamicAnchor": DYNAMIC}, {"$anchor": DYNAMIC}]
    return [{"$recursiveAnchor": True}, {"$recursiveAnchor": False}, {}]


def _resources(draft: Draft) -> Schemas:
    """What makes a definition a resource of its own, in which the same references lead elsewhere."""
    inside = {
        name: {"$anchor": f"at-{name}", "type": kind}
        for name, kind in zip(DEFINITIONS, ("string", "array", "object"), strict=True)
    }
    resource = {"$id": "http://resource.test/d2", draft.definitions: inside}
    return st.sampled_from([{**resource, **anchor} for anchor in _anchors(draft)])


def quick(examples: int, derandomize: bool = True) -> settings:
    """The same examples at every run, unless told otherwise; no database, no deadline."""
    return settings(
        max_examples=examples,
        derandomize=derandomize,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )


def payloads(schema: Any, seed: int, most: int) -> list[Any]:
    """Payloads that a schema is likely to have an opinion on: what is meant to be valid, and mutations of it."""
    rng = random.Random(seed)
    found = []
    for full in (False, True):
        try:
            found.append(example(schema, schema, full))
        except (KeyError, IndexError, TypeError, AttributeError, RecursionError):
            continue  # the example's maker knows the schemas of tools, not all of JSON Schema
    mutated = [wrong for payload in found for wrong in mutations(payload)]
    return found + rng.sample(mutated, min(most, len(mutated)))
