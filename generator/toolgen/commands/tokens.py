"""Estimate how many tokens a tool definition takes in every request."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from toolgen.cli.reports import Report
from toolgen.cli.terminal import counted, inline
from toolgen.compiler.specs.tool_spec import ToolSpec

CHARACTERS_PER_TOKEN: Final = 4
"""The number of characters per token in English text and JSON, which is about the same for any tokenizer."""


def tokens_of(spec: ToolSpec) -> int:
    """Estimate how many tokens a definition takes."""
    written = {"name": spec.name, "description": spec.description, "parameters": spec.schema}
    return len(json.dumps(written, separators=(",", ":"), ensure_ascii=False)) // CHARACTERS_PER_TOKEN


def print_files(specs: Sequence[ToolSpec], report: Report) -> dict[str, int]:
    """Print the number of tools and of tokens for each file, and return the total of tokens."""
    found, tools = Counter[str](), Counter[str]()
    for spec in specs:
        found[spec.place.file] += tokens_of(spec)
        tools[spec.place.file] += 1
    for file, tokens in found.items():
        text = f"{file}: {counted(tools[file], 'tool')}, about {tokens:,} tokens in every request"
        report.inform(inline(text))
    return found


def print_tools(specs: Sequence[ToolSpec], report: Report) -> dict[str, Any]:
    """Print the tokens of each tool, the largest first, then those of each file, and return the total."""
    listed: list[dict[str, Any]] = [
        {"file": spec.place.file, "name": spec.name, "tokens": tokens_of(spec)} for spec in specs
    ]
    listed.sort(key=lambda tool: -int(tool["tokens"]))
    for tool in listed:
        report.print(inline(f"{tool['tokens']:8,}  {tool['name']}  {tool['file']}"))
    return {"tools": listed, "files": print_files(specs, report)}
