"""One broken constraint of a payload, with its path (`ValidationIssue`).

Every generated check loads this module, so it imports very little.
"""

from __future__ import annotations

from toolgen_runtime.validation.values import (
    ANY_ITEM as ANY_ITEM,
    MISSING as MISSING,
    Missing as Missing,
    Secret as Secret,
    SecretKey as SecretKey,
    field_of as field_of,
    key_text as key_text,
    revealed as revealed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, NoReturn

    Path = tuple[str | int, ...]


class _Facts:
    """The attributes of an issue while they can still change.

    Writing them to an immutable object would take twice as long.
    """

    __slots__ = ("constraint", "expected", "got", "path")

    path: Path
    """The keys and indices that lead from the payload's root to the value."""
    constraint: str
    """The broken JSON Schema keyword, or `json`, `truncated`, `duplicate_key`."""
    expected: Any
    """The value that the schema requires, usually the value of the keyword."""
    got: Any
    """The invalid value itself, a `Secret` around it, or `MISSING`."""


class ValidationIssue(_Facts):
    """One broken constraint of a payload. It is immutable.

    `path` contains the keys and indices that lead from the payload's root to the value. The path of a missing or
    unknown key ends with that key. `constraint` is one of `CONSTRAINTS`. `expected` is usually the value of that
    keyword. `got` is the invalid value itself (not a copy), a `Secret` around the value if it may be or contain a
    secret, or `MISSING`.
    """

    __slots__ = ()
    __match_args__ = ("path", "constraint", "expected", "got")

    def __new__(
        cls, path: Path, constraint: str, expected: Any = None, got: Any = MISSING
    ) -> ValidationIssue:
        """Return an issue with these attributes."""
        self: Any = _new(_Facts)
        self.path = path
        self.constraint = constraint
        self.expected = expected
        self.got = got
        self.__class__ = cls
        return self  # type: ignore[no-any-return]

    def __setattr__(self, name: str, value: object = None) -> NoReturn:
        raise AttributeError(f"an issue is immutable, also its {name}")

    __delattr__: Any = __setattr__

    @property
    def field(self) -> str:
        """The path in dotted form (see `field_of`)."""
        return field_of(self.path)

    def under(self, prefix: Path) -> ValidationIssue:
        """Return a copy of the issue with `prefix` in front of its path."""
        return ValidationIssue(prefix + self.path, self.constraint, self.expected, self.got)

    def to_dict(self) -> dict[str, Any]:
        """Return the path, field, constraint, expected value and `got` as JSON values. Secrets are masked.

        `got` is left out if it is `MISSING`.
        """
        from toolgen_runtime.validation.printing import plain

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
        if isinstance(other, ValidationIssue):
            return self._key() == other._key()
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.path, self.constraint))

    def __reduce__(self) -> tuple[type[ValidationIssue], tuple[object, ...]]:
        return (ValidationIssue, self._key())

    def __repr__(self) -> str:
        from toolgen_runtime.validation.printing import printed

        facts = f"{self.constraint!r}, expected={printed(self.expected)}, got={printed(self.got)}"
        return f"ValidationIssue({self.field!r}, {facts})"


_new = object.__new__
_facts: Any = _Facts
set_path: Callable[[ValidationIssue, Path], None] = _facts.path.__set__
"""Replace the path of an issue. Only the owner of the issue may call this function."""


def copied(issues: Iterable[ValidationIssue]) -> list[ValidationIssue]:
    """Return copies of the issues, so that a change of their paths does not affect the originals."""
    return [issue.under(()) for issue in issues]


class InvalidPayload(ValueError):  # noqa: N818  the name is part of the public contract
    """The exception for an invalid payload. `issues()` returns the complete list, and `tool` is the tool's
    name.
    """

    def __init__(self, tool: str, issues: Sequence[ValidationIssue]) -> None:
        self.tool = tool
        self._issues = tuple(issues)
        super().__init__(tool, self._issues)

    def issues(self) -> list[ValidationIssue]:
        """Return an issue for every broken constraint, in the order of the document."""
        return list(self._issues)

    def __str__(self) -> str:
        if not self._issues:
            return f"{self.tool}: invalid payload"
        first, more = self._issues[0], ""
        if len(self._issues) > 1:
            more = f" (+{len(self._issues) - 1} more)"
        return f"{self.tool}: {first.field or 'payload'} breaks {first.constraint}{more}"
