"""The base classes of generated payload classes. Each class is a typed view of a payload that has passed its
check.

A generated class contains only types; the check that `bind` sets covers the whole schema. Every public way to create
an instance runs this check once on the whole payload and then creates the view. This includes the constructor,
`model_validate` and similar methods, a `TypeAdapter`, a field of another model, `model_construct` and
`model_copy(update=...)`. `from_checked` only creates the view.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from json import dumps, loads
from threading import RLock
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, RootModel
from pydantic_core import CoreSchema, PydanticSerializationError, PydanticUndefined, ValidationError

from toolgen_runtime.payloads.view import PAYLOAD_FORM, JsonInteger, JsonNumber, enforced, view_validator
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue
from toolgen_runtime.validation.redaction import Secrets

__all__ = ["JsonInteger", "JsonNumber", "Payload", "PayloadRoot", "bind"]

Check = Callable[[Any], list[ValidationIssue]]
_REFERENCES = (
    *("$ref", "$dynamicRef", "$recursiveRef"),
    *("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"),
)
"""Keywords that change their meaning if the schema is embedded in another document."""


@dataclass(frozen=True, slots=True)
class _Binding:
    """The settings of `bind`: the check, the name shown in errors, the tool's schema as JSON text, and the secrets."""

    validate: Check
    name: str
    schema: str | None
    secrets: Secrets | None


_completing = RLock()
"""A lock that makes sure that only one thread completes a class."""


def _completing_view(cls: type[Payload]) -> Callable[..., Any]:
    """Return a function that completes a class at its first instance.

    Pydantic's validator then replaces the function.
    """

    def view(payload: Any, **options: Any) -> Any:
        with _completing:
            if cls.__toolgen_view__ is view:
                cls.model_rebuild()
                cls.__toolgen_view__ = view_validator(cls.__pydantic_core_schema__, cls.__name__)
        return cls.__toolgen_view__(payload, **options)

    return view


class Payload(BaseModel, frozen=True):
    """The base class of generated payload classes, which are strict and immutable. Dumping a payload never
    changes it.

    `model_dump()` and `model_dump_json()` return the payload with exactly the keys that it has, and so does dumping a
    model that contains it. `by_alias` and `exclude_unset` have no effect. The constructor accepts each property under
    its name in the schema or its attribute name, and accepts instances of nested payload classes.

    Raises:
        pydantic.ValidationError: the payload breaks the schema. The error's `ctx["error"]` is an `InvalidPayload`,
            whose `issues()` are the reasons.
    """

    model_config = ConfigDict(
        strict=True,
        protected_namespaces=(),
        defer_build=True,
        ser_json_inf_nan="constants",
        hide_input_in_errors=True,
    )

    __toolgen_binding__: ClassVar[_Binding | None] = None
    __toolgen_view__: ClassVar[Callable[..., Any]]
    """The class's cached validator without the check. It is `_completing_view` until the class is completed."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__toolgen_view__ = _completing_view(cls)

    def __init__(self, /, **data: Any) -> None:
        _fill(self, _by_key(type(self), data))

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # or pydantic calls it at every nesting

    @classmethod
    def from_checked(cls, payload: Any) -> Self:
        """Return the view of a payload that has already passed the class's check.

        The payload is neither checked again nor changed.

        Raises:
            pydantic.ValidationError: pydantic cannot represent the payload. A recursive class is limited to about
                250 levels, and every key must be Unicode text.
        """
        view: Self = cls.__toolgen_view__(payload)
        return view

    @classmethod
    def model_construct(cls, *args: Any, **values: Any) -> Self:
        """Do the same as the constructor: a payload class has no unchecked instances.

        `_fields_set` is ignored.
        """
        if issubclass(cls, RootModel):
            given = args[:1]
        else:
            given = ()
        return cls(*given, **{key: value for key, value in values.items() if key != "_fields_set"})

    def model_dump(self, **options: Any) -> builtins.dict[str, Any]:
        """Return the payload. `options` are those of pydantic."""
        payload: builtins.dict[str, Any] = super().model_dump(**{**options, **PAYLOAD_FORM})
        return payload

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """Return the payload as JSON text. `options` are those of pydantic.

        A string may contain a lone surrogate, which JSON can escape (RFC 8259, section 8.2) but UTF-8 cannot encode.
        """
        try:
            return super().model_dump_json(indent=indent, **{**options, **PAYLOAD_FORM})
        except (PydanticSerializationError, UnicodeEncodeError):
            options.pop("ensure_ascii", None)
            if indent is None:
                separators = (",", ":")
            else:
                separators = (",", ": ")
            return dumps(self.model_dump(mode="json", **options), indent=indent, separators=separators)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy. If `update` is given, the updated payload is checked first."""
        if not update:
            return super().model_copy(deep=deep)
        return self.model_validate({**self.model_dump(), **_by_key(type(self), dict(update))})

    def copy(
        self, *, include: Any = None, exclude: Any = None, update: Any = None, deep: bool = False
    ) -> Self:
        """Do the same as `model_copy`, under the name that pydantic 1 uses.

        With `include` or `exclude`, copy a part if it is valid.
        """
        if include is None and exclude is None:
            return self.model_copy(update=update, deep=deep)
        payload = self.model_dump(include=include, exclude=exclude)
        return self.model_validate({**payload, **_by_key(type(self), update or {})})

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> builtins.dict[str, Any]:
        """Return the tool's schema exactly as in the spec. For a nested class, return pydantic's schema of
        the view.
        """
        binding = cls.__dict__.get("__toolgen_binding__")
        if binding is None or binding.schema is None:
            return super().model_json_schema(*args, **kwargs)
        return _object_form(loads(binding.schema))

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the fields that `repr` and `str` show. Secret values are masked."""
        binding = type(self).__toolgen_binding__
        if binding is None or binding.secrets is None:
            return super().__repr_args__()
        shown = binding.secrets.redacted(self.model_dump())
        if isinstance(shown, builtins.dict):
            return list(shown.items())
        return [(None, shown)]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return enforced(handler(source), cls, lambda value: cls.from_checked(_checked(cls, value)))

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> builtins.dict[str, Any]:
        """Return the tool's schema, or the view's schema if references in it would break inside a larger document."""
        binding = cls.__dict__.get("__toolgen_binding__")
        text = None if binding is None else binding.schema
        if text is None or any(f'"{word}"' in text for word in _REFERENCES):
            return handler(core_schema)
        return _object_form(loads(text))


class PayloadRoot(Payload, RootModel[Any], frozen=True):
    """The base class for payloads that are not plain objects. `root` is the view of the payload."""

    def __init__(self, /, root: Any = PydanticUndefined, **data: Any) -> None:
        _fill(self, data if root is PydanticUndefined else root)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # as above

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy. `update={"root": ...}` replaces the payload, and the new one is checked first."""
        if update:
            return self.model_validate(update["root"])
        return super().model_copy(deep=deep)


