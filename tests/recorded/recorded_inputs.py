"""The inputs: every schema and example of the project, and variants of each that are made by rule."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from helpers.payloads import example, places
from helpers.support import GOLDEN, TEST_DATA

from toolgen import compile_tools
from toolgen_runtime import Tool

Output = tuple[str, Any]
"""A case's name and an output of it."""
Outputs = Callable[[], Iterator[Output]]
GIVEN: dict[str, list[Any]] = json.loads(Path(__file__).with_name("inputs.json").read_text("utf-8"))
"""Values that are put in place of others, and names, results and texts."""
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}
LIMITS = re.compile(r'"(?:minimum|maximum|exclusive\w+|min\w+|max\w+|multipleOf)": (-?[0-9.]+)')


def by_name(*outputs: Outputs) -> dict[str, Outputs]:
    return {each.__name__: each for each in outputs}


def key_of(value: Any) -> str:
    """Return a short name of an input, by which its output is found again."""
    return f"{zlib.crc32(json.dumps(plain(value)).encode()):08x}"


def plain(value: Any) -> Any:
    """Return an output as JSON."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    return repr(value)


def outcome(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return what a function returns, or its exception."""
    try:
        return function(*args, **options)
    except Exception as error:
        return error


def is_schema(value: Any) -> bool:
    """Whether a value looks like a schema, and like no table of cases."""
    if not isinstance(value, dict):
        return False
    if "type" in value:
        kinds = value["type"] if isinstance(value["type"], list) else [value["type"]]
        return all(isinstance(kind, str) and kind in TYPES for kind in kinds)
    branches = [value[word] for word in ("anyOf", "oneOf", "allOf") if word in value]
    has_branches = any(
        isinstance(b, list) and all(isinstance(each, dict | bool) for each in b) for b in branches
    )
    return has_branches or isinstance(value.get("properties"), dict) or isinstance(value.get("$ref"), str)


def schemas_in(value: Any, beside: tuple[Any, ...] = ()) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the outermost schemas in a value, each with the payloads and texts that stand near it."""
    if is_schema(value):
        near = [each for _, each in places(list(beside)) if isinstance(each, dict) or "{" in str(each)]
        yield value, [each for each in near if isinstance(each, dict | str) and not is_schema(each)]
    elif isinstance(value, dict | list):
        parts = list(value.values()) if isinstance(value, dict) else value
        for part in parts:
            others = [
                each for each in parts if each is not part and isinstance(part, dict) and len(parts) < 8
            ]
            yield from schemas_in(part, tuple(others))


@functools.cache
def own_schemas() -> dict[str, tuple[Any, list[Any]]]:
    """Return the schemas of the project with payloads, by the name of their file and a hash."""
    found: dict[str, tuple[Any, list[Any]]] = {}
    for path in sorted([*GOLDEN.rglob("specs/*.json"), *TEST_DATA.glob("*.json")]):
        for schema, sent in schemas_in(outcome(json.loads, path.read_text("utf-8"))):
            found.setdefault(f"{path.stem}-{key_of(schema)}", (schema, []))[1].extend(sent)
    return found


@functools.cache
def own_tools() -> dict[str, tuple[Tool[Any], list[Any]]]:
    """Return a tool for each schema that can be compiled, with payloads."""
    found = {}
    for name, (schema, sent) in own_schemas().items():
        tool = tool_of(schema)
        if isinstance(tool, Tool):
            found[name] = (tool, chosen({key_of(each): each for each in sent}.values(), 30, name))
    return found


def tool_of(schema: Any, **more: Any) -> Any:
    """Return a tool, or the exception that says what is wrong with its schema."""
    return _tool_of(json.dumps({"name": "look_up", "description": "Look.", "schema": schema, **more}))


@functools.cache
def _tool_of(text: str) -> Any:
    made = outcome(compile_tools, [json.loads(text)])
    return made if isinstance(made, Exception) else next(iter(made.values()))


def chosen(values: Iterable[Any], most: int, salt: str) -> list[Any]:
    """Return at most so many values, the same ones each time."""
    numbered = [(zlib.crc32(f"{salt}{number}".encode()), each) for number, each in enumerate(values)]
    return [each for _, each in sorted(numbered, key=lambda pair: pair[0])[:most]]


def changed(tree: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return a tree with another value at one place; nothing else is copied."""
    if not path:
        return value
    copy = tree.copy()
    copy[path[0]] = changed(tree[path[0]], path[1:], value)
    return copy


