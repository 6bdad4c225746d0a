"""Random edits of real schemas, as a tool may change from one version to the next."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final

from toolgen_runtime.schema.keywords import LISTED, NAMED, SINGLE

Schema = dict[str, Any]
Edit = Callable[[random.Random, Schema], bool]
"""Changes a schema in place; returns whether that was possible."""

TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")
VALUES: Final = ("a", "b", "open", "closed", 1, 2, 2.5, True, None)
SUBSCHEMAS: Final[tuple[Any, ...]] = (
    {"type": "string"}, {"type": "integer", "minimum": 1}, {"type": ["string", "null"]}, {"enum": ["a", "b"]}, {},
    {"type": "array", "items": {"type": "string"}}, {"type": "boolean"}, {"const": 1}, {"type": "number"}, False,
    {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}, {"minLength": 2}, True,
    {"type": "string", "maxLength": 3}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"not": {"type": "null"}},
)  # fmt: skip
PATTERNS: Final = ("^[a-z]+$", "^[a-z]*$", r"^\d{2}$", "a", "^.{1,3}$")
FORMATS: Final = ("date", "date-time", "uri", "email", "uuid")
LIMITS: Final = {
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def subschemas(schema: Any) -> Iterator[Schema]:
    """Yield a schema and all schemas within it that are objects."""
    if not isinstance(schema, dict):
        return
    yield schema
    for word, held in schema.items():
        if word in SINGLE:
            yield from subschemas(held)
        elif word in NAMED and isinstance(held, dict):
            for inner in held.values():
                yield from subschemas(inner)
        elif word in LISTED and isinstance(held, list):
            for inner in held:
                yield from subschemas(inner)


def edited(chance: random.Random, schema: Any) -> Any:
    """Return a schema with one to four edits."""
    new = deepcopy(schema)
    left = chance.choice((1, 1, 1, 2, 2, 3, 4))
    for _ in range(40):
        places = list(subschemas(new))
        if left and places and chance.choice(EDITS)(chance, chance.choice(places)):
            left -= 1
    return new


def _types(schema: Schema) -> list[str]:
    given = schema.get("type", [])
    return list(given) if isinstance(given, list) else [given]


def _limit(chance: random.Random, schema: Schema) -> bool:
    words = [word for kind in _types(schema) for word in LIMITS.get(kind, ())]
    if not words:
        return False
    word = chance.choice(words)
    if word == "multipleOf":
        schema[word] = chance.choice((1, 2, 3, 0.5, 4))
    elif word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        schema[word] = schema.get(word, chance.choice((0, 1, 100))) + chance.choice((-1, 0, 1, 10))
    else:
        schema[word] = max(0, schema.get(word, chance.choice((0, 1, 5))) + chance.choice((-1, 0, 1)))
    return True


def _no_limit(chance: random.Random, schema: Schema) -> bool:
    words = [word for words in (*LIMITS.values(), ("pattern", "format", "uniqueItems")) for word in words]
    return _without(chance, schema, words)


def _without(chance: random.Random, schema: Schema, words: Any) -> bool:
    held = [word for word in words if word in schema]
    if held:
        del schema[chance.choice(held)]
    return bool(held)


def _type(chance: random.Random, schema: Schema) -> bool:
    types = _types(schema)
    if not types:
        schema["type"] = chance.choice(TYPES)
        return True
    if chance.random() < 0.5:
        types = list(dict.fromkeys([*types, chance.choice(TYPES)]))
    else:
        types = [chance.choice(TYPES)] if len(types) == 1 else chance.sample(types, len(types) - 1)
    schema["type"] = types if len(types) > 1 else types[0]
    return True


def _number_for_integer(_: random.Random, schema: Schema) -> bool:
    if schema.get("type") not in ("integer", "number"):
        return False
    schema["type"] = "number" if schema["type"] == "integer" else "integer"
    return True


def _choices(chance: random.Random, schema: Schema) -> bool:
    choices = schema.get("enum")
    if not isinstance(choices, list):
        if _types(schema) == ["string"] and chance.random() < 0.3:
            schema["enum"] = ["a", "b", "open"]
            return True
        return False
    match chance.randrange(4):
        case 0 if len(choices) > 1:
            choices.pop(chance.randrange(len(choices)))
        case 1:
            chance.shuffle(choices)
        case 2:
            del schema["enum"]
        case _:
            added = chance.choice(VALUES)
            schema["enum"] = choices if added in choices else [*choices, added]
    return True


def _const(chance: random.Random, schema: Schema) -> bool:
    if "const" in schema:
        schema["enum"] = [schema.pop("const"), *chance.sample(VALUES, chance.randrange(2))]
        return True
    if chance.random() < 0.2:
        schema["const"] = chance.choice(VALUES)
        return True
    return False


def _required(chance: random.Random, schema: Schema) -> bool:
    names = list(schema.get("properties", {}))
    required = list(schema.get("required", []))
    if required and chance.random() < 0.5:
        required.pop(chance.randrange(len(required)))
    elif names:
        required = list(dict.fromkeys([*required, chance.choice([*names, "quite_new"])]))
    else:
        return False
    schema["required"] = required
    return True


def _property(chance: random.Random, schema: Schema) -> bool:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return False
    name = chance.choice([*properties, "quite_new"])
    match chance.randrange(4):
        case 0 if name in properties:
            del properties[name]
            schema["required"] = [word for word in schema.get("required", []) if word != name]
        case 1 if name in properties:
            properties[f"{name}_id"] = properties.pop(name)
        case _:
            properties[name] = deepcopy(chance.choice(SUBSCHEMAS))
    return True


def _rest(chance: random.Random, schema: Schema) -> bool:
    if "object" not in _types(schema):
        return False
    word = "additionalProperties"
    if word in schema and chance.random() < 0.4:
        del schema[word]
    else:
        schema[word] = deepcopy(chance.choice((*SUBSCHEMAS, False, False)))
    return True


def _items(chance: random.Random, schema: Schema) -> bool:
    if "array" not in _types(schema):
        return False
    match chance.randrange(4):
        case 0:
            schema["uniqueItems"] = not schema.get("uniqueItems", False)
        case 1:
            schema["contains"] = deepcopy(chance.choice(SUBSCHEMAS))
        case 2 if "items" in schema:
            del schema["items"]
        case _:
            schema["items"] = deepcopy(chance.choice(SUBSCHEMAS))
    return True


def _text(chance: random.Random, schema: Schema) -> bool:
    if "string" not in _types(schema):
        return False
    word = chance.choice(("pattern", "format"))
    schema[word] = chance.choice(PATTERNS if word == "pattern" else FORMATS)
    return True


def _union(chance: random.Random, schema: Schema) -> bool:
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list):
            match chance.randrange(4):
                case 0 if len(branches) > 1:
                    branches.pop(chance.randrange(len(branches)))
                case 1:
                    chance.shuffle(branches)
                case 2:
                    schema["oneOf" if word == "anyOf" else "anyOf"] = schema.pop(word)
                case _:
                    branches.append(deepcopy(chance.choice(SUBSCHEMAS)))
            return True
    return False


def _wrapped(chance: random.Random, schema: Schema) -> bool:
    words = [word for word in schema if word not in ("$schema", "$defs", "definitions", "$id")]
    if not words or "$ref" in words or not chance.random() < 0.4:
        return False
    inner = {word: schema.pop(word) for word in words}
    match chance.randrange(5):
        case 0:
            schema["allOf"] = [inner]
        case 1:
            schema["anyOf"] = [inner, {"type": "null"}]
        case 2:
            schema["oneOf"] = [inner, deepcopy(chance.choice(SUBSCHEMAS))]
        case 3:
            schema["allOf"] = [inner, deepcopy(chance.choice(SUBSCHEMAS))]
        case _:
            schema["not"] = {"not": inner}
    return True


def _condition(chance: random.Random, schema: Schema) -> bool:
    names = list(schema.get("properties", {}))
    if len(names) < 2 or not chance.random() < 0.5:
        return False
    one, other = chance.sample(names, 2)
    match chance.randrange(4):
        case 0:
            schema["dependentRequired"] = {one: [other]}
        case 1:
            schema["if"], schema["then"] = {"required": [one]}, {"required": [other]}
        case 2:
            schema["not"] = {"required": [one, other]}
        case _:
            schema["propertyNames"] = {"maxLength": chance.choice((5, 10, 40))}
    return True


def _words(chance: random.Random, schema: Schema) -> bool:
    schema[chance.choice(("description", "title", "default"))] = chance.choice(("New.", "Old."))
    return True


EDITS: Final[tuple[Edit, ...]] = (
    _limit, _limit, _no_limit, _type, _number_for_integer, _choices, _choices, _const, _required, _required,
    _property, _property, _rest, _items, _text, _union, _wrapped, _condition, _words,
)  # fmt: skip
