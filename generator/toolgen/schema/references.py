"""References: which schema a `$ref` means, under which base URI, dialect and dynamic scope.

Nothing is ever fetched. What is not in the document itself comes from the published meta-schemas or from
the folders that the caller names.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from toolgen.schema.dialects import DEFAULT, DIALECTS, DRAFT_2020_12, FORMAT_ASSERTION, Dialect, normal_uri
from toolgen.schema.ref_dirs import Documents, RefDir
from toolgen.schema.resources import (
    RECURSIVE,
    Anchor,
    ResolutionError,
    ResourceIndex,
    SchemaResource,
    is_reference,
)
from toolgen_runtime.schema.pointer import PointerError, escape, join, member, parse
from toolgen_runtime.validation.helpers import equal

DynamicScope = tuple[tuple[str, SchemaResource], ...]
"""The names of dynamic anchors, each with the outermost resource that has it."""

_MOST_LISTED = 3
"""Places that a message names."""


class Scope(NamedTuple):
    """Where a schema stands: its resource, the JSON pointer in it, and the dynamic scope.

    `outermost` maps each dynamic anchor in force to the resource that a `$dynamicRef` to it means:
    the outermost one (2020-12 core, section 8.2.3.2). It is all of the dynamic scope that matters.
    """

    resource: SchemaResource
    pointer: str = ""
    outermost: DynamicScope = ()

    @property
    def dialect(self) -> Dialect:
        """The dialect of the resource."""
        return self.resource.dialect

    @property
    def place(self) -> tuple[str, str]:
        """(document, pointer): a name of this place that no other place has, the same in every build.

        As a rule the URI of the resource and the pointer in it; of the spec's own root, the empty URI. Where
        several resources have one URI, each is named by the place at which it stands.
        """
        resource = self.resource
        if resource.pointer == "" and resource.document.uri == "":
            return "", self.pointer
        if resource.is_repeated:
            return resource.document.uri, resource.pointer + self.pointer
        return resource.uri, self.pointer

    def below(self, *steps: str | int) -> Scope:
        """Return the scope of a subschema in the same resource."""
        below = "/" + escape(steps[0]) if len(steps) == 1 else join(*steps)
        return Scope(self.resource, self.pointer + below, self.outermost)


class Resources:
    """The documents that one tool's references can lead to."""

    def __init__(self, root: Any, ref_dirs: Sequence[RefDir] = ()) -> None:
        self._documents = Documents(ref_dirs)
        self._dialects: dict[str, Dialect] = dict(DIALECTS)
        self._defining: set[str] = set()
        self._default = DEFAULT
        self._index = ResourceIndex(self.dialect)
        self.root = self._index.add("", root, DEFAULT)
        self._default = self.root.dialect

    # -- documents

    def _resource(self, uri: str) -> SchemaResource:
        """Return the one resource of a URI.

        Raises:
            ResolutionError: there is none, or there are several that differ.
        """
        found = self._index.at(uri) or [self._retrieved(uri)]
        first, *others = found
        if any(
            other.dialect is not first.dialect or not equal(other.contents, first.contents)
            for other in others
        ):
            raise _ambiguous(uri, [resource.pointer for resource in found])
        return first

    def _retrieved(self, uri: str) -> SchemaResource:
        from jsonschema_specifications import REGISTRY as METASCHEMAS  # few tools refer to one

        published = METASCHEMAS.get(normal_uri(uri))
        contents = self._documents.read(uri) if published is None else published.contents
        if contents is None:
            raise ResolutionError(
                f"nothing is known at {uri!r}",
                "references are never fetched: give a folder that holds it with --ref-dir [URI=]DIR",
            )
        return self._index.add(uri, contents, self._default)

    # -- dialects

    def dialect(self, uri: str) -> Dialect:
        """Return the dialect that a `$schema` names: a published one, or one that a meta-schema at hand defines.

        Raises:
            ResolutionError: the meta-schema is not at hand, or requires a vocabulary that is not known.
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
                "name a published draft in $schema, or give the meta-schema's folder with --ref-dir",
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
        return replace(
            base,
            keywords={keyword: shape for words in known for keyword, shape in words.items()},
            asserts_format=FORMAT_ASSERTION in chosen,
        )

    # -- scopes

    def enter(self, contents: Any, scope: Scope) -> Scope:
        """Return the scope inside a schema: an `$id` or `$schema` of its own opens a new resource.

        Raises:
            ResolutionError: the `$schema` names an unknown dialect.
        """
        return _with_anchors(self._opened(contents, scope))

    def _opened(self, contents: Any, scope: Scope) -> Scope:
        """Return `enter` without a change of the dynamic scope, for resources that are only passed through."""
        resource = self._index.opened(scope.resource, scope.pointer, contents)
        return scope if resource is scope.resource else scope._replace(resource=resource, pointer="")

    # -- references

    def resolve(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """Return the schema that a `$ref` means, and its scope.

        Raises:
            ResolutionError: it leads nowhere, or to several different schemas.
        """
        if not is_reference(reference):
            raise ResolutionError(f"{reference!r} is no URI reference")
        uri, fragment = urldefrag(urljoin(scope.resource.uri, reference))
        if reference.startswith("#") or not reference:
            return self._within(unquote(reference[1:]), scope)
        return self._at(self._resource(uri), unquote(fragment), scope)

    def _within(self, fragment: str, scope: Scope) -> tuple[Any, Scope]:
        """Return what a fragment alone means: in the resource where it stands, else in another of the same URI."""
        try:
            return self._at(scope.resource, fragment, scope)
        except ResolutionError as error:
            found: list[tuple[Any, Scope]] = []
            for twin in self._index.at(scope.resource.uri):
                with suppress(ResolutionError):
                    found.append(self._at(twin, fragment, scope))
            if not found or error.code != "unresolvable-reference":
                raise
            if any(not equal(contents, found[0][0]) for contents, _ in found):
                places = [target.resource.pointer + target.pointer for _, target in found]
                raise _ambiguous(f"{scope.resource.uri}#{fragment}", places) from None
            return found[0]

    def _at(self, resource: SchemaResource, fragment: str, scope: Scope) -> tuple[Any, Scope]:
        """Return what stands at a fragment of a resource."""
        if resource.problem is not None:
            raise resource.problem
        inside = scope._replace(resource=resource, pointer="")
        if fragment and not fragment.startswith("/"):
            anchor = _anchor(resource, fragment)
            return anchor.contents, _with_anchors(inside._replace(pointer=anchor.pointer))
        return self._at_pointer(resource.contents, fragment, inside)

    def resolve_dynamic(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """Return the schema that a `$dynamicRef` means in this dynamic scope (2020-12 core, section 8.2.3.2)."""
        contents, target = self.resolve(reference, scope)
        name = unquote(reference.partition("#")[2])
        if any(a.is_dynamic and a.pointer == target.pointer for a in target.resource.anchors.get(name, ())):
            outermost = dict(target.outermost).get(name)
            if outermost is not None:
                return self._at(outermost, name, scope)
        return contents, target

    def resolve_recursive(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """Return the schema that a `$recursiveRef` means in this dynamic scope (2019-09 core, section 8.2.4.2.1)."""
        contents, target = self.resolve(reference, scope)
        if isinstance(contents, dict) and contents.get(RECURSIVE) is True:
            outermost = dict(target.outermost).get(RECURSIVE)
            if outermost is not None:
                return self._at(outermost, "", scope)
        return contents, target

    def _at_pointer(self, contents: Any, pointer: str, scope: Scope) -> tuple[Any, Scope]:
        for step in _steps(pointer):
            try:
                contents = member(contents, step)
            except PointerError:
                where = f"{scope.resource.uri}#{scope.pointer}"
                raise ResolutionError(
                    f"there is no {step!r} at {where!r}", "correct the pointer, or add what it names"
                ) from None
            scope = self._opened(contents, scope.below(step))
        return contents, _with_anchors(scope)


def _with_anchors(scope: Scope) -> Scope:
    names = scope.resource.dynamic_names
    new = sorted(names - {name for name, _ in scope.outermost}) if names else ()
    if not new:
        return scope
    return scope._replace(outermost=(*scope.outermost, *((name, scope.resource) for name in new)))


def _anchor(resource: SchemaResource, name: str) -> Anchor:
    found = resource.anchors.get(name, [])
    if not found:
        raise ResolutionError(
            f"there is no anchor {name!r} in {resource.uri or 'this schema'!r}",
            "define it with $anchor, or point to a path",
        )
    if any(not equal(other.contents, found[0].contents) for other in found):
        raise _ambiguous(f"{resource.uri}#{name}", [resource.pointer + anchor.pointer for anchor in found])
    return found[0]


def _defines_none(uri: str) -> ResolutionError:
    return ResolutionError(f"what stands at {uri!r} defines no dialect", "name a published draft in $schema")


def _ambiguous(uri: str, pointers: Sequence[str]) -> ResolutionError:
    shown = [f"#{pointer}" for pointer in pointers[:_MOST_LISTED]]
    more = len(pointers) - len(shown)
    places = ", ".join(shown) + (f" and {more} more" if more else "")
    return ResolutionError(
        f"{len(pointers)} different schemas have the URI {uri!r}: {places}",
        "give each of them a URI of its own, or refer to one by a JSON pointer",
        "ambiguous-reference",
    )


def _steps(pointer: str) -> list[str]:
    try:
        return parse(pointer)
    except PointerError as error:
        raise ResolutionError(str(error), "write ~ as ~0 and / as ~1 (RFC 6901)") from None
