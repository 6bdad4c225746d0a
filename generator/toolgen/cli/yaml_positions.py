"""Where the values of a YAML text begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Node:
    """A value: the line and the column, from 1, where it begins, and its members by key or number."""

    line: int = 1
    column: int = 1
    members: dict[str, Node] = field(default_factory=dict)
    key: Any = None
    """In an object that is being read: the event of the key whose value comes next."""

    def of(self, steps: Sequence[str]) -> Node:
        """Return the value at the steps, or the last value on the way to it."""
        node = self
        for step in steps:
            if step not in node.members:
                break
            node = node.members[step]
        return node

    def add(self, node: Node, event: Any, *, is_mapping: bool) -> None:
        """Take the next key, item or value."""
        if not is_mapping:
            self.members[str(len(self.members))] = node
        elif self.key is None:
            self.key = event
        else:
            if (name := getattr(self.key, "value", None)) is not None:
                self.members.setdefault(name, node)
            self.key = None


def tree_of(text: str) -> Node:
    """Return the root of the first document; of a broken text, where it breaks. An alias is the value it refers to.

    Only events are read, in a loop: the text may be deeper than a stack.
    """
    root: Node | None = None
    open_nodes: list[tuple[Node, bool]] = []
    anchors: dict[str | None, Node] = {}
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionEndEvent):
                open_nodes.pop()
            elif isinstance(event, yaml.DocumentEndEvent):
                break
            elif isinstance(event, yaml.NodeEvent):
                node = _node_at(event.start_mark)
                if isinstance(event, yaml.AliasEvent):
                    node = anchors.get(event.anchor, node)
                elif event.anchor:
                    anchors[event.anchor] = node
                root = root or node
                if open_nodes:
                    holder, is_mapping = open_nodes[-1]
                    holder.add(node, event, is_mapping=is_mapping)
                if isinstance(event, yaml.CollectionStartEvent):
                    open_nodes.append((node, isinstance(event, yaml.MappingStartEvent)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return _node_at(mark) if mark else Node()
    return root or Node()


def _node_at(mark: Any) -> Node:
    return Node(mark.line + 1, mark.column + 1)
