"""Hostile values and texts of any size: deep, wide, long, colliding, cyclic, doubled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.nests import arrays

PRIME = 2**61 - 1
"""What CPython's hashes of numbers are taken modulo."""


def doubled(times: int, leaf: Any) -> list[Any]:
    """A list of a list twice, and so on: few objects, 2 ** times ways."""
    for _ in range(times):
        leaf = [leaf, leaf]
    return [leaf]


def cyclic_list() -> list[Any]:
    value: list[Any] = [1]
    value.append(value)
    return value


def cyclic_object() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["a"] = {"a": value}
    return value


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

TEXTS: dict[str, Callable[[int], str]] = {
    text: lambda n, text=text: text * (n // len(text))  # type: ignore[misc]
    for text in (
        *(
            "0",
            "]",
            "[",
            "[0]",
            ".",
            '"',
            "'",
            " ",
            "\n",
            "\\",
            "{",
            "<",
            "-",
            "_",
            ";",
            "(",
            "`",
            "=",
            "A",
            "Aa",
        ),
        *(
            "a b ",
            "a: ",
            "a, ",
            '{"a":',
            "must be ",
            "is ",
            "field ",
            "length of ",
            "value error ",
            "at ",
            "\u0660",
        ),
        *(
            "invalid value ",
            "missing ",
            "expected ",
            "data/",
            "data.a must ",
            "should ",
            "loc\n  a ",
            "1e9",
            "'a' ",
            "//c\n",
            "/.a",
        ),
    )
}
TEXTS["pointer"] = lambda n: f"/{'.a' * (n // 2)}"
TEXTS["quoted"] = lambda n: f"value '{'1' * n}' is too long"

CYCLIC: dict[str, Callable[[], Any]] = {
    "list": cyclic_list,
    "object": cyclic_object,
    "below": lambda: {"a": {"a": cyclic_object()}},
}


def spine(levels: int, leaves: int) -> Any:
    """Arrays within one another, the last of which has many items."""
    return arrays(levels, ["x"] * leaves)
