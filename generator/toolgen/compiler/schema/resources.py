"""Schema resources: schemas that have a URI of their own, inside a document.

Two places may have the same `$id`, so a resource is identified by its place. Its URI is used only to resolve
references. If several different resources have the same URI, the URI is ambiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from toolgen.compiler.schema.dialects import DIALECTS, Dialect
from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.raw import children

RECURSIVE: Final = "$recursiveAnchor"
"""The name under which a resource with `$recursiveAnchor: true` enters the dynamic scope."""
_HELD: Final = frozenset(("definitions",))
_HELD_SINCE_2019: Final = frozenset(("definitions", "$defs", "contentSchema"))
"""Keywords that contain subschemas without asserting them (2019-09 core, section 8.2.5; validation, section 8.5)."""


class ResolutionError(Exception):
    """The error for a reference or a dialect that cannot be resolved.

    The message is one sentence, and `fix` is a suggestion.
    """

    def __init__(self, message: str, fix: str = "", code: str = "unresolvable-reference") -> None:
        super().__init__(message)
        self.fix = fix
        self.code = code


class Anchor(NamedTuple):
    """A schema that a reference can name by an anchor instead of a JSON pointer. `pointer` starts at its
    resource.
    """

    pointer: str
    contents: Any


@dataclass(slots=True, eq=False)
class Document:
    """A JSON document that contains schemas.

    It is the spec's own document (`uri` is empty), or one that a reference refers to.
    """

    uri: str
    resources: dict[str, SchemaResource] = field(default_factory=dict)
    """The resources by JSON pointer."""
    is_divided: bool = True
    """Whether the document can have resources other than its root."""


@dataclass(slots=True, eq=False)
class SchemaResource:
    """One schema resource (2020-12 core, section 4.3.5), which is a schema with a URI of its own.

    Resources are compared by identity, because two may share a URI.
    """

    uri: str
    contents: Any
    dialect: Dialect
    document: Document
    pointer: str
    """The resource's place in the document."""
    anchors: dict[str, list[Anchor]] = field(default_factory=dict)
    dynamic_places: set[tuple[str, str]] = field(default_factory=set)
    """(name, pointer) of the dynamic anchors."""
    is_repeated: bool = False
    """Whether the URI does not identify the resource, because another one has it or the resource is under an unknown
    keyword.
    """
    problem: ResolutionError | None = None
    """The error, if the dialect of the resource is not known."""

    @property
    def dynamic_names(self) -> frozenset[str]:
        """The names of the resource's dynamic anchors (2020-12 core, section 8.2.3.2)."""
        is_recursive = isinstance(self.contents, dict) and self.contents.get(RECURSIVE) is True
        names = frozenset(name for name, _ in self.dynamic_places)
        if is_recursive:
            return names | {RECURSIVE}
        return names

    def __repr__(self) -> str:
        return f"SchemaResource({self.uri!r} at {self.document.uri}#{self.pointer})"


def is_reference(name: Any) -> bool:
    """Return whether a value is a valid URI reference."""
    try:
        urlsplit(name)
    except (ValueError, TypeError, AttributeError):
        return False
    return isinstance(name, str)


class DynamicScope:
    """The names of the dynamic anchors in scope. For each, the outermost resource that has the anchor is
    recorded.

    Nothing else about the dynamic scope matters. Entering the same resources in the same order returns the same object,
    so scopes are compared by identity.
    """

    __slots__ = ("_entered", "_resources")

    def __init__(self, resources: Mapping[str, SchemaResource] | None = None) -> None:
        """Begin with these names, or none."""
        self._resources: Mapping[str, SchemaResource] = resources or {}
        self._entered: dict[SchemaResource, DynamicScope] = {}

    def outermost(self, name: str) -> SchemaResource | None:
        """Return the resource that a dynamic reference leads to, by the name of the anchor.

        Return None if the name is not in scope.
        """
        return self._resources.get(name)

    def entered(self, resource: SchemaResource) -> DynamicScope:
        """Return the scope inside a resource, which is the same scope if the resource adds no names."""
        scope = self._entered.get(resource)
        if scope is None:
            new = {name: resource for name in resource.dynamic_names if name not in self._resources}
            scope = self._entered[resource] = DynamicScope({**self._resources, **new}) if new else self
        return scope


