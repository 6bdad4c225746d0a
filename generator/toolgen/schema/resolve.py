"""References: which schema a `$ref` means, under which base URI, dialect and dynamic scope.

Resources and anchors are found by `referencing`; nothing is ever fetched. What is not in the document
itself comes from the published meta-schemas or from the folders that the caller names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urljoin

import referencing
from referencing import Resource
from referencing.exceptions import NoSuchAnchor, NoSuchResource, Unresolvable, Unretrievable
from referencing.jsonschema import DynamicAnchor

from toolgen.schema.dialects import DIALECTS, DRAFT_2020_12, FORMAT_ASSERTION, Dialect, normal_uri
from toolgen.schema.documents import Documents
from toolgen.schema.specifications import is_reference, specification_of
from toolgen.spec import RefDir
from toolgen_runtime.pointer import PointerError, join, member, parse

RECURSIVE: Final = "$recursiveAnchor"
"""The name under which a resource with `$recursiveAnchor: true` enters the dynamic scope."""


class ResolutionError(Exception):
    """A reference that leads nowhere; the message is one sentence, `mend` says what would help."""

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.mend = mend


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a schema stands: base URI, dialect, JSON pointer in its resource, and the dynamic scope.

    `outermost` maps each dynamic anchor in force to the resource that a `$dynamicRef` to it means:
    the outermost one (2020-12 core, section 8.2.3.2). It is all of the dynamic scope that matters.
    """

    base_uri: str
    dialect: Dialect
    pointer: str = ""
    outermost: tuple[tuple[str, str], ...] = ()

    def below(self, *steps: str | int) -> Scope:
        """The scope of a subschema in the same resource."""
        return replace(self, pointer=self.pointer + join(*steps))


