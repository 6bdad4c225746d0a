"""Find the part of a schema that is enough to judge an edit, so that the rest need not be examined.

If an object has no keywords that look at several properties, each property can be judged alone. Suppose the new schema
rejects a value because of an edit below one property, and the old schema accepts it. Then the new schema also rejects
the value without its other properties. The other properties are therefore left out on both sides, and a payload that
breaks the part is completed with those that are required.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from toolgen.commands.diff.edits import Steps
from toolgen.compiler.patterns.translate import PatternError, translate
from toolgen_runtime.schema.keywords import ANNOTATIONS, KEYWORDS
from toolgen_runtime.schema.raw import Document

_DEFINITIONS: Final = ("$defs", "definitions")
HELD_BY_ROOT: Final = ("$schema", *_DEFINITIONS)
"""Keywords of the whole schema that are needed to read a part of it."""
_EACH_PROPERTY: Final = frozenset((
    "$schema", "type", "properties", "required", "additionalProperties", "patternProperties", "propertyNames",
    "maxProperties",
))  # fmt: skip
"""Keywords that still accept an object with fewer properties, as long as these are not required."""
_EACH_ITEM: Final = frozenset(("$schema", "type", "items", "minItems", "maxItems"))
_PLACES: Final = (
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveRef",
    "$recursiveAnchor",
)
"""Keywords that may make one part of a schema mean another, so that nothing may be left out."""
_LITERAL: Final = re.compile(r"\^([A-Za-z0-9_]*)([*?{+])?")
Sample = Callable[[Any], Any]
"""A function that returns a value that a subschema accepts, if such a value is known."""


class Narrowing:
    """Finds the part of a schema that is enough to judge an edit."""

    def __init__(self, *schemas: Any) -> None:
        self._is_possible = all(_refers_to_definitions_only(schema) for schema in schemas)
        self._matchers: dict[str, Callable[[str], object]] = {}

    def part(self, schema: Any, steps: Steps) -> Any:
        """Return the part of a schema that is enough to judge the edit at these steps. It may be the whole
        schema.
        """
        if not self._is_possible:
            return schema
        part = self._part(schema, steps)
        if part is not schema and not any(
            "$ref" in one for one in Document(_without_definitions(part)).every_schema()
        ):
            part = _without_definitions(part)
        return part

    def _part(self, schema: Any, steps: Steps) -> Any:
        kind = _kind_of(schema, steps)
        if kind == "item":
            return schema | {"items": self._part(schema["items"], steps[1:])}
        if not kind:
            return schema
        key = str(steps[1])
        named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        if kind == "property":
            names = {key: key}
            kept = [p for p in patterns if self._matches(p, key)]
        else:
            names = {n: n for n in (*named, *schema.get("required", ())) if self._matches(key, n)}
            # The keys of a whole pattern come from, or go to, the other patterns and `additionalProperties`.
            kept = [p for p in patterns if p == key or (kind == "whole pattern" and _may_share_keys(p, key))]
        part = schema | {
            "properties": {n: named[n] for n in names if n in named},
            "patternProperties": {p: patterns[p] for p in kept},
            "required": [n for n in schema.get("required", ()) if n in names],
        }
        holder = part[steps[0]]
        if key in holder:
            holder[key] = self._part(holder[key], steps[2:])
        if kind == "pattern":
            part.pop("additionalProperties", None)
        return part

    def completed(self, payload: Any, schema: Any, steps: Steps, sample: Sample) -> Any:
        """Turn a payload for the part into a payload for the whole schema.

        The required properties that the part leaves out are added.
        """
        if not self._is_possible:
            return payload
        kind = _kind_of(schema, steps)
        if kind == "item" and isinstance(payload, list):
            return [self.completed(item, schema["items"], steps[1:], sample) for item in payload]
        if kind in ("", "item") or not isinstance(payload, dict):
            return payload
        name, named = str(steps[1]), schema.get("properties", {})
        left_out = [n for n in schema.get("required", ()) if n not in payload and n != name]
        complete = {n: sample(named.get(n, True)) for n in left_out} | payload
        if kind == "property" and name in payload and name in named:
            complete[name] = self.completed(payload[name], named[name], steps[2:], sample)
        return complete

    def _matches(self, pattern: str, name: str) -> bool:
        """Return whether a pattern matches a name, or may match it if this is not known."""
        if pattern not in self._matchers:
            self._matchers[pattern] = _matcher_of(pattern)
        return bool(self._matchers[pattern](name))


def _matcher_of(pattern: str) -> Callable[[str], Any]:
    """Return a function that tells whether a name matches a pattern.

    If the pattern cannot be run, any name may match.
    """
    try:
        translated = translate(pattern)
    except PatternError:
        return lambda _: True
    if not translated.linear:
        return lambda _: True
    return translated.matcher()


def _may_share_keys(pattern: str, other: str) -> bool:
    """Return whether a key may match both patterns, by the letters with which their keys begin."""
    one, two = _beginning_of(pattern), _beginning_of(other)
    return one.startswith(two) or two.startswith(one)


@lru_cache(maxsize=10_000)
def _beginning_of(pattern: str) -> str:
    """Return letters with which all keys that match a pattern begin.

    Return an empty string if there are none, or if the pattern has branches.
    """
    literal = _LITERAL.match(pattern)
    if literal is None or "|" in pattern:
        return ""
    beginning, quantifier = literal.groups()
    return beginning[:-1] if quantifier else beginning


def size_of(schema: Any) -> int:
    """Return how many values a schema consists of."""
    count, pending = 0, [schema]
    while pending:
        each = pending.pop()
        count += 1
        if isinstance(each, (Mapping, list)):
            pending += each.values() if isinstance(each, Mapping) else each
    return count


def _kind_of(schema: Any, steps: Steps) -> str:
    """Return what the steps lead to (a property, a pattern or an item), if the rest of the schema may be left out."""
    if not isinstance(schema, Mapping) or len(steps) < 2:
        return ""
    words = schema.keys() & (KEYWORDS.keys() - ANNOTATIONS - {*_DEFINITIONS})
    if words <= _EACH_PROPERTY and isinstance(schema.get("required", []), list):
        if steps[0] == "properties" and isinstance(schema.get("properties"), Mapping):
            return "property"
        if steps[0] == "patternProperties":
            return "pattern" if len(steps) > 2 else "whole pattern"
    is_list = words <= _EACH_ITEM and steps[0] == "items" and isinstance(schema.get("items"), Mapping)
    return "item" if is_list else ""


def _refers_to_definitions_only(schema: Any) -> bool:
    places = tuple(f"#/{word}/" for word in _DEFINITIONS)
    for each in Document(schema).every_schema():
        if any(isinstance(each.get(word), (str, bool)) for word in _PLACES):
            return False
        ref = each.get("$ref")
        if isinstance(ref, str) and not ref.startswith(places):
            return False
    return True


def _without_definitions(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {word: value for word, value in schema.items() if word not in _DEFINITIONS}
