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
from datamodel_code_generator.imports import Imports as DmcgImports
from datamodel_code_generator.model.base import DataModel, DataModelFieldBase
from datamodel_code_generator.model.pydantic_v2 import BaseModel
from datamodel_code_generator.model.pydantic_v2.base_model import DataModelField
from datamodel_code_generator.model.pydantic_v2.types import DataTypeManager
from datamodel_code_generator.reference import Reference
from datamodel_code_generator.types import DataType

from toolgen.codegen.code import Code, name
from toolgen.codegen.foreign import Imports, declarations, imported
from toolgen.codegen.literals import literal
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
from toolgen.python.names import Identifier
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
    references = {view: _reference(view) for view in classes}
    models = [_model(view, references) for view in classes]
    found = DmcgImports()
    for model in models:
        found.append(model.imports)
    return imported(found.dump()), [_class(view, model) for view, model in zip(classes, models, strict=True)]


def _class(view: ClassView, model: DataModel) -> PayloadClass:
    lines = declarations(str(model))
    if view.root is not None:
        return PayloadClass(view.name, view.schema, name("PayloadRoot"), None, view.about, [(lines[0], "")])
    texts = [one.about for one in view.fields]
    extra = literal("forbid" if view.closed else "allow")
    fields = list(zip(lines, texts, strict=True))
    return PayloadClass(view.name, view.schema, name("Payload"), extra, view.about, fields)


def _reference(view: ClassView) -> Reference:
    return Reference(path=view.name, name=view.name, original_name=view.name)


def _model(view: ClassView, references: dict[ClassView, Reference]) -> DataModel:
    fields: list[DataModelFieldBase]
    if view.root is not None:
        fields = [_field("root", view.root, references, required=True)]
    else:
        fields = [_property(one, references) for one in view.fields]
    base = "Payload" if view.root is None else "PayloadRoot"
    return BaseModel(reference=references[view], fields=fields, custom_base_class=f"{_RUNTIME}.{base}")


def _property(one: FieldView, references: dict[ClassView, Reference]) -> DataModelField:
    """Return a property's field; one that may be missing is `T | None = None`, or `T` with the schema's default."""
    view = one.type if one.required or one.default is not None else union([one.type, NONE])
    options: dict[str, Any] = {"alias": one.key} if one.key != one.attribute else {}
    if one.default is not None:
        options |= {"default": one.default, "has_default": True}
    return _field(one.attribute, view, references, required=one.required, **options)


def _field(
    name: str, view: View, references: dict[ClassView, Reference], *, required: bool, **options: Any
) -> DataModelField:
    return DataModelField(
        name=name,
        data_type=_type(view, references),
        required=required,
        nullable=False,
        use_annotated=True,
        **options,
    )


def _type(view: View, references: dict[ClassView, Reference]) -> DataType:
    match view:
        case Scalar(name):
            return _data_type(type=name, import_=_IMPORTS.get(name))
        case Strings(values):
            return _data_type(literals=list(values))
        case ListOf(item):
            return _data_type(data_types=[_type(item, references)], is_list=True)
        case DictOf(value):
            return _data_type(data_types=[_type(value, references)], is_dict=True)
        case Union(members):
            return _data_type(data_types=_types(members, references))
        case ClassView():
            return _data_type(reference=references[view])


def _types(views: Iterable[View], references: dict[ClassView, Reference]) -> list[DataType]:
    return [_type(view, references) for view in views]
