"""Resolve references between schemas.

This finds the schema that a `$ref` refers to, with its base URI, dialect and dynamic scope.

Schemas are never downloaded. A schema outside the document must be a published meta-schema, a resource that the caller
passes, or in one of the folders that the caller names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from toolgen.compiler.schema.dialects import (
    DEFAULT,
    DIALECTS,
    DRAFT_2020_12,
    FORMAT_ASSERTION,
    Dialect,
    normal_uri,
)
from toolgen.compiler.schema.ref_dirs import Documents, RefDir
from toolgen.compiler.schema.resources import (
    RECURSIVE,
    Anchor,
    DynamicScope,
    ResolutionError,
    ResourceIndex,
    SchemaResource,
    is_reference,
)
from toolgen_runtime.schema.pointer import PointerError, escape, join, member, parse
from toolgen_runtime.validation.helpers import equal

_MOST_LISTED = 3
"""The maximum number of places that a message names."""


class Scope(NamedTuple):
    """Where a schema is: its resource, the JSON pointer inside the resource, and the dynamic scope."""

    resource: SchemaResource
    pointer: str
    dynamic: DynamicScope

    @property
    def dialect(self) -> Dialect:
        """The dialect of the schema's resource."""
        return self.resource.dialect

    @property
    def place(self) -> tuple[str, str]:
        """The document and the pointer of the schema, which together identify it in every build.

        Usually the document is the URI of the resource (empty for the spec's own root), and the pointer is relative to
        the resource. If the URI does not identify the resource, both refer to the whole document.
        """
        resource = self.resource
        if resource.pointer == "" and resource.document.uri == "":
            return "", self.pointer
        if resource.is_repeated:
            return resource.document.uri, resource.pointer + self.pointer
        return resource.uri, self.pointer

    def below(self, *steps: str | int) -> Scope:
        """Return the scope of a subschema, in the same resource."""
        if len(steps) == 1:
            below = "/" + escape(steps[0])
        else:
            below = join(*steps)
        return Scope(self.resource, self.pointer + below, self.dynamic)


