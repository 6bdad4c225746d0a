"""The dynamic scope of a place: which resource each dynamic anchor means there (2020-12 core, section 8.2.3.2)."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.schema.resources import SchemaResource


class DynamicScope:
    """The names of dynamic anchors in force, each with the outermost resource that has it.

    That is all of the dynamic scope that matters. There is one object for each sequence of resources, so that
    scopes are the same if they are one object.
    """

    __slots__ = ("_entered", "_resources")

    def __init__(self, resources: Mapping[str, SchemaResource] | None = None) -> None:
        """Begin with these names, or none."""
        self._resources: Mapping[str, SchemaResource] = resources or {}
        self._entered: dict[SchemaResource, DynamicScope] = {}

    def outermost(self, name: str) -> SchemaResource | None:
        """Return the resource that a dynamic reference to a name means, None if the name is not in force."""
        return self._resources.get(name)

    def entered(self, resource: SchemaResource) -> DynamicScope:
        """Return the scope inside a resource: this one if it has no names but those that are in force."""
        scope = self._entered.get(resource)
        if scope is None:
            new = {name: resource for name in resource.dynamic_names if name not in self._resources}
            scope = self._entered[resource] = DynamicScope({**self._resources, **new}) if new else self
        return scope
