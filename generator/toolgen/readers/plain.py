"""Tools of no provider: `{name, description, schema}`."""

from __future__ import annotations

from toolgen.readers.entry import Entry, tool_spec
from toolgen.readers.values import Report
from toolgen.spec import ToolSpec

SHAPE = "a plain tool"


def claims(entry: Entry) -> bool:
    """The key `schema`."""
    return entry.has("schema")


def read(entry: Entry, report: Report) -> ToolSpec | None:
    """The tool; a null schema is an object without properties."""
    return tool_spec(entry, entry.value["schema"], "schema", report)
