"""The numbers of JSON as types of payload classes: exact, never coerced, 1.0 as good as 1."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema


class _IntegerOfJson:
    """An `int` that takes 1.0 for 1, as JSON Schema does, and nothing else that is no integer."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        integer = core_schema.int_schema(strict=True)
        whole = core_schema.no_info_after_validator_function(_whole, core_schema.float_schema(strict=True))
        shown = core_schema.simple_ser_schema("int")
        return core_schema.union_schema([integer, whole], mode="left_to_right", serialization=shown)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "integer"}


def _whole(number: float) -> int:
    if number.is_integer():
        return int(number)
    raise ValueError(f"{number} is no integer")


def _as_it_is(value: Any) -> Any:
    return value


class _NumberOfJson:
    """An `int` or a `float`, whichever the payload has."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        integer, other = core_schema.int_schema(strict=True), core_schema.float_schema(strict=True)
        # Otherwise pydantic before 2.10 dumps a bool beside a number as a float.
        shown = core_schema.plain_serializer_function_ser_schema(_as_it_is)
        return core_schema.union_schema([integer, other], mode="left_to_right", serialization=shown)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "number"}


JsonInteger = Annotated[int, _IntegerOfJson()]
"""A JSON integer, exact at any size; 1.0 is one, and becomes 1."""

JsonNumber = Annotated[int | float, _NumberOfJson()]
"""A JSON number: an `int`, exact at any size, where it is written without a fraction, else a `float`."""
