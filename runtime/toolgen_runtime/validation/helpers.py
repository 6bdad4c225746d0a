"""The few helpers that generated checks call; everything else stands in the generated code itself."""

from __future__ import annotations

from _thread import _local

from toolgen_runtime.validation.issues import DeepPath, ValidationIssue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction
    from typing import Any

    from toolgen_runtime.validation.issues import Path

    Check = Callable[[Any], list[ValidationIssue]]

type_of: Callable[[Any], type[Any]] = type
"""`type` with one argument, in a form that type checkers do not narrow by."""


def is_integer(value: Any) -> bool:
    """Whether a value that is no plain `int` is an integer all the same: 1.0 is one, true is not."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a JSON number: NaN and the infinities are none."""
    if isinstance(value, float):
        return value - value == 0.0
    return isinstance(value, int) and not isinstance(value, bool)


def is_string(value: Any) -> bool:
    """Whether a value that is no plain `str` is a string all the same."""
    return isinstance(value, str)


def is_array(value: Any) -> bool:
    """Whether a value that is no plain `list` is an array all the same; a tuple is none."""
    return isinstance(value, list)


def as_object(value: Any) -> Any:
    """A plain copy of a value of a subclass of `dict`; any other value as it is."""
    return dict(value) if isinstance(value, dict) else value


def is_multiple(value: Any, divisor: int | float) -> bool:
    """`multipleOf` in the decimal numbers that the texts of both mean, so 0.0075 is a multiple of 0.0001."""
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    if isinstance(value, float) and value - value != 0.0:
        return False
    return (_exact(value) / _exact(divisor)).denominator == 1


def _exact(number: int | float) -> Fraction:
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int) else Fraction(repr(float(number)))


def equal(left: Any, right: Any) -> bool:
    """JSON equality: 1 equals 1.0 and not true; the order of keys does not count."""
    pending = [(left, right)]
    while pending:
        a, b = pending.pop()
        if isinstance(a, dict):
            if not isinstance(b, dict) or len(a) != len(b):
                return False
            for key, value in a.items():
                if key not in b:
                    return False
                pending.append((value, b[key]))
        elif isinstance(a, list):
            if not isinstance(b, list) or len(a) != len(b):
                return False
            pending.extend(zip(a, b, strict=True))
        elif isinstance(a, bool) or isinstance(b, bool):
            if a is not b:
                return False
        elif a != b:
            return False
    return True


def duplicate_item(items: Sequence[Any]) -> int | None:
    """The index of the first item that equals an earlier one; linear in the size of the items."""
    seen: set[Any] = set()
    for index, item in enumerate(items):
        key = item if type(item) is str else _identity(item)
        if key in seen:
            return index
        seen.add(key)
    return None


def _identity(value: Any) -> Any:
    """A hashable that two values share exactly when they are equal as JSON.

    A container becomes the flat tuple of its parts, which needs no recursion and hashes in linear time.
    """
    if not isinstance(value, dict | list):
        return _scalar_identity(value)
    parts: list[Any] = []
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            parts.append(("{", len(item)))
            for key in sorted(item, key=_sortable, reverse=True):
                pending.append(item[key])
                pending.append(_Key(key))
        elif isinstance(item, list):
            parts.append(("[", len(item)))
            pending.extend(reversed(item))
        elif isinstance(item, _Key):
            parts.append(item.text)
        else:
            parts.append(_scalar_identity(item))
    return tuple(parts)


class _Key:
    """An object's key on its way to the parts, told from a string value by its type."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _sortable(key: Any) -> str:
    if isinstance(key, str):
        return key
    try:
        return repr(key)  # Python's dicts can have other keys
    except Exception:  # of any object, or a number of more digits than Python writes
        return type(key).__name__


def _scalar_identity(value: Any) -> Any:
    if isinstance(value, bool):
        return ("bool", value)
    # What is no JSON value may have no hash; it is equal to itself alone.
    return value if value is None or isinstance(value, int | float | str) else ("other", id(value))


_SHORT = 32
"""Steps of a path that is copied to grow; were longer ones, a deep payload would cost the square of its depth."""


def under(prefix: Path, issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Issues of a part of the payload, moved further up: these very issues, which nobody else may hold."""
    for issue in issues:
        path = issue._path
        if not isinstance(path, DeepPath):
            if len(path) < _SHORT:
                issue._path = prefix + path
                continue
            path = issue._path = DeepPath(path)
        path.prepend(prefix)
    return issues


def any_of(value: Any, branches: Sequence[Check]) -> list[ValidationIssue]:
    """No issue if one branch takes the value, otherwise the issues of the branch that was meant."""
    found: list[list[ValidationIssue]] = []
    for branch in branches:
        issues = branch(value)
        if not issues:
            return issues
        found.append(issues)
    return min(found, key=_distance)


def one_of(value: Any, branches: Sequence[Check], names: Sequence[str | int]) -> list[ValidationIssue]:
    """No issue if exactly one branch takes the value; `names` are the branches' titles or positions."""
    found: list[list[ValidationIssue]] = []
    matched: list[str | int] = []
    for branch, name in zip(branches, names, strict=True):
        issues = branch(value)
        if issues:
            found.append(issues)
        else:
            matched.append(name)
    if len(matched) == 1:
        return []
    if matched:
        return [ValidationIssue((), "oneOf", tuple(matched), value)]
    return min(found, key=_distance)


_memory = _local()


def remember(check: Check, value: Any) -> list[ValidationIssue]:
    """What a check finds in a part of a payload, found once however many ways lead there.

    Without it the time for some recursive schemas doubles with each level of a payload.
    """
    if not isinstance(value, dict | list):
        return check(value)
    found = getattr(_memory, "found", None)
    if found is None:
        _memory.found = {}
        try:
            return remember(check, value)
        finally:
            del _memory.found
    known = found.get((check, id(value)))
    if known is None:
        # The value is kept with what was found, so that its `id` is given to no other meanwhile.
        known = found[check, id(value)] = (value, _without_repeats(check(value)))
    return [issue.under(()) for issue in known[1]]  # Copies: `under` moves what it gets.


def _without_repeats(issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Each issue once: the ways to a part all report what is wrong with it."""
    if len(issues) < 2:
        return issues
    kept: dict[int, list[ValidationIssue]] = {}
    for issue in issues:
        alike = kept.setdefault(hash(issue), [])
        if issue not in alike:
            alike.append(issue)
    return [issue for alike in kept.values() for issue in alike]


def _distance(issues: list[ValidationIssue]) -> tuple[bool, bool, int, int]:
    """How far a branch was from being meant: another type, another tag, more issues, deeper ones."""
    depths = [len(issue._path) for issue in issues]
    constraints = [(depth, issue.constraint) for depth, issue in zip(depths, issues, strict=True)]
    other_type = (0, "type") in constraints
    other_tag = (1, "const") in constraints or (1, "enum") in constraints
    return other_type, other_tag, len(issues), sum(depths)
