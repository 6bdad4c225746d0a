"""Paths of issues far down in a payload: what stands above the issues of one part is kept once for all of them.

A check moves the issues of a part up through every level above it. To write each path anew at each level would take
time and memory in proportion to issues times levels times steps.
"""

from __future__ import annotations

from toolgen_runtime.validation.issues import SHORT, set_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen_runtime.validation.issues import Path, ValidationIssue

    _Steps = tuple[str | int, "_Steps | None", int, int]
    """A step, those below it, their number and their hash; never changed: several paths can go on from it."""

_NONE: _Steps = ("", None, 0, 0)


class Above:
    """What stands above the last `SHORT` steps of some paths, which move together."""

    __slots__ = ("steps",)

    def __init__(self, steps: _Steps = _NONE) -> None:
        self.steps = steps

    def add(self, prefix: Path) -> None:
        """Put steps before all others."""
        steps = self.steps
        for step in prefix[::-1]:
            steps = step, steps, steps[2] + 1, hash((step, steps[3]))
        self.steps = steps


class DeepPath:
    """A path of more than `SHORT` steps; only what moves its `above` changes it."""

    __slots__ = ("above", "end")

    def __init__(self, above: Above, end: Path) -> None:
        self.above = above
        self.end = end

    def __len__(self) -> int:
        return len(self.end) + self.above.steps[2]

    def __hash__(self) -> int:
        return hash((self.end, self.above.steps[3]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeepPath):
            return NotImplemented
        if self.end != other.end or hash(self) != hash(other):
            return False
        a: _Steps | None = self.above.steps
        b: _Steps | None = other.above.steps
        while a is not b and a is not None and b is not None and a[0] == b[0]:
            a, b = a[1], b[1]
        return a is b

    def steps(self) -> Path:
        """Return the path as a plain tuple."""
        found: list[str | int] = []
        steps = self.above.steps
        while steps[1] is not None:
            found.append(steps[0])
            steps = steps[1]
        return (*found, *self.end)

    def under(self, prefix: Path) -> DeepPath:
        """Return a path of its own with `prefix` before this one."""
        above = Above(self.above.steps)
        above.add(prefix)
        return DeepPath(above, self.end)

    def apart(self, known: dict[Above, Above]) -> DeepPath:
        """Return a copy that moves with the others that were made with `known`, and not with this one."""
        above = known.get(self.above)
        if above is None:
            above = known[self.above] = Above(self.above.steps)
        return DeepPath(above, self.end)


def move(prefix: Path, issues: Iterable[ValidationIssue]) -> None:
    """Prepend `prefix` to the path of each issue, in place."""
    above: set[Above] = set()
    new: dict[Path, Above] = {}
    for issue in issues:
        path = issue._path
        if not isinstance(path, tuple):
            above.add(path.above)
        elif len(path) < SHORT:
            set_path(issue, prefix + path)
        else:
            start = path[:-SHORT]
            if start not in new:
                new[start] = Above()
                new[start].add(start)
            set_path(issue, DeepPath(new[start], path[-SHORT:]))
    if new:
        above.update(new.values())
    for one in above:
        one.add(prefix)
