"""Describe tools as functions with typed keyword parameters and a result, for clients and stubs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from toolgen.compiler.compiled_check import CompiledChecks
from toolgen.compiler.python.identifiers import Identifier, class_name, distinct_class_name
from toolgen.compiler.python.models.projection import project
from toolgen.compiler.python.models.views import (
    ANY,
    STR,
    ClassView,
    FieldView,
    Strings,
    View,
    classes_of,
    reachable,
    union,
)
from toolgen.compiler.schema.facts import conjuncts
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.short_text import cut, printable, short_json
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.compiler.value_description import Described

MAX_SHOWN_LENGTH: Final = 80
"""The maximum number of characters for a pattern, or for allowed values that are not strings."""
_PARAMETER = re.compile(r"(?!__)[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
"""Matches names that do not change inside a class; Python mangles names with two leading underscores."""


def is_parameter_name(key: str) -> bool:
    """Return whether a name is valid both for a function's parameter and for a class's attribute."""
    return _PARAMETER.fullmatch(key) is not None and not keyword.iskeyword(key) and key != "self"


class Signature(NamedTuple):
    """One tool described as a function.

    `fields` are the parameters. Those whose names Python does not allow are passed as `**{"from": ...}`. `extra` is the
    type of other keys if the schema describes them, otherwise None. If the payload is not an object, `payload` is the
    type of the only parameter, which is positional. `classes` are the objects that the parameters' types name, and
    `result_classes` those of the result. No other signature has a class with the same name.
    """

    spec: ToolSpec
    name: Identifier
    fields: tuple[FieldView, ...]
    extra: View | None
    payload: View | None
    result: View
    classes: tuple[ClassView, ...]
    result_classes: tuple[ClassView, ...]

    @property
    def named_fields(self) -> list[FieldView]:
        """The fields that have a parameter of their own, the required ones first."""
        named = [one for one in self.fields if is_parameter_name(one.key)]
        return sorted(named, key=lambda one: not one.required)

    @property
    def has_more(self) -> bool:
        """Whether `**` accepts further parameters, which are those in `other_fields` and no others."""
        return bool(self.other_fields) and self.extra is None

    @property
    def other_fields(self) -> list[FieldView]:
        """The fields that can only be passed with `**`, because their names are not valid in Python."""
        return [one for one in self.fields if not is_parameter_name(one.key)]


def signatures_of(tools: Iterable[tuple[ToolSpec, Identifier]], options: LowerOptions) -> list[Signature]:
    """Describe all tools that can be built. `tools` gives the name of the function for each."""
    taken = set[str]()
    found = []
    for spec, name in tools:
        root = lower(spec, options).root
        if root is not None:
            found.append(_signature(spec, name, root, options, taken))
    return found


def with_filled_optional(signatures: Iterable[Signature]) -> list[Signature]:
    """Return the signatures as a client needs them.

    The fields that the client fills in with defaults are optional in them.

    A field that names the branch of a union is not filled in, and neither is a field of a result.
    """
    found = []
    for signature in signatures:
        for one in signature.classes:
            one.fields = tuple(_optional(each, is_tag=_has_one_value(each)) for each in one.fields)
        fields = tuple(_optional(each, is_tag=False) for each in signature.fields)
        found.append(signature._replace(fields=fields))
    return found


def _optional(field: FieldView, *, is_tag: bool) -> FieldView:
    if not field.required or is_tag or not _is_filled(field):
        return field
    return replace(field, required=False)


def _has_one_value(field: FieldView) -> bool:
    return isinstance(field.type, Strings) and len(field.type.values) == 1


def _is_filled(field: FieldView) -> bool:
    """Return whether a field has exactly one default and its schemas accept this default."""
    every = [one for schema in field.schemas for one in conjuncts(schema)]
    defaults = [one.annotations["default"] for one in every if "default" in one.annotations]
    if len({repr(each) for each in defaults}) != 1:
        return False
    checks = CompiledChecks()
    return all(checks.takes(schema, defaults[0]) for schema in field.schemas)


def _signature(
    spec: ToolSpec, name: Identifier, root: Schema, options: LowerOptions, taken: set[str]
) -> Signature:
    top = project(root, class_name(spec.name, ""))
    result, result_classes = _result(spec, options)
    classes = tuple(one for one in reachable(top) if one is not top or _names_itself(top))
    _distinguish((*classes, *result_classes), spec, taken)
    if top.root is not None:
        extra = None
    else:
        extra = _extra(root)
    return Signature(spec, name, top.fields, extra, top.root, result, classes, result_classes)


def _result(spec: ToolSpec, options: LowerOptions) -> tuple[View, tuple[ClassView, ...]]:
    """Return the type of structured content: `str` without an output schema, `Any` if it cannot be lowered."""
    if spec.output_schema is None:
        return STR, ()
    root = lower(replace(spec, schema=spec.output_schema, output_schema=None), options).root
    if root is None:
        return ANY, ()
    top = project(root, class_name(spec.name, "Result"))
    if top.root is None:
        return top, tuple(reachable(top))
    return top.root, tuple(one for one in reachable(top) if one is not top)


def _names_itself(top: ClassView) -> bool:
    """Return whether the payload occurs within itself, so that its own class needs a name."""
    return any(
        one is top for each in reachable(top) for field in each.fields for one in classes_of(field.type)
    )


def _extra(root: Schema) -> View | None:
    """Return the type of unknown keys; None if the schema does not describe them."""
    together = conjuncts(root)
    others = [rest for one in together if (rest := one.additional_properties) is not None]
    if any(rest.verdict is False for rest in others):
        others = []
    others += [schema for one in together for schema in one.pattern_properties.values()]
    if not others:
        return None
    if len(others) > 1:
        return ANY
    return _view(others[0])


def _view(schema: Schema) -> View:
    """Return the type for a schema; `Any` if it would be a class, because callers could not import the class."""
    top = project(schema, Identifier("Extra"))
    if top.root is None or list(reachable(top)) != [top]:
        return ANY
    return union([top.root])


def _distinguish(classes: Iterable[ClassView], spec: ToolSpec, taken: set[str]) -> None:
    """Rename classes that have the same names as another tool's classes."""
    for one in classes:
        name = one.name
        while name in taken:
            name = distinct_class_name(one.name, f"{spec.name}#{one.schema.pointer}{name}")
        taken.add(name)
        one.name = name


def names_of(modules: Mapping[str, str], reserved: frozenset[str]) -> dict[str, Identifier]:
    """Return the name of the function for each tool.

    It is the name of its module, with a hash added if the client reserves this name.
    """
    return {
        tool: distinct_class_name(Identifier(module), tool) if module in reserved else Identifier(module)
        for tool, module in modules.items()
    }


def about(field: FieldView) -> str:
    """Return the description and the constraints of a field on one line."""
    words = " ".join(printable(field.about).split())
    limits = " ".join(printable(", ".join(_constraints(field))).split())
    if words and limits:
        return f"{words} ({limits})"
    return words or limits


def _constraints(field: FieldView) -> list[str]:
    value = Described(field.schemas, CompiledChecks())
    texts = [cut(text, MAX_SHOWN_LENGTH) for text in value.constraint_texts()]
    if value.values and not all(isinstance(each, str) for each in value.values):
        texts.append(cut(f"one of {', '.join(short_json(each) for each in value.values)}", MAX_SHOWN_LENGTH))
    return texts
