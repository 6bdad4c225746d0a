"""Values of the providers' SDKs' own types with every field filled in, each text a marker of its own."""

from __future__ import annotations

import types
import typing
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from typing_extensions import TypeAliasType, is_typeddict

MAX_DEPTH = 7
NEW = "some_new_member"
_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "output_schema")
_WRAPPERS = (Required, NotRequired, typing.Annotated)


class Samples:
    """Fills in types. `markers` are the texts that were put in, by the path of their field, `without` fields to leave
    out. `has_new_members` adds to each object a member that no API has yet.
    """

    def __init__(self, *, has_new_members: bool = False) -> None:
        self.markers: dict[str, tuple[str, ...]] = {}
        self.without: frozenset[str] = frozenset()
        self.has_new_members = has_new_members

    def text(self, path: tuple[str, ...]) -> str:
        """Return a new marker for a field."""
        marker = f"mark{len(self.markers):04}x"
        self.markers[marker] = path
        return marker

    def of(self, kind: Any, path: tuple[str, ...] = ()) -> Any:
        """Return a value of a type; of a union the first that is not null."""
        kind = bare(kind)
        origin, args = get_origin(kind), get_args(kind)
        if path and path[-1] in _SCHEMAS and origin in (dict, Mapping):
            return self.scalar(kind, path)
        if origin is Literal:
            return args[0]
        if origin in (Union, types.UnionType):
            return self.of(next(variants(kind)), path)
        if origin in (list, typing.Iterable, typing.Sequence, tuple) or str(origin).endswith(
            ("abc.Iterable'>", "abc.Sequence'>")
        ):
            return [self.of(args[0], path)] if len(path) < MAX_DEPTH else []
        if origin in (dict, Mapping):
            return {"key": self.of(args[1], path) if len(path) < MAX_DEPTH else self.text(path)}
        if is_typeddict(kind) or hasattr(kind, "model_fields"):
            return self.object(kind, path)
        if isinstance(kind, type) and issubclass(kind, str) and kind is not str:  # an enum
            return next(iter(kind)).value  # type: ignore[call-overload]
        return self.scalar(kind, path)

    def scalar(self, kind: Any, path: tuple[str, ...]) -> Any:
        """Return a value of a type without fields; anything may be a text."""
        if path and path[-1] in _SCHEMAS:
            return {"type": "object", "properties": {"a": {"description": self.text(path)}}}
        if path and path[-1] == "file_data":
            return f"data:application/pdf;base64,{b64encode(self.text(path).encode()).decode()}"
        if kind is bool:
            return True
        if kind in (int, float):
            return 0 if path and path[-1] == "index" else 7
        if kind is bytes or (path and path[-1] == "data"):
            return b64encode(self.text(path).encode()).decode()
        if (
            kind is object
            and path
            and path[-1] in ("input", "args", "response", "parameters", "input_schema")
        ):
            return {"key": self.text(path)}
        return self.text(path)

    def object(self, kind: Any, path: tuple[str, ...]) -> dict[str, Any]:
        """Return an object with every field of a type."""
        if len(path) >= MAX_DEPTH:
            return {}
        filled = {
            name: self.of(hint, (*path, name))
            for name, hint in fields_of(kind).items()
            if name not in self.without
        }
        return filled | ({NEW: self.text((*path, NEW))} if self.has_new_members else {})


def bare(kind: Any) -> Any:
    """Return a type without what is said about it."""
    while get_origin(kind) in _WRAPPERS or isinstance(kind, TypeAliasType):
        kind = kind.__value__ if isinstance(kind, TypeAliasType) else get_args(kind)[0]
    return kind


def variants(kind: Any) -> Iterator[Any]:
    """Yield what a union may be, unions within it taken apart; null is nothing."""
    kind = bare(kind)
    if get_origin(kind) in (Union, types.UnionType):
        for each in get_args(kind):
            if each is not type(None):
                yield from variants(each)
    else:
        yield kind


def fields_of(kind: Any) -> dict[str, Any]:
    """Return the fields of a TypedDict, or of a pydantic model by the names that the API has."""
    if is_typeddict(kind):
        return get_type_hints(kind, include_extras=True)
    return {field.alias or name: field.annotation for name, field in kind.model_fields.items()}


def of_shape(shape: Any, samples: Samples, path: tuple[str, ...] = ()) -> Any:
    """Return a value of a botocore shape; of a union the first member."""
    if shape.type_name == "structure":
        if getattr(shape, "is_document_type", False) and "inputSchema" in path:
            return {"type": "object", "properties": {"a": {"description": samples.text(path)}}}
        if getattr(shape, "is_document_type", False):
            return {"key": samples.text(path)}
        members = list(shape.members.items())
        if getattr(shape, "is_tagged_union", False):
            members = members[:1]
        return {name: of_shape(member, samples, (*path, name)) for name, member in members}
    if shape.type_name == "list":
        return [of_shape(shape.member, samples, path)]
    if shape.type_name == "map":
        return {"key": of_shape(shape.value, samples, path)}
    if shape.type_name == "blob":
        return samples.text(path).encode()
    if shape.type_name == "boolean":
        return True
    if shape.type_name == "string":
        return shape.enum[0] if getattr(shape, "enum", None) else samples.text(path)
    return 7
