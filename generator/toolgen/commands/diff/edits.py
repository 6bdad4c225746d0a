"""List the differences between two schemas as edits: one for each keyword, property or branch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.cli.terminal import limited
from toolgen.compiler.short_text import cut
from toolgen_runtime.schema.keywords import ANNOTATIONS, LISTED, NAMED, SINGLE
from toolgen_runtime.schema.pointer import join

Steps = tuple[str | int, ...]
_WORDS: Final = ANNOTATIONS | {"$id", "id"}
"""Keywords that only affect words when they change, unless a reference depends on them."""
ABSENT: Final = object()
MAX_LISTED: Final = 100
"""The maximum number of values or keys that a message lists."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference between two schemas: the values at a path before and after. A missing value is `ABSENT`."""

    steps: Steps
    old: Any
    new: Any
    keyword: str = ""
    """The keyword that changed; empty if a property, a branch or a whole schema changed."""

    @property
    def pointer(self) -> str:
        """The JSON pointer to the changed value."""
        return join(*self.steps)

    @property
    def is_annotation(self) -> bool:
        """Whether the edit changes only texts such as descriptions. It may still matter if a reference leads
        into them.
        """
        return self.keyword in _WORDS

    @property
    def is_new_property(self) -> bool:
        """Whether the edit declares a property that had no schema."""
        return self.old is ABSENT and not self.keyword and self.steps[-2:-1] == ("properties",)

    def applied(self, schema: Any) -> Any:
        """Return the old schema with this edit alone applied."""
        if not self.steps:
            return self.new
        return _with(schema, self.steps, self.new)

    def __str__(self) -> str:
        name = ".".join(map(str, self.steps)) or "schema"
        if self.keyword in ("required", "enum") and _are_lists(self.old, self.new):
            return f"{name}: {_listed(self.old, self.new)}"
        if self.old is ABSENT:
            return f"{name}: added {_shown(self.new)}"
        if self.new is ABSENT:
            return f"{name}: removed {_shown(self.old)}"
        return f"{name}: {_shown(self.old)} -> {_shown(self.new)}"


def edits(old: Any, new: Any, steps: Steps = ()) -> Iterator[Edit]:
    """Yield the differences between two schemas, at any depth."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        if _json(old) != _json(new):
            yield Edit(steps, old, new)
        return
    for word in dict.fromkeys((*old, *new)):
        before, after = old.get(word, ABSENT), new.get(word, ABSENT)
        one, other = ({} if value is ABSENT else value for value in (before, after))
        has_maps = isinstance(one, Mapping) and isinstance(other, Mapping) and (one or other)
        if word in NAMED and has_maps:
            yield from _named(one, other, (*steps, word))
        elif before is ABSENT or after is ABSENT:
            yield Edit((*steps, word), before, after, word)
        elif word in SINGLE:
            yield from edits(before, after, (*steps, word))
        elif word in LISTED and _are_lists(before, after) and len(before) == len(after):
            for index, branches in enumerate(zip(before, after, strict=True)):
                yield from edits(*branches, (*steps, word, index))
        elif _json(before) != _json(after):
            yield Edit((*steps, word), before, after, word)


def _named(old: Mapping[str, Any], new: Mapping[str, Any], steps: Steps) -> Iterator[Edit]:
    for name in dict.fromkeys((*old, *new)):
        if name in old and name in new:
            yield from edits(old[name], new[name], (*steps, name))
        else:
            yield Edit((*steps, name), old.get(name, ABSENT), new.get(name, ABSENT))


def _with(value: Any, steps: Steps, new: Any) -> Any:
    """Return a copy with another value at the steps."""
    step, rest = steps[0], steps[1:]
    if isinstance(value, list):
        assert isinstance(step, int)
        return [*value[:step], _with(value[step], rest, new) if rest else new, *value[step + 1 :]]
    copied = dict(value)
    if rest:
        copied[str(step)] = _with(copied.get(str(step), {}), rest, new)
    elif new is ABSENT:
        copied.pop(str(step), None)
    else:
        copied[str(step)] = new
    return copied


def _are_lists(*values: Any) -> bool:
    return all(isinstance(value, list) for value in values)


def _listed(old: list[Any], new: list[Any]) -> str:
    before, after = dict.fromkeys(map(_json, old)), dict.fromkeys(map(_json, new))
    added = [f"added {cut(text)}" for text in after if text not in before]
    removed = [f"removed {cut(text)}" for text in before if text not in after]
    return ", ".join(limited([*removed, *added], MAX_LISTED)) or "in another order"


def _shown(value: Any) -> str:
    return cut(_json(value))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
