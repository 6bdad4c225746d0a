"""Write HTML pages about the tools of a package. All texts come from specs, so they are escaped."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Any

from toolgen.commands import html_template
from toolgen.commands.docs.example import example_of
from toolgen.commands.docs.fields import Choice, Field, fields_of
from toolgen.compiler.short_text import cut
from toolgen.compiler.tool_graph import graph_of, result_graph_of
from toolgen_runtime import __version__
from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import Toolset

_FACTS = {
    "readOnlyHint": "read-only",
    "idempotentHint": "safe to repeat with the same arguments",
    "openWorldHint": "talks to systems outside its server",
}
"""The words shown for each annotation of a tool (MCP `ToolAnnotations`)."""
DANGER = "can delete or overwrite data"
MAX_TOOLS = 250
"""The maximum number of tools on each of several pages."""
MAX_LINE = 200
"""The maximum number of characters of a description in an index."""
Files = Mapping[tuple[str, str], str]
Pages = Sequence[tuple[str, str, int]]


def entries(toolsets: Mapping[str, Toolset], files: Files | None = None) -> list[dict[str, Any]]:
    """Return what the page says about each tool. `toolsets` has the toolsets by the names of their spec
    files.

    The tools are in the order of their servers, which are the files in `files`, by toolset and tool. `words` is the
    text in which the search looks, and `anchor` is the name of the tool's link.
    """
    taken = set[str]()
    file_of = files or {}
    found = [
        _entry(stem, toolset[name], file_of.get((stem, name), ""), taken)
        for stem, toolset in toolsets.items()
        for name in toolset
    ]
    return sorted(found, key=lambda entry: entry["server"])


def render(
    title: str, tools: Sequence[Mapping[str, Any]], *, source: str = "", index: str = "", pages: Pages = ()
) -> str:
    """Return a page as one HTML file that loads no other files.

    Args:
        title: the title of the page.
        tools: the tools on the page, as `entries` returns them; an index has only the first line of each.
        source: the package.
        index: the file of the index, if this is one of several pages.
        pages: for an index, the server, the file and the number of tools of each page.
    """
    return html_template.render(
        "catalogue.html.jinja",
        title=title,
        tools=tools,
        pages=pages,
        source=source or title,
        index=index,
        version=__version__,
    )


def split(title: str, tools: Sequence[Mapping[str, Any]], file: str, source: str) -> dict[str, str]:
    """Return several HTML pages by file name.

    There is an index, and pages with at most `MAX_TOOLS` tools each.

    A page contains tools of one server only.
    """
    stem, suffix = os.path.splitext(os.path.basename(file))
    texts: dict[str, str] = {}
    pages: list[tuple[str, str, int]] = []
    listed: list[dict[str, Any]] = []
    for server, group in groupby(tools, lambda tool: tool["server"]):
        members = list(group)
        for number, start in enumerate(range(0, len(members), MAX_TOOLS), 1):
            part = members[start : start + MAX_TOOLS]
            name = f"{stem}-{_plain(server) or 'tools'}-{number}{suffix}"
            texts[name] = render(title, part, source=source, index=f"{stem}{suffix}")
            pages.append((server, name, len(part)))
            for tool in part:
                first = tool["description"].strip().partition("\n")[0]
                words = f"{tool['name']} {_joined(tool['name'])} {tool['title']} {first}".lower()
                listed.append({**tool, "page": name, "first_line": cut(first, MAX_LINE), "words": words})
    return {f"{stem}{suffix}": render(title, listed, source=source, pages=pages), **texts}


def _entry(group: str, tool: Tool[Any], file: str, taken: set[str]) -> dict[str, Any]:
    root = graph_of(tool)
    fields, choices = fields_of(root)
    results, _ = fields_of(result_graph_of(tool))
    example, hints = example_of(tool, root), tool.annotations
    is_dangerous = hints.get("destructiveHint") is True and hints.get("readOnlyHint") is not True
    return {
        "anchor": _anchor(f"{group}-{tool.name}" if group else tool.name, taken),
        "group": group,
        "file": file,
        "server": group or PurePath(file).stem,
        "name": tool.name,
        "title": tool.title or "",
        "description": tool.description,
        "danger": DANGER if is_dangerous else "",
        "page": "",
        "facts": [text for key, text in _FACTS.items() if hints.get(key) is True],
        "fields": fields,
        "choices": choices,
        "results": results,
        "example": "" if example is None else json.dumps(example, indent=2, ensure_ascii=False),
        "schema": json.dumps(tool.schema, indent=2, ensure_ascii=False),
        "words": " ".join(_words(group, tool, (*fields, *results), choices)).lower(),
    }


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-")


def _anchor(name: str, taken: set[str]) -> str:
    """Return an id for a name. The id is stable unless another name differs only in special characters."""
    plain = _plain(name) or "tool"
    anchor, number = f"tool-{plain}", 2
    while anchor in taken:
        anchor, number = f"tool-{plain}-{number}", number + 1
    taken.add(anchor)
    return anchor


def _words(
    group: str, tool: Tool[Any], fields: tuple[Field, ...], choices: tuple[Choice, ...]
) -> Iterator[str]:
    """Yield the texts in which the search finds a tool: descriptions, and names with and without their separators."""
    yield from (group, tool.name, _joined(tool.name), tool.title or "", tool.description)
    waiting = [*fields, *(field for choice in choices for field in choice.fields)]
    while waiting:
        field = waiting.pop()
        yield from (field.name, _joined(field.name), field.description, *field.values)
        waiting += [*field.fields, *(below for choice in field.choices for below in choice.fields)]


def _joined(name: str) -> str:
    return re.sub(r"[\W_]+", "", name)
