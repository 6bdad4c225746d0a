"""Dumping a payload class: the payload itself, as it would be sent again.

A payload's keys are the schema's own names, and a key that was not sent is not in it. pydantic's defaults say
otherwise (`by_alias=False`, `exclude_unset=False`), and pass into every model within. So a payload class has
two serializers: pydantic's own with `PayloadForm` around every payload class, which serves whoever dumps what
holds a payload (another model, a `TypeAdapter`, `to_jsonable_python`), and one without, which serves the
class's own methods.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, SchemaSerializer, core_schema

from toolgen_runtime.payloads.view import unenforced

if TYPE_CHECKING:
    from pydantic import BaseModel

_AS_ASKED: ContextVar[bool] = ContextVar("_AS_ASKED", default=False)
"""Whether the caller of a class's own method asked for another form than the payload's."""

_PASSED_ON = ("mode", "include", "exclude", "context", "exclude_defaults", "exclude_none", "round_trip")


class PayloadForm:
    """The serializer of a payload class wherever it stands: the payload, whatever the outer dump's defaults."""

    def __init__(self, cls: type[BaseModel]) -> None:
        self._cls = cls
        self.__qualname__ = self.__name__ = cls.__name__  # pydantic's errors call the serializer by this

    def __call__(
        self,
        value: Any,
        handler: core_schema.SerializerFunctionWrapHandler,
        info: core_schema.SerializationInfo,
    ) -> Any:
        """Return the payload of `value`, by its own class; leave what is no payload to pydantic.

        pydantic 2.11 and 2.12 call this within `serializer_of` too: they put the finished serializer of a
        recursive class in the place of any schema of the class.
        """
        if not isinstance(value, self._cls):
            return handler(value)
        settled = _AS_ASKED.get() or (info.by_alias and info.exclude_unset)
        if settled and type(value) is self._cls and not info.serialize_as_any:
            return handler(value)
        options = {name: getattr(info, name) for name in _PASSED_ON}
        options["by_alias"] = info.by_alias or not _AS_ASKED.get()
        options["exclude_unset"] = info.exclude_unset or not _AS_ASKED.get()
        return serializer_of(type(value)).to_python(value, **options)

    def schema(self) -> core_schema.WrapSerializerFunctionSerSchema:
        """Return this serializer as a part of a core schema."""
        return core_schema.wrap_serializer_function_ser_schema(self, info_arg=True)


def serializer_of(cls: type[BaseModel]) -> SchemaSerializer:
    """Return the serializer of a class with no `PayloadForm` in it; made when it is first asked for."""
    serializer: SchemaSerializer | None = cls.__dict__.get("__toolgen_serializer__")
    if serializer is None:
        cls.model_rebuild()
        schema = unenforced(cls.__pydantic_core_schema__)
        config: Any = {name: value for name, value in cls.model_config.items() if name.startswith("ser_")}
        try:
            serializer = SchemaSerializer(schema, config, _use_prebuilt=False)
        except TypeError:  # pydantic before 2.13 has no such option
            serializer = SchemaSerializer(schema, config)
        cls.__toolgen_serializer__ = serializer  # type: ignore[attr-defined]
    return serializer


def dumped(model: BaseModel, **options: Any) -> Any:
    """Return `model_dump` of a payload; `options` are those of pydantic's method."""
    return _run(model, serializer_of(type(model)).to_python, options)


def dumped_json(model: BaseModel, **options: Any) -> str:
    """Return `model_dump_json` of a payload; `options` are those of pydantic's method.

    A text may hold a lone surrogate, which JSON can escape (RFC 8259, section 8.2) and UTF-8 cannot hold.
    """
    serializer = serializer_of(type(model))
    try:
        return str(_run(model, serializer.to_json, options), "utf-8")
    except (PydanticSerializationError, UnicodeEncodeError):
        indent = options.pop("indent", None)
        options.pop("ensure_ascii", None)
        value = _run(model, serializer.to_python, {**options, "mode": "json"})
        separators = (",", ":") if indent is None else (",", ": ")
        return json.dumps(value, indent=indent, separators=separators)


def _run(model: BaseModel, serialize: Any, options: dict[str, Any]) -> Any:
    by_alias = options.pop("by_alias", None)
    exclude_unset = options.pop("exclude_unset", True)
    by_alias = True if by_alias is None else by_alias
    if by_alias and exclude_unset:
        return serialize(model, by_alias=True, exclude_unset=True, **options)
    token = _AS_ASKED.set(True)
    try:
        return serialize(model, by_alias=by_alias, exclude_unset=exclude_unset, **options)
    finally:
        _AS_ASKED.reset(token)
