"""`ValidationIssue`: one broken constraint of a payload, with its path.

Every generated check loads this module, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final

    Path = tuple[str | int, ...]


class Missing:
    """The type of `MISSING`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __copy__(self) -> Missing:
        return self

    def __deepcopy__(self, memo: object) -> Missing:
        return self

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""The `got` of an issue if the payload has no value there; null is a value."""


class Secret:
    """The `got` of an issue if the value may be a secret: only `get_secret_value()` shows it."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def get_secret_value(self) -> Any:
        """Return the value itself."""
        return self._value

    def __repr__(self) -> str:
        return "**********"

    def __eq__(self, other: object) -> bool:
        return self._value == other._value if isinstance(other, Secret) else NotImplemented

    def __hash__(self) -> int:
        return hash(Secret)


def revealed(got: Any) -> Any:
    """Return the `got` of an issue without the `Secret` around it, for callers that do not show it."""
    return got.get_secret_value() if isinstance(got, Secret) else got


CONSTRAINTS: Final = frozenset((
    "type", "enum", "const",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "format",
    "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties",
    "dependentRequired", "dependencies", "unevaluatedProperties",
    "items", "additionalItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems",
    "contains", "minContains", "maxContains",
    "anyOf", "oneOf", "not",
    "json", "truncated", "duplicate_key",
))  # fmt: skip
"""What checks give as `ValidationIssue.constraint`: JSON Schema keywords, then the constraints of JSON texts.

Calls that are told to find keys that a schema does not name give `unknownKey` (`schema.unknown_keys`).
"""


def _is_plain(key: str) -> bool:
    return bool(key) and all(c.isalnum() or c in "_-$" for c in key)


def _quoted(key: str) -> str:
    import json

    return json.dumps(key)


def key_text(key: object) -> str:
    """Return a key or index as text; Python's dicts may have keys of any type.

    A string is returned unchanged; numbers, booleans, None and bytes as Python writes them; anything else as its
    type's name in `<>`. No code of the key itself runs.
    """
    if isinstance(key, str):
        return key
    if type(key) is int:
        return str(key) if key.bit_length() < 80 else "<int>"
    if key is None or type(key) in (bool, float):
        return repr(key)
    return repr(key[:40]) if type(key) is bytes else f"<{type(key).__name__}>"


def field_of(path: Sequence[str | int]) -> str:
    r"""Return the dotted form of a path: `parent.child`, `rows[3].qty`, `["odd.key"]`; the root is `""`.

    A key that is empty or has other characters than letters, digits, `_`, `-` and `$` is written as a JSON
    string in brackets, so that two paths never have the same form. A key that is not a string is written in
    brackets as well (`key_text`).
    """
    parts: list[str] = []
    for step in path:
        if not isinstance(step, str):
            parts.append(f"[{key_text(step)}]")
        elif _is_plain(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{_quoted(step)}]")
    return "".join(parts)


class DeepPath:
    """A path of which the rest is shared with other paths, so that each takes constant time and memory."""

    __slots__ = ("_first", "_hash", "_length", "_rest")

    def __init__(self, first: Path, rest: Path | DeepPath) -> None:
        self._first = first
        self._rest = rest
        self._length: int = len(first) + (rest._length if type(rest) is DeepPath else len(rest))
        self._hash: int | None = None  # Made when it is asked for, of the rest's.

    def __len__(self) -> int:
        return self._length

    def __hash__(self) -> int:
        unhashed: list[DeepPath] = []
        path: Path | DeepPath = self
        while isinstance(path, DeepPath) and path._hash is None:
            unhashed.append(path)
            path = path._rest
        known = path._hash if isinstance(path, DeepPath) else _hash_of_steps(path, 0)
        while unhashed:
            path = unhashed.pop()
            known = path._hash = _hash_of_steps(path._first, known or 0)
        return known or 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeepPath):
            return NotImplemented
        if self._length != other._length or hash(self) != hash(other):
            return False
        a: Path | DeepPath = self
        b: Path | DeepPath = other
        while a is not b:
            if isinstance(a, tuple) or isinstance(b, tuple) or len(a._first) != len(b._first):
                return _steps(a) == _steps(b)
            if a._first != b._first:
                return False
            a, b = a._rest, b._rest
        return True

    def steps(self) -> Path:
        """Return the path as a plain tuple."""
        return _steps(self)


def _hash_of_steps(steps: Path, rest: int) -> int:
    for step in reversed(steps):
        rest = hash((step, rest))
    return rest


def _steps(path: Path | DeepPath) -> Path:
    steps: list[str | int] = []
    while isinstance(path, DeepPath):
        steps += path._first
        path = path._rest
    return (*steps, *path)


