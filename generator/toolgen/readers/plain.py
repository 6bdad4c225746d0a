"""Tools of no provider: `{name, description, schema}`."""

from __future__ import annotations

from toolgen.diagnostics import Reporter
from toolgen.readers.entry import Entry, tool_spec
from toolgen.spec import ToolSpec

SHAPE = "a plain tool"


def claims(entry: Entry) -> bool:
    """The key `schema`."""
    return entry.has("schema")


def read(entry: Entry, report: Reporter) -> ToolSpec | None:
    """The tool; a null schema is an object without properties."""
    return tool_spec(entry, entry.value["schema"], "schema", report)
