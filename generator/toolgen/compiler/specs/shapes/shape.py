"""One object of an export (`Entry`), and the description of an export format (`ExportShape`).

`ExportShape`: the keys that identify a format, and how its entries become tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolgen.compiler.diagnostics import Diagnostic, Place, Reporter
from toolgen.compiler.specs.tool_spec import ToolSpec

TOOLS = "tools"
"""The key of a list of tools in exports of several shapes."""

UNKEPT = frozenset((
    "allowed_callers", "async", "defer_loading", "eager_input_streaming", "input_examples",
))  # fmt: skip
"""Fields of Anthropic's and OpenAI's definitions that configure how a tool is served."""

NO_PROPERTIES: dict[str, Any] = {"type": "object", "properties": {}}
"""The schema of a tool without a schema."""

JSON_NAMES = {
    type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string",
    list: "an array", dict: "an object",
}  # fmt: skip


class Entry(NamedTuple):
    """One object of an export.

    It has a value, a place, and the key of the list around it (an empty string if there is none).
    """

    value: Mapping[str, Any]
    place: Place
    within: str = ""

    def has(self, *keys: str) -> bool:
        """Return whether one of these keys is present, even if it is null."""
        return not self.value.keys().isdisjoint(keys)

    def first(self, *keys: str) -> tuple[str, Any]:
        """Return the first of these keys that is not null, together with its value.

        If there is none, return `("", None)`.
        """
        for key in keys:
            value = self.value.get(key)
            if value is not None:
                return key, value
        return "", None

    @property
    def name(self) -> str:
        """The tool's name, or an empty string if it has no valid one."""
        name = self.value.get("name")
        return name if isinstance(name, str) else ""

    def below(self, key: str) -> Entry | None:
        """Return the object under `key` as an entry; None if there is none."""
        inner = self.value.get(key)
        if isinstance(inner, dict):
            return Entry(inner, self.place.below(key), key)
        return None

    def error(self, key: str, code: str, message: str, hint: str) -> Diagnostic:
        """Create an error about the value of `key`, or about the entry itself if the key is missing."""
        if key in self.value:
            place = self.place.below(key)
        else:
            place = self.place
        return Diagnostic(place, code, message, hint, tool=self.name)


def tool_spec(entry: Entry, schema: Any, report: Reporter, *schema_keys: str) -> ToolSpec | None:
    """Convert an entry to a tool. `schema_keys` lead to its input schema.

    Every field of the wrong type is reported, and the result is then None. A null schema counts as an object without
    properties, and a null description as an empty one.
    """
    errors: list[Diagnostic] = []
    name = entry.value.get("name")
    if not isinstance(name, str) or not name:
        kind = "missing" if name is None else kind_of(name)
        errors.append(entry.error("name", "bad-name", f"the name is {kind}", "give the tool a name"))
    if schema is not None and not isinstance(schema, dict | bool):
        message = f"the input schema is {kind_of(schema)}"
        hint = "write a JSON Schema: an object, true or false"
        errors.append(entry.error(schema_keys[0], "bad-schema", message, hint))
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
    place = entry.place
    if schema is not None:
        place = place.below(*schema_keys)
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
    """Return the schema of results. Bedrock's tools, which Strands uses, have it under `json`."""
    _, value = entry.first("outputSchema", "output_schema")
    if isinstance(value, bool):
        return value
    schema = _field(entry, errors, dict, "outputSchema", "output_schema")
    if isinstance(schema, dict) and list(schema) == ["json"]:
        return schema["json"]
    return schema


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
    """Yield a note for each field of an entry that toolgen does not keep (`UNKEPT`).

    Null, false and empty values are the defaults.
    """
    for key in sorted(UNKEPT & entry.value.keys()):
        if entry.value[key] not in (None, False, [], {}):
            message = f"{key} is not kept in a generated toolset"
            hint = "set it on the tools of your request"
            yield Diagnostic(entry.place.below(key), "unkept-field", message, hint, tool, level="note")


def kind_of(value: Any) -> str:
    """Return the word for a value in a message: its JSON type with an article, or `empty`."""
    if value == "":
        return "empty"
    return JSON_NAMES[type(value)]


def camel(key: str) -> str:
    """Return a key as the protocol spells it, such as `readOnlyHint` for `read_only_hint`.

    Python dumps contain the latter.
    """
    head, *tail = key.split("_")
    if all((head, *tail)):
        return head + "".join(word.capitalize() for word in tail)
    return key


