"""The inputs: every schema and example of the project, and variants of each that are made by rule."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from helpers.payloads import example, places
from helpers.support import GOLDEN, TEST_DATA

from toolgen import compile_tools
from toolgen_runtime import Tool

Output = tuple[str, Any]
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}
LIMITS = re.compile(r'"(?:minimum|maximum|exclusive\w+|min\w+|max\w+|multipleOf)": (-?[0-9.]+)')


def key_of(value: Any) -> str:
    """Return a short name of an input, by which its output is found again."""
    return f"{zlib.crc32(json.dumps(plain(value)).encode()):08x}"


def plain(value: Any) -> Any:
    """Return an output as JSON."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    return repr(value)


def outcome(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return what a function returns, or its exception."""
    try:
        return function(*args, **options)
    except Exception as error:
        return error


def own_files() -> Iterator[tuple[str, Any]]:
    """Yield the JSON files of the project's tests and goldens, each with its name."""
    for path in sorted([*GOLDEN.rglob("specs/*.json"), *TEST_DATA.glob("*.json")]):
        value = outcome(json.loads, path.read_text("utf-8"))
        if not isinstance(value, Exception):
            yield path.stem, value


def is_schema(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kinds = value.get("type", [])
    words = ("properties", "anyOf", "oneOf", "allOf", "not", "$ref", "enum", "const")
    is_typed = kinds and all(
        isinstance(k, str) and k in TYPES for k in (kinds if isinstance(kinds, list) else [kinds])
    )
    return bool(is_typed) or (
        "type" not in value and any(isinstance(value.get(word), list | dict) for word in words)
    )


def schemas_in(value: Any, beside: tuple[Any, ...] = ()) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the outermost schemas in a value, each with the payloads and texts that stand near it."""
    if is_schema(value):
        near = [each for _, each in places(list(beside)) if isinstance(each, dict) or "{" in str(each)]
        yield value, [each for each in near if isinstance(each, dict | str) and not is_schema(each)]
        return
    parts: list[Any] = []
    if isinstance(value, list):
        parts = value
    elif isinstance(value, dict):
        parts = [*value.values()]
    for part in parts:
        others = tuple(each for each in parts if each is not part and not isinstance(part, list))
        yield from schemas_in(part, others if len(parts) < 8 else ())


@functools.cache
def own_schemas() -> dict[str, tuple[Any, list[Any]]]:
    """Return the schemas of the project with payloads, by the name of their file and a hash."""
    found: dict[str, tuple[Any, list[Any]]] = {}
    for name, value in own_files():
        for schema, sent in schemas_in(value):
            found.setdefault(f"{name}-{key_of(schema)}", (schema, []))[1].extend(sent)
    return found


@functools.cache
def own_tools() -> dict[str, tuple[Tool[Any], list[Any]]]:
    """Return a tool for each schema that can be compiled, with payloads."""
    made = {
        name: (tool_of(schema), chosen(unique(sent), 40, name))
        for name, (schema, sent) in own_schemas().items()
    }
    return {name: (tool, sent) for name, (tool, sent) in made.items() if isinstance(tool, Tool)}


def unique(values: Iterable[Any]) -> list[Any]:
    return [*{key_of(value): value for value in values}.values()]


@functools.cache
def _tool_of(text: str) -> Any:
    made = outcome(compile_tools, [json.loads(text)])
    return made if isinstance(made, Exception) else next(iter(made.values()))


def tool_of(schema: Any, name: str = "look_up", **more: Any) -> Any:
    """Return a tool, or the exception that says what is wrong with its schema."""
    return _tool_of(json.dumps({"name": name, "description": "Look.", "schema": schema, **more}))


def chosen(variants: Iterable[Any], most: int, salt: str) -> list[Any]:
    """Return at most so many variants, the same ones each time."""
    numbered = [(zlib.crc32(f"{salt}{number}".encode()), each) for number, each in enumerate(variants)]
    return [each for _, each in sorted(numbered, key=lambda pair: pair[0])[:most]]


def changed(tree: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return a tree with another value at one place; nothing else is copied."""
    if not path:
        return value
    copy = tree.copy()
    copy[path[0]] = changed(tree[path[0]], path[1:], value)
    return copy


def variants(tree: Any, most: int, more: Iterable[Any] = ()) -> list[Any]:
    """Return variants of a JSON value that each differ at one place, and some that differ at two.

    `more` are values that are put at the places of their type.
    """
    extra = list(more)
    everywhere = list(places(tree))
    edits = [(path, new) for path, value in everywhere for new in _others(value, path, everywhere, extra)]
    salt = key_of(tree)
    made = [changed(tree, *edit) for edit in chosen(edits, most, salt)]
    twice = [
        outcome(changed, one, *edit)
        for one, edit in zip(made, chosen(edits, most // 4, f"{salt}again"), strict=False)
    ]
    return made + [each for each in twice if not isinstance(each, Exception)]


def _others(value: Any, path: tuple[str | int, ...], everywhere: list[Any], extra: list[Any]) -> list[Any]:
    """Return values to put in place of one."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    same = [other for at, other in everywhere if at and at[-1] == name and other != value]
    out = [None, [value], {"value": value}, [], {}, "", *same[:2]]
    out += [each for each in extra if type(each) is type(value) and each != value]
    if isinstance(value, bool):
        return [*out, not value, str(value), str(value).lower(), int(value), "yes"]
    if isinstance(value, str):
        number = [int(value)] if value.isascii() and value.isdecimal() and len(value) < 20 else [5]
        return [
            *out,
            *number,
            value.upper(),
            value.title(),
            f" {value}",
            value[:-1],
            f"{value}x",
            f'"{value}"',
            True,
        ]
    if isinstance(value, int | float):
        huge = [float("inf"), 10**30, 1e-7, float(value)]
        return [
            *out,
            *huge,
            str(value),
            value + 1,
            value - 1,
            -value,
            value + 0.5,
            value * 100,
            f"{value} px",
            True,
        ]
    if isinstance(value, list):
        mixed = [
            value + value,
            value[::-1],
            value[1:],
            value[:-1],
            json.dumps(value, default=str),
            [*value, None],
            {"item": value},
        ]
        rows = [row for row in value if isinstance(row, dict)][:1]
        for row in rows:  # one mistake in many rows, or in some
            wrong = chosen(_other_objects(row), 1, name)[0]
            mixed += [[wrong] * 12, [row, row, wrong, wrong, wrong] * 3, [row, wrong] * 6]
        return [*out, *mixed, *value[:1], ", ".join(map(str, value)), dict(enumerate(map(str, value)))]
    if isinstance(value, dict):
        return [
            *out,
            *_other_objects(value),
            json.dumps(value, default=str),
            str(value),
            list(value.values()),
        ]
    return ["", "null", 0, [], {}, *same[:2]]


def _other_objects(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield objects with a key that is gone, misspelled, in another style, doubled or moved up, or one too many."""
    yield from ({**value, name: 1} for name in ("unknown_key", "_meta", "toolCallId"))
    for key, each in value.items():
        rest = {name: other for name, other in value.items() if name != key}
        yield rest
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
        first, *others = words.split("_")
        for other in (
            f"{key[1:2]}{key[:1]}{key[2:]}",
            words,
            first + "".join(map(str.title, others)),
            f"{key}s",
        ):
            if other != key:
                yield {**rest, other: each}
        yield {**value, f"{key}_2": each}
        if isinstance(each, dict):
            yield {**rest, **each}
            yield {key: {**each, **rest}}


def texts_in(value: Any) -> list[str]:
    """Return the sentences in a value."""
    found = {text for _, text in places(value) if isinstance(text, str) and " " in text}
    return sorted(found)


def payload_of(tool: Tool[Any], full: bool = True) -> Any:
    """Return a payload that is meant to be valid."""
    found = outcome(example, tool.schema, tool.schema, full)
    return {} if isinstance(found, Exception) else found


def wrong_payloads(tool: Tool[Any], most: int, valid: Any = None) -> list[Any]:
    """Return payloads for a tool of which most are wrong, in the ways that models are: limits by one, too."""
    schema = tool.schema
    numbers = [float(text) if "." in text else int(text) for text in LIMITS.findall(json.dumps(schema))][:6]
    near = [n + step for n in numbers for step in (-1, 0, 1)]
    lengths = [int(n) for n in near if 0 <= n < 100]
    named = [
        value for _, part in places(schema) if isinstance(part, dict) for value in part.get("enum", ())
        if isinstance(part.get("enum"), list)
    ][:6]  # fmt: skip
    swapped = [value.swapcase() for value in named if isinstance(value, str)]
    extra = [*near, *("x" * n for n in lengths), *(list(range(n)) for n in lengths), *named, *swapped]
    return variants(payload_of(tool) if valid is None else valid, most, extra)


def wrong_texts(payload: Any, most: int) -> list[str]:
    """Return texts that models write in place of the JSON text of a payload."""
    text = json.dumps(payload, ensure_ascii=False)
    loose = re.sub(r'"(\w+)":', r"\1:", text)
    ends = [text[:end] for end in range(1, len(text), 1 + len(text) // 7)]
    forms = [
        *(
            f"```json\n{text}\n```",
            f"Here are the arguments:\n{text}",
            f"{text}\nIs this right?",
            f"{text}{text}",
        ),
        *(
            text.replace('"', "'"),
            loose,
            str(payload),
            json.dumps(text),
            text[1:],
            f"{text}}}",
            f"\ufeff{text}",
        ),
        *(re.sub(r"([}\]])", r",\1", text), text.replace(",", ""), text.replace(": ", " = "), f"[{text}]"),
        *(
            text.replace("{", "{ // note\n", 1),
            text.replace('"', "\u201d"),
            text.replace("true", "True"),
            f"<args>{text}",
        ),
        *(
            re.sub(r"\d+", "NaN", text),
            text.replace('"}', '\n"}'),
            re.sub(r'("\w+": )', r"\1\1", text),
            f"({text})",
        ),
    ]
    return chosen([*ends, *forms], most, text)
