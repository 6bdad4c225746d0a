"""Views to source text, through datamodel-code-generator's model classes.

Its parsers rename classes, guess types and cost ten times as much; its `DataModel`s take the names and types
they are given. Every text of a spec reaches it as the value of a literal (an alias, an enum value, a default),
never as a name or a type, and its own `repr` writes the literal, the same under every Python version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from datamodel_code_generator.imports import Import
from datamodel_code_generator.model.pydantic_v2 import BaseModel
from datamodel_code_generator.model.pydantic_v2.base_model import DataModelField
from datamodel_code_generator.model.pydantic_v2.types import DataTypeManager
from datamodel_code_generator.reference import Reference
from datamodel_code_generator.types import DataType

from toolgen.codegen.code import Code, name
from toolgen.codegen.foreign_source import Imports, declarations
from toolgen.codegen.literals import literal
from toolgen.python.identifiers import Identifier
from toolgen.python.models.views import (
    NONE,
    ClassView,
    DictOf,
    FieldView,
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


def emit(classes: Sequence[ClassView]) -> tuple[Imports, list[PayloadClass]]:
    """Return the import lines and the class statements of some classes, in their order."""
    imports: Imports = []
    found: list[PayloadClass] = []
    for view in classes:
        base = name("Payload" if view.root is None else "PayloadRoot")
        lines, needed = _lines(view)
        imports += [(name(_RUNTIME), [base]), *needed]
        about = [""] if view.root is not None else [one.about for one in view.fields]
        extra = literal("forbid" if view.closed else "allow") if view.root is None else None
        fields = list(zip(lines, about, strict=True))
        found.append(PayloadClass(view.name, view.schema, base, extra, view.about, fields))
    return imports, found


def _lines(view: ClassView) -> tuple[list[Code], Imports]:
    """Return the lines of a class's fields, and the imports that they need."""
    fields = [_property(one) for one in view.fields]
    if view.root is not None:
        fields = [_field("root", view.root, required=True)]
    model = BaseModel(reference=_reference("P"), fields=[*fields], custom_base_class=f"{_RUNTIME}.Payload")
    needed = [(name(one.from_ or ""), [name(one.import_)]) for field in fields for one in field.imports]
    return declarations(str(model)), needed


def _property(one: FieldView) -> DataModelField:
    """Return a property's field; one that may be missing is `T | None = None`, or `T` with the schema's default."""
    view = one.type
    options: dict[str, Any] = {"alias": one.key} if one.key != one.attribute else {}
    if one.default is not None:
        options |= {"default": one.default, "has_default": True}
    elif not one.required:
        view = union([view, NONE])
    return _field(one.attribute, view, required=one.required, **options)


def _field(attribute: str, view: View, *, required: bool, **options: Any) -> DataModelField:
    return DataModelField(
        name=attribute,
        data_type=_type(view),
        required=required,
        nullable=False,
        use_annotated=True,
        **options,
    )


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