Read = Callable[[Entry, Reporter], ToolSpec | None]


def _never(_: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExportShape:
    """One export format, described so that it can be told from all others (see `unfold.py`).

    A key belongs to the shape that lists it in `schema_keys` or `wrappers`. Another shape may list the key in its
    `shared_keys`. This shape takes the key from its owner if the entry is in one of its `lists`, has one of its
    `marks`, or has a schema that `fits`.
    """

    name: str
    """How a diagnostic names an entry, with an article."""

    provider: str = ""
    """The provider that defines the shape; empty if there is none."""

    schema_keys: tuple[str, ...] = ()
    """Keys that hold an input schema."""

    shared_keys: tuple[str, ...] = ()
    """Keys of other shapes that may also hold an input schema of this one."""

    marks: tuple[str, ...] = ()
    """Keys that occur beside a shared key only in this shape."""

    fits: Callable[[Any], bool] = _never
    """Whether the value of a shared key can only be a schema of this shape."""

    wrappers: tuple[str, ...] = ()
    """Keys that hold the tool itself, as an object."""

    lists: tuple[str, ...] = ()
    """Keys of lists of tools that no other shape has. An item without a schema belongs to this shape."""

    envelopes: tuple[str, ...] = ()
    """Keys of objects around a list of tools."""

    namespaces: tuple[str, ...] = ()
    """The `type` of an object that gives a list of tools a name, which becomes part of the tools' names."""

    without_schema: Callable[[Entry], bool] = _never
    """Whether an entry without any schema belongs to this shape, if it is in a list that several shapes share."""

    requires_schema: bool = False
    """Whether the shape's specification requires a schema; a tool without one is read with a warning."""

    read_tool: Read | None = None
    """A function that reads the tool, if its schema is not simply the value of its key."""

    @property
    def tool_keys(self) -> tuple[str, ...]:
        """Every key under which this format has a schema or a tool."""
        return (*self.wrappers, *self.schema_keys, *self.shared_keys)

    def owns(self, key: str) -> bool:
        """Return whether a key belongs to this format by default. Another format may take it."""
        return key in self.schema_keys or key in self.wrappers

    def takes(self, key: str, entry: Entry) -> bool:
        """Return whether this format takes a key that several formats use, judging by the rest of the entry."""
        return key in self.shared_keys and (
            entry.within in self.lists
            or entry.has(*(mark for mark in self.marks if mark != key))
            or self.fits(entry.value[key])
        )

    def read(self, entry: Entry, report: Reporter) -> ToolSpec | None:
        """Convert an entry to a tool.

        Return None if a reported problem prevents that.
        """
        given = [key for key in self.tool_keys if entry.value.get(key) is not None]
        if len(given) > 1:
            message = f"both {given[1]} and {given[0]}"
            report(entry.error(given[1], "ambiguous-tool", message, "keep one of the two"))
            return None
        tool = self._unwrapped(entry, report)
        if tool is None:
            return None
        if self.read_tool:
            spec = self.read_tool(tool, report)
        else:
            spec = self._read(tool, report)
        for part in (entry,) if tool is entry else (entry, tool):
            for note in unkept(part, tool.name) if spec is not None else ():
                report(note)
        return spec

    def _unwrapped(self, entry: Entry, report: Reporter) -> Entry | None:
        present = [key for key in self.wrappers if key in entry.value]
        if not present:
            return entry
        key = entry.first(*present)[0] or present[0]
        tool = entry.below(key)
        if tool is None:
            message = f"{key} is {kind_of(entry.value[key])}, not an object"
            hint = f"give its name and {(*self.schema_keys, *self.shared_keys)[0]}"
            report(entry.error(key, "bad-field", message, hint))
        return tool

    def _read(self, tool: Entry, report: Reporter) -> ToolSpec | None:
        keys = (*self.schema_keys, *self.shared_keys)
        key, schema = tool.first(*keys)
        if schema is None and self.requires_schema:
            warn_missing_schema(tool, self.provider, report)
        return tool_spec(tool, schema, report, key or keys[0])


def warn_missing_schema(entry: Entry, provider: str, report: Reporter) -> None:
    """Warn about a tool that has no schema although the format requires one."""
    message = f"no input schema, which {provider} requires: read as an object without properties"
    report(Diagnostic(entry.place, "missing-schema", message, "export it again", entry.name, level="warning"))
