"""Write the values and texts of a spec as literals. This is the only way in which they become source code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from textwrap import wrap
from typing import Any, Final

from toolgen.compiler.codegen.code import FALSE, INDENT, TRUE, Code, trusted

_WIDTH: Final = 100
_QUOTE_THAT_ENDS: Final = re.compile(r'"(?="|\Z)')


def digest(text: str) -> Code:
    """Return the SHA-256 of a text in hexadecimal, for a comment."""
    return trusted(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def literal(value: Any) -> Code:
    """Return a JSON value, or a tuple or frozen set of JSON values, as a Python literal in ASCII.

    Raises:
        TypeError: the value is not one of these.
    """
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if type(value) is str:
        if len(value) <= _WIDTH:
            return _short_string(value)
        return trusted(string_literal(value))
    pieces: list[str] = []
    _write_literal(value, pieces)
    return trusted("".join(pieces))


@lru_cache(maxsize=2_048)
def _short_string(text: str) -> Code:
    return trusted(string_literal(text))


def _write_literal(value: Any, pieces: list[str]) -> None:
    if value is None or isinstance(value, bool):
        pieces.append(repr(value))
    elif isinstance(value, int):
        pieces.append(_integer(value))
    elif isinstance(value, float):
        pieces.append(repr(value) if value - value == 0 else f'float("{value}")')
    elif isinstance(value, str):
        pieces.append(string_literal(value))
    elif isinstance(value, list | tuple | set | frozenset):
        _write_sequence(value, pieces)
    elif isinstance(value, Mapping):
        pieces.append("{")
        for index, (key, item) in enumerate(value.items()):
            pieces.append(", " if index else "")
            _write_literal(key, pieces)
            pieces.append(": ")
            _write_literal(item, pieces)
        pieces.append("}")
    else:
        raise TypeError(f"not a JSON value: {type(value).__name__}")


def _write_sequence(value: Any, pieces: list[str]) -> None:
    is_set = isinstance(value, set | frozenset)
    opening, closing = "()"
    if isinstance(value, list):
        opening, closing = "[]"
    elif is_set:
        opening, closing = "{}"
    pieces.append(opening)
    for index, item in enumerate(sorted(value, key=repr) if is_set else value):
        pieces.append(", " if index else "")
        _write_literal(item, pieces)
    pieces.append(",)" if isinstance(value, tuple) and len(value) == 1 else closing)


def json_text(value: Any) -> Code:
    """Return a JSON value as a raw string literal that contains indented JSON text.

    JSON text has a backslash before each quote inside a string, so the literal cannot end early.

    Raises:
        ValueError: the value is a string, so its last quote would be next to the quotes of the literal.
    """
    text = json.dumps(value, ensure_ascii=True, indent=2).replace("\x7f", "\\u007f")
    if isinstance(value, str) or '"""' in text or not text.isascii():
        raise ValueError(f"not the text of an object, an array or a constant: {text[:80]}")
    return trusted(f'r"""{text}"""')


def docstring(text: str, indent: int = 1) -> Code:
    """Return a text as a docstring in ASCII. Line breaks are kept, and long lines are wrapped."""
    lines = [part for line in text.strip().splitlines() for part in _wrapped(line)]
    escaped = [line.encode("unicode_escape").decode("ascii") for line in lines]
    inner = _QUOTE_THAT_ENDS.sub(r'\\"', ("\n" + INDENT * indent).join(escaped))
    if len(lines) <= 1:
        return trusted(f'"""{inner}"""')
    inner = re.sub(r"\n +(?=\n)", "\n", inner)
    return trusted(f'"""{inner}\n{INDENT * indent}"""')


def _wrapped(line: str) -> list[str]:
    if len(line) <= _WIDTH and line.isprintable() and not line.endswith(" "):
        return [line]  # the usual case, which `wrap` would not change
    return wrap(line, _WIDTH) or [""]


def _integer(value: int) -> str:
    # Hexadecimal is exempt from the interpreter's limit on decimal digits, and takes linear time.
    if value.bit_length() < 4096:
        return repr(value)
    return hex(value)


def string_literal(text: str) -> str:
    """Return an ASCII literal. It is in double quotes unless quotes inside would then have to be escaped."""
    quoted = ascii(text)
    if quoted[0] == "'" and '"' not in text:
        quoted = '"' + quoted[1:-1].replace("\\'", "'") + '"'
    return quoted
