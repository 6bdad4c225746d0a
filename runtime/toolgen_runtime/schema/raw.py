"""Read the keywords of a single schema object, even if it is malformed, and visit its subschemas.

Schemas come from untrusted sources, so the functions do not rely on the type of a keyword's value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

from toolgen_runtime.schema.keywords import LISTED, NAMED, OTHER_KEYS, SINGLE
from toolgen_runtime.schema.pointer import PointerError, parse_fragment, resolve
from toolgen_runtime.validation.helpers import equal

Raw = Mapping[str, Any]
Change = Callable[[dict[str, Any]], dict[str, Any]]
Leaf = tuple[Raw, ...]
"""One branch of a union: all these schemas apply if the value is meant for that branch."""

ANYTHING: Raw = {}
NOTHING: Raw = {"not": {}}
_OLD_DRAFT = re.compile(r"/draft-0[3467]/")
_JSON_TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    dict: "object",
    list: "array",
}


def json_type(value: Any) -> str:
    """Return the name of a value's type in JSON Schema, or `""` if it is not a JSON value.

    `1.0` is an integer.
    """
    name = _JSON_TYPES.get(type(value), "")
    if name == "number" and value.is_integer():
        return "integer"
    return name


def admits(types: tuple[str, ...], name: str) -> bool:
    """Return whether `types` includes a type. An empty tuple includes every type, and `number` includes
    `integer`.
    """
    return not types or name in types or (name == "integer" and "number" in types)


def is_one_of(value: Any, values: Sequence[Any]) -> bool:
    """Return whether a value is equal, as JSON, to one of `values`: `1` equals `1.0` but not `true`."""
    return any(equal(v, value) for v in values)


def as_raw(schema: Any) -> Raw:
    """Return a subschema as an object, even if it is a boolean.

    `false` becomes one that forbids all values; other types become one that allows all.
    """
    if isinstance(schema, Mapping):
        return schema
    return NOTHING if schema is False else ANYTHING


def listed(raw: Raw, keyword: str) -> list[Any]:
    """Return the value of a keyword if it is a list; otherwise return an empty list."""
    value = raw.get(keyword)
    return value if isinstance(value, list) else []


def named(raw: Raw, keyword: str) -> Mapping[str, Any]:
    """Return the value of a keyword if it is an object; otherwise return an empty object."""
    value = raw.get(keyword)
    return value if isinstance(value, Mapping) else {}


def types_of(raws: Iterable[Raw]) -> tuple[str, ...] | None:
    """Return the names of the types that all these schemas allow; None if no schema has a `type`."""
    found: tuple[str, ...] | None = None
    for raw in raws:
        given = raw.get("type")
        if not isinstance(given, (str, list)):
            continue
        names = tuple(n.lower() for n in ([given] if isinstance(given, str) else given) if isinstance(n, str))
        if raw.get("nullable") is True:
            names += ("null",)
        if found is None:
            found = names
        else:
            found = tuple(n for n in found if n in names) or names
    return found


def values_of(raws: Iterable[Raw]) -> list[Any] | None:
    """Return the values that `enum` and `const` allow in all these schemas; None if no schema has either."""
    found: list[Any] | None = None
    for raw in raws:
        given = raw.get("enum")
        if "const" in raw:
            given = [raw["const"]]
        if isinstance(given, list):
            kept = [v for v in found or () if is_one_of(v, given)]
            if found is None:
                found = list(given)
            else:
                found = kept or found
    return found


def is_secret(raw: Raw) -> bool:
    """Return whether a schema marks values as secret, with `writeOnly: true` or OpenAPI's `format: password`
    (4.7.24).
    """
    return raw.get("writeOnly") is True or raw.get("format") == "password"


def is_null(leaf: Leaf) -> bool:
    """Return whether a branch allows only null."""
    return types_of(leaf) == ("null",) or values_of(leaf) == [None]


def required_of(raws: Iterable[Raw]) -> Iterator[str]:
    """Yield the names in each schema's `required`."""
    for raw in raws:
        for name in listed(raw, "required"):
            if isinstance(name, str):
                yield name


def children_of(raw: Raw, step: str | int) -> list[Any]:
    """Return the subschemas of one schema that apply to a given property or item."""
    if type(step) is int:  # keys of Python's dicts may have any type
        return _items_of(raw, step)
    properties = named(raw, "properties")
    if isinstance(step, str) and step in properties:
        return [properties[step]]
    return undeclared_of(raw)