class Resources:
    """The documents that one tool's references can lead to."""

    def __init__(self, root: Any, dialect: Dialect, ref_dirs: Sequence[RefDir] = ()) -> None:
        self._documents = Documents(ref_dirs)
        self._default = dialect
        self._dynamic_names: dict[str, frozenset[str]] = {}
        self._dialects: dict[str, Dialect] = dict(DIALECTS)
        self._defining: set[str] = set()
        # referencing declares `retrieve` for its own attrs class; any callable from URI to Resource fits.
        self._registry: referencing.Registry[Any] = referencing.Registry(retrieve=self._retrieve)  # type: ignore[call-arg]
        if isinstance(root, dict):
            self._registry = self._registry.with_resource("", specification_of(dialect).create_resource(root))

    # -- documents

    def _retrieve(self, uri: str) -> Resource[Any]:
        from jsonschema_specifications import REGISTRY as METASCHEMAS  # few tools refer to one

        published: Resource[Any] | None = METASCHEMAS.get(uri)
        if published is not None:
            return published
        contents = self._documents.read(uri)
        if contents is None:
            raise LookupError(uri)
        return Resource.from_contents(contents, default_specification=specification_of(self._default))

    # -- dialects

    def dialect(self, uri: str) -> Dialect:
        """The dialect that a `$schema` names: a published one, or one that a meta-schema at hand defines.

        Raises:
            ResolutionError: the meta-schema is not at hand, or requires a vocabulary that is not known.
        """
        uri = normal_uri(uri)
        known = self._dialects.get(uri)
        if known is None:
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
            raise ResolutionError(
                f"what stands at {uri!r} defines no dialect", "name a published draft in $schema"
            )
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
        """The scope inside a schema: an `$id` or `$schema` of its own opens a new resource.

        Raises:
            ResolutionError: the `$schema` names an unknown dialect.
        """
        return self._with_anchors(self._opened(contents, scope))

    def _opened(self, contents: Any, scope: Scope) -> Scope:
        """`enter` without a change of the dynamic scope, for resources that are only passed through."""
        if not isinstance(contents, dict):
            return scope
        declared = contents.get("$schema")
        name = specification_of(scope.dialect).create_resource(contents).id()
        if isinstance(declared, str) and (name is not None or scope.pointer == ""):
            scope = replace(scope, dialect=self.dialect(declared))
            name = specification_of(scope.dialect).create_resource(contents).id()
        if name is not None:
            base_uri = urljoin(scope.base_uri, name).removesuffix("#")
            if base_uri != scope.base_uri:
                scope = replace(scope, base_uri=base_uri, pointer="")
        return scope

    def _with_anchors(self, scope: Scope) -> Scope:
        held = {name for name, _ in scope.outermost}
        new = sorted(self._dynamic_anchors(scope.base_uri) - held)
        return (
            replace(scope, outermost=(*scope.outermost, *((name, scope.base_uri) for name in new)))
            if new
            else scope
        )

    def _dynamic_anchors(self, uri: str) -> frozenset[str]:
        """Names of the dynamic anchors of one resource, embedded resources left out."""
        names = self._dynamic_names.get(uri)
        if names is None:
            names = self._dynamic_names[uri] = frozenset(self._scan(uri))
        return names

    def _scan(self, uri: str) -> Iterator[str]:
        try:
            root = self._resource(uri)
        except ResolutionError:
            return
        if isinstance(root.contents, dict) and root.contents.get(RECURSIVE) is True:
            yield RECURSIVE
        pending = [root]
        while pending:
            resource = pending.pop()
            yield from (a.name for a in resource.anchors() if isinstance(a, DynamicAnchor))
            pending.extend(sub for sub in resource.subresources() if sub.id() is None)

    # -- references

    def _resource(self, uri: str) -> Resource[Any]:
        try:
            retrieved = self._registry.get_or_retrieve(uri)
        except (NoSuchResource, Unretrievable, Unresolvable) as error:
            raise ResolutionError(
                f"nothing is known at {uri!r}",
                "references are never fetched: give a folder that holds it with --ref-dir [URI=]DIR",
            ) from error
        self._registry = retrieved.registry
        return retrieved.value

    def resolve(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """The schema that a `$ref` means, and its scope.

        Raises:
            ResolutionError: it leads nowhere.
        """
        if not is_reference(reference):
            raise ResolutionError(f"{reference!r} is no URI reference")
        uri, fragment = urldefrag(urljoin(scope.base_uri, reference))
        if reference.startswith("#"):
            uri, fragment = scope.base_uri, reference[1:]
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._at_anchor(uri, fragment, scope)
        resource = self._resource(uri)
        inside = self._document_scope(uri, resource, scope)
        return self._at_pointer(resource.contents, fragment, inside)

    def resolve_dynamic(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """The schema that a `$dynamicRef` means in this dynamic scope (2020-12 core, section 8.2.3.2)."""
        contents, target = self.resolve(reference, scope)
        name = unquote(reference.partition("#")[2])
        if name and not name.startswith("/") and name in self._dynamic_anchors(target.base_uri):
            outermost = dict(target.outermost).get(name)
            if outermost is not None and isinstance(self._anchor(target.base_uri, name), DynamicAnchor):
                return self._at_anchor(outermost, name, scope)
        return contents, target

    def resolve_recursive(self, reference: str, scope: Scope) -> tuple[Any, Scope]:
        """The schema that a `$recursiveRef` means in this dynamic scope (2019-09 core, section 8.2.4.2.1)."""
        contents, target = self.resolve(reference, scope)
        if isinstance(contents, dict) and contents.get(RECURSIVE) is True:
            outermost = dict(target.outermost).get(RECURSIVE)
            if outermost is not None:
                return self.resolve(outermost + "#", replace(scope, base_uri=outermost))
        return contents, target

    def _document_scope(self, uri: str, resource: Resource[Any], scope: Scope) -> Scope:
        if uri == scope.base_uri:
            return replace(scope, pointer="")
        dialect = self._default
        known = next((d for u, d in DIALECTS.items() if uri.startswith(u.removesuffix("/schema"))), None)
        inside = Scope(uri, known or dialect, "", scope.outermost)
        opened = self._opened(resource.contents, inside)
        # An embedded resource is known under the URI that its `$id` has given it already.
        return opened if self._is_at(opened.base_uri, resource) else inside

    def _is_at(self, uri: str, resource: Resource[Any]) -> bool:
        found = self._registry.crawl().get(uri)
        return found is not None and found.contents is resource.contents

    def _at_pointer(self, contents: Any, pointer: str, scope: Scope) -> tuple[Any, Scope]:
        for step in _steps(pointer):
            try:
                contents = member(contents, step)
            except PointerError:
                where = f"{scope.base_uri}#{scope.pointer}"
                raise ResolutionError(
                    f"there is no {step!r} at {where!r}", "correct the pointer, or add what it names"
                ) from None
            scope = scope.below(step)
            if isinstance(contents, dict) and isinstance(contents.get(scope.dialect.id_keyword), str):
                scope = self._opened(contents, scope)
        return contents, self._with_anchors(scope)

    def _anchor(self, uri: str, name: str) -> Any:
        self._resource(uri)
        try:
            retrieved = self._registry.anchor(uri, name)
        except (NoSuchAnchor, NoSuchResource, Unresolvable, KeyError) as error:
            raise ResolutionError(
                f"there is no anchor {name!r} in {uri or 'this schema'!r}",
                "define it with $anchor, or point to a path",
            ) from error
        self._registry = retrieved.registry
        return retrieved.value

    def _at_anchor(self, uri: str, name: str, scope: Scope) -> tuple[Any, Scope]:
        anchor = self._anchor(uri, name)
        inside = self._document_scope(uri, self._resource(uri), scope)
        return anchor.resource.contents, self._with_anchors(replace(inside, pointer=f"#{name}"))


def _steps(pointer: str) -> list[str]:
    try:
        return parse(pointer)
    except PointerError as error:
        raise ResolutionError(str(error), "write ~ as ~0 and / as ~1 (RFC 6901)") from None
