"""Where the values of a YAML text begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Node:
    """One value: the line and the column, from 1, where it begins, and what it holds by key or number."""

    line: int = 1
    column: int = 1
    members: dict[str, Node] = field(default_factory=dict)

    def of(self, steps: Sequence[str]) -> Node:
        """Return the value at the steps, or the last value on the way to it."""
        node = self
        for step in steps:
            inner = node.members.get(step)
            if inner is None:
                break
            node = inner
        return node


@dataclass(slots=True)
class _Open:
    """A list or an object that is being read; `key` is the one whose value comes next."""

    node: Node
    is_mapping: bool
    key: str | None = None
    has_key: bool = False

    def add(self, node: Node, event: Any) -> None:
        if not self.is_mapping:
            self.node.members[str(len(self.node.members))] = node
        elif not self.has_key:
            self.key, self.has_key = getattr(event, "value", None), True
        else:
            if self.key is not None:
                self.node.members.setdefault(self.key, node)
            self.has_key = False


def tree_of(text: str) -> Node:
    """Return the root of the first document, an alias as what it stands for; of a broken text, where it breaks.

    Only events are read, in a loop: the text may be deeper than a stack.
    """
    root = Node()
    containers: list[_Open] = []
    anchors: dict[str, Node] = {}
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionEndEvent):
                containers.pop()
            elif isinstance(event, yaml.DocumentEndEvent):
                break
            elif isinstance(event, yaml.NodeEvent):
                node = _node(event, anchors) if containers else root
                if containers:
                    containers[-1].add(node, event)
                else:
                    root.line, root.column = _start(event)
                if isinstance(event, yaml.CollectionStartEvent):
                    containers.append(_Open(node, isinstance(event, yaml.MappingStartEvent)))
                if event.anchor and not isinstance(event, yaml.AliasEvent):
                    anchors[event.anchor] = node
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return Node(mark.line + 1, mark.column + 1) if mark else Node()
    return root


def _node(event: Any, anchors: dict[str, Node]) -> Node:
    if isinstance(event, yaml.AliasEvent) and event.anchor in anchors:
        return anchors[event.anchor]
    return Node(*_start(event))


def _start(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1
