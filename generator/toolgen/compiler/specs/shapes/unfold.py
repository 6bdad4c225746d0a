"""Find all tools in a parsed export, and convert them to tool specs.

The shape of an entry is decided only by its keys, as the shapes declare them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolgen.compiler.diagnostics import Diagnostic, Place, Reporter
from toolgen.compiler.specs.shapes.providers import SHAPES
from toolgen.compiler.specs.shapes.shape import JSON_NAMES, TOOLS, Entry, ExportShape, camel
from toolgen.compiler.specs.tool_spec import ToolSpec

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
CURSORS = ("nextCursor", "next_cursor")


def _union(declared: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for keys in declared for key in keys))


TOOL_KEYS = _union(shape.tool_keys for shape in SHAPES)
"""Every key under which a shape has a schema or a tool."""

LISTS = _union(((TOOLS,), *(shape.lists for shape in SHAPES)))
"""The keys under which exports have their tools."""

ENVELOPES = _union(shape.envelopes for shape in SHAPES)
"""Keys of objects around a list of tools."""

NAMESPACES = _union(shape.namespaces for shape in SHAPES)
"""The `type` of a named group whose tools are called `<group>.<tool>`."""


def _expected() -> str:
    *others, last = (shape.provider for shape in SHAPES if shape.provider)
    return f"an {', '.join(others)} or {last} tool, or {{name, description, schema}}"


EXPECTED = _expected()
"""The accepted formats, for hints."""


def shapes_of(entry: Entry) -> list[ExportShape]:
    """Return the export formats that an entry matches.

    There is one, none if the entry is not a tool, or several if it is ambiguous.
    """
    keys = [key for key in TOOL_KEYS if key in entry.value]
    if keys:
        found = [shape for key in keys for shape in _shapes_of_key(key, entry)]
        return [shape for shape in SHAPES if shape in found]
    of_list = [shape for shape in SHAPES if entry.within in shape.lists]
    return of_list or [shape for shape in SHAPES if shape.without_schema(entry)]


def _shapes_of_key(key: str, entry: Entry) -> list[ExportShape]:
    taken = [shape for shape in SHAPES if shape.takes(key, entry)]
    return taken or [shape for shape in SHAPES if shape.owns(key)]


def keys_to_tools(value: Mapping[str, Any]) -> list[str]:
    """Return those keys of an object under which there are tools.

    Their values are lists, or objects around a list at any depth.
    """
    lists = [key for key in LISTS if value.get(key) is not None]
    envelopes = [key for key in ENVELOPES if isinstance(value.get(key), dict) and keys_to_tools(value[key])]
    return lists + envelopes


def _hosted_tools(entry: Entry, *, has_schema: bool) -> Iterator[Diagnostic]:
    """Yield a note for each hosted tool of an entry. An entry with a schema is not hosted, whatever its `type`."""
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


def tools_of(value: Any, place: Place, report: Reporter) -> Iterator[ToolSpec]:
    """Yield every tool of a parsed spec file, in order. Report everything that is not a tool."""
    if not isinstance(value, dict | list) or (isinstance(value, dict) and not _is_known(Entry(value, place))):
        if isinstance(value, dict):
            kind = "an object of a different format"
        else:
            kind = JSON_NAMES[type(value)]
        report(Diagnostic(place, "not-a-spec", f"no tools found in {kind}", f"a spec holds {EXPECTED}"))
        return
    yield from _unfold(value, place, "", report)
    _warn_of_more_pages(value, place, report)


def _is_known(entry: Entry) -> bool:
    return bool(shapes_of(entry) or keys_to_tools(entry.value) or _hosted(entry))


def _hosted(entry: Entry) -> list[Diagnostic]:
    return list(_hosted_tools(entry, has_schema=entry.has(*TOOL_KEYS)))


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
    """Warn if the last page of a list has a cursor for the next page (MCP, "Pagination")."""
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