class ValidationIssue:
    """One broken constraint of a payload; immutable.

    `path` has the keys and indices from the payload's root. The path of a missing or unknown key ends with that
    key. `constraint` is one of `CONSTRAINTS`. `expected` is usually the value of that keyword. `got` is the invalid
    value itself (not a copy), a `Secret` around it if it may be or contain a secret, or `MISSING`.
    """

    # Immutable through read-only properties, which take a third of the time of `object.__setattr__`.
    __slots__ = ("_constraint", "_expected", "_got", "_path")
    __match_args__ = ("path", "constraint", "expected", "got")

    def __init__(
        self, path: Path | DeepPath, constraint: str, expected: Any = None, got: Any = MISSING
    ) -> None:
        self._path = path
        self._constraint = constraint
        self._expected = expected
        self._got = got

    @property
    def path(self) -> Path:
        """Keys and indices from the payload's root."""
        path = self._path
        if isinstance(path, DeepPath):
            path = self._path = path.steps()
        return path

    @property
    def constraint(self) -> str:
        """The JSON Schema keyword that is broken, or `json`, `truncated`, `duplicate_key`."""
        return self._constraint

    @property
    def expected(self) -> Any:
        """What the schema requires, usually the value of the keyword."""
        return self._expected

    @property
    def got(self) -> Any:
        """The invalid value itself, a `Secret` around it, or `MISSING`."""
        return self._got

    @property
    def field(self) -> str:
        """The path in dotted form (`field_of`)."""
        return field_of(self.path)

    def under(self, prefix: Path) -> ValidationIssue:
        """Return a copy of the issue with `prefix` before its path."""
        path = self._path
        moved = path if not prefix else prefix + path if isinstance(path, tuple) else DeepPath(prefix, path)
        return ValidationIssue(moved, self._constraint, self._expected, self._got)

    def to_dict(self) -> dict[str, Any]:
        """Return path, field, constraint, expected and got (unless `MISSING`) as JSON values, secrets masked."""
        from toolgen_runtime.validation.plain_json import plain

        out: dict[str, Any] = {
            "path": [plain(step) if type(step) is int else key_text(step) for step in self.path],
            "field": self.field,
            "constraint": self.constraint,
            "expected": plain(list(self.expected) if isinstance(self.expected, tuple) else self.expected),
        }
        if self.got is not MISSING:
            out["got"] = plain(self.got)
        return out

    def _key(self) -> tuple[object, ...]:
        return (self.path, self.constraint, self.expected, self.got)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, ValidationIssue) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.path, self.constraint))

    def __reduce__(self) -> tuple[type[ValidationIssue], tuple[object, ...]]:
        return (ValidationIssue, self._key())

    def __repr__(self) -> str:
        facts = f"{self.constraint!r}, expected={printed(self.expected)}, got={printed(self.got)}"
        return f"ValidationIssue({self.field!r}, {facts})"


_SCALARS: Final = frozenset((str, int, float, bool, type(None)))
MAX_PRINTED: Final = 100_000
"""Values in a container up to which it is printed as a whole; one that is shared counts each time."""


def printed(value: object) -> str:
    """Return a value's `repr`, or its type's name if that raises or would be very long."""
    try:
        return repr(value) if is_printable(value) else f"<{type(value).__name__}>"
    except Exception:  # any exception of a foreign `__repr__`, or an integer of too many digits
        return f"<{type(value).__name__}>"


def is_printable(value: object) -> bool:
    """Return whether a value's text has bounded length: what is shared, or contains itself, is small in memory only."""
    left, pending = MAX_PRINTED, [value]
    for item in pending:  # which grows meanwhile
        if isinstance(item, (dict, list, tuple)):
            left -= len(item)
            if left <= 0:
                return False
            values = item.values() if isinstance(item, dict) else item
            pending += [v for v in values if type(v) not in _SCALARS]
    return True


def spoken(value: object) -> str:
    """Return a value's `str`, or its type's name if that raises: exceptions may be of any class."""
    try:
        return str(value)
    except Exception:
        return type(value).__name__


class InvalidPayload(ValueError):  # noqa: N818  the name is part of the public contract
    """An invalid payload; `issues()` is the complete list, `tool` the tool's name."""

    def __init__(self, tool: str, issues: Sequence[ValidationIssue]) -> None:
        self.tool = tool
        self._issues = tuple(issues)
        super().__init__(tool, self._issues)

    def issues(self) -> list[ValidationIssue]:
        """Return every broken constraint, in document order."""
        return list(self._issues)

    def __str__(self) -> str:
        first = self._issues[0] if self._issues else None
        if first is None:
            return f"{self.tool}: invalid payload"
        more = f" (+{len(self._issues) - 1} more)" if len(self._issues) > 1 else ""
        return f"{self.tool}: {first.field or 'payload'} breaks {first.constraint}{more}"
