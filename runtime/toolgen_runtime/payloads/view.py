"""Build the validator and the serializer of a payload class from pydantic's core schema.

A core schema is plain data (`pydantic_core.core_schema`). In the core schema of a payload class, a `function-wrap`
around every payload class runs the check of that class. The validator of payloads that have passed their check has no
such wrappers. This module also defines the types of JSON numbers: they are exact and never coerced, and 1.0 is
equivalent to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from pydantic import GetPydanticSchema
from pydantic_core import CoreSchema, SchemaValidator, core_schema

PayloadClass = type[Any]
"""A class of payloads; `toolgen_runtime.payloads.payload`, which imports this module, defines it."""
CHECKED = object()
"""The validation context for a payload that has passed its check, so that nested checks do not run again.

Some checks cannot be removed, because pydantic 2.11 and 2.12 use the finished validator of a class, which includes the
check, instead of any schema of the class.
"""


class Enforcement:
    """The validator around a payload class: it runs the whole check (`enforce`), and then creates the view."""

    def __init__(self, cls: PayloadClass, enforce: Callable[[Any], Any]) -> None:
        self._cls = cls
        self._enforce = enforce
        self.__qualname__ = cls.__name__  # the name of the validator in pydantic's errors

    def __call__(
        self, value: Any, handler: core_schema.ValidatorFunctionWrapHandler, info: core_schema.ValidationInfo
    ) -> Any:
        """Return the view of a value. An instance of the class is returned unchanged."""
        if isinstance(value, self._cls):
            return value
        is_free = self._cls.__toolgen_binding__ is None or info.context is CHECKED
        if is_free:
            return handler(value)
        return self._enforce(value)


def enforced(schema: Any, cls: PayloadClass, enforce: Callable[[Any], Any]) -> CoreSchema:
    """Wrap the core schema of a payload class so that it runs the check and dumps the payload unchanged."""
    if is_enforced(schema):
        return schema  # type: ignore[no-any-return]
    inner = dict(schema)
    ref = inner.pop("ref", None)  # other schemas refer to this name, so the wrapper must have it
    form = core_schema.wrap_serializer_function_ser_schema(PayloadForm(cls), info_arg=True)
    return core_schema.with_info_wrap_validator_function(
        Enforcement(cls, enforce), _keys_apart(inner), ref=ref, serialization=form
    )


def is_enforced(schema: Any) -> bool:
    """Return whether `enforced` has wrapped this core schema."""
    if schema.get("type") != "function-wrap":
        return False
    function = schema["function"]  # a mapping for a validator, the function itself for a serializer
    return isinstance(function, dict) and isinstance(function["function"], Enforcement)


def _keys_apart(schema: Any) -> Any:
    """Make sure that an unknown key is not mistaken for the property whose attribute has the same name.

    pydantic records both under the same name in `model_fields_set`, and would therefore dump the missing property with
    its default.
    """
    if schema["type"] == "model":
        fields = schema["schema"].get("fields", {})
    else:
        fields = {}
    keys = {name: field["validation_alias"] for name, field in fields.items() if "validation_alias" in field}
    if not keys or schema.get("config", {}).get("extra_fields_behavior") != "allow":
        return schema

    def apart(value: Any, handler: core_schema.ValidatorFunctionWrapHandler) -> Any:
        model = handler(value)
        if isinstance(value, dict) and not keys.keys().isdisjoint(value):
            for name, key in keys.items():
                if name in value and key not in value:
                    model.__pydantic_fields_set__.discard(name)
        return model

    return core_schema.no_info_wrap_validator_function(apart, schema)


def view_validator(schema: CoreSchema, title: str) -> Callable[..., Any]:
    """Return the `validate_python` function for a payload class's core schema without any checks."""
    config: core_schema.CoreConfig = {"title": title, "hide_input_in_errors": True}
    view = unenforced(schema)
    try:
        return SchemaValidator(view, config, _use_prebuilt=False).validate_python
    except TypeError:  # pydantic before 2.13 does not have `_use_prebuilt`
        return partial(SchemaValidator(view, config).validate_python, context=CHECKED)


def unenforced(schema: Any) -> Any:
    """Undo `enforced` in a core schema and in all core schemas inside it."""
    if isinstance(schema, list):
        return [unenforced(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if not is_enforced(schema):
        return {key: unenforced(part) for key, part in schema.items()}
    inner = unenforced(schema["schema"])
    if "ref" in schema:
        return {**inner, "ref": schema["ref"]}
    return inner


PAYLOAD_FORM = {"by_alias": True, "exclude_unset": True}
"""Options for dumping payloads: keys have their names in the schema, and keys that the payload lacks are left out."""
_PASSED_ON = ("mode", "include", "exclude", "context", "exclude_defaults", "exclude_none", "round_trip")


class PayloadForm:
    """The serializer of a payload class. It returns the payload unchanged, whichever options are used to dump
    the outer model.
    """

    def __init__(self, cls: PayloadClass) -> None:
        self._cls = cls
        self.__qualname__ = self.__name__ = cls.__name__  # the name of the serializer in pydantic's errors

    def __call__(
        self,
        value: Any,
        handler: core_schema.SerializerFunctionWrapHandler,
        info: core_schema.SerializationInfo,
    ) -> Any:
        """Return the payload of `value` as its class dumps it. Leave other values to pydantic."""
        is_own = type(value) is self._cls and info.by_alias and info.exclude_unset
        if not isinstance(value, self._cls) or (is_own and not info.serialize_as_any):
            return handler(value)
        return value.model_dump(**{name: getattr(info, name) for name in _PASSED_ON})


_INTEGER = core_schema.int_schema(strict=True)


def _of_json(other: CoreSchema, shown: core_schema.SerSchema, name: str) -> GetPydanticSchema:
    """Return the type annotation of a number: an `int` or a value of `other`. `name` is the type in a JSON schema."""
    number = core_schema.union_schema([_INTEGER, other], mode="left_to_right", serialization=shown)
    return GetPydanticSchema(lambda _source, _handler: number, lambda _schema, _handler: {"type": name})


def _whole(number: float) -> int:
    if number.is_integer():
        return int(number)
    raise ValueError(f"{number} is not an integer")


def _as_it_is(value: Any) -> Any:
    return value


_FRACTION = core_schema.float_schema(strict=True)
_WHOLE = core_schema.no_info_after_validator_function(_whole, _FRACTION)

JsonInteger = Annotated[int, _of_json(_WHOLE, core_schema.simple_ser_schema("int"), "integer")]
"""A JSON integer, exact at any size; 1.0 is an integer and becomes 1."""

# Serialized unchanged: otherwise pydantic before 2.10 dumps a bool in a union with a number as a float.
JsonNumber = Annotated[
    int | float, _of_json(_FRACTION, core_schema.plain_serializer_function_ser_schema(_as_it_is), "number")
]
"""A JSON number: an `int`, exact at any size, if it is written without a fraction, else a `float`."""
