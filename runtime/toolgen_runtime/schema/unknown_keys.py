"""Find keys in a payload that the schema neither names nor describes, although it allows them.

JSON Schema allows every key that is not forbidden, and most tools forbid none. Such a tool silently ignores a
misspelled optional key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import OTHER_KEYS, UNIONS, UNKNOWN_KEY, UNKNOWN_KEYS
from toolgen_runtime.schema.node import SchemaNode, once_per_node
from toolgen_runtime.schema.raw import (
    ANYTHING,
    Document,
    Raw,
    admits,
    as_raw,
    children_of,
    is_one_of,
    json_type,
    listed,
    named,
    required_of,
    types_of,
    values_of,
)
from toolgen_runtime.validation.issues import ANY_ITEM, ValidationIssue
from toolgen_runtime.validation.patterns import compile_pattern

_Link = tuple[Any, str | int]
"""A step and the link to its parent (None at the root); paths are built only for issues."""

_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_OPEN: Raw = {"additionalProperties": True}
"""The schema used in place of an unknown one, such as the target of a non-local or dynamic reference."""


def unknown_keys(facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """Return an issue for each key that the schema neither names nor describes, in the order of the document.

    A schema names the keys in `properties`, `required` and `dependentRequired`. It describes the keys that match
    `patternProperties`. It describes all keys if it is empty, or if `additionalProperties`, `unevaluatedProperties` or
    `propertyNames` is a schema or `true`. All schemas for the same value are used (`$ref`, `allOf`, `anyOf`, `oneOf`,
    `if`, `dependentSchemas`), except branches that this value cannot match. An object below the root is a map if its
    schemas name no keys at all.

    The payload should be valid. The time is proportional to its size times the number of schemas for one value. The
    function is not recursive, so payloads and references may have any depth.
    """
    issues: list[ValidationIssue] = []
    todo: list[tuple[Any, list[Raw] | None, _Link | None]] = [(payload, [facts.document.root], None)]
    while todo:
        value, schemas, link = todo.pop()
        if schemas is None:
            issues.append(ValidationIssue(_path(link), UNKNOWN_KEY, False, value))
        elif isinstance(value, (dict, list)):
            raws = _in_force(facts.document, schemas, value)
            if isinstance(value, dict):
                below = _in_object(raws, value, link)
            else:
                below = _in_array(raws, value, link)
            todo += reversed(list(below))
    return issues


def declared_only(facts: SchemaFacts) -> Callable[[Any], bool]:
    """Return a quick test of whether a valid payload has no unknown keys.

    Keys that are data pass too.

    The test runs after every valid call and decides whether the full search is needed. A key that only another branch
    declares is not misspelled, so it passes.
    """
    return _test_of(facts.root, 0)


def _test_of(node: SchemaNode, depth: int) -> Callable[[Any], bool]:
    """Return the test for the values of a node.

    It mostly uses set operations, so that it adds little to the cost of a call.
    """
    is_plain = not node.unions and not node.extras and not node.nullable and depth < _MAX_NESTED_CALLS
    if is_plain and node.types == ("array",) and not any("prefixItems" in raw for raw in node.raws):
        test_item = _test_of(node.child(ANY_ITEM), depth + 1)
        return lambda items: all(map(test_item, items))
    names, holders = _declared_keys(node)
    if not is_plain or node.types != ("object",) or names is None or holders is None:
        return partial(_has_declared_only, node)
    if not holders:
        return names
    tests = [(key, _test_of(node.child(key), depth + 1)) for key in holders]

    def test(value: Any) -> bool:
        if not names(value):
            return False
        for key, test_member in tests:  # noqa: SIM110  a generator would cost more
            if key in value and not test_member(value[key]):
                return False
        return True

    return test


def _has_declared_only(node: SchemaNode, value: Any) -> bool:
    """Do the same as `declared_only` for any schema and any depth, without recursion."""
    todo: list[tuple[Any, SchemaNode]] = [(value, node)]
    while todo:
        value, node = todo.pop()
        if type(value) is dict:
            passes, holders = _declared_keys(node)
            if passes is not None and not passes(value):
                return False
            for key in value if holders is None else holders:
                member = value.get(key)
                if type(member) in _CONTAINERS:
                    todo.append((member, node.child(key)))
        elif type(value) is list:
            todo += [(item, node.child(at)) for at, item in enumerate(value) if type(item) in _CONTAINERS]
    return True


_CONTAINERS = frozenset((dict, list))
_MAX_NESTED_CALLS = 8
"""The depth up to which functions call each other; deeper values, as in recursive schemas, are read in a loop."""


@once_per_node
def _declared_keys(node: SchemaNode) -> tuple[Callable[[Any], bool] | None, tuple[str, ...] | None]:
    """Return a test of an object's keys, and the keys whose values may themselves have named keys.

    A map has no test, and any of its values may have named keys (None).
    """
    is_map = node is not node.schema.root and not node.properties and not node.required
    if is_map:
        return None, None
    holders = tuple(key for key in node.properties if _may_hold_objects(node.child(key)))
    return frozenset(node.properties).issuperset, holders


def _may_hold_objects(node: SchemaNode) -> bool:
    types = frozenset(node.types) or frozenset(map(json_type, node.allowed))
    if types and types.isdisjoint(("object", "array")):
        return False
    if types != {"array"} or any("prefixItems" in raw for raw in node.raws):
        return True
    item = frozenset(node.child(ANY_ITEM).types)
    return not item or not item.isdisjoint(("object", "array"))


def _path(link: _Link | None) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    while link is not None:
        link, step = link
        steps.append(step)
    return tuple(reversed(steps))


def _in_object(
    raws: list[Raw], value: dict[Any, Any], link: _Link | None
) -> Iterator[tuple[Any, list[Raw] | None, _Link]]:
    declared = [properties for raw in raws if (properties := named(raw, "properties"))]
    patterns = [
        (_matcher(p), schema) for raw in raws for p, schema in named(raw, "patternProperties").items()
    ]
    strangers = {key for key in value if isinstance(key, str) and not any(key in each for each in declared)}
    if strangers:
        others = _other_names(raws)
        speaks = bool(others) or any("properties" in raw or "patternProperties" in raw for raw in raws)
        if _is_open(raws) or (link is not None and not speaks):
            strangers = set()
        else:
            strangers = strangers - others
    for key, member in value.items():
        described = [schema for matches, schema in patterns if isinstance(key, str) and matches(key)]
        if key in strangers and not described:
            yield member, None, (link, key)
        elif isinstance(member, (dict, list)):
            below = [schema for raw in raws for schema in _of_key(raw, key)]
            yield member, [as_raw(schema) for schema in (*below, *described)], (link, key)


def _in_array(
    raws: list[Raw], value: list[Any], link: _Link | None
) -> Iterator[tuple[Any, list[Raw], _Link]]:
    for index, item in enumerate(value):
        if isinstance(item, (dict, list)):
            below = [schema for raw in raws for schema in (*children_of(raw, index), raw.get("contains"))]
            yield item, [schema for schema in below if isinstance(schema, Mapping)], (link, index)


def _other_names(raws: list[Raw]) -> set[str]:
    """Return the keys that schemas name outside `properties`."""
    found = set(required_of(raws))
    for raw in raws:
        for keyword in ("dependentRequired", "dependencies"):
            found.update(named(raw, keyword))
            lists = [names for names in named(raw, keyword).values() if isinstance(names, list)]
            found.update(name for names in lists for name in names if isinstance(name, str))
    return found


def _is_open(raws: list[Raw]) -> bool:
    """Return whether schemas describe all keys, or are all empty."""
    return not any(raws) or any(raw.get(word) not in (None, False) for raw in raws for word in UNKNOWN_KEYS)


def _of_key(raw: Raw, key: Any) -> list[Any]:
    properties = named(raw, "properties")
    if key in properties:
        return [properties[key]]
    return [raw[word] for word in OTHER_KEYS if isinstance(raw.get(word), Mapping)]


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Any:
    """Return a function that matches keys in linear time. A pattern that Rust cannot run matches every key."""
    matches = compile_pattern(pattern, "rust")
    try:
        matches("")
    except Exception:  # pydantic_core's SchemaError: a lookaround, a back-reference
        return lambda _: True
    return matches


def _in_force(document: Document, schemas: list[Raw], value: Any) -> list[Raw]:
    """Return all schemas that apply to a value: the given ones, and those that they in turn apply to it."""
    raws: dict[int, Raw] = {}
    todo = list(reversed(schemas))
    while todo:
        raw = todo.pop()
        if id(raw) not in raws:
            raws[id(raw)] = raw
            todo += reversed(list(_in_place(document, raw, value)))
    return list(raws.values())


def _in_place(document: Document, raw: Raw, value: Any) -> Iterator[Raw]:
    if isinstance(ref := raw.get("$ref"), str):
        target = document.resolve(ref)
        yield _OPEN if target is ANYTHING else target
    if any(word in raw for word in _DYNAMIC):
        yield _OPEN
    yield from map(as_raw, listed(raw, "allOf"))
    for keyword in UNIONS:
        branches = [as_raw(branch) for branch in listed(raw, keyword)]
        yield from [b for b in branches if not _is_refuted(document, b, value)] or branches
    if "if" in raw:
        refuted = _is_refuted(document, as_raw(raw["if"]), value)
        yield from (
            as_raw(raw[word]) for word in (("else",) if refuted else ("if", "then", "else")) if word in raw
        )
    for keyword in ("dependentSchemas", "dependencies"):
        for key, schema in named(raw, keyword).items():
            if isinstance(schema, (Mapping, bool)) and key in value:
                yield as_raw(schema)


def _together(document: Document, raw: Raw) -> list[Raw]:
    """Return a schema, the branches of its `allOf` and the target of its `$ref`."""
    ref = raw.get("$ref")
    return [
        raw,
        *map(as_raw, listed(raw, "allOf")),
        *([document.resolve(ref)] if isinstance(ref, str) else ()),
    ]


def _is_refuted(document: Document, branch: Raw, value: Any) -> bool:
    """Return whether a value's type, a missing key or a tag proves that the value does not match a branch."""
    raws = _together(document, branch)
    types = types_of(raws)
    if types is not None and not admits(types, json_type(value)):
        return True
    if not isinstance(value, dict):
        return False
    if any(name not in value for name in required_of(raws)):
        return True
    for raw in raws:
        for key, schema in named(raw, "properties").items():
            if key in value and not isinstance(value[key], (dict, list)):
                allowed = values_of(_together(document, as_raw(schema)))
                if allowed is not None and not is_one_of(value[key], allowed):
                    return True
    return False
