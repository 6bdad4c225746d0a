"""What every shape works with: one object of an export, and the fields that all shapes share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.diagnostics import Diagnostic, Place, Reporter
from toolgen.specs.tool_spec import ToolSpec

TOOLS = "tools"
"""The key of a list of tools that exports of several shapes have."""

UNKEPT = frozenset((
    "allowed_callers", "async", "defer_loading", "eager_input_streaming", "input_examples",
))  # fmt: skip
"""Fields of Anthropic's and OpenAI's definitions that say how to serve a tool."""

NO_PROPERTIES: dict[str, Any] = {"type": "object", "properties": {}}
"""The schema of a tool without a schema."""

JSON_NAMES = {
    type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string",
    list: "an array", dict: "an object",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of an export: its value, its place, and the key of the list that has it (`""`: none)."""

    value: Mapping[str, Any]
    place: Place
    within: str = ""

    def has(self, *keys: str) -> bool:
        """Return whether one of these keys is present, null or not."""
        return not self.value.keys().isdisjoint(keys)

    def first(self, *keys: str) -> tuple[str, Any]:
        """Return the first of these keys that is not null, with its value; `("", None)` if there is none."""
        for key in keys:
            value = self.value.get(key)
            if value is not None:
                return key, value
        return "", None

    @property
    def name(self) -> str:
        """The tool's name, or `""` if it has none that can be used."""
        name = self.value.get("name")
        return name if isinstance(name, str) else ""

    def below(self, key: str) -> Entry | None:
        """Return the object under `key` as an entry; None if there is none."""
        inner = self.value.get(key)
        return Entry(inner, self.place.below(key), key) if isinstance(inner, dict) else None

    def error(self, key: str, code: str, message: str, hint: str) -> Diagnostic:
        """Return an error at `key`, or at the entry itself if the key is missing."""
        place = self.place.below(key) if key in self.value else self.place
        return Diagnostic(place, code, message, hint, tool=self.name)


def tool_spec(
    entry: Entry, schema: Any, schema_key: str, report: Reporter, *, inner: str = ""
) -> ToolSpec | None:
    """Return the tool of an entry whose input schema is under `schema_key` (`inner`: one level further down).

    Every field of the wrong type is reported, and there is no tool then. A null schema is an object without
    properties; a null description is an empty one.
    """
    errors: list[Diagnostic] = []
    name = entry.value.get("name")
    if not isinstance(name, str) or not name:
        message = "the name is missing" if name is None else f"the name is {kind_of(name)}"
        errors.append(entry.error("name", "bad-name", message, "give the tool a name"))
    if schema is not None and not isinstance(schema, dict | bool):
        message, hint = (
            f"the input schema is {kind_of(schema)}",
            "write a JSON Schema: an object, true or false",
        )
        errors.append(entry.error(schema_key, "bad-schema", message, hint))
    description = _field(entry, errors, str, "description")
    title = _field(entry, errors, str, "title")
    output = _output_schema(entry, errors)
    icons = _field(entry, errors, list, "icons")
    annotations = _in_camel_case(_field(entry, errors, dict, "annotations"))
    execution = _in_camel_case(_field(entry, errors, dict, "execution"))
    for error in errors:
        report(error)
    if errors:
        return None
    place = entry.place.below(schema_key, *([inner] if inner else [])) if schema is not None else entry.place
    return ToolSpec(
        name=entry.name,
        description=description or "",
        schema=dict(NO_PROPERTIES, properties={}) if schema is None else schema,
        place=entry.place,
        schema_place=place,
        title=title,
        output_schema=output,
        annotations=annotations,
        icons=icons or (),
        execution=execution,
    )


def _output_schema(entry: Entry, errors: list[Diagnostic]) -> Any:
    """Return the schema of results; Bedrock's tools, which Strands has, keep theirs under `json`."""
    _, value = entry.first("outputSchema", "output_schema")
    if isinstance(value, bool):
        return value
    schema = _field(entry, errors, dict, "outputSchema", "output_schema")
    return schema["json"] if isinstance(schema, dict) and list(schema) == ["json"] else schema


def _in_camel_case(data: Mapping[str, Any] | None) -> dict[str, Any]:
    return {camel(key): value for key, value in (data or {}).items() if value is not None}


def _field(entry: Entry, errors: list[Diagnostic], kind: type, *keys: str) -> Any:
    key, value = entry.first(*keys)
    if value is None or isinstance(value, kind):
        return value
    message = f"{key} is {kind_of(value)}, not {JSON_NAMES[kind]}"
    errors.append(entry.error(key, "bad-field", message, f"make it {JSON_NAMES[kind]}, or leave it out"))
    return None


def unkept(entry: Entry, tool: str) -> Iterator[Diagnostic]:
    """Yield a note for each field of an entry that says how to serve its tool and is not kept; null, false and
    empty say no more than its default.
    """
    for key in sorted(UNKEPT & entry.value.keys()):
        if entry.value[key] not in (None, False, [], {}):
            message = f"{key} is not kept in a generated toolset"
            hint = "set it on the tools of your request"
            yield Diagnostic(entry.place.below(key), "unkept-field", message, hint, tool, level="note")


def kind_of(value: Any) -> str:
    """Return what a message calls a value: its JSON type with an article, or `empty`."""
    return "empty" if value == "" else JSON_NAMES[type(value)]


def camel(key: str) -> str:
    """Return the protocol's spelling of a key: `readOnlyHint` for `read_only_hint`, as Python dumps it."""
    head, *tail = key.split("_")
    return head + "".join(word.capitalize() for word in tail) if all((head, *tail)) else key
