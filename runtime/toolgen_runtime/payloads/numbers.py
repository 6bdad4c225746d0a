"""The numbers of JSON as types of payload classes: exact, never coerced, 1.0 as good as 1."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import GetPydanticSchema
from pydantic_core import CoreSchema, core_schema

_INTEGER = core_schema.int_schema(strict=True)


def _of_json(other: CoreSchema, shown: core_schema.SerSchema, name: str) -> GetPydanticSchema:
    """Return the annotation of a number: an `int`, or what `other` takes; `name` is its type in a JSON schema."""
    number = core_schema.union_schema([_INTEGER, other], mode="left_to_right", serialization=shown)
    return GetPydanticSchema(lambda _source, _handler: number, lambda _schema, _handler: {"type": name})


def _whole(number: float) -> int:
    if number.is_integer():
        return int(number)
    raise ValueError(f"{number} is no integer")


def _as_it_is(value: Any) -> Any:
    return value


_FRACTION = core_schema.float_schema(strict=True)
_WHOLE = core_schema.no_info_after_validator_function(_whole, _FRACTION)

JsonInteger = Annotated[int, _of_json(_WHOLE, core_schema.simple_ser_schema("int"), "integer")]
"""A JSON integer, exact at any size; 1.0 is one, and becomes 1."""

# Serialized as it is: otherwise pydantic before 2.10 dumps a bool beside a number as a float.
JsonNumber = Annotated[
    int | float, _of_json(_FRACTION, core_schema.plain_serializer_function_ser_schema(_as_it_is), "number")
]
"""A JSON number: an `int`, exact at any size, where it is written without a fraction, else a `float`."""
