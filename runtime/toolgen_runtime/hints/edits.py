"""Describe changes to a payload as data (`Edit`), and make them (`apply_edits`)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, get_args

from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, Secret, field_of, key_text, revealed

Op = Literal["set", "remove", "rename", "move", "wrap", "unwrap"]
_OPS = get_args(Op)


class Edit(NamedTuple):
    """One change to a payload that would correct a problem.

    | op | does |
    | --- | --- |
    | `set` | puts `value` at `path` |
    | `remove` | removes the value at `path` |
    | `rename` | gives the key at `path` the last name of `to`, in its place |
    | `move` | moves the value at `path` to `to`, and creates missing objects and lists |
    | `wrap` | puts the value at `path` into a list or, with `to`, under these keys |
    | `unwrap` | replaces the object or list at `path` by its member `to`; without `to`, by its only member |

    Paths start at the root of the payload after the edits before this one; `to` of `wrap` and `unwrap` is
    relative to `path`.
    """

    op: Op
    path: Path
    to: Path | None = None
    value: Any = MISSING
    """The value that `set` writes; wrapped in a `Secret` if it may be or contain one."""
    certain: bool = False
    """Whether this is the only possible correction. A hint orders a certain edit and asks about any other."""

    def to_dict(self) -> dict[str, Any]:
        """Return the edit as plain JSON values. Attributes without a value are left out, and secrets are masked."""
        from toolgen_runtime.validation.printing import plain

        out: dict[str, Any] = {"op": self.op, "path": _plain_path(self.path)}
        if self.to is not None:
            out["to"] = _plain_path(self.to)
        if self.value is not MISSING:
            out["value"] = repr(self.value) if isinstance(self.value, Secret) else plain(self.value)
        out["certain"] = self.certain
        return out


def _plain_path(path: Path) -> list[Any]:
    # A number that is a key may have more digits than JSON's writer takes.
    return [
        int(step) if isinstance(step, int) and abs(step) <= sys.maxsize else key_text(step) for step in path
    ]


def below(value: Any, step: str | int) -> Any:
    """Return the value at a key of an object or at an index of a list; `MISSING` if there is none."""
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return MISSING


def at(value: Any, path: Path) -> Any:
    """Return the value at a path in a payload; `MISSING` if there is none."""
    for step in path:
        value = below(value, step)
    return value


def last_key(path: Path) -> str:
    """Return the last key of a path; an empty string if the path does not end with a key."""
    for step in reversed(path):
        if isinstance(step, str):
            return step
    return ""


def apply_edits(payload: Any, edits: Iterable[Edit]) -> Any:
    """Apply edits to a payload in order and return the result. The given payload does not change.

    >>> apply_edits({"name": "a"}, [Edit("rename", ("name",), ("title",))])
    {'title': 'a'}

    Raises:
        ValueError: an edit does not fit the payload: its path is missing, or its target exists.
    """
    draft = Draft(payload)
    for edit in edits:
        draft.apply(edit)
    return draft.root[0]


class Draft:
    """A copy of a payload to which edits are applied. Only the objects and lists that change are really
    copied.
    """

    def __init__(self, payload: Any):
        self.root = [payload]
        self._own: dict[int, Any] = {id(self.root): self.root}
        """The copied containers by `id`. Keeping them alive prevents Python from reusing an id."""

    def apply(self, edit: Edit) -> None:
        """Apply one edit."""
        if edit.op not in _OPS:
            raise ValueError(f"an edit's op is one of {', '.join(_OPS)}, not {edit.op!r}")
        try:
            self._make(edit.op, edit.path, edit.to, edit.value)
        except LookupError as why:
            raise ValueError(f"{edit.op} of {field_of(edit.path) or 'the payload'}: {why}") from None

    def _make(self, op: Op, path: Path, to: Path | None, value: Any) -> None:
        here, step = self._place(path)
        if op == "set":
            here[_free(here, step, over=True)] = revealed(value)
            return
        value = _found(here, step)
        if op == "wrap":
            for key in reversed(to or (0,)):
                if type(key) is int:
                    value = [value]
                else:
                    value = {key: value}
            here[step] = value
        elif op == "unwrap":
            if to is None and (not isinstance(value, (dict, list)) or len(value) != 1):
                raise LookupError("there is not exactly one member")
            for key in to or ((0,) if isinstance(value, list) else value):
                value = _found(value, key)
            here[step] = value
        elif not path:
            raise LookupError("the payload itself cannot go")
        elif op == "rename":
            if not to or to[:-1] != path[:-1] or not isinstance(here, dict):
                raise LookupError("only a key is renamed, to another key of its object")
            _free(here, to[-1])
            members = {to[-1] if key == step else key: member for key, member in here.items()}
            here.clear()
            here.update(members)
        else:
            del here[step]
            if op == "move":
                here, step = self._place(to or path, makes=True)
                here[_free(here, step)] = value

    def _place(self, path: Path, *, makes: bool = False) -> tuple[Any, Any]:
        """Return a copy of the object or list that contains the end of a path, and the last step of the path."""
        here: Any = self.root
        step: Any = 0
        for after in path:
            member: Any = below(here, step)
            if member is MISSING and makes:
                if type(after) is int:
                    member = []
                else:
                    member = {}
                here[_free(here, step)] = member
            if not isinstance(member, (dict, list)):
                raise LookupError("what is above it is not an object or a list")
            if id(member) not in self._own:
                member = here[step] = member.copy()
                self._own[id(member)] = member
            here, step = member, after
        return here, step


def _found(value: Any, step: Any) -> Any:
    if (found := below(value, step)) is MISSING:
        raise LookupError("there is no such value")
    return found


def _free(container: Any, step: Any, *, over: bool = False) -> Any:
    """Return the index at which to write a value.

    If `step` is just past the end of the list, the list grows by one item.
    """
    if isinstance(container, list) and step == len(container):
        container.append(None)
    elif below(container, step) is MISSING:
        if not isinstance(container, dict):
            raise LookupError("there is no such item")
    elif not over:
        raise LookupError(f"{field_of((step,))} is there already")
    return step