class ResourceIndex:
    """The resources of some documents, to be found by URI or by location."""

    def __init__(self, dialect_of: Callable[[str], Dialect]) -> None:
        """Create an empty index. `dialect_of` returns the dialect of a `$schema`, or raises `ResolutionError`."""
        self._dialect_of = dialect_of
        self._by_uri: dict[str, list[SchemaResource]] = {}

    def at(self, uri: str) -> list[SchemaResource]:
        """Return the resources that have a URI (without fragment), in the order of their document."""
        return self._by_uri.get(uri, [])

    def add(self, uri: str, contents: Any, dialect: Dialect) -> SchemaResource:
        """Add a document that has a URI, and return its root resource.

        If an earlier document has the same URI, the resources of that document are kept.
        """
        document = Document(uri)
        root = self._open(SchemaResource(uri, contents, dialect, document, ""), "", contents)
        document.resources.setdefault("", root)
        document.is_divided = _names_parts(contents, root.dialect)
        if document.is_divided:
            found = [root, *self._read(root)]
        else:
            found = [root]
        by_uri: dict[str, list[SchemaResource]] = {}
        for resource in found:
            by_uri.setdefault(resource.uri, []).append(resource)
        by_uri.setdefault(uri, [root])
        for defined, resources in by_uri.items():
            self._by_uri.setdefault(defined, resources)
        for resource in found:
            holders = self._by_uri[resource.uri]
            resource.is_repeated = holders != [resource] and not (resource is root is holders[0])
        return root

    def opened(self, around: SchemaResource, pointer: str, contents: Any) -> SchemaResource:
        """Return the resource to which the schema at a pointer belongs.

        It is the schema's own resource, or the one around it.

        Raises:
            ResolutionError: the schema's `$schema` names an unknown dialect.
        """
        if not around.document.is_divided:
            resource: SchemaResource | None = around
        else:
            resource = around.document.resources.get(around.pointer + pointer)
        if resource is None:
            resource = self._open(around, pointer, contents)
            if resource is not around:  # under an unknown keyword, so it cannot be found by its URI
                for inner in (resource, *self._read(resource)):
                    inner.is_repeated = True
        if resource.problem is not None:
            raise resource.problem
        return resource

    # -- reading

    def _open(self, around: SchemaResource, pointer: str, contents: Any) -> SchemaResource:
        """Return the resource that a schema starts, or else the resource around it."""
        if not isinstance(contents, dict):
            return around
        declared, dialect, problem = contents.get("$schema"), around.dialect, None
        is_root = around.pointer + pointer == ""
        if not is_root and dialect.id_keyword not in contents:
            return around
        if isinstance(declared, str) and (is_root or _identifier(contents, dialect)):
            try:
                dialect = self._dialect_of(declared)
            except ResolutionError as error:
                problem = error
        name = urldefrag(_identifier(contents, dialect)).url
        if not (name or is_root):
            return around
        place = around.pointer + pointer
        resource = around.document.resources[place] = SchemaResource(
            urljoin(around.uri, name), contents, dialect, around.document, place, problem=problem
        )
        return resource

    def _read(self, root: SchemaResource) -> Iterator[SchemaResource]:
        """Record the anchors of a resource and of its embedded resources. Yield the embedded ones in order."""
        pending: list[tuple[SchemaResource, str, Any]] = [(root, "", root.contents)]
        while pending:
            resource, pointer, contents = pending.pop()
            if not isinstance(contents, dict):  # a boolean schema, or not a schema
                continue
            for name, is_dynamic in _anchors(contents, resource.dialect):
                resource.anchors.setdefault(name, []).append(Anchor(pointer, contents))
                if is_dynamic:
                    resource.dynamic_places.add((name, pointer))
            inside: list[tuple[SchemaResource, str, Any]] = []
            for steps, child in _subschemas(contents, resource.dialect):
                below = pointer + join(*steps)
                embedded = self._open(resource, below, child)
                inside.append((embedded, below if embedded is resource else "", child))
                if embedded is not resource:
                    yield embedded
            pending += reversed(inside)


def _names_parts(contents: Any, dialect: Dialect) -> bool:
    """Return whether an object in a document has a keyword that gives schemas a URI or an anchor."""
    names = {dialect.id_keyword, "$anchor", "$dynamicAnchor"}
    pending = [contents]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if not names.isdisjoint(value):
                return True
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return False


def _identifier(contents: dict[str, Any], dialect: Dialect) -> str:
    """Return a schema's own id, unresolved; empty if it has none or a `$ref` hides it (in draft-07 and earlier)."""
    name = contents.get(dialect.id_keyword)
    hidden = dialect.ref_hides_siblings and "$ref" in contents
    return name if isinstance(name, str) and is_reference(name) and not hidden else ""


def _anchors(contents: dict[str, Any], dialect: Dialect) -> Iterator[tuple[str, bool]]:
    """Yield each anchor of a schema and whether it is dynamic.

    In draft-07 and earlier, the fragment of the id is an anchor.
    """
    if dialect.ref_hides_siblings:
        identifier = _identifier(contents, dialect)
        if "#" in identifier and (fragment := urldefrag(identifier).fragment):
            yield fragment, False
        return
    for keyword in ("$anchor", "$dynamicAnchor"):
        name = contents.get(keyword)
        if isinstance(name, str) and (keyword == "$anchor" or "$dynamicRef" in _base(dialect).keywords):
            yield name, keyword == "$dynamicAnchor"


def _base(dialect: Dialect) -> Dialect:
    """Return the draft on which a dialect is based, which is usually the dialect itself."""
    return DIALECTS[dialect.uri]


def _subschemas(contents: dict[str, Any], dialect: Dialect) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield (steps, schema) for each subschema of the dialect that is an object. Skip malformed subschemas."""
    held = _HELD if dialect.ref_hides_siblings else _HELD_SINCE_2019
    known = _base(dialect).keywords
    for steps, child in children(contents):
        if isinstance(child, dict) and (steps[0] in known or steps[0] in held):
            yield steps, child
