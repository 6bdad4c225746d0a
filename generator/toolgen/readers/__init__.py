"""Exports of every shape -> tool specs: one small reader per shape, chosen by content alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from toolgen.diagnostics import Diagnostic, Place, Reporter
from toolgen.readers import anthropic, bedrock, gemini, hosted, mcp, openai, plain
from toolgen.readers.entry import JSON_NAMES, LISTS, Entry
from toolgen.spec import ToolSpec


class Reader(Protocol):
    """One export shape. For every entry at most one reader's `claims` is true, or the entry is ambiguous."""

    @property
    def SHAPE(self) -> str:  # noqa: N802  a constant of the module
        """What a diagnostic calls the shape."""
        ...

    def claims(self, entry: Entry) -> bool:
        """Whether the entry is of this shape."""
        ...

    def read(self, entry: Entry, report: Reporter) -> ToolSpec | None:
        """The entry's tool; None where something was reported that leaves no tool."""
        ...


READERS: tuple[Reader, ...] = (mcp, anthropic, openai, bedrock, gemini, plain)

ENVELOPES = ("toolConfig", "tool_config", "result", "config")
"""Objects around a list of tools: Bedrock's, a JSON-RPC response's, Gemini's request configuration."""

CURSORS = ("nextCursor", "next_cursor")

KNOWN = "an MCP, OpenAI, Anthropic, Bedrock or Gemini tool, or {name, description, schema}"


def tools_of(value: Any, place: Place, report: Reporter) -> Iterator[ToolSpec]:
    """Every tool of a parsed spec file, in the file's order; whatever is no tool is reported at its place."""
    if not isinstance(value, dict | list) or (isinstance(value, dict) and not _is_known(Entry(value, place))):
        kind = JSON_NAMES[type(value)] if not isinstance(value, dict) else "an object of another kind"
        report(Diagnostic(place, "not-a-spec", f"no tools here: this is {kind}", f"a spec holds {KNOWN}"))
        return
    yield from _unfold(value, place, "", report)
    _incomplete(value, place, report)


def _is_known(entry: Entry) -> bool:
    return bool(_shapes(entry) or _wrappers(entry.value) or list(hosted.notes(entry)))


def _shapes(entry: Entry) -> list[Reader]:
    return [reader for reader in READERS if reader.claims(entry)]


def _wrappers(value: dict[str, Any] | Any) -> list[str]:
    """The keys of an object that lead to tools."""
    return [key for key in LISTS if value.get(key) is not None] + [
        key for key in ENVELOPES if isinstance(value.get(key), dict) and _wrappers(value[key])
    ]


def _unfold(value: Any, place: Place, within: str, report: Reporter) -> Iterator[ToolSpec]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unfold(item, place.below(index), within, report)
        return
    if not isinstance(value, dict):
        report(
            Diagnostic(
                place, "not-a-tool", f"{JSON_NAMES[type(value)]} where a tool should be", f"give {KNOWN}"
            )
        )
        return
    yield from _entry(Entry(value, place, within), report)


def _entry(entry: Entry, report: Reporter) -> Iterator[ToolSpec]:
    wrappers, shapes, notes = _wrappers(entry.value), _shapes(entry), list(hosted.notes(entry))
    if (
        wrappers
        and shapes
        and not entry.has("inputSchema", "input_schema", "schema", "parameters", "function")
    ):
        shapes = []  # a named group of tools, not a tool without a schema
    for note in notes:
        report(note)
    readings = [reader.SHAPE for reader in shapes] + [
        f"an object around {key!r}" for key in wrappers if shapes
    ]
    if len(readings) > 1:
        message = f"fits more than one shape: {' and '.join(readings)}"
        report(Diagnostic(entry.place, "ambiguous-tool", message, "keep the keys of one shape", entry.name))
    elif shapes:
        spec = shapes[0].read(entry, report)
        if spec is not None:
            yield spec
    elif wrappers:
        yield from _inside(entry, wrappers, report)
    elif not notes:
        keys = ", ".join(map(repr, list(entry.value)[:5])) or "none"
        message = f"fits no shape; its keys are {keys}"
        report(Diagnostic(entry.place, "unknown-tool", message, f"give {KNOWN}", entry.name))


def _inside(entry: Entry, wrappers: list[str], report: Reporter) -> Iterator[ToolSpec]:
    for key in wrappers:
        inner, place = entry.value[key], entry.place.below(key)
        if key in LISTS and not isinstance(inner, list):
            message = f"{key} is {JSON_NAMES[type(inner)]}, not an array"
            report(Diagnostic(place, "bad-field", message, "make it an array of tools"))
        else:
            yield from _unfold(inner, place, key if key in LISTS else "", report)


def _incomplete(value: Any, place: Place, report: Reporter) -> None:
    """Warn where the last page of a list says that another follows."""
    if isinstance(value, list) and value:
        place = place.below(len(value) - 1)
        value = value[-1]
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value, place = value["result"], place.below("result")
    cursor = next((key for key in CURSORS if isinstance(value, dict) and value.get(key) is not None), "")
    if cursor:
        hint = "fetch the next page and put the pages in one array"
        report(
            Diagnostic(
                place.below(cursor), "more-pages", "the list goes on on another page", hint, level="warning"
            )
        )