def undeclared_of(raw: Raw) -> list[Any]:
    """Return the subschemas of one schema that apply to properties that it does not name."""
    # Only the check matches patterns against keys; here, every pattern may match.
    patterns = list(named(raw, "patternProperties").values())
    return patterns + [raw[k] for k in OTHER_KEYS if raw.get(k)]


def _items_of(raw: Raw, index: int) -> list[Any]:
    items = raw.get("items")
    if isinstance(items, list):
        prefix = items
    else:
        prefix = listed(raw, "prefixItems")
    if 0 <= index < len(prefix):
        return [prefix[index]]
    if isinstance(items, list):
        rest = raw.get("additionalItems")
    else:
        rest = items
    return [s for s in (rest, raw.get("unevaluatedItems")) if s not in (None, False)]


def children(schema: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield every direct subschema, whether boolean or object, with the steps that lead to it."""
    for word, value in schema.items():
        if word in SINGLE and isinstance(value, dict | bool):
            yield (word,), value
        elif (word in LISTED or word == "items") and isinstance(value, list):
            for index, each in enumerate(value):
                yield (word, index), each
        elif word in NAMED and isinstance(value, dict):
            for name, each in value.items():
                if not isinstance(each, list):  # names, under `dependencies`
                    yield (word, name), each


def each_schema(
    schema: Any, at: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield the schema and every object schema inside it, with the steps that lead to each.

    Do not follow references.
    """
    stack = [(at, schema)]
    while stack:
        node, current = stack.pop()
        if isinstance(current, dict):
            yield node, current
            stack += reversed([((*node, *steps), child) for steps, child in children(current)])


def map_schema(schema: dict[str, Any], change: Change) -> dict[str, Any]:
    """Return a copy in which `change` has been applied to every object schema, outer schemas first."""
    out = {word: copy(value) for word, value in change(schema).items()}
    for steps, child in list(children(out)):
        if isinstance(child, dict):
            holder: Any = out
            for step in steps[:-1]:
                holder = holder[step]
            holder[steps[-1]] = map_schema(child, change)
    return out


def follow(root: Any, ref: object) -> Any:
    """Return the target of a local reference (`#` or `#/...`); None if it is not local or has no target."""
    if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
        return None
    try:
        return resolve(root, parse_fragment(ref[1:]))
    except PointerError:
        return None


class Document:
    """A complete schema, in which local references are resolved."""

    def __init__(self, schema: Mapping[str, Any] | bool):
        self.root = as_raw(schema)
        self._targets: dict[str, Raw] = {}

    @cached_property
    def has_secret(self) -> bool:
        """Whether any subschema marks values as secret."""
        return any(map(is_secret, self.every_schema()))

    @cached_property
    def size(self) -> int:
        """The number of JSON objects in the document."""
        return sum(1 for _ in self.every_schema())

    @cached_property
    def replaces_siblings(self) -> bool:
        """Whether keywords next to `$ref` are ignored, as in draft-07 and earlier."""
        return _OLD_DRAFT.search(str(self.root.get("$schema", ""))) is not None

    def resolve(self, ref: str) -> Raw:
        """Return the target of a local reference; if it has none, return a schema that allows everything."""
        if ref not in self._targets:
            is_pointer = ref == "#" or ref.startswith("#/")
            if is_pointer:
                target = as_raw(follow(self.root, ref))
            else:
                target = self._anchors.get(ref, ANYTHING)
            self._targets[ref] = target
        return self._targets[ref]

    @cached_property
    def _anchors(self) -> dict[str, Raw]:
        out: dict[str, Raw] = {}
        for raw in self.every_schema():
            for keyword, prefix in (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", "")):
                if isinstance(name := raw.get(keyword), str):
                    out.setdefault(prefix + name, raw)
        return out

    def every_schema(self) -> Iterator[Raw]:
        """Yield every object in the document, including objects that are not schemas."""
        todo: list[Any] = [self.root]
        while todo:
            value = todo.pop()
            if isinstance(value, Mapping):
                yield value
                todo.extend(value.values())
            elif isinstance(value, list):
                todo.extend(value)
