"""A tool's schema as part of another document, where its own references would lead astray."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.schema.pointer import PointerError, parse_fragment, resolve

_SCOPED = frozenset(
    ["$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef", "$recursiveRef"]
)
_DEFINITIONS = ("$defs", "definitions")
_DATA = ("const", "enum", "default", "examples")
_NAMED = ("properties", "patternProperties", "dependentSchemas", "dependencies")
_MAX_NODES = 20_000


class _NotEmbeddableError(Exception):
    pass


def embeddable(schema: Any) -> Any:
    """Return the schema with every reference replaced by what it refers to; None if that cannot be done.

    Recursive schemas, those with a base or anchors of their own, references out of the document, and what
    would grow beyond 20,000 schemas cannot be embedded.
    """
    inliner = _Inliner(schema)
    try:
        return inliner.schema(schema, ())
    except (_NotEmbeddableError, RecursionError):
        return None


class _Inliner:
    def __init__(self, document: Any) -> None:
        self._document = document
        self._left = _MAX_NODES

    def schema(self, schema: Any, following: tuple[str, ...]) -> Any:
        if not isinstance(schema, dict):
            return schema
        self._left -= 1
        nested = following and "$schema" in schema
        if self._left < 0 or nested or not _SCOPED.isdisjoint(schema):
            raise _NotEmbeddableError
        out = {
            k: self._keyword(k, v, following) for k, v in schema.items() if k not in ("$ref", *_DEFINITIONS)
        }
        reference = schema.get("$ref")
        if reference is None:
            return out
        target = self._target(reference, following)
        if not out:
            return target
        return {**out, "allOf": [*out.get("allOf", []), target]}

    def _keyword(self, keyword: str, value: Any, following: tuple[str, ...]) -> Any:
        if keyword in _DATA:
            return value
        if isinstance(value, list):
            return [self.schema(one, following) for one in value]
        if isinstance(value, dict) and keyword in _NAMED:
            return {name: self.schema(one, following) for name, one in value.items()}
        return self.schema(value, following)

    def _target(self, reference: Any, following: tuple[str, ...]) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#/") or reference in following:
            raise _NotEmbeddableError
        try:
            target = resolve(self._document, parse_fragment(reference[1:]))
        except PointerError:
            raise _NotEmbeddableError from None
        return self.schema(target, (*following, reference))


def object_form(schema: Any) -> dict[str, Any]:
    """Return a schema as the object that pydantic's users expect: `{}` for `true`, `{"not": {}}` for `false`."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    form: dict[str, Any] = schema
    return form
