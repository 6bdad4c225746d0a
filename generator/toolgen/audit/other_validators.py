"""What other validators tell a model about the same arguments: jsonschema's errors, and those of a pydantic model.

They are asked once for each call of a small sample, after everything is counted. The pydantic model is the plain one
that an agent's author would write: the properties' types, choices and limits, nested as the schema is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Final, Literal

from toolgen_runtime.schema.subschemas import follow

MAX_DEPTH: Final = 12
_LIMITS: Final = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}
_TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": type(None),
}

Text = Callable[[Any], str]
"""What a validator says of arguments; empty where it accepts them."""


def has_other_validators() -> bool:
    """Return whether jsonschema is installed, which the extra `audit` brings."""
    return find_spec("jsonschema") is not None


def jsonschema_text(schema: Any) -> Text:
    """Return jsonschema's text: the place and message of every error; one that prints itself whole is far longer."""
    from jsonschema.validators import validator_for

    kind = validator_for(schema)
    validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
    return lambda payload: "\n".join(f"{e.json_path}: {e.message}" for e in validator.iter_errors(payload))


def pydantic_text(schema: Any, name: str) -> Text:
    """Return pydantic's text: the `ValidationError` of a plain model."""
    from pydantic import TypeAdapter, ValidationError

    adapter: TypeAdapter[Any] = TypeAdapter(_Models(schema).type_of(schema, name, MAX_DEPTH))

    def text(payload: Any) -> str:
        try:
            adapter.validate_python(payload)
        except ValidationError as error:
            return str(error)
        return ""

    return text


class _Models:
    """Types for the subschemas of one document; nothing of it becomes code."""

    def __init__(self, document: Any) -> None:
        self.document = document

    def type_of(self, schema: Any, name: str, depth: int) -> Any:
        if not isinstance(schema, dict) or not depth:
            return Any
        if isinstance(schema.get("$ref"), str):
            return self.type_of(follow(self.document, schema["$ref"]), name, depth - 1)
        choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if isinstance(choices, list) and choices and all(isinstance(c, str | int) for c in choices):
            return Literal[tuple(choices)]
        for word in ("anyOf", "oneOf"):
            if isinstance(branches := schema.get(word), list) and branches:
                return _union([self.type_of(branch, name, depth - 1) for branch in branches])
        types = schema.get("type", "object" if "properties" in schema else None)
        kinds = types if isinstance(types, list) else [types]
        return _union([self._of_kind(kind, schema, name, depth) for kind in kinds])

    def _of_kind(self, kind: Any, schema: dict[str, Any], name: str, depth: int) -> Any:
        if kind == "object":
            return self._model(schema, name, depth)
        made = _TYPES.get(kind, Any) if isinstance(kind, str) else Any
        if kind == "array":
            made = list[self.type_of(schema.get("items"), name, depth - 1)]  # type: ignore[misc]
        return _limited(made, schema)

    def _model(self, schema: dict[str, Any], name: str, depth: int) -> Any:
        from pydantic import ConfigDict, Field, create_model

        properties = schema.get("properties")
        if not isinstance(properties, dict):
            return dict[str, Any]
        required = schema.get("required")
        needed = set(required) if isinstance(required, list) else set()
        # Any name may be a property's, so the fields have names of their own.
        fields: dict[str, Any] = {
            f"field_{at}": (
                self.type_of(member, str(key), depth - 1),
                Field(... if key in needed else None, alias=str(key)),
            )
            for at, (key, member) in enumerate(properties.items())
        }
        extra: Literal["forbid", "allow"] = (
            "forbid" if schema.get("additionalProperties") is False else "allow"
        )
        return create_model(name, __config__=ConfigDict(extra=extra), **fields)


def _union(members: list[Any]) -> Any:
    made = members[0]
    for member in members[1:]:
        made = made | member
    return made


def _limited(made: Any, schema: dict[str, Any]) -> Any:
    from typing import Annotated

    from pydantic import Field

    is_text = made is str
    found = {
        name: schema[word]
        for word, name in _LIMITS.items()
        if type(schema.get(word)) in (int, float)
        and (word.endswith("Length") if is_text else not word.endswith("Length"))
        and (
            word.endswith("Items")
            if getattr(made, "__origin__", None) is list
            else not word.endswith("Items")
        )
        and made is not Any
    }
    return Annotated[made, Field(**found)] if found else made
