"""Hostile values and texts of any size: items that collide, and pieces of texts that readers search for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PRIME = 2**61 - 1
"""What CPython's hashes of numbers are taken modulo."""


COLLIDING: dict[str, Callable[[int], list[Any]]] = {
    "multiples": lambda n: [i * PRIME for i in range(n)],
    "negative": lambda n: [-1 - i * PRIME for i in range(n)],
    "huge": lambda n: [2 ** (61 * i) for i in range(n // 20)],
    "powers as floats": lambda n: [2.0**e * m for e in range(-960, 960, 61) for m in range(1, n // 30, 2)],
    "under a key": lambda n: [{"a": i * PRIME} for i in range(n)],
    "under a key, beside a constant": lambda n: [{"b": {"c": 1}, "a": {"d": [i * PRIME]}} for i in range(n)],
    "in pairs": lambda n: [[i % 64 * PRIME, i // 64 * PRIME] for i in range(n)],
    "in pairs of halves": lambda n: [{"x": i % 64 + 0.5, "y": i // 64 + 0.5} for i in range(n)],
    "minus one and two": lambda n: [[-1 - (i >> bit & 1) for bit in range(16)] for i in range(n)],
    "of several types": lambda n: [
        v for i in range(n // 3) for v in (i * PRIME, [i * PRIME], {"a": i * PRIME})
    ],
}
"""Distinct items whose hashes are equal, or come from equal hashes."""

PIECES = (
    "0", "]", "[", "[0]", ".", '"', "'", "\n", "\\", "{", "<", "-", "_", ";", "(", "`", "=", "A", "Aa", "4", ")", "/",
    ":", ",", "$", "@", "#", "+", "\u0660", "\u00e9", "\u00a0", "\u201c", "//", "/*", "{{", "[{", "{}", "{'", "```",
    '"""', "a b ", "a: ", "a, ", '{"a":', '{"a":1}', "must be ", "is ", "field ", "length of ", "value error ", "at ",
    "invalid value ", "missing ", "expected ", "data/", "data.a must ", "should ", "loc\n  a ", "1e9", "'a' ",
    "//c\n", "/.a", "<think>", "</think>", "<a>", '<parameter name="a">', "<invoke name=", "w(a=", "a=", "a(", '"a" ',
    '{"a":"x', "{'a':", "None ", '{"a: ', '{a": ', '"a": 1 ', "[1 ", "((1,", "0x1 ", "5. ", "# x\n", '\\"', "\\n",
    '{\\"a\\":', '{"a":undefined,', "a=1;", "`a`", "{1:", "error ", "status code: ", "HTTP ", "-32",
    "An error occurred (", "429 ", "{'error': ", "a.Error ", '{"code":', "tool ", "session ", "quota exceeded for ",
    "max_tokens ", "stop ", "tools.1", "messages.1 ", "toolUseId ", "parameters.a", "No tool output ", "a_", "tools/",
    "mcp__", "<|", "(through reference chain: ", "validation errors for ", "[type=x, input_value=", "one of: ", " ",
)  # fmt: skip
"""What the readers of texts search for; a text may repeat one of them."""
