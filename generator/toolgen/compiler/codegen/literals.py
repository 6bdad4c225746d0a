"""Write the values and texts of a spec as Python literals. They cannot become source code in any other way."""

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
    """Return the SHA-256 of a text in hexadecimal, for use in a comment."""
    return trusted(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def literal(value: Any) -> Code:
    """Write a JSON value, or a tuple or frozen set of JSON values, as a Python literal in ASCII.

    Raises:
        TypeError: the value is not one of these.
    """
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if type(value) is str:
        if len(value) <= _WIDTH:
            return _short_string(value)
        return trusted(string_literal(value))
    return trusted(_literal_text(value))


@lru_cache(maxsize=2_048)
def _short_string(text: str) -> Code:
    return trusted(string_literal(text))


def _literal_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(
        value, int
    ):  # hexadecimal is exempt from the limit on decimal digits, and takes linear time
        return repr(value) if value.bit_length() < 4096 else hex(value)
    if isinstance(value, float):
        return repr(value) if value - value == 0 else f'float("{value}")'
    if isinstance(value, Mapping):
        entries = [f"{_literal_text(key)}: {_literal_text(item)}" for key, item in value.items()]
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(map(_literal_text, sorted(value, key=repr)))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal_text, value))}{',' * (len(value) == 1)})"
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def json_text(value: Any) -> Code:
    """Write a JSON value as a raw string literal that contains indented JSON.

    JSON text has a backslash before each quote inside a string, so the literal cannot end early.

    Raises:
        ValueError: the value is a string, so its last quote would be next to the quotes of the literal.
    """
    text = json.dumps(value, ensure_ascii=True, indent=2).replace("\x7f", "\\u007f")
    if isinstance(value, str) or '"""' in text or not text.isascii():
        raise ValueError(f"not the text of an object, an array or a constant: {text[:80]}")
    return trusted(f'r"""{text}"""')


def docstring(text: str, indent: int = 1) -> Code:
    """Write a text as a docstring in ASCII, with its line breaks and with long lines wrapped."""
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


def string_literal(text: str) -> str:
    """Write a text as a literal in ASCII, in double quotes unless that requires more escapes."""
    quoted = ascii(text)
    if quoted[0] == "'" and '"' not in text:
        quoted = '"' + quoted[1:-1].replace("\\'", "'") + '"'
    return quoted
