"""Items of a tool list that are not functions, most of them run by the provider: skipped with a note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgen.diagnostics import Diagnostic
from toolgen.specs.shapes.entry import Entry, camel

OPENAI_TYPES = frozenset((
    "apply_patch", "code_interpreter", "computer", "computer_use_preview", "custom", "file_search",
    "image_generation", "local_shell", "mcp", "retrieval", "shell", "tool_search",
    "web_search", "web_search_preview",
))  # fmt: skip
DATED = re.compile(r"[a-z_]+_20\d\d_?\d\d_?\d\d\Z")
"""Anthropic's hosted types, and some of OpenAI's: `web_search_20250305`, `web_search_2025_08_26`."""

MEMBERS = frozenset((
    "cachePoint", "systemTool",
    "codeExecution", "computerUse", "enterpriseWebSearch", "fileSearch", "googleMaps", "googleSearch",
    "googleSearchRetrieval", "retrieval", "urlContext",
))  # fmt: skip
"""Members of the tool unions of Bedrock and Gemini that are not functions."""


def notes(entry: Entry, *, has_schema: bool) -> Iterator[Diagnostic]:
    """Yield a note for each hosted tool of an entry; one with a schema is not hosted, whatever its `type`."""
    kind = entry.value.get("type")
    if not has_schema and isinstance(kind, str) and (kind in OPENAI_TYPES or DATED.match(kind)):
        yield _note(entry, entry.name or kind)
    for key, member in entry.value.items():
        if camel(key) in MEMBERS and member is not None:
            name = member.get("name") if isinstance(member, dict) else None
            yield _note(entry, name if isinstance(name, str) else key)


def _note(entry: Entry, name: str) -> Diagnostic:
    is_marker = camel(name) == "cachePoint"
    message = (
        "skipped: a cache marker, not a tool"
        if is_marker
        else "skipped: the provider runs this tool, so it has no schema"
    )
    return Diagnostic(entry.place, "hosted-tool", message, tool=name, level="note")
