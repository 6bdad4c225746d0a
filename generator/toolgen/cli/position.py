"""The line of a JSON pointer in its file, for annotations and editors."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from toolgen.diagnostics import Place, SpecError
from toolgen_runtime.schema.pointer import unescape

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def line_of(place: Place) -> int | None:
    """Return the line, from 1, on which the value at a place begins, or on which its file is broken.

    None for what has no lines: values in memory, folders, standard input, files that cannot be read.
    """
    text = _text(place.file)
    if text is None:
        return None
    steps = [unescape(token) for token in place.pointer.split("/")[1:]]
    try:
        return text.count("\n", 0, _offset(text, steps)) + 1
    except json.JSONDecodeError as error:
        return error.lineno if place.file.endswith(".json") else _yaml_line(text, steps)
    except (ValueError, RecursionError):
        return 1


@lru_cache(maxsize=8)
def _text(file: str) -> str | None:
    from pathlib import Path

    from toolgen.specs.formats.text import decode

    try:
        return decode(Path(file).read_bytes(), Place(file)) if file else None
    except (OSError, SpecError):
        return None


def _offset(text: str, steps: list[str]) -> int:
    """Return the offset of the value at the steps, or of the last value on the way to it."""
    at = _after_space(text, 0)
    _DECODER.raw_decode(text, at)
    for step in steps:
        inner = _member(text, at, step) if text[at] in "{[" else None
        if inner is None:
            break
        at = inner
    return at


def _member(text: str, at: int, step: str) -> int | None:
    """Return the offset of one member of the object or array at `at`; None if it has no such member."""
    is_object, index, key = text[at] == "{", 0, None
    at = _after_space(text, at + 1)
    while text[at] not in "]}":
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        if step == (key if is_object else str(index)):
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)
        index += 1
    return None


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    at = space.end() if space else at
    if at >= len(text):
        raise json.JSONDecodeError("the text ends early", text, len(text))
    return at


def _yaml_line(text: str, steps: list[str]) -> int:
    import yaml

    try:
        node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        return error.problem_mark.line + 1 if error.problem_mark else 1
    except (yaml.YAMLError, RecursionError):
        return 1
    for step in steps:
        if isinstance(node, yaml.MappingNode):
            inner = next((value for key, value in node.value if key.value == step), None)
        else:
            inner = dict(enumerate(node.value)).get(int(step)) if step.isdigit() else None
        if inner is None:
            break
        node = inner
    return int(node.start_mark.line) + 1 if node else 1
