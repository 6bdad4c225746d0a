"""Turn parsed text into JSON values, and report each value that JSON does not have."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.compiler.diagnostics import Diagnostic, Place, Reporter, SpecError

MAX_SPEC_DEPTH = 256
"""The maximum depth of arrays and objects: ten times that of real specs, and well below Python's own limit."""

MAX_INTEGER_BITS = 14_284
"""The most bits that surely fit into 4,300 digits: Python does not convert longer integers to or from text."""

MAX_SPEC_VALUES = 1_000_000
"""The maximum number of values in a document after aliases are expanded, because YAML aliases may refer to aliases."""


class Repeated(dict[Any, Any]):
    """An object whose text has repeated keys. `names` lists them."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        """Keep the last value of a repeated key, as `json.loads` does."""
        super().__init__(pairs)
        self.names = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]


def pairs_to_object(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return the object with these keys and values, as a `Repeated` if a key occurs twice."""
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    return Repeated(pairs)


def to_json(value: Any, place: Place, report: Reporter) -> Any:
    """Copy a value to dicts, lists, strings, numbers, booleans and None, and report everything else.

    Values without a JSON form (NaN, dates, keys that are not strings, lone surrogates, repeated keys) are
    reported and left out of the copy.

    Raises:
        SpecError: the value is nested deeper than `MAX_SPEC_DEPTH`, or contains more than `MAX_SPEC_VALUES` values.
    """
    return _Copy(place, report, MAX_SPEC_VALUES).of(value, ())


@dataclass
class _Copy:
    root: Place
    report: Reporter
    left: int

    def of(self, value: Any, path: tuple[str | int, ...]) -> Any:
        self.left -= 1
        if self.left < 0:
            message = f"more than {MAX_SPEC_VALUES:,} values"
            raise SpecError.of(self.root, "too-large", message, "split the file, or use fewer aliases")
        if isinstance(value, str):  # most values are
            return self.string(value, path)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return self.integer(value, path)
        if isinstance(value, float):
            return self.number(value, path)
        if len(path) >= MAX_SPEC_DEPTH:
            message = f"nested deeper than {MAX_SPEC_DEPTH} levels"
            raise SpecError.of(self.root, "too-deep", message, "move inner schemas to $defs")
        if isinstance(value, list | tuple):
            return [self.of(item, (*path, i)) for i, item in enumerate(value)]
        if isinstance(value, dict | Mapping):  # checking an abstract class takes longer
            return self.object(value, path)
        return self.problem(
            path, "not-json", f"{type(value).__name__} is not a JSON value", "use JSON values only"
        )

    def object(self, value: Mapping[Any, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
        if isinstance(value, Repeated):
            for name in value.names:
                self.problem(
                    (*path, str(name)), "duplicate-key", f"the key {name!r} occurs twice", "remove one"
                )
        copy: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                self.problem(
                    path, "non-string-key", f"the key {key!r} is not a string", "put the key in quotes"
                )
            elif self.string(key, path) is not None:
                copy[key] = self.of(item, (*path, key))
        return copy

    def string(self, value: str, path: tuple[str | int, ...]) -> str | None:
        if value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value):
            return value
        self.problem(
            path, "lone-surrogate", "only one half of a surrogate pair", "write the complete character"
        )
        return None

    def integer(self, value: int, path: tuple[str | int, ...]) -> int | None:
        if value.bit_length() <= MAX_INTEGER_BITS:
            return value
        message = f"an integer of {value.bit_length():,} bits"
        self.problem(path, "bad-number", message, "use at most 4,299 digits")
        return None

    def number(self, value: float, path: tuple[str | int, ...]) -> float | None:
        if math.isfinite(value):
            return value
        self.problem(path, "bad-number", f"{value} is not a JSON number", "use a finite number of 64 bits")
        return None

    def problem(self, path: tuple[str | int, ...], code: str, message: str, hint: str) -> None:
        self.report(Diagnostic(self.root.below(*path), code, message, hint))
