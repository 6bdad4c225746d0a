"""Parsed exports -> tool specs. What an entry is, its keys alone decide (`recognize.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolgen.diagnostics import Diagnostic, Place, Reporter
from toolgen.specs.shapes import hosted
from toolgen.specs.shapes.entry import JSON_NAMES, Entry
from toolgen.specs.shapes.recognize import EXPECTED, LISTS, NAMESPACES, TOOL_KEYS, keys_to_tools, shapes_of
from toolgen.specs.tool_spec import ToolSpec

CURSORS = ("nextCursor", "next_cursor")


def tools_of(value: Any, place: Place, report: Reporter) -> Iterator[ToolSpec]:
    """Yield every tool of a parsed spec file in the file's order; report whatever is not a tool."""
    if not isinstance(value, dict | list) or (isinstance(value, dict) and not _is_known(Entry(value, place))):
        kind = JSON_NAMES[type(value)] if not isinstance(value, dict) else "an object of a different format"
        report(Diagnostic(place, "not-a-spec", f"no tools found in {kind}", f"a spec holds {EXPECTED}"))
        return
    yield from _unfold(value, place, "", report)
    _warn_of_more_pages(value, place, report)


def _is_known(entry: Entry) -> bool:
    return bool(shapes_of(entry) or keys_to_tools(entry.value) or _hosted(entry))


def _hosted(entry: Entry) -> list[Diagnostic]:
    return list(hosted.notes(entry, has_schema=entry.has(*TOOL_KEYS)))


def _unfold(value: Any, place: Place, within: str, report: Reporter) -> Iterator[ToolSpec]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unfold(item, place.below(index), within, report)
    elif isinstance(value, dict):
        yield from _entry(Entry(value, place, within), report)
    else:
        message = f"{JSON_NAMES[type(value)]} where a tool should be"
        report(Diagnostic(place, "not-a-tool", message, f"give {EXPECTED}"))


def _entry(entry: Entry, report: Reporter) -> Iterator[ToolSpec]:
    lists, shapes, notes = keys_to_tools(entry.value), shapes_of(entry), _hosted(entry)
    if lists and not entry.has(*TOOL_KEYS):
        shapes = []  # a named group of tools, not a tool without a schema
    for note in notes:
        report(note)
    readings = [shape.name for shape in shapes] + [f"an object around {key!r}" for key in lists if shapes]
    if len(readings) > 1:
        message = f"has the keys of more than one tool format: {' and '.join(readings)}"
        report(Diagnostic(entry.place, "ambiguous-tool", message, "keep the keys of one format", entry.name))
    elif shapes:
        spec = shapes[0].read(entry, report)
        if spec is not None:
            yield spec
    elif lists:
        yield from _inside(entry, lists, report)
    elif not notes:
        keys = ", ".join(map(repr, list(entry.value)[:5])) or "none"
        message = f"does not have the keys of a known tool format; its keys are {keys}"
        report(Diagnostic(entry.place, "unknown-tool", message, f"give {EXPECTED}", entry.name))


def _inside(entry: Entry, keys: list[str], report: Reporter) -> Iterator[ToolSpec]:
    for spec in _listed(entry, keys, report):
        is_namespace = bool(entry.name) and entry.value.get("type") in NAMESPACES
        yield replace(spec, name=f"{entry.name}.{spec.name}") if is_namespace else spec


def _listed(entry: Entry, keys: list[str], report: Reporter) -> Iterator[ToolSpec]:
    for key in keys:
        inner, place = entry.value[key], entry.place.below(key)
        if key in LISTS and not isinstance(inner, list):
            message = f"{key} is {JSON_NAMES[type(inner)]}, not an array"
            report(Diagnostic(place, "bad-field", message, "make it an array of tools"))
        else:
            yield from _unfold(inner, place, key if key in LISTS else "", report)


def _warn_of_more_pages(value: Any, place: Place, report: Reporter) -> None:
    """Warn if the last page of a list has a cursor to the next (MCP, "Pagination")."""
    if isinstance(value, list) and value:
        place = place.below(len(value) - 1)
        value = value[-1]
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value, place = value["result"], place.below("result")
    cursor = next((key for key in CURSORS if isinstance(value, dict) and value.get(key) is not None), "")
    if cursor:
        message, hint = (
            "the list continues on another page",
            "fetch the next page and combine the pages in one array",
        )
        report(Diagnostic(place.below(cursor), "more-pages", message, hint, level="warning"))
