"""Views to source text, through datamodel-code-generator's model classes.

Its parsers rename classes, guess types and cost ten times as much; its `DataModel`s take the names and types
they are given. Every text of a spec reaches it as the value of a literal (an alias, an enum value, a default),
never as a name or a type, and its own `repr` writes the literal, the same under every Python version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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

from toolgen.codegen.code import Code, name
from toolgen.codegen.foreign_source import Imports, declarations, imported, with_names
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
    classes_of,
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
_FIELD: Final = Identifier("_field_")
"""The name of a field whose line is kept."""
_MOST_KEPT: Final = 1_024
"""Lines that are kept. Each is short: there is no text of a spec in it, and a union has few members."""
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
class _Line:
    """The line of one field, and the imports that it needs."""

    text: Code
    imports: Imports


def emit(classes: Sequence[ClassView]) -> tuple[Imports, list[PayloadClass]]:
    """Return the import lines and the class statements of some classes, in their order."""
    bases = {view: "Payload" if view.root is None else "PayloadRoot" for view in classes}
    imports = [(name(_RUNTIME), [name(base)]) for base in bases.values()]
    found: list[PayloadClass] = []
    for view, base in bases.items():
        lines = list(_lines(view))
        for line in lines:
            imports += line.imports
        about = [""] if view.root is not None else [one.about for one in view.fields]
        fields = list(zip([line.text for line in lines], about, strict=True))
        extra = literal("forbid" if view.closed else "allow") if view.root is None else None
        found.append(PayloadClass(view.name, view.schema, name(base), extra, view.about, fields))
    return imports, found


def _lines(view: ClassView) -> Iterator[_Line]:
    if view.root is not None:
        yield _line("root", view.root, required=True)
    for one in view.fields:
        if one.key == one.attribute and _is_plain(one.type) and isinstance(one.default, _PLAIN_DEFAULTS):
            yield _shared(one)
        else:
            yield _property(one.attribute, one.type, one.required, one.default, alias=one.key)


def _shared(one: FieldView) -> _Line:
    """Return the line of a field by way of the one that all fields share which differ in names alone."""
    names = {view: _place(number) for number, view in enumerate(dict.fromkeys(classes_of(one.type)))}
    line = _shared_line(_with_classes(one.type, names), one.required, one.default)
    renamed: dict[str, str] = {place.name: view.name for view, place in names.items()}
    return _Line(with_names(line.text, {_FIELD: one.attribute, **renamed}), line.imports)


@lru_cache(_MOST_KEPT, typed=True)  # typed: the default 1 is not True
def _shared_line(view: View, required: bool, default: Any) -> _Line:
    return _property(_FIELD, view, required, default, alias=_FIELD)


@lru_cache(_MOST_KEPT)
def _place(number: int) -> ClassView:
    """Return the class that stands for the first, second, ... class of a type."""
    return ClassView(Identifier(f"_class_{number}_"), Schema("", ""))


def _with_classes(view: View, classes: Mapping[ClassView, ClassView]) -> View:
    """Return a type with other classes in the place of its own."""
    match view:
        case ListOf(inner):
            return ListOf(_with_classes(inner, classes))
        case DictOf(inner):
            return DictOf(_with_classes(inner, classes))
        case Union(members):
            return Union(tuple(_with_classes(member, classes) for member in members))
        case ClassView():
            return classes[view]
        case _:
            return view


def _is_plain(view: View) -> bool:
    """Return whether a type has no strings in it: many tools have the same, but for the names of classes."""
    match view:
        case Strings():
            return False
        case ListOf(inner) | DictOf(inner):
            return _is_plain(inner)
        case Union(members):
            return all(map(_is_plain, members))
        case _:
            return True


def _property(attribute: str, view: View, required: bool, default: Any, *, alias: str) -> _Line:
    """Return a property's field; one that may be missing is `T | None = None`, or `T` with the schema's default."""
    options: dict[str, Any] = {"alias": alias} if alias != attribute else {}
    if default is not None:
        options |= {"default": default, "has_default": True}
    elif not required:
        view = union([view, NONE])
    return _line(attribute, view, required=required, **options)


def _line(attribute: str, view: View, *, required: bool, **options: Any) -> _Line:
    """Return the line of a field of a class that has no other."""
    field = DataModelField(
        name=attribute,
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
    return _Line(text, imported(found.dump()))


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
