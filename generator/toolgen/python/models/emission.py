"""Views to source text, through datamodel-code-generator's model classes.

Its parsers rename classes, guess types and cost ten times as much; its `DataModel`s take the names and types
they are given. Every text of a spec reaches it as the value of a literal (an alias, an enum value, a default),
never as a name or a type, and its own `repr` writes the literal, the same under every Python version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from datamodel_code_generator.imports import Import
from datamodel_code_generator.imports import Imports as DmcgImports
from datamodel_code_generator.model.pydantic_v2 import BaseModel
from datamodel_code_generator.model.pydantic_v2.base_model import DataModelField
from datamodel_code_generator.model.pydantic_v2.types import DataTypeManager
from datamodel_code_generator.reference import Reference
from datamodel_code_generator.types import DataType

from toolgen.codegen.code import Code, fragment, name
from toolgen.codegen.foreign_source import Imports, declarations, imported
from toolgen.codegen.literals import literal
from toolgen.python.identifiers import Identifier
from toolgen.python.models.views import (
    NONE,
    ClassView,
    DictOf,
    ListOf,
    Scalar,
    Strings,
    Union,
    View,
    union,
)
from toolgen.schema.ir import Schema

_RUNTIME = "toolgen_runtime.generated"
_IMPORTS = {
    "Any": Import(from_="typing", import_="Any"),
    "JsonInteger": Import(from_=_RUNTIME, import_="JsonInteger"),
    "JsonNumber": Import(from_=_RUNTIME, import_="JsonNumber"),
}
_data_type = DataTypeManager(use_standard_collections=True, use_union_operator=True).data_type
_MOST_KEPT: Final = 4_096
"""Declarations that are kept. Each is short: its types and its default are."""
_PLAIN_DEFAULTS: Final = (type(None), bool, int)
"""Not floats: 0.0 and -0.0 are equal, and their texts are not."""


@dataclass(frozen=True, slots=True)
class PayloadClass:
    """One class statement: its base, what pydantic does with other keys (None: there are none), its fields."""

    name: Identifier
    schema: Schema
    base: Code
    extra: Code | None
    about: str
    fields: Sequence[tuple[Code, str]]
    """Each with its description, or `""`."""


@dataclass(frozen=True, slots=True)
class _Declaration:
    """What stands behind the name of a field, `: type = default`, and the imports that it needs."""

    text: Code
    imports: Imports


def emit(classes: Sequence[ClassView]) -> tuple[Imports, list[PayloadClass]]:
    """Return the import lines and the class statements of some classes, in their order."""
    bases = {view: "Payload" if view.root is None else "PayloadRoot" for view in classes}
    imports = [(name(_RUNTIME), [name(base)]) for base in bases.values()]
    found: list[PayloadClass] = []
    for view, base in bases.items():
        fields: list[tuple[Code, str]] = []
        for attribute, declared, about in _fields(view):
            imports += declared.imports
            line = fragment("{name}{declared}", name=name(attribute), declared=declared.text)
            fields.append((line, about))
        extra = literal("forbid" if view.closed else "allow") if view.root is None else None
        found.append(PayloadClass(view.name, view.schema, name(base), extra, view.about, fields))
    return imports, found


def _fields(view: ClassView) -> Iterator[tuple[str, _Declaration, str]]:
    """Yield the fields of a class: the attribute, what it is declared as, the description."""
    if view.root is not None:
        yield "root", _declaration(view.root, required=True), ""
    for one in view.fields:
        if one.key == one.attribute and _is_plain(one.type) and isinstance(one.default, _PLAIN_DEFAULTS):
            declared = _plain(one.type, one.required, one.default)
        else:
            alias = {"alias": one.key} if one.key != one.attribute else {}
            declared = _property(one.type, one.required, one.default, **alias)
        yield one.attribute, declared, one.about


def _is_plain(view: View) -> bool:
    """Return whether a type has nothing of one spec in it, neither strings nor classes: many tools have the same."""
    match view:
        case Scalar():
            return True
        case ListOf(inner) | DictOf(inner):
            return _is_plain(inner)
        case Union(members):
            return all(map(_is_plain, members))
        case _:
            return False


def _property(view: View, required: bool, default: Any, **options: Any) -> _Declaration:
    """Declare a property; one that may be missing is `T | None = None`, or `T` with the schema's default."""
    if default is not None:
        options |= {"default": default, "has_default": True}
    elif not required:
        view = union([view, NONE])
    return _declaration(view, required=required, **options)


@lru_cache(_MOST_KEPT, typed=True)  # typed: the default 1 is not True
def _plain(view: View, required: bool, default: Any) -> _Declaration:
    return _property(view, required, default)


def _declaration(view: View, *, required: bool, **options: Any) -> _Declaration:
    """Declare the field of a class that has no other."""
    field = DataModelField(
        name="field",
        data_type=_type(view),
        required=required,
        nullable=False,
        use_annotated=True,
        **options,
    )
    model = BaseModel(reference=_reference("P"), fields=[field], custom_base_class=f"{_RUNTIME}.Payload")
    (text,) = declarations(str(model))
    found = DmcgImports()
    found.append(field.imports)
    return _Declaration(text, imported(found.dump()))


def _reference(name: str) -> Reference:
    return Reference(path=name, name=name, original_name=name)


def _type(view: View) -> DataType:
    match view:
        case Scalar(name):
            return _data_type(type=name, import_=_IMPORTS.get(name))
        case Strings(values):
            return _data_type(literals=list(values))
        case ListOf(item):
            return _data_type(data_types=[_type(item)], is_list=True)
        case DictOf(value):
            return _data_type(data_types=[_type(value)], is_dict=True)
        case Union(members):
            return _data_type(data_types=_types(members))
        case ClassView():
            return _data_type(reference=_reference(view.name))


def _types(views: Iterable[View]) -> list[DataType]:
    return [_type(view) for view in views]