class Resources:
    """The documents that the references of one tool may lead to."""

    def __init__(
        self, root: Any, ref_dirs: Sequence[RefDir] = (), resources: Mapping[str, Any] | None = None
    ) -> None:
        self._documents = Documents(ref_dirs, resources)
        self._dialects: dict[str, Dialect] = dict(DIALECTS)
        self._defining: set[str] = set()
        self._default = DEFAULT
        self._index = ResourceIndex(self.dialect)
        self._answers: dict[object, bool] = {}
        self.root = self._index.add("", root, DEFAULT)
        """The resource of the tool's own schema."""
        self.start = Scope(self.root, "", DynamicScope())
        """The scope of the tool's own schema, before it is entered."""
        self._default = self.root.dialect

    # -- documents

    def _resource(self, uri: str) -> SchemaResource:
        """Return the resource with a URI.

        Raises:
            ResolutionError: there is no such resource, or there are several different ones.
        """
        found = self._index.at(uri) or [self._retrieved(uri)]
        first = found[0]
        if not self._once(
            uri,
            lambda: all(r.dialect is first.dialect and equal(r.contents, first.contents) for r in found[1:]),
        ):
            raise _ambiguous(uri, len(found), [resource.pointer for resource in found[:_MOST_LISTED]])
        return first

    def _once(self, key: object, ask: Callable[[], bool]) -> bool:
        """Return the result of `ask`, which is called once for each key, because very many references may need it."""
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = ask()
        return answer

    def _retrieved(self, uri: str) -> SchemaResource:
        from jsonschema_specifications import REGISTRY as METASCHEMAS  # few tools refer to one

        published = METASCHEMAS.get(normal_uri(uri))
        if published is None:
            contents = self._documents.read(uri)
        else:
            contents = published.contents
        if contents is None:
            raise ResolutionError(
                f"there is no document {uri!r} here",
                "toolgen never downloads schemas; pass the folder that contains it with --ref-dir [URI=]DIR",
            )
        return self._index.add(uri, contents, self._default)

    # -- dialects

    def dialect(self, uri: str) -> Dialect:
        """Return the dialect that a `$schema` names: a published one, or one that an available meta-schema
        defines.

        Raises:
            ResolutionError: the meta-schema is not available, or requires an unknown vocabulary.
        """
        uri = normal_uri(uri)
        known = self._dialects.get(uri)
        if known is None:
            if uri in self._defining:
                raise _defines_none(uri)
            self._defining.add(uri)
            known = self._dialects[uri] = self._defined(uri)
        return known

    def _defined(self, uri: str) -> Dialect:
        try:
            metaschema = self._resource(uri).contents
        except ResolutionError as error:
            raise ResolutionError(
                f"the dialect {uri!r} is not known",
                "use a published draft in $schema, or pass the meta-schema's folder with --ref-dir",
            ) from error
        if not isinstance(metaschema, dict) or normal_uri(str(metaschema.get("$schema"))) in self._defining:
            raise _defines_none(uri)
        base = self.dialect(str(metaschema.get("$schema", DRAFT_2020_12.uri)))
        chosen = metaschema.get("$vocabulary")
        if not isinstance(chosen, dict) or base.vocabularies is None:
            return base
        for vocabulary, is_required in chosen.items():
            if is_required and vocabulary not in base.vocabularies:
                raise ResolutionError(f"the dialect {uri!r} requires the unknown vocabulary {vocabulary!r}")
        known = [base.vocabularies[name] for name in chosen if name in base.vocabularies]
        return base._replace(
            keywords={keyword: shape for words in known for keyword, shape in words.items()},
            asserts_format=FORMAT_ASSERTION in chosen,
        )

    # -- scopes

    def enter(self, contents: Any, scope: Scope) -> Scope:
        """Return the scope inside a schema, which starts a new resource if it has an `$id` or `$schema`.

        Raises:
            ResolutionError: the `$schema` names an unknown dialect.
        """
        return _entered(self._opened(contents, scope))

    def _opened(self, contents: Any, scope: Scope) -> Scope:
        """Do the same as `enter` but keep the dynamic scope, for schemas on the way to a pointer's target."""
        resource = self._index.opened(scope.resource, scope.pointer, contents)
        if resource is scope.resource:
            return scope
        return scope._replace(resource=resource, pointer="")

    # -- references

    def resolve(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """Return the target of a `$ref`, and its scope.

        Raises:
            ResolutionError: the reference leads to no schema, or to several different schemas.
        """
        if not is_reference(reference):
            raise ResolutionError(f"{reference!r} is not a URI reference")
        uri, fragment = urldefrag(urljoin(scope.resource.uri, reference))
        if reference.startswith("#") or not reference:
            return self._at(scope.resource, unquote(reference[1:]), scope)
        return self._at(self._resource(uri), unquote(fragment), scope)

    def _at(self, resource: SchemaResource, fragment: str, scope: Scope) -> tuple[Any, Scope]:
        """Return the schema at a fragment of a resource, and its scope."""
        if resource.problem is not None:
            raise resource.problem
        inside = scope._replace(resource=resource, pointer="")
        if fragment and not fragment.startswith("/"):
            anchor = self._anchor(resource, fragment)
            return anchor.contents, _entered(inside._replace(pointer=anchor.pointer))
        return self._at_pointer(resource.contents, fragment, inside)

    def resolve_dynamic(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """Return the target of a `$dynamicRef` in a dynamic scope (2020-12 core, section 8.2.3.2).

        Raises:
            ResolutionError: there is no such schema.
        """
        if not scope.dialect.dynamic_needs_anchor and reference.startswith("#"):
            outermost = scope.dynamic.outermost(unquote(reference[1:]))
            if outermost is not None:
                return self._at(outermost, unquote(reference[1:]), scope)
        contents, target = self.resolve(reference, scope)
        name = unquote(reference.partition("#")[2])
        if (name, target.pointer) in target.resource.dynamic_places:
            outermost = target.dynamic.outermost(name)
            if outermost is not None:
                return self._at(outermost, name, scope)
        return contents, target

    def resolve_recursive(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """Return the target of a `$recursiveRef` in a dynamic scope (2019-09 core, section 8.2.4.2.1)."""
        contents, target = self.resolve(reference, scope)
        if isinstance(contents, dict) and contents.get(RECURSIVE) is True:
            outermost = target.dynamic.outermost(RECURSIVE)
            if outermost is not None:
                return self._at(outermost, "", scope)
        return contents, target

    def _at_pointer(self, contents: Any, pointer: str, scope: Scope) -> tuple[Any, Scope]:
        try:
            steps = parse(pointer)
        except PointerError as error:
            raise ResolutionError(str(error), "write ~ as ~0 and / as ~1 (RFC 6901)") from None
        for step in steps:
            try:
                contents = member(contents, step)
            except PointerError:
                where = f"{scope.resource.uri}#{scope.pointer}"
                raise ResolutionError(
                    f"there is no {step!r} at {where!r}", "correct the pointer, or add the missing part"
                ) from None
            scope = self._opened(contents, scope.below(step))
        return contents, _entered(scope)

    def _anchor(self, resource: SchemaResource, name: str) -> Anchor:
        found = resource.anchors.get(name, [])
        if not found:
            raise ResolutionError(
                f"there is no anchor {name!r} in {resource.uri or 'this schema'!r}",
                "define it with $anchor, or point to a path",
            )
        first = found[0]
        if not self._once(
            (resource, name), lambda: all(equal(anchor.contents, first.contents) for anchor in found[1:])
        ):
            pointers = [resource.pointer + anchor.pointer for anchor in found[:_MOST_LISTED]]
            raise _ambiguous(f"{resource.uri}#{name}", len(found), pointers)
        return first


def _entered(scope: Scope) -> Scope:
    dynamic = scope.dynamic.entered(scope.resource)
    if dynamic is scope.dynamic:
        return scope
    return scope._replace(dynamic=dynamic)


def _defines_none(uri: str) -> ResolutionError:
    return ResolutionError(f"the document at {uri!r} defines no dialect", "use a published draft in $schema")


def _ambiguous(uri: str, count: int, pointers: Sequence[str]) -> ResolutionError:
    """Return the error for a URI of `count` different schemas. `pointers` are the places of the first few."""
    more = count - len(pointers)
    places = ", ".join(f"#{pointer}" for pointer in pointers) + (f" and {more} more" if more else "")
    return ResolutionError(
        f"{count} different schemas have the URI {uri!r}: {places}",
        "give each of them a different URI, or refer to one with a JSON pointer",
        "ambiguous-reference",
    )
