"""Functions that generated checks call."""

from __future__ import annotations

# As in `threading`, which would double the time of a package's first check (9 ms, 18 ms with `collections`).
from _thread import RLock, _local as local
from sys import getrecursionlimit, setrecursionlimit

from toolgen_runtime.validation.issues import MISSING, ValidationIssue, copied, set_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from toolgen_runtime.validation.branches import Keys
    from toolgen_runtime.validation.issues import Path

    Check = Callable[[Any], list[ValidationIssue]]


def is_integer(value: Any) -> bool:
    """Return whether a value whose type is not `int` is a JSON integer: `1.0` is one, `true` is not."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is a JSON number. Booleans, NaN and infinities are not."""
    if isinstance(value, float):
        return value - value == 0.0
    return isinstance(value, int) and not isinstance(value, bool)


def is_string(value: Any) -> bool:
    """Return whether a value is an instance of a subclass of `str`, which counts as a string too.

    This is so for instances of subclasses.
    """
    return isinstance(value, str)


def is_array(value: Any) -> bool:
    """Return whether a value whose type is not `list` counts as an array.

    This is so for instances of subclasses, but not for tuples.
    """
    return isinstance(value, list)


def as_object(value: Any) -> Any:
    """Convert an instance of a `dict` subclass to a plain `dict`. Return any other value unchanged."""
    if isinstance(value, dict):
        return dict(value)
    return value


def missing_or_wrong(path: Path, expected: Any, got: Any) -> ValidationIssue:
    """Return the issue of a required value that is missing, or is of none of the `expected` types."""
    if got is MISSING:
        return ValidationIssue(path, "required", True, MISSING)
    return ValidationIssue(path, "type", expected, got)


def equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal as JSON: `1` equals `1.0` but not `true`.

    The order of keys does not matter.
    """
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


DEEP: Final = 20
MAX_COPIED_STEPS: Final = 50_000
"""The maximum number of steps that one level returns to the next, in all paths longer than `DEEP`; each level copies
them.
"""


def under(prefix: Path, issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Put `prefix` in front of each issue's path, in place, and return the list. Only the owner of the list
    may do this.
    """
    if issues and (steps := max(len(issues[0].path), len(issues[-1].path))) > DEEP:
        del issues[MAX_COPIED_STEPS // steps or 1 :]
    for issue in issues:
        set_path(issue, prefix + issue.path)
    return issues


def any_of(value: Any, branches: Sequence[Check], keys: Sequence[Keys] = ()) -> list[ValidationIssue]:
    """Return no issues if a branch is valid; otherwise return the issues of the branch that was meant.

    `keys` lists the keys that each branch declares. It is empty if no branch declares any (see `validation.branches`).
    """
    found: list[list[ValidationIssue]] = []
    for branch in branches:
        issues = branch(value)
        if not issues:
            return issues
        found.append(issues)
    from toolgen_runtime.validation.branches import meant

    return meant(value, found, keys, "anyOf")


def one_of(
    value: Any, branches: Sequence[Check], names: Sequence[str | int], keys: Sequence[Keys] = ()
) -> list[ValidationIssue]:
    """Return no issues if exactly one branch is valid. `names` are the branches' titles or positions.

    If several branches are valid, there is one `oneOf` issue with their names. If none is valid, the issues are the
    same as for `any_of`.
    """
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
    from toolgen_runtime.validation.branches import meant

    return meant(value, found, keys, "oneOf")


MAX_REMEMBERED: Final = 1_000_000
"""The maximum number of issues that are copied for one payload from the cached issues of its parts."""
MIN_REMEMBERED: Final = 4
"""The number of issues of each part that are copied even beyond `MAX_REMEMBERED`."""
_memory = local()
_CONTAINERS = (dict, list)


def remember(check: Check, value: Any) -> list[ValidationIssue]:
    """Run a check on part of a payload, or return the issues that it found there before.

    Without this, the time for some recursive schemas would double with each level of a payload.
    """
    if isinstance(value, _CONTAINERS):
        return remember_all(check, value)
    return check(value)


def remember_all(check: Check, value: Any) -> list[ValidationIssue]:
    """Do the same as `remember`, even for scalars.

    It is for schemas that reach a value in very many ways without recursion.

    If parts have many issues and recur at many levels, only the first issues of a part are returned (`MAX_REMEMBERED`).
    """
    found = getattr(_memory, "found", None)
    if found is None:
        _memory.found, _memory.copies = {}, 0
        try:
            return without_repeats(check(value))
        finally:
            del _memory.found
    key = check, id(value)
    known = found.get(key)
    if known is None:
        # The value is cached too, so that no other object gets its `id`.
        known = found[key] = value, without_repeats(check(value))
    issues = known[1]
    if not issues:
        return []
    if len(issues) > MIN_REMEMBERED:
        if _memory.copies > MAX_REMEMBERED:
            issues = issues[:MIN_REMEMBERED]
        _memory.copies += len(issues)
    return copied(issues)  # `under` changes the paths of its argument


def without_repeats(issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Remove duplicate issues, which occur if several references lead to the same schema."""
    if len(issues) < 2:
        return issues
    kept: dict[Any, list[ValidationIssue]] = {}
    for issue in issues:
        alike = kept.setdefault((issue.path, issue.constraint), [])
        if not any(_is_same(issue, other) for other in alike):
            alike.append(issue)
    return [issue for alike in kept.values() for issue in alike]


def _is_same(issue: ValidationIssue, other: ValidationIssue) -> bool:
    """Return whether two issues with the same path and constraint are equal."""
    got, other_got = issue.got, other.got
    # The containers at one path are the same object; comparing them by value could take very long.
    same = got is other_got or isinstance(got, dict | list) or got == other_got
    return bool(same and issue.expected == other.expected)


# -- payloads so deep that the recursion limit stops a check

MAX_PAYLOAD_DEPTH: Final = 1_000
"""The maximum depth of a payload in memory. JSON text is read to 200 levels, and by `json` to about 1,000."""
_FRAMES: Final = 100_000
"""More frames than any check can need. They are on Python's heap, because checks call each other directly."""
_lock = RLock()


def check_deep(check: Check, payload: Any) -> list[ValidationIssue]:
    """Run a check again after a RecursionError, with a temporarily higher recursion limit.

    A payload with more than `MAX_PAYLOAD_DEPTH` levels, or one that contains itself, has a single `json` issue.
    """
    if is_deeper(payload, MAX_PAYLOAD_DEPTH):
        expected = f"nesting of at most {MAX_PAYLOAD_DEPTH:,} levels"
        return [ValidationIssue((), "json", expected, payload)]
    with _lock:  # the limit is shared by all threads
        limit = getrecursionlimit()
        setrecursionlimit(limit + _FRAMES)
        try:
            return check(payload)
        finally:
            setrecursionlimit(limit)


def is_deeper(value: Any, levels: int) -> bool:
    """Return whether a value has more than `levels` levels of nested lists and objects.

    This is the case for every value that contains itself.
    """
    if isinstance(value, _CONTAINERS):
        level = {id(value): value}
    else:
        level = {}
    for _ in range(levels):
        if not level:
            return False
        level = {
            id(member): member
            for item in level.values()
            for member in (item.values() if isinstance(item, dict) else item)
            if isinstance(member, _CONTAINERS)
        }
    return any(level.values())
