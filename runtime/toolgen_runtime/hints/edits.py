"""`Edit` and `apply_edits`: changes to a payload, as data, and what they make of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, Secret, field_of, key_text, revealed

Op = Literal["set", "remove", "rename", "move", "wrap", "unwrap"]


class Edit(NamedTuple):
    """One change to a payload that would fix a problem.

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
    """The value that `set` puts there; a `Secret` around it if it may be or contain a secret."""
    certain: bool = False
    """Whether this is the only possible correction: the hint orders a certain edit, and asks about others."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; attributes without a value are left out, and secrets are masked."""
        from toolgen_runtime.validation.printing import plain

        out: dict[str, Any] = {"op": self.op, "path": _plain_path(self.path)}
        if self.to is not None:
            out["to"] = _plain_path(self.to)
        if self.value is not MISSING:
            out["value"] = repr(self.value) if isinstance(self.value, Secret) else plain(self.value)
        out["certain"] = self.certain
        return out


class Reading(NamedTuple):
    """One way to correct a value in its place: a proposal, of which the check and the rules of `certainty` decide."""

    op: Literal["set", "remove", "wrap", "unwrap"]
    value: Any = MISSING
    """What would be there then; `MISSING` if nothing would."""
    certain: bool = True
    """Whether it is the only reading."""
    above: int = 0
    """How many steps above the place the edit is made."""
    other: Any = MISSING
    """What is about as likely; of a reading that is not certain."""
    whole: bool = False
    """Whether it is only one if the check finds nothing wrong with the value or below it."""

    def result(self) -> Any:
        """Return what stands at the place then."""
        return [self.value] if self.op == "wrap" else self.value


def _plain_path(path: Path) -> list[Any]:
    return [int(step) if isinstance(step, int) else key_text(step) for step in path]


def below(value: Any, step: str | int) -> Any:
    """Return the member of a payload's value, `MISSING` where there is none."""
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return MISSING


def at(value: Any, path: Path) -> Any:
    """Return what a payload has at a path; `MISSING` where there is nothing."""
    for step in path:
        value = below(value, step)
    return value


def apply_edits(payload: Any, edits: Iterable[Edit]) -> Any:
    """Return a payload with the edits applied in order; the given payload does not change.

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
    """A payload while it is changed; each container on the way to a change is copied, once."""

    def __init__(self, payload: Any):
        self.root = [payload]
        self._own: dict[int, Any] = {id(self.root): self.root}
        """The containers that are the draft's own, by identity; they are kept, so that no identity is reused."""

    def apply(self, edit: Edit) -> None:
        """Make one edit."""
        make = getattr(self, f"_{edit.op}", None) if edit.op in _OPS else None
        if make is None:
            raise ValueError(f"an edit's op is one of {', '.join(_OPS)}, not {edit.op!r}")
        make(edit)

    def _set(self, edit: Edit) -> None:
        here, step = self._place(edit)
        if isinstance(here, list) and step == len(here):
            here.append(revealed(edit.value))
        elif isinstance(here, dict) or _has(here, step):
            here[step] = revealed(edit.value)
        else:
            raise _unfit(edit, "there is no such item")

    def _remove(self, edit: Edit) -> None:
        if not edit.path:
            raise _unfit(edit, "the payload itself cannot be removed")
        here, step = self._held(edit)
        del here[step]

    def _rename(self, edit: Edit) -> None:
        here, step = self._held(edit)
        if not isinstance(here, dict) or not edit.to or edit.to[:-1] != edit.path[:-1]:
            raise _unfit(edit, "only a key is renamed, to another key of its object")
        name = edit.to[-1]
        if name in here:
            raise _unfit(edit, f"{field_of(edit.to)} is there already")
        members = {name if key == step else key: value for key, value in here.items()}
        here.clear()
        here.update(members)

    def _move(self, edit: Edit) -> None:
        here, step = self._held(edit)
        if not edit.path or not edit.to:
            raise _unfit(edit, "a move needs a path and a target")
        value = here[step]
        del here[step]
        above = self._made(edit, edit.to)
        last = edit.to[-1]
        if _has(above, last) or (isinstance(above, list) and last != len(above)):
            raise _unfit(edit, f"{field_of(edit.to)} is there already")
        if isinstance(above, list):
            above.append(value)
        else:
            above[last] = value

    def _wrap(self, edit: Edit) -> None:
        here, step = self._held(edit)
        value = here[step]
        for key in reversed(edit.to or (0,)):
            value = [value] if type(key) is int else {key: value}
        here[step] = value

    def _unwrap(self, edit: Edit) -> None:
        here, step = self._held(edit)
        value = here[step]
        if edit.to is None:
            if not isinstance(value, (dict, list)) or len(value) != 1:
                raise _unfit(edit, "there is not exactly one member")
            here[step] = next(iter(value.values() if isinstance(value, dict) else value))
            return
        for key in edit.to:
            if not _has(value, key):
                raise _unfit(edit, f"there is no member {field_of(edit.to)}")
            value = value[key]
        here[step] = value

    # -- places ---------------------------------------------------------------------------------------------

    def _place(self, edit: Edit) -> tuple[Any, Any]:
        """Return the container that a path's last step is in, ready to be changed, and that step."""
        here: Any = self.root
        step: Any = 0
        for below in edit.path:
            here, step = self._copied(edit, here, step), below
        return here, step

    def _held(self, edit: Edit) -> tuple[Any, Any]:
        """Return as `_place`, where a value stands."""
        here, step = self._place(edit)
        if not _has(here, step):
            raise _unfit(edit, "there is no such value")
        return here, step

    def _made(self, edit: Edit, path: Path) -> Any:
        """Return the container of a target; what is missing on the way to it is made."""
        here: Any = self.root
        step: Any = 0
        for below in path:
            if not _has(here, step):
                made: Any = [] if type(below) is int else {}
                self._own[id(made)] = made
                if isinstance(here, list) and step == len(here):
                    here.append(made)
                elif isinstance(here, dict):
                    here[step] = made
            here, step = self._copied(edit, here, step), below
        return here

    def _copied(self, edit: Edit, here: Any, step: Any) -> Any:
        """Return a member of a container as a copy of the draft's own, in its place."""
        if not _has(here, step) or not isinstance(here[step], (dict, list)):
            raise _unfit(edit, "what is above it is not an object or a list")
        member = here[step]
        if id(member) not in self._own:
            member = here[step] = member.copy()
            self._own[id(member)] = member
        return member


_OPS = ("set", "remove", "rename", "move", "wrap", "unwrap")


def _has(container: Any, step: Any) -> bool:
    if isinstance(container, dict):
        return step in container
    return isinstance(container, list) and type(step) is int and 0 <= step < len(container)


def _unfit(edit: Edit, why: str) -> ValueError:
    return ValueError(f"{edit.op} of {field_of(edit.path) or 'the payload'}: {why}")
