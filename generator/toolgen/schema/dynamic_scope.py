"""The dynamic scope of a place: which resource each dynamic anchor means there (2020-12 core, section 8.2.3.2)."""

from __future__ import annotations

from typing import Any

from toolgen.schema.resources import SchemaResource

_Node = tuple[SchemaResource | None, Any, Any] | None
"""A value, and the nodes of the even and of the odd numbers below it."""


class DynamicScope:
    """The names of dynamic anchors in force, each with the outermost resource that has it.

    That is all of the dynamic scope that matters. There is one object for each sequence of resources, so that
    scopes are the same where they are one object. A scope shares what it holds with the one that it was entered
    from: a chain of resources takes memory and time in proportion to its length.
    """

    __slots__ = ("_entered", "_numbers", "_resources")

    def __init__(self) -> None:
        """Begin with no names."""
        self._resources: _Node = None
        self._numbers: dict[str, int] = {}
        self._entered: dict[SchemaResource, DynamicScope] = {}

    def outermost(self, name: str) -> SchemaResource | None:
        """Return the resource that a dynamic reference to a name means, None where the name is not in force."""
        number = self._numbers.get(name)
        return None if number is None else _get(self._resources, number)

    def entered(self, resource: SchemaResource) -> DynamicScope:
        """Return the scope inside a resource: this one, where it has no names but those that are in force."""
        scope = self._entered.get(resource)
        if scope is None:
            new = [name for name in sorted(resource.dynamic_names) if self.outermost(name) is None]
            scope = self._entered[resource] = self._with(new, resource) if new else self
        return scope

    def _with(self, names: list[str], resource: SchemaResource) -> DynamicScope:
        scope = DynamicScope()
        scope._numbers, scope._resources = self._numbers, self._resources
        for name in names:
            number = scope._numbers.setdefault(name, len(scope._numbers) + 1)
            scope._resources = _set(scope._resources, number, resource)
        return scope


def _get(node: _Node, number: int) -> SchemaResource | None:
    while node is not None and number > 1:
        node = node[2] if number % 2 else node[1]
        number //= 2
    return None if node is None else node[0]


def _set(node: _Node, number: int, resource: SchemaResource) -> _Node:
    held, even, odd = node or (None, None, None)
    if number == 1:
        return resource, even, odd
    if number % 2:
        return held, even, _set(odd, number // 2, resource)
    return held, _set(even, number // 2, resource), odd
