"""What every shape's reader works with: one object of an export, and the fields that all shapes share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.diagnostics import Diagnostic, Place, Reporter
from toolgen.spec import ToolSpec

DECLARATIONS = ("functionDeclarations", "function_declarations")
LISTS = ("tools", "functions", *DECLARATIONS)
"""The keys under which exports keep their tools."""

GEMINI_SCHEMA = ("parametersJsonSchema", "parameters_json_schema")
SCHEMA_KEYS = ("inputSchema", "input_schema", "schema", "parameters", *GEMINI_SCHEMA)
"""Every key that some shape keeps an input schema under."""

NO_PROPERTIES: dict[str, Any] = {"type": "object", "properties": {}}
"""What a tool without a schema takes."""

JSON_NAMES = {
    type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string",
    list: "an array", dict: "an object",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of an export: its value, its place, and the key of the list it stands in (`""`: in none)."""

    value: Mapping[str, Any]
    place: Place
    within: str = ""

    def has(self, *keys: str) -> bool:
        """Whether one of these keys is there, null or not."""
        return not self.value.keys().isdisjoint(keys)

    def first(self, *keys: str) -> tuple[str, Any]:
        """The first of these keys that holds more than null, with its value; `("", None)` where none does."""
        return next(((k, self.value[k]) for k in keys if self.value.get(k) is not None), ("", None))

    @property
    def name(self) -> str:
        """The tool's name where there is a usable one."""
        name = self.value.get("name")
        return name if isinstance(name, str) else ""

    def below(self, key: str) -> Entry | None:
        """The object under `key`, as an entry of its own; None where there is none."""
        inner = self.value.get(key)
        return Entry(inner, self.place.below(key), key) if isinstance(inner, dict) else None

    def fault(self, key: str, code: str, message: str, hint: str) -> Diagnostic:
        """An error at `key`, or at the entry itself where the key is missing."""
        place = self.place.below(key) if key in self.value else self.place
        return Diagnostic(place, code, message, hint, tool=self.name)


def tool_spec(
    entry: Entry, schema: Any, schema_key: str, report: Reporter, *, inner: str = ""
) -> ToolSpec | None:
    """The tool of an entry whose input schema stands under `schema_key` (`inner`: one level further down).

    Every field that is of the wrong type is reported, and the tool then left out. A null schema is an
    object without properties; a null description is none.
    """
    faults: list[Diagnostic] = []
    name = entry.value.get("name")
    if not isinstance(name, str) or not name:
        said = "the name is missing" if name is None else f"the name is {_kind(name)}"
        faults.append(entry.fault("name", "bad-name", said, "give the tool a name"))
    if schema is not None and not isinstance(schema, dict | bool):
        hint = "give a JSON Schema: an object, or true or false"
        faults.append(entry.fault(schema_key, "bad-schema", f"the input schema is {_kind(schema)}", hint))
    description = _field(entry, faults, str, "description")
    title = _field(entry, faults, str, "title")
    output = _field(entry, faults, dict, "outputSchema", "output_schema")
    annotations = _field(entry, faults, dict, "annotations")
    for fault in faults:
        report(fault)
    if faults:
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
        annotations={camel(k): v for k, v in (annotations or {}).items() if v is not None},
    )


def need_schema(entry: Entry, shape: str, report: Reporter) -> None:
    """Warn of a tool without a schema in a shape whose specification asks for one."""
    message = f"no input schema, which {shape} needs: read as an object without properties"
    report(Diagnostic(entry.place, "missing-schema", message, "export it again", entry.name, level="warning"))


def _field(entry: Entry, faults: list[Diagnostic], kind: type, *keys: str) -> Any:
    key, value = entry.first(*keys)
    if value is None or isinstance(value, kind):
        return value
    message = f"{key} is {_kind(value)}, not {JSON_NAMES[kind]}"
    faults.append(entry.fault(key, "bad-field", message, f"make it {JSON_NAMES[kind]}, or leave it out"))
    return None


def _kind(value: Any) -> str:
    return "empty" if value == "" else JSON_NAMES[type(value)]


def camel(key: str) -> str:
    """`read_only_hint`, as Python dumps it, is the `readOnlyHint` of the protocol."""
    head, *tail = key.split("_")
    return head + "".join(word.capitalize() for word in tail) if all((head, *tail)) else key