def bind(
    cls: type[Payload],
    *,
    validate: Check,
    tool: str | None = None,
    schema: str | None = None,
    secrets: Secrets | None = None,
) -> None:
    """Attach the check and the secrets to a payload class.

    For a tool's main class, also set the tool's name and its schema as JSON text.
    """
    cls.__toolgen_binding__ = _Binding(validate, tool or cls.__name__, schema, secrets)


def _checked(cls: type[Payload], value: Any) -> Any:
    """Return a value as a plain payload that has passed the check of `cls`.

    Raises:
        InvalidPayload: the payload did not pass the check.
        ValueError: the value is nested too deeply to be copied.
    """
    try:
        payload = _plain_copy(value)
    except RecursionError:
        raise ValueError("the payload is nested too deeply") from None
    binding = cls.__toolgen_binding__
    if binding is not None:
        issues = binding.validate(payload)
    else:
        issues = []
    if binding is not None and issues:
        raise InvalidPayload(
            binding.name, binding.secrets.conceal(issues, payload) if binding.secrets else issues
        )
    return payload


def _fill(instance: Payload, value: Any) -> None:
    """Check a value and make `instance` its view."""
    cls = type(instance)
    try:
        payload = _checked(cls, value)
    except ValueError as error:
        raise ValidationError.from_exception_data(
            cls.__name__,
            [{"type": "value_error", "input": value, "ctx": {"error": error}}],
            hide_input=True,
        ) from error
    cls.__toolgen_view__(payload, self_instance=instance)


def _object_form(schema: Any) -> dict[str, Any]:
    """Return a schema in the object form that users of pydantic expect: `{}` for `true`, `{"not": {}}` for `false`."""
    if isinstance(schema, bool):
        if schema:
            return {}
        return {"not": {}}
    form: dict[str, Any] = schema
    return form


def _by_key(cls: type[BaseModel], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by property name instead of attribute name. Keys that already are property names stay."""
    fields = cls.model_fields
    aliases = {name: field.alias for name, field in fields.items() if name in data and field.alias}
    return {
        key if (alias := aliases.get(key)) is None or alias in data else alias: v for key, v in data.items()
    }


def _plain_copy(value: Any) -> Any:
    """Return a copy of a JSON value in which payloads replace model instances."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_unset=True)
    if isinstance(value, dict):
        return {key: _plain_copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain_copy(item) for item in value]
    return value
