"""`toolgen explain`: show what is wrong with a payload, and the hint that a model would get."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePath
from threading import Timer
from typing import Any

import click

from toolgen.cli.options import SHARED, options
from toolgen.cli.reports import Report
from toolgen.cli.request import Command, Request, begin, standard_input
from toolgen.cli.similar import did_you_mean
from toolgen.cli.terminal import counted, inline
from toolgen.commands.explain.words import issue_in_words
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.input_files import read_named, read_stream
from toolgen.compiler.specs.formats.text import decode
from toolgen.compiler.specs.load import STDIN, Loaded
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.validation.toolset import Toolset

ISSUES = 1
WAIT_SECONDS = 2.0
"""The number of seconds of silence on standard input after which the command says what it waits for."""


@click.command("explain", cls=Command)
@click.argument("tool")
@click.argument("payload", required=False)
@options("specs", *SHARED)
def command(tool: str, payload: str | None, report: Report, **_: Any) -> int:
    """Explain what is wrong with a PAYLOAD for TOOL. PAYLOAD is JSON text, a file, or - for standard input.

    TOOL is a tool's name. If several files have a tool with this name, put the file's name without suffix before it
    (file/tool).
    """
    from toolgen.package.compile import compile_specs  # late: it takes longer to load than the help

    request = begin(report)
    text = _text(payload, request)
    spec = _find_tool(request.load(), tool, report)
    toolset = compile_specs([spec], request.build_options().lower_options)
    return _explain(toolset, spec.name, text, report)


def _text(payload: str | None, request: Request) -> bytes:
    """Return the payload's JSON text: the argument itself, the file that it names, or standard input.

    Raises:
        SpecError: the file cannot be read; `bad-encoding`.
    """
    if payload == STDIN or (payload is None and sys.stdin is not None and not sys.stdin.isatty()):
        if "-" in request.specs:
            raise click.UsageError("standard input contains the specs; pass the payload as text or as a file")
        waiting = Timer(WAIT_SECONDS, _say_what_is_awaited)
        waiting.daemon = True
        waiting.start()
        try:
            return decode(read_stream(standard_input(), STDIN), Place(STDIN)).encode()
        finally:
            waiting.cancel()
    if payload is None:
        raise click.UsageError("no payload: pass JSON text, a file, or - for standard input")
    if payload.lstrip()[:1] in ("{", "[", '"') or not payload.strip():
        return payload.encode("utf-8", "surrogateescape")
    if not os.path.lexists(payload):
        with suppress(ValueError):
            json.loads(payload)
            return payload.encode()
    data = read_named(payload, "pass JSON text, the path of a file, or - for standard input")
    return decode(data, Place(payload)).encode()


def _say_what_is_awaited() -> None:
    click.echo("waiting for the payload on standard input; it can also be an argument", err=True)


def _find_tool(loaded: Loaded, wanted: str, report: Report) -> ToolSpec:
    """Return the only tool with this name, and report its diagnostics. If there is none, report all diagnostics.

    Raises:
        SpecError: `no-such-tool`, `ambiguous-name`.
    """
    named = [(PurePath(spec.place.file).stem, spec) for spec in loaded.tools]
    matches = [(group, spec) for group, spec in named if wanted in (spec.name, f"{group}/{spec.name}")]
    if len(matches) == 1:
        spec = matches[0][1]
        report.diagnose(
            d for d in loaded.diagnostics if d.tool == spec.name and d.place.file == spec.place.file
        )
        return spec
    report.diagnose(loaded.diagnostics)
    if matches:
        listed = ", ".join(f"{group}/{spec.name}" for group, spec in matches)
        message, hint = f"several files contain {wanted!r}", f"use one of {listed}"
        raise SpecError.of(Place(""), "ambiguous-name", message, hint)
    report.stop_if_failed()  # the wanted tool may be among those that cannot be read
    names = [spec.name for spec in loaded.tools]
    hint = did_you_mean(wanted, names, 3, 0.5) or "toolgen list shows every tool"
    raise SpecError.of(Place(""), "no-such-tool", f"there is no tool {wanted!r}", hint)


def _explain(toolset: Toolset, name: str, text: bytes, report: Report) -> int:
    from toolgen.commands.explain.explanation import explain

    said = explain(toolset, name, text)
    report.result = {"tool": name, **said}
    if said["valid"]:
        report.print(f"{inline(name)}: the payload is valid")
        return 0
    report.print(f"{inline(name)}: {counted(len(said['issues']), 'issue')}")
    for issue in said["issues"]:
        report.print(f"  {inline(issue_in_words(issue))}", wrapped=True)
    report.print(f"\nhint{_joins(said)}:\n{said['hint']}", wrapped=True)
    if "repaired" in said:
        report.print(f"\nrepaired payload:\n{json.dumps(said['repaired'], indent=2)}")
    return ISSUES


def _joins(said: Mapping[str, Any]) -> str:
    """Return the reason why the hint has fewer fields than there are issues, if a renamed key is the reason."""
    has_rename = any(edit["op"] in ("rename", "move") for edit in said["hint_fields"].get("edits", ()))
    has_unknown_key = any(issue["constraint"] in UNKNOWN_KEYS for issue in said["issues"])
    if has_rename and has_unknown_key:
        return " (a key with a wrong name is two issues, and one change)"
    return ""
