"""OpenAI functions: chat tools (`function`), flat Responses tools, and the older `functions`.

Parameters that are left out define a function without any (OpenAI API reference), so that is no warning.
"""

from __future__ import annotations

from toolgen.diagnostics import Reporter
from toolgen.readers import gemini
from toolgen.readers.entry import SCHEMA_KEYS, Entry, tool_spec
from toolgen.spec import ToolSpec

SHAPE = "an OpenAI function"


def claims(entry: Entry) -> bool:
    """A `function`, or `parameters` that are not Gemini's, or a function without a schema."""
    if gemini.claims(entry):
        return False
    if entry.has("function", "parameters"):
        return True
    says_function = entry.value.get("type") == "function" or entry.within == "functions"
    return says_function and not entry.has(*SCHEMA_KEYS)


def read(entry: Entry, report: Reporter) -> ToolSpec | None:
    """The tool of either nesting."""
    if entry.has("function"):
        inner = entry.below("function")
        if inner is None:
            report(
                entry.fault("function", "bad-field", "function is no object", "give its name and parameters")
            )
            return None
        entry = inner
    return tool_spec(entry, entry.value.get("parameters"), "parameters", report)
