"""Write payload models as source text, with the help of datamodel-code-generator.

That generator's parsers rename classes, guess types and are ten times slower, so only its `DataModel`s are used, with
given names and types. A text from a spec reaches them only as the value of a literal (an alias, an enum value, a
default), never as a name or a type. They write the literal with `repr`, which is the same in every Python version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from datamodel_code_generator.imports import Import
from datamodel_code_generator.model.pydantic_v2 import BaseModel
from datamodel_code_generator.model.pydantic_v2.base_model import DataModelField
from datamodel_code_generator.model.pydantic_v2.types import DataTypeManager
from datamodel_code_generator.reference import Reference
from datamodel_code_generator.types import DataType

from toolgen.compiler.codegen.code import Code, IndentedLine, fragment, joined_lines, name
from toolgen.compiler.codegen.foreign_source import Imports, declarations
from toolgen.compiler.codegen.literals import docstring, literal
from toolgen.compiler.codegen.module import place
from toolgen.compiler.python.identifiers import Identifier
from toolgen.compiler.python.models.projection import project
from toolgen.compiler.python.models.views import (
    NONE,
    ClassView,
    DictOf,
    FieldView,
    ListOf,
    Scalar,
    Strings,
    Union,
    View,
    reachable,
    union,
)
from toolgen.compiler.schema.ir import Schema

_RUNTIME = "toolgen_runtime.generated"
_EMPTY: Final = Code("")
MOST_NAMED: Final = 3
"""The maximum number of places named in the note about fields that a class does not have."""
_IMPORTS = {
    "Any": Import(from_="typing", import_="Any"),
    "JsonInteger": Import(from_=_RUNTIME, import_="JsonInteger"),
    "JsonNumber": Import(from_=_RUNTIME, import_="JsonNumber"),
}
_data_type = DataTypeManager(use_standard_collections=True, use_union_operator=True).data_type


class Models(NamedTuple):
    """The payload models of one tool as source text.

    `source` has the class statements, and `imports` the imports that they need. `classes` maps each class to its
    schema; a class comes after the classes that it uses.
    """

    imports: Imports
    source: Code
    classes: Mapping[Identifier, Schema]


def payload_models(root: Schema, class_name: Identifier) -> Models:
    """Write the payload models of a tool.

    The payload's class is `class_name`; others are named after their places.
    """
    imports: Imports = []
    lines: list[IndentedLine] = []
    views = reachable(project(root, class_name))
    for view in views:
        base = name("Payload" if view.root is None else "PayloadRoot")
        if view.root is None:
            shown = view.fields
        else:
            shown = (FieldView("root", Identifier("root"), view.root, True),)
        fields = [_field(one) for one in shown]
        model = BaseModel(
            reference=_reference("P"), fields=[*fields], custom_base_class=f"{_RUNTIME}.Payload"
        )
        imports.append((name(_RUNTIME), [base]))
        imports += [(name(one.from_ or ""), [name(one.import_)]) for field in fields for one in field.imports]
        lines += _statement(view, base, zip(declarations(str(model)), shown, strict=True))
    return Models(imports, joined_lines(lines), {one.name: one.schema for one in views})


def _statement(
    view: ClassView, base: Code, fields: Iterable[tuple[Code, FieldView]]
) -> Iterator[IndentedLine]:
    """Yield the lines of a class statement with their indents. The description of a field is below the field."""
    parts = {"name": name(view.name), "base": base}
    if view.root is not None:
        yield 0, fragment("class {name}({base}, frozen=True):", **parts)
    else:
        extra = literal("forbid" if view.closed else "allow")
        yield 0, fragment("class {name}({base}, extra={extra}, frozen=True):", extra=extra, **parts)
    where = place(view.schema)
    if where == "#":
        default = "A payload of this tool."
    else:
        default = f"A value under {where}."
    yield 1, docstring(f"{view.about or default}{_hidden(view)}")
    for at, (line, one) in enumerate(fields):
        if at == 0:
            yield 0, _EMPTY
        yield 1, line
        if one.about:
            yield 1, docstring(one.about)
    yield 0, _EMPTY
    yield 0, _EMPTY


def _hidden(view: ClassView) -> str:
    """Return the note on the fields that a class does not have."""
    places = [place(schema) for schema in view.hidden]
    if not places:
        return ""
    if len(places) > MOST_NAMED:
        more = [f"{len(places) - MOST_NAMED} more"]
    else:
        more = []
    return (
        f"\n\nFields that are only in `model_extra`: those under {', '.join([*places[:MOST_NAMED], *more])}."
    )


def _field(one: FieldView) -> DataModelField:
    """Return a property's field. An optional one is `T | None = None`, or `T` with the schema's default."""
    view = one.type
    if one.key != one.attribute:
        options: dict[str, Any] = {"alias": one.key}
    else:
        options = {}
    if one.default is not None:
        options |= {"default": one.default, "has_default": True}
    elif not one.required:
        view = union([view, NONE])
    return DataModelField(
        name=one.attribute,
        data_type=_type(view),
        required=one.required,
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
            return _data_type(data_types=[_type(member) for member in members])
        case ClassView():
            return _data_type(reference=_reference(view.name))
