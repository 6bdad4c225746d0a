"""An export shape: which keys are its own, and how an entry of it becomes a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolgen.diagnostics import Diagnostic, Reporter
from toolgen.specs.shapes.entry import Entry, kind_of, tool_spec, unkept
from toolgen.specs.tool_spec import ToolSpec

Read = Callable[[Entry, Reporter], ToolSpec | None]


def _never(_: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExportShape:
    """One export shape, as what it declares. `recognize.py` tells shapes apart by these declarations alone.

    A key belongs to the shape that has it among its `schema_keys` or `wrappers`. Another shape may have the
    key among its `shared_keys`: it takes the key from its owner in an entry that is in one of its `lists`, has
    one of its `marks`, or whose schema `fits`.
    """

    name: str
    """What a diagnostic calls an entry, with its article."""

    provider: str = ""
    """Who defines the shape; empty for none."""

    schema_keys: tuple[str, ...] = ()
    """Keys that hold an input schema."""

    shared_keys: tuple[str, ...] = ()
    """Keys of other shapes that hold an input schema of this one, too."""

    marks: tuple[str, ...] = ()
    """Keys beside a shared key that only this shape has."""

    fits: Callable[[Any], bool] = _never
    """Whether the value of a shared key can only be a schema of this shape."""

    wrappers: tuple[str, ...] = ()
    """Keys that hold the tool itself, as an object."""

    lists: tuple[str, ...] = ()
    """Keys of lists of tools that no other shape has. An item without a schema is of this shape."""

    envelopes: tuple[str, ...] = ()
    """Keys of objects around a list of tools."""

    namespaces: tuple[str, ...] = ()
    """The `type` of an object that gives a list of tools a name, by which calls tell them from others' tools."""

    without_schema: Callable[[Entry], bool] = _never
    """Whether an entry without any schema, in a list of no shape, is of this shape."""

    requires_schema: bool = False
    """Whether the shape's specification requires a schema; a tool without one is read with a warning."""

    read_tool: Read | None = None
    """How the tool is read where its schema is not simply the value of its key."""

    @property
    def tool_keys(self) -> tuple[str, ...]:
        """Every key that holds a schema or a tool of this shape."""
        return (*self.wrappers, *self.schema_keys, *self.shared_keys)

    def owns(self, key: str) -> bool:
        """Return whether a key belongs to this shape unless another takes it."""
        return key in self.schema_keys or key in self.wrappers

    def takes(self, key: str, entry: Entry) -> bool:
        """Return whether a shared key of an entry is this shape's rather than its owner's."""
        return key in self.shared_keys and (
            entry.within in self.lists
            or entry.has(*(mark for mark in self.marks if mark != key))
            or self.fits(entry.value[key])
        )

    def read(self, entry: Entry, report: Reporter) -> ToolSpec | None:
        """Return the tool of an entry; None where a problem was reported that leaves no tool."""
        given = [key for key in self.tool_keys if entry.value.get(key) is not None]
        if len(given) > 1:
            message = f"both {given[1]} and {given[0]}"
            report(entry.error(given[1], "ambiguous-tool", message, "keep one of the two"))
            return None
        tool = self._unwrapped(entry, report)
        if tool is None:
            return None
        spec = self.read_tool(tool, report) if self.read_tool else self._read(tool, report)
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
        return tool_spec(tool, schema, key or keys[0], report)


def warn_missing_schema(entry: Entry, provider: str, report: Reporter) -> None:
    """Warn of a tool without a schema in a shape whose specification requires one."""
    message = f"no input schema, which {provider} requires: read as an object without properties"
    report(Diagnostic(entry.place, "missing-schema", message, "export it again", entry.name, level="warning"))