def variants(tree: Any, most: int, more: Iterable[Any] = ()) -> list[Any]:
    """Return variants of a JSON value that differ at one place, at two, or everywhere in the same way.

    `more` are values that are put at the places of their type.
    """
    extra, salt = [*more, *GIVEN["strings"], *GIVEN["numbers"]], key_of(tree)
    everywhere = list(places(tree))
    edits = [(path, new) for path, value in everywhere for new in _others(value, path, everywhere, extra)]
    made = [changed(tree, *edit) for edit in chosen(edits, most, salt)]
    twice = zip(made, chosen(edits, most // 4, f"{salt}2"), strict=False)
    again = [outcome(changed, one, *edit) for one, edit in twice]
    styled = [restyled(tree, style) for style in chosen(STYLES, most // 4, salt)]
    return [each for each in (*made, *again, *styled) if not isinstance(each, Exception)]


def words_of(key: str) -> list[str]:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower().split("_")


STYLES: tuple[tuple[Callable[[str], str], Callable[[Any], Any]], ...] = (
    (lambda key: "_".join(words_of(key)), lambda value: value),
    (lambda key: words_of(key)[0] + "".join(map(str.title, words_of(key)[1:])), lambda value: value),
    (str.upper, lambda value: value),
    (str, lambda value: value if isinstance(value, str) else json.dumps(value, default=str)),
    (str, lambda value: value.upper() if isinstance(value, str) else value),
    (str, lambda value: None),
)


def restyled(tree: Any, style: tuple[Callable[[str], str], Callable[[Any], Any]]) -> Any:
    """Return a tree with each key and each scalar in another style."""
    if isinstance(tree, dict):
        return {style[0](str(key)): restyled(each, style) for key, each in tree.items()}
    return [restyled(each, style) for each in tree] if isinstance(tree, list) else style[1](tree)


def _others(
    value: Any, path: tuple[str | int, ...], everywhere: list[Any], extra: list[Any]
) -> Iterator[Any]:
    """Yield values to put in place of one."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    same = [other for at, other in everywhere if at and at[-1] == name and other != value]
    yield from (
        None,
        [value],
        {"value": value},
        json.dumps(value, default=str),
        str(value),
        *same[:2],
        "",
        [],
        {},
        5,
    )
    yield from chosen([each for each in extra if type(each) is type(value)], 8, f"{path}")
    if isinstance(value, str):
        yield from (value.upper(), value.title(), f" {value}", value[:-1], f"{value}x", f'"{value}"', True)
    elif isinstance(value, int | float):
        yield from (not value, value + 1, value - 1, -value, value + 0.5, float(value), f"{value} px", "yes")
    elif isinstance(value, list):
        at = zlib.crc32(name.encode()) % (len(value) or 1)
        yield from (
            value + value,
            value[::-1],
            value[:at] + value[at + 1 :],
            value[: at + 1] + value[at:],
            value[:at],
        )
        yield from (
            [*value, None],
            value[:1] and value[0],
            ", ".join(map(str, value)),
            dict(enumerate(value)),
        )
        for row in value[:1]:  # one mistake in many rows, or in some
            for wrong in chosen(_other_objects(row), 2, name) if isinstance(row, dict) else ():
                yield from ([wrong] * 12, [row, row, wrong, wrong, wrong] * 3, [row, wrong] * 6)
    elif isinstance(value, dict):
        yield from (*_other_objects(value), list(value.values()))


def _other_objects(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield objects with a key that is gone, misspelled, doubled or on another level, or one too many."""
    yield from ({**value, name: 1} for name in GIVEN["keys"])
    for key, each in value.items():
        rest = {name: other for name, other in value.items() if name != key}
        yield from (rest, {**value, f"{key}_2": each})
        yield from (
            {**rest, other: each} for other in (f"{key[1:2]}{key[:1]}{key[2:]}", key.title(), f"{key}s")
        )
        if isinstance(each, dict):
            yield from ({**rest, **each}, {key: {**each, **rest}})


def payload_of(tool: Tool[Any], full: bool = True) -> Any:
    """Return a payload that is meant to be valid."""
    found = outcome(example, tool.schema, tool.schema, full)
    return {} if isinstance(found, Exception) else found


def wrong_payloads(tool: Tool[Any], most: int) -> list[Any]:
    """Return payloads for a tool of which most are wrong, in the ways that models are: limits by one, too."""
    schema = tool.schema
    numbers = [float(text) if "." in text else int(text) for text in LIMITS.findall(json.dumps(schema))]
    near = [number + step for number in chosen(numbers, 4, "") for step in (-1, 0, 1)]
    lengths = [int(number) for number in near if 0 <= number < 100]
    listed = [
        part["enum"]
        for _, part in places(schema)
        if isinstance(part, dict) and isinstance(part.get("enum"), list)
    ]
    named = chosen([value for values in listed for value in values], 6, "")
    swapped = [value.swapcase() for value in named if isinstance(value, str)]
    extra = [*near, *("x" * n for n in lengths), *(list(range(n)) for n in lengths), *named, *swapped]
    return variants(payload_of(tool), most, extra * 2)


def wrong_texts(payload: Any, most: int) -> list[str | bytes]:
    """Return texts that models write in place of the JSON text of a payload."""
    text = json.dumps(payload, ensure_ascii=False)
    forms: list[str | bytes] = [
        *(f"```json\n{text}\n```", f"Here are the arguments:\n{text}", f"{text}\nIs this right?", f"{text}{text}"),
        *(text.replace('"', "'"), re.sub(r'"(\w+)":', r"\1:", text), str(payload), json.dumps(text), f"{text}}}"),
        *(re.sub(r"([}\]])", r",\1", text), text.replace(",", ""), text.replace(": ", " = "), f"[{text}]"),
        *(text.replace("{", "{ // note\n", 1), text.replace('"', "\u201d"), text.replace("true", "True"), f"<a>{text}"),
        *(re.sub(r"\d+", "NaN", text), text.replace('"}', '\n"}'), re.sub(r'("\w+": )', r"\1\1", text), f"({text})"),
        *(f'{text[:-1]}, "n": {"[" * n}{"]" * n}}}' for n in (198, 199, 200)),
        *(text[:end] for end in range(1, len(text), 1 + len(text) // 7)),
        *(f"\ufeff{text}", f'{text[:-1]}, "é'.encode()[:-1], text.replace("x", "é").encode("latin-1", "replace")),
    ]  # fmt: skip
    return chosen(forms, most, text)


def texts_in(value: Any) -> list[str]:
    """Return the sentences in a value."""
    return sorted({text for _, text in places(value) if isinstance(text, str) and " " in text})
