"""What is read of definitions, compiled, built, exported, compared and said of them, over the project's own schemas."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import toolgen
from helpers.spec_exports import SHAPES
from helpers.support import TEST_DATA, files_of, for_each, needs_servers, servers, table
from recorded_inputs import (
    Output,
    Outputs,
    by_name,
    chosen,
    key_of,
    outcome,
    own_schemas,
    own_tools,
    payload_of,
    plain,
    tool_of,
    variants,
    wrong_payloads,
)

from toolgen import compile_tools
from toolgen.commands.pull.source import source_of
from toolgen.commands.servers.address import of_command_line
from toolgen.commands.servers.client_config import of_config
from toolgen_runtime import Tool, Toolset, __version__

pytestmark = pytest.mark.usefixtures("workplace")
TARGETS = ("mcp", "openai", "openai-responses", "anthropic", "bedrock", "gemini", "gemini-interactions")
STUBS = ("python-stubs", "typescript-stubs")
LINTERS = ("openai", "openai_responses", "anthropic", "bedrock", "gemini", "openai-apps", "claude-directory")


def schemas() -> Iterator[Output]:
    """Schemas and variants of each: what is wrong with them, or which payloads they reject."""
    for name, (schema, _) in own_schemas().items():
        tool = tool_of(schema)
        sent = [payload_of(tool), *wrong_payloads(tool, 5)] if isinstance(tool, Tool) else [{}]
        for each in [schema, *variants(schema, 1)]:
            made = tool_of(each)
            if isinstance(made, Tool):
                found = [issue for payload in sent for issue in made.validate(payload)]
                yield name, [(issue.path, issue.constraint, repr(issue.expected)[:99]) for issue in found]
            else:
                yield name, made


def patterns_and_formats() -> Iterator[Output]:
    found = [row["pattern"] for row in [*table("patterns/errors.json"), *table("patterns/matches.json")]]
    found += [row[0] for row in table("patterns/engines.json")] + [f"^(?:{a})*x?$" for a in atoms()] + atoms()
    texts = chosen(
        {text: 0 for row in table("patterns/matches.json") for text in (*row["yes"], *row["no"])}, 60, ""
    )

    for pattern in dict.fromkeys(found):
        for options in ({}, {"slow_patterns": "allow"}):
            made = outcome(compile_tools, [{"name": "t", "schema": {"pattern": pattern}}], **options)
            yield key_of(pattern), said_of(made, texts)
    for name, row in table("formats.json").items():
        valid, invalid = row["valid"], row["invalid"]
        sent = [*valid, *invalid, *(edited for text in valid for edited in edits(text))]
        yield name, said_of(compile_tools([{"name": "t", "schema": {"format": name}}]), sent)


def atoms() -> list[str]:
    return [*dict.fromkeys(atom for kind in table("patterns/atoms.json").values() for atom in kind)]


def edits(text: str) -> list[str]:
    places = range(0, len(text), 1 + len(text) // 4)
    return [text[:at] + new + text[at + drop :] for at in places for new in "0-.é@ " for drop in (0, 1)]


def said_of(made: Any, sent: list[Any]) -> Any:
    return [bool(made["t"].validate(each)) for each in sent] if isinstance(made, Toolset) else made


def exports() -> Iterator[Output]:
    """Every shape in which definitions are exported, and variants: the tools that are read."""
    loaded = [(name, value) for rows in table("load.json").values() for name, value in rows.items()]

    for name, (value, *_) in [*SHAPES.items(), *loaded]:
        for each in [value, *variants(value, 12)]:
            made = outcome(compile_tools, each, keep_going=True)
            tools = made.values() if isinstance(made, Toolset) else ()
            yield (
                name,
                [(t.name, t.description, t.schema, t.annotations, t.output_schema) for t in tools]
                or str(made),
            )


def texts_of_files() -> Iterator[Output]:
    """What is said of files that are no JSON or YAML, or no definitions."""
    rows = {**table("syntax_slips.json"), **table("load.json")["texts"]}

    for name, (file, text, *_) in rows.items():
        for each in [
            text,
            *chosen([text[: len(text) // 2], f"\ufeff{text}", text.replace("\n", "\r\n")], 1, name),
        ]:
            Path(file).write_text(each, "utf-8")
            yield name, toolgen("list", file).output


@functools.cache
def batches() -> dict[str, list[dict[str, Any]]]:
    """Return files of some tools each, with whose names their outputs are told apart."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, (tool, _) in own_tools().items():
        if isinstance(tool.schema, dict):
            words = {"name": f"t_{name[-8:]}", "description": f"Does {name}. " * (len(name) % 4)}
            more = {"annotations": {"readOnlyHint": True, "title": name}, "outputSchema": tool.schema}
            file = f"file{int(name[-8:], 16) % 30}"
            found.setdefault(file, []).append({**words, "inputSchema": tool.schema, **more})
    return found


def by_tool(name: str, text: str) -> Iterator[Output]:
    """Yield the lines of an output, each with the tool that was named last."""
    for line in text.splitlines():
        tool = re.search(r"[tT]_?[0-9a-f]{8}", line)
        name = tool[0].lower().replace("_", "") if tool else name
        yield name, line


def put(name: str, tools: list[dict[str, Any]]) -> str:
    Path(f"{name}.json").write_text(json.dumps({"tools": tools}), "utf-8")
    return f"{name}.json"


