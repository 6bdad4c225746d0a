"""Payloads for real schemas: the least and the fullest valid one, and wrong ones made from them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

MAX_DEPTH = 6
SAMPLES = {
    "date-time": "2024-02-29T03:04:05Z",
    "date": "2024-02-29",
    "time": "03:04:05Z",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "uri": "https://example.test/a?b=c",
    "email": "ann@example.test",
    "ipv4": "192.0.2.1",
    "duration": "P1D",
}
TEXTS = (
    *(
        "abc",
        "a",
        "A",
        "x-1",
        "123",
        "2024-02-29",
        "2024-02-29T03:04:05Z",
        "https://example.test/a",
        "a.b",
        "a/b",
    ),
    *("vpc-0123456789abcdef0", "I1:2", "A1_B-12", "123456789012", "eu-west-1", "arn:aws:s3", "AA-1", "1:2"),
    *("10.0.0.0/8", "#abcdef", "a@b.cd", "+1", "1.5", "en-GB", "FFFF"),
)
WRONG = (
    *(None, True, False, 0, 5, -1, 1.0, 1.5, 10**6, -(10**6), 10**30),
    *("", "zz", "5", "true", "null", "y" * 300, "2024-02-30", "\u00e9\U0001f600"),
    *([], [1], {}, {"a": 1}),
)
"""Put at every place of a payload in turn."""


def resolved(root: Any, schema: Any) -> Any:
    """A schema with its local references followed and merged."""
    for _ in range(8):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        target: Any = root
        for step in schema["$ref"].split("/")[1:]:
            target = target[step.replace("~1", "/").replace("~0", "~")]
        rest = {k: v for k, v in schema.items() if k != "$ref"}
        schema = {**target, **rest} if isinstance(target, dict) else target
    return schema


def example(root: Any, schema: Any, full: bool, depth: int = 0) -> Any:
    """A payload that is meant to be valid; whether it is, the caller asks an oracle."""
    schema = resolved(root, schema)
    if not isinstance(schema, dict) or not schema:
        return "x"
    if "const" in schema:
        return copy.deepcopy(schema["const"])
    if "enum" in schema:
        return copy.deepcopy(schema["enum"][-1 if full else 0])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            branches = [b for b in schema[keyword] if resolved(root, b).get("type") != "null"] or schema[
                keyword
            ]
            merged = _merged(
                root, {k: v for k, v in schema.items() if k != keyword}, branches[-1 if full else 0]
            )
            return example(root, merged, full, depth + 1)
    if "allOf" in schema:
        merged = {k: v for k, v in schema.items() if k != "allOf"}
        for part in schema["allOf"]:
            merged = _merged(root, merged, part)
        return example(root, merged, full, depth + 1)
    return _of_type(root, schema, full, depth)


def _merged(root: Any, base: dict[str, Any], part: Any) -> dict[str, Any]:
    part = resolved(root, part)
    merged = {**base, **part}
    merged["properties"] = {**base.get("properties", {}), **part.get("properties", {})}
    merged["required"] = [*base.get("required", ()), *part.get("required", ())]
    return merged


def _of_type(root: Any, schema: dict[str, Any], full: bool, depth: int) -> Any:
    implied = [kind for word, kind in (("properties", "object"), ("items", "array")) if word in schema]
    types = schema.get("type", [*implied, "string"][0])
    kind = next((t for t in types if t != "null"), "null") if isinstance(types, list) else types
    if kind == "object":
        return _object(root, schema, full, depth)
    if kind == "array":
        count = max(schema.get("minItems", 0), 1 if full and depth < MAX_DEPTH else 0)
        return [example(root, schema.get("items", {}), full, depth + 1) for _ in range(count)]
    if kind in ("integer", "number"):
        return _number(schema)
    return {"boolean": True, "null": None}.get(kind) if kind != "string" else _text(schema)


def _object(root: Any, schema: dict[str, Any], full: bool, depth: int) -> dict[str, Any]:
    required = schema.get("required", ())
    payload = {
        name: example(root, member, full, depth + 1)
        for name, member in schema.get("properties", {}).items()
        if member is not False and (name in required or (full and depth < MAX_DEPTH))
    }
    for name in required:
        payload.setdefault(name, "x")
    rest = schema.get("additionalProperties")
    if full and isinstance(rest, dict) and depth < MAX_DEPTH:
        names = schema.get("propertyNames")
        name = names["enum"][0] if isinstance(names, dict) and "enum" in names else "another"
        payload[name] = example(root, rest, full, depth + 1)
    return payload


def _number(schema: dict[str, Any]) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
    return min(low, schema.get("maximum", low)) if "minimum" not in schema else low


def _text(schema: dict[str, Any]) -> str:
    least = schema.get("minLength", 0)
    if "pattern" in schema:
        return next((t for t in TEXTS if len(t) >= least and re.search(schema["pattern"], t)), "x")
    return SAMPLES.get(schema.get("format", ""), "x" * max(1, least))


def places(payload: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every place of a payload with what stands there."""
    yield path, payload
    if isinstance(payload, dict | list):
        for key, value in payload.items() if isinstance(payload, dict) else enumerate(payload):
            yield from places(value, (*path, key))


def mutations(payload: Any) -> Iterator[Any]:
    """Each key deleted, each wrong value at each place, an unknown key in each object."""
    for path, value in places(payload):
        if path:
            if isinstance(path[-1], str):
                yield _changed(payload, path, delete=True)
            for wrong in WRONG:
                yield _changed(payload, path, wrong)
        if isinstance(value, dict):
            yield _changed(payload, (*path, "unknown_key"), 1)
    yield from WRONG


def _changed(payload: Any, path: tuple[str | int, ...], value: Any = None, delete: bool = False) -> Any:
    """The payload with one place changed; all that is not on the way there is the payload's own."""
    changed = holder = copy.copy(payload)
    for step in path[:-1]:
        holder[step] = holder = copy.copy(holder[step])
    if delete:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return changed


def expected_issues(validator: Any, payload: Any) -> set[tuple[tuple[str | int, ...], str]]:
    """jsonschema's errors with those of `required` and `additionalProperties` at the path of the name."""
    out: set[tuple[tuple[str | int, ...], str]] = set()
    for error in validator.iter_errors(payload):
        path = tuple(error.absolute_path)
        if error.validator == "required":
            out |= {((*path, n), "required") for n in error.validator_value if n not in error.instance}
        elif error.validator == "additionalProperties":
            known = error.schema.get("properties", {})
            out |= {((*path, n), "additionalProperties") for n in error.instance if n not in known}
        else:
            out.add((path, error.validator))
    return out
