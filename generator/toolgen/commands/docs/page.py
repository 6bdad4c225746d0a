"""The page: the data of a package's tools, and the HTML made of it. All texts come from specs and are escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen.commands import html_template
from toolgen.commands.docs.example import example_of
from toolgen.commands.docs.fields import Choice, Field, fields_of
from toolgen.compiler.tool_graph import graph_of, result_graph_of
from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import Toolset

_FACTS = {
    ("readOnlyHint", True): "read-only",
    ("destructiveHint", True): "can delete or overwrite data",
    ("idempotentHint", True): "safe to repeat with the same arguments",
    ("openWorldHint", True): "talks to systems outside its server",
}
"""The words shown for each annotation of a tool (MCP `ToolAnnotations`)."""


def entries(toolsets: Mapping[str, Toolset]) -> list[dict[str, Any]]:
    """Return the page's data of each tool of some toolsets, which are given by the stems of their files.

    `words` is the text that the search looks in, `anchor` the name of the tool's deep link.
    """
    taken = set[str]()
    return [_entry(stem, toolset[name], taken) for stem, toolset in toolsets.items() for name in toolset]


def render(title: str, tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the HTML of a page: one file that loads no other files."""
    return html_template.render("catalogue.html.jinja", title=title, tools=tools)


def _entry(group: str, tool: Tool[Any], taken: set[str]) -> dict[str, Any]:
    root = graph_of(tool)
    fields, choices = fields_of(root)
    results, _ = fields_of(result_graph_of(tool))
    example = example_of(tool, root)
    return {
        "anchor": _anchor(f"{group}-{tool.name}" if group else tool.name, taken),
        "group": group,
        "name": tool.name,
        "title": tool.title or "",
        "description": _printable(tool.description),
        "facts": [text for (key, value), text in _FACTS.items() if tool.annotations.get(key) is value],
        "fields": fields,
        "choices": choices,
        "results": results,
        "example": "" if example is None else json.dumps(example, indent=2, ensure_ascii=False),
        "schema": _printable(json.dumps(tool.schema, indent=2, ensure_ascii=False)),
        "words": _printable(" ".join(_words(group, tool, (*fields, *results), choices)).lower()),
    }


def _anchor(name: str, taken: set[str]) -> str:
    """Return an id for a name; it is stable unless another name differs only in special characters."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-") or "tool"
    anchor, number = f"tool-{plain}", 2
    while anchor in taken:
        anchor, number = f"tool-{plain}-{number}", number + 1
    taken.add(anchor)
    return anchor


def _words(
    group: str, tool: Tool[Any], fields: tuple[Field, ...], choices: tuple[Choice, ...]
) -> Iterator[str]:
    """Yield the texts in which the search finds a tool: names, also without their separators, and descriptions."""
    yield from (group, tool.name, _joined(tool.name), tool.title or "", tool.description)
    waiting = [*fields, *(field for choice in choices for field in choice.fields)]
    while waiting:
        field = waiting.pop()
        yield from (field.name, _joined(field.name), field.description, *field.values)
        waiting += [*field.fields, *(below for choice in field.choices for below in choice.fields)]


def _joined(name: str) -> str:
    return re.sub(r"[\W_]+", "", name)


def _printable(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot encode, and control characters replaced."""
    return re.sub("[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f]", "\N{REPLACEMENT CHARACTER}", text)