def lint() -> Iterator[Output]:
    for name, tools in batches().items():
        rules = [word for linter in chosen(LINTERS, 3, name) for word in ("--provider", linter)]
        more = chosen(([], ["--diff"], []), 1, name)[0]
        yield from by_tool(name, toolgen("lint", put(name, tools), *rules, *more).output)


def listings() -> Iterator[Output]:
    for name, tools in batches().items():
        yield from by_tool(name, toolgen("list", "-v", put(name, tools)).output)
        yield from by_tool(name, toolgen("list", "--tokens", f"{name}.json").output)


def export() -> Iterator[Output]:
    for name, tools in batches().items():
        file = put(name, tools)
        for target in (*chosen(TARGETS, 1, name), *chosen(STUBS, 1, name)):
            strict = chosen(([], ["--strict", "auto"]), 1, name)[0] if target in TARGETS else []
            yield from by_tool(name, toolgen("export", file, "--to", target, *strict).output)


def diff() -> Iterator[Output]:
    """Definitions against themselves with one change, each in another place."""
    for name, tools in batches().items():
        others = [changed_tool(tool) for tool in tools]
        yield from by_tool(name, toolgen("diff", put(name, tools), put("new", others), "--all").output)


def changed_tool(tool: dict[str, Any]) -> dict[str, Any]:
    (key,) = chosen(["inputSchema"] * 6 + ["outputSchema", "description", "annotations"], 1, tool["name"])
    key = key if key in tool else "inputSchema"
    for other in variants(tool[key], 8, ["string", "integer", "A new text."]):
        if type(other) is type(tool[key]) and (key == "description" or isinstance(tool_of(other), Tool)):
            return {**tool, key: other}
    return tool


def packages() -> Iterator[Output]:
    """The text of generated files, and the page of a package."""
    for name, tools in chosen(batches().items(), 5, ""):
        made = outcome(files_of, {"tools": tools})
        for file, text in made.items() if isinstance(made, dict) else ():
            yield f"{name} {file}", text.replace(__version__, "VERSION")
        put(name, tools)
        toolgen("build", f"{name}.json", "-o", f"{name}_tools", "--client")
        toolgen("docs", f"{name}_tools", "-o", f"{name}.html")
        page = Path(f"{name}.html")
        yield name, page.exists() and page.read_text("utf-8").replace(__version__, "VERSION").splitlines()


def explain() -> Iterator[Output]:
    for name, (tool, sent) in chosen(own_tools().items(), 60, ""):
        file = put("one", [{"name": "t", "description": "d", "inputSchema": tool.schema}])
        for each in [*wrong_payloads(tool, 1), *chosen(sent, 1, name)]:
            text = each if isinstance(each, str) else json.dumps(each)
            yield name, toolgen("explain", "t", text, "-s", file).output


def pull() -> Iterator[Output]:
    """Where the tools of a server come from, as commands and clients' configurations say it."""
    cases = table("pull.json")
    for words in [*map(str.split, cases["names"]), *(row[0] for row in cases["sources"].values())]:
        lists = [each for each in variants(words, 12) if isinstance(each, list)]
        for each in [words, *(one for one in lists if all(isinstance(word, str) for word in one))]:
            address = outcome(of_command_line, each, {}, {})
            yield (
                f"{words[:3]}",
                address if isinstance(address, Exception) else (address.name, source_of(address)),
            )
    entries = [{"mcpServers": {"s": entry}} for entry, _ in cases["entries"].values()]
    for value in [*entries, *(value for value, _ in cases["wrong configurations"].values())]:
        for each in [value, *variants(value, 5)]:
            Path("mcp.json").write_text(json.dumps(each), "utf-8")
            found = outcome(of_config, "mcp.json")
            read = (
                found if isinstance(found, Exception) else [(one.name, one.command, one.url) for one in found]
            )
            yield (
                key_of(value),
                json.dumps(plain(read)).replace(str(Path.cwd()), "").replace(str(Path.home()), "~"),
            )


def audit() -> Iterator[Output]:
    folder = TEST_DATA / "audit"
    for file in ("tools.json", "calls.jsonl", "records.json", "exports.json", "with_tools.json"):
        Path(file).write_text((folder / file).read_text("utf-8"), "utf-8")
    for file in ("calls.jsonl", "records.json", "exports.json", "with_tools.json"):
        for options in ((), ("--propose",)):
            yield (
                f"{file} {options}",
                toolgen("audit", file, "--specs", "tools.json", "--jobs", "1", *options).output.splitlines(),
            )


def definitions_of_servers() -> Iterator[Output]:
    """The commands over the tools of real servers."""
    for name, tools in chosen(servers().items(), 8, ""):
        case, file = f"{name}-{key_of(tools)}", put(name, tools)
        others = [changed_tool(tool) for tool in tools[:20]]
        target = chosen((*TARGETS, *STUBS), 1, name)[0]
        yield case, toolgen("lint", file, "--provider", chosen(LINTERS, 1, name)[0]).output
        yield case, toolgen("list", "-v", file).output
        yield case, toolgen("export", file, "--to", target).output
        yield case, toolgen("diff", put("old", tools[:20]), put("new", others)).output


@for_each(
    by_name(
        schemas,
        patterns_and_formats,
        exports,
        texts_of_files,
        lint,
        listings,
        export,
        diff,
        packages,
        explain,
        pull,
        audit,
    )
)
def test_outputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs)


@needs_servers
def test_outputs_for_servers(locked: Callable[..., None]) -> None:
    locked(definitions_of_servers, foreign=True)
