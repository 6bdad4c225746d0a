"""`Runs`: what is kept for each run of an agent, which frameworks share between runs and which lists its tools anew."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from toolgen_runtime.conversation import Conversation

_T = TypeVar("_T")


class Runs(Generic[_T]):
    """Something for each run, by an object that lives as long as the run does; it goes when that goes."""

    def __init__(self, begin: Callable[[], _T]) -> None:
        self._begin = begin
        self._begun: dict[int, _T] = {}

    def of(self, run: object) -> _T:
        """Return what belongs to a run, begun when it is first asked for; `run` need not be hashable."""
        key = id(run)
        if key not in self._begun:
            begun = self._begin()
            if self._begun.setdefault(key, begun) is begun:
                weakref.finalize(run, self._begun.pop, key, None).atexit = False
        return self._begun[key]


def learn(conversation: Conversation, name: str, description: str | None, schema: Mapping[str, Any]) -> None:
    """Make sure that the conversation knows the tool `name` by this schema, the one that the model was shown."""
    registry = conversation.registry
    known = registry.find(name)
    if known is not None and known.schema == schema:
        return
    others = [tool for other in registry if other != name and (tool := registry.find(other)) is not None]
    conversation.update(
        [*others, {"name": name, "description": description or "", "inputSchema": dict(schema)}]
    )
