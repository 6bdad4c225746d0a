"""Walking a JSON Schema: which keywords hold schemas, and how to change each of them on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolgen_runtime.schema.keywords import LISTED, NAMED, SINGLE
from toolgen_runtime.schema.pointer import PointerError, parse_fragment, resolve

Change = Callable[[dict[str, Any]], dict[str, Any]]


def children(schema: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield every direct subschema, boolean or object, with the steps to it."""
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
    """Yield the schema and every object schema inside it, with the steps to each; no reference is followed."""
    stack = [(at, schema)]
    while stack:
        node, current = stack.pop()
        if isinstance(current, dict):
            yield node, current
            stack += reversed([((*node, *steps), child) for steps, child in children(current)])


def _mapped(value: Any, change: Change) -> Any:
    return map_schema(value, change) if isinstance(value, dict) else value


def map_schema(schema: dict[str, Any], change: Change) -> dict[str, Any]:
    """Return a copy in which every object schema, this one first, went through `change`."""
    out = dict(change(schema))
    for word, value in out.items():
        if word in SINGLE:
            out[word] = _mapped(value, change)
        if (word in LISTED or word == "items") and isinstance(value, list):
            out[word] = [_mapped(each, change) for each in value]
        elif word in NAMED and isinstance(value, dict):
            out[word] = {name: _mapped(each, change) for name, each in value.items()}
    return out


def follow(root: Any, ref: object) -> Any:
    """Return what a local reference (`#`, `#/...`) leads to, or None where it is none or leads nowhere."""
    if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
        return None
    try:
        return resolve(root, parse_fragment(ref[1:]))
    except PointerError:
        return None
