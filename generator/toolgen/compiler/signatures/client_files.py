"""Write the typed client of a toolset (`client.py` and `client.pyi`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Final

from toolgen.compiler.codegen.code import (
    Code,
    IndentedLine,
    code,
    comma_separated,
    fragment,
    joined_lines,
    name,
)
from toolgen.compiler.codegen.literals import docstring, literal
from toolgen.compiler.python.identifiers import Identifier
from toolgen.compiler.python.models.views import (
    ANY,
    ClassView,
    DictOf,
    FieldView,
    ListOf,
    Scalar,
    Strings,
    Union,
    View,
    parts_of,
)
from toolgen.compiler.python.templates import render
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.signatures.signature import (
    Signature,
    about,
    is_parameter_name,
    names_of,
    signatures_of,
    with_filled_optional,
)
from toolgen.compiler.specs.tool_spec import ToolSpec

RESERVED: Final = frozenset(("sync",))
"""Names that every client needs for its own attributes."""
_SCALARS: Final[Mapping[str, Code]] = {
    "Any": Code("Any"),
    "None": Code("None"),
    "bool": Code("bool"),
    "str": Code("str"),
    "JsonInteger": Code("int"),
    "JsonNumber": Code("float"),
}
_ELLIPSIS: Final = Code("...")
_OPEN: Final = Code("{")
_CLOSE: Final = Code("})")


def client_text(modules: Mapping[str, str]) -> str:
    """Write the `client.py` of a toolset. `modules` has the module of each tool by its name."""
    names = names_of(modules, RESERVED)
    methods = [(literal(names[tool]), literal(tool)) for tool in sorted(modules)]
    return render("client.py.jinja", methods=methods)


def client_stub_text(specs: Sequence[ToolSpec], modules: Mapping[str, str], options: LowerOptions) -> str:
    """Write the `client.pyi` of a toolset."""
    names = names_of(modules, RESERVED)
    signatures = signatures_of([(spec, names[spec.name]) for spec in specs], options)
    return _stub_text(with_filled_optional(signatures))


def _stub_text(signatures: Sequence[Signature]) -> str:
    types = [one for each in signatures for one in (*each.classes, *each.result_classes)]
    statements = [_typed_dict(one) for one in types]
    statements += [_more(each) for each in signatures if each.has_more]
    return render(
        "client.pyi.jinja",
        typing=[name(one) for one in sorted(typing_names(signatures))],
        types=[joined_lines(lines) for lines in statements],
        blocking=[joined_lines([*_method(each, is_async=False)]) for each in signatures],
        methods=[joined_lines([*_method(each, is_async=True)]) for each in signatures],
    )


def typing_names(signatures: Sequence[Signature]) -> set[str]:
    """Return the names that the stub must import from `typing`."""
    used = set[str]()
    for each in signatures:
        classes = [list(one.fields) for one in (*each.classes, *each.result_classes)]
        if each.has_more:
            classes.append(each.other_fields)
            used.add("Unpack")
        elif each.other_fields:
            used.add("Any")
        members = [field for fields in classes for field in fields]
        views = [each.payload, each.result, each.extra, *(field.type for field in (*each.fields, *members))]
        parts = [part for view in views if view is not None for part in parts_of(view)]
        used |= {"TypedDict"} if classes else set()
        used |= {"NotRequired" for field in members if not field.required}
        used |= {"Literal" for part in parts if isinstance(part, Strings)}
        used |= {"Any" for part in parts if part == ANY}
    return used


def _own_name(view: ClassView) -> str:
    return view.name


def type_code(view: View, name_of: Callable[[ClassView], str] = _own_name) -> Code:
    """Write a type as an annotation. `name_of` returns the name for a class."""
    match view:
        case Scalar(kind):
            return _SCALARS[kind]
        case Strings(values):
            return code("Literal[{values}]", values=comma_separated([literal(value) for value in values]))
        case ListOf(item):
            return code("list[{item}]", item=type_code(item, name_of))
        case DictOf(value):
            return code("dict[str, {value}]", value=type_code(value, name_of))
        case Union(members):
            each = (type_code(member, name_of) for member in members)
            return reduce(lambda left, right: code("{a} | {b}", a=left, b=right), each)
        case ClassView():
            own = name(Identifier(name_of(view)))
            if view.root is None:
                return own
            return type_code(view.root, name_of)


def _typed_dict(view: ClassView) -> list[IndentedLine]:
    if all(is_parameter_name(field.key) for field in view.fields):
        lines: list[IndentedLine] = [(0, fragment("class {name}(TypedDict):", name=name(view.name)))]
        for field in view.fields:
            lines.append((1, fragment("{key}: {type}", key=name(field.key), type=_member(field))))
            if text := about(field):
                lines.append((1, docstring(text)))
        return [*lines, *([] if view.fields else [(1, _ELLIPSIS)])]
    return _functional(view.name, view.fields)


def _functional(class_name: Identifier, fields: Iterable[FieldView]) -> list[IndentedLine]:
    """Return a `TypedDict` written as a call, which accepts keys that are not valid names in Python."""
    head = fragment(
        "{name} = TypedDict({text}, {brace}", name=name(class_name), text=literal(class_name), brace=_OPEN
    )
    members = [fragment("{key}: {type},", key=literal(one.key), type=_member(one)) for one in fields]
    return [(0, head), *((1, member) for member in members), (0, _CLOSE)]


def _member(field: FieldView) -> Code:
    written = type_code(field.type)
    if field.required:
        return written
    return code("NotRequired[{type}]", type=written)


def _more_name(signature: Signature) -> Identifier:
    return Identifier(f"_{signature.name}_more")


def _more(signature: Signature) -> list[IndentedLine]:
    return _functional(_more_name(signature), signature.other_fields)


def _method(signature: Signature, *, is_async: bool) -> Iterator[IndentedLine]:
    if signature.payload is not None:
        marker = []
    else:
        marker = [Code("/")]
    written = parameters(signature, _more_name(signature))
    parts = {
        "name": name(signature.name),
        "parameters": comma_separated([Code("self"), *marker, *(each for each, _ in written)]),
        "result": type_code(signature.result),
    }
    if not is_async:
        yield 1, fragment("def {name}({parameters}) -> {result}: ...", **parts)
        return
    yield 1, fragment("async def {name}({parameters}) -> {result}:", **parts)
    yield 2, docstring(_about(signature), 2)


def parameters(
    signature: Signature,
    more: Identifier,
    name_of: Callable[[ClassView], str] = _own_name,
    *,
    has_defaults: bool = False,
) -> Iterator[tuple[Code, FieldView | None]]:
    """Yield each parameter of a function together with its field.

    `more` is the type of the parameters that only `**` accepts.
    """
    if signature.payload is not None:
        yield fragment("payload: {type}", type=type_code(signature.payload, name_of)), None
        yield Code("/"), None
        return
    fields = signature.named_fields
    if fields:
        yield Code("*"), None
    for field in fields:
        parameter = fragment("{name}: {type}", name=name(field.key), type=type_code(field.type, name_of))
        if not field.required:
            is_said = has_defaults and field.default is not None
            if is_said:
                default = literal(field.default)
            else:
                default = _ELLIPSIS
            parameter = fragment("{parameter} = {default}", parameter=parameter, default=default)
        yield parameter, field
    if signature.has_more:
        yield fragment("**more: Unpack[{name}]", name=name(more)), None
    elif signature.extra is not None:
        if signature.other_fields:
            extra = Code("Any")
        else:
            extra = type_code(signature.extra, name_of)
        yield fragment("**more: {type}", type=extra), None


def _about(signature: Signature) -> str:
    description = signature.spec.description.strip() or f"Call the tool {signature.spec.name}."
    said = [f"{field.key}: {text}" for field in signature.fields if (text := about(field))]
    if said:
        return "\n\n".join([description, "\n".join(said)])
    return description
