"""Find the line and column of a JSON pointer's target, for editors, CI and annotations."""

from __future__ import annotations

import json
import os
import re
import stat
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any

from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.input_files import MAX_BYTES, read_bytes
from toolgen.compiler.specs.formats.json_items import after_space, as_json, items_of
from toolgen.compiler.specs.formats.text import decode
from toolgen_runtime.schema.pointer import unescape

_TOML_TABLE = re.compile(r"\s*\[([A-Za-z0-9_.-]+)\]")
_TOML_KEY = re.compile(r"""\s*["']?([A-Za-z0-9_.-]+)["']?\s*=""")
_DECODER = json.JSONDecoder()


def position_of(place: Place) -> tuple[int, int] | None:
    """Return the line and column at which a diagnostic's value begins, or at which its file is invalid.

    Both are counted from 1.

    Return None if there are no lines: for values in memory, folders, standard input and files that cannot be read.
    """
    if place.line:
        return place.line, place.column
    text = _text(place.file)
    if text is None:
        return None
    steps = [unescape(token) for token in place.pointer.split("/")[1:]]
    if place.file.endswith(".toml"):
        return _toml_position(text, steps)
    try:
        return _json_position(text, steps)
    except json.JSONDecodeError as error:
        if not place.file.endswith(".json"):
            return _yaml_position(text, steps)
        failed = error.lineno, error.colno
    except (ValueError, RecursionError):
        return 1, 1
    if steps:
        with suppress(ValueError, RecursionError):
            return _json_position(as_json(text), steps)
    return failed


def line_at(place: Place, line: int) -> str:
    """Return a line of a file by its number, which starts at 1; an empty string if there is no such line."""
    text = _text(place.file) or ""
    return "".join(text.split("\n")[line - 1 : line])


def _json_position(text: str, steps: list[str]) -> tuple[int, int]:
    at = _json_tree(text).of(steps)
    line = bisect_left(_line_ends(text), at)
    return line + 1, at - (_line_ends(text)[line - 1] if line else -1)


@lru_cache(maxsize=8)
def _line_ends(text: str) -> list[int]:
    return [found.start() for found in re.finditer("\n", text)]


def _text(file: str) -> str | None:
    try:
        status = os.stat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return None  # a pipe may block forever, and a device may never end
        return _text_of(file, status.st_mtime_ns, status.st_size)
    except (OSError, SpecError, ValueError):
        return None


@lru_cache(maxsize=8)
def _text_of(file: str, changed: int, size: int) -> str:  # noqa: ARG001  part of the cache's key

    return decode(read_bytes(file), Place(file))


class _Tree:
    """The positions of the values in a text. `members` is called once for each list or object.

    A value is an offset in JSON and a node in YAML.
    """

    def __init__(self, root: Any, members: Callable[[Any], dict[str, Any]]) -> None:
        self.root = root
        self.members = cache(members)

    def of(self, steps: list[str]) -> Any:
        """Return the value that the steps lead to, or the last one on the way that exists."""
        at = self.root
        for step in steps:
            inner = self.members(at).get(step)
            if inner is None:
                break
            at = inner
        return at


@lru_cache(maxsize=8)
def _json_tree(text: str) -> _Tree:
    def members(at: int) -> dict[str, int]:
        if text[at] in "{[":
            return {item.name: item.value for item in items_of(text, at)}
        return {}

    start = after_space(text, 0)
    _, end = _DECODER.raw_decode(text, start)
    if text[end:].strip(" \t\n\r"):  # for example YAML that begins with a string
        raise json.JSONDecodeError("there is more", text, end)
    return _Tree(start, members)


def _toml_position(text: str, steps: list[str]) -> tuple[int, int] | None:
    """Return the position of a table, or of a key in it; None if the text does not write it in this form."""
    found, table = None, [""]
    for number, line in enumerate(text.split("\n"), 1):
        if header := _TOML_TABLE.match(line):
            table = header[1].split(".")
            if steps == table:
                found = number, 1
        elif (key := _TOML_KEY.match(line)) and [*table, key[1]] == steps[: len(table) + 1]:
            return number, key.start(1) + 1
    return found


def _yaml_position(text: str, steps: list[str]) -> tuple[int, int]:
    import yaml

    try:
        if steps:
            mark = _yaml_tree(text).of(steps).start_mark
        else:  # only events are read, because the text may be too deep for the stack
            events = list(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
            mark = next((each.start_mark for each in events if isinstance(each, yaml.NodeEvent)), None)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
    if mark:
        return (mark.line + 1, mark.column + 1)
    return (1, 1)


@lru_cache(maxsize=8)
def _yaml_tree(text: str) -> _Tree:
    import yaml

    def members(node: Any) -> dict[str, Any]:
        if isinstance(node, yaml.SequenceNode):
            return {str(index): item for index, item in enumerate(node.value)}
        pairs = reversed(node.value) if isinstance(node, yaml.MappingNode) else ()
        return {key.value: item for key, item in pairs if isinstance(key, yaml.ScalarNode)}

    return _Tree(yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)), members)
