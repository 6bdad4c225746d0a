"""`toolgen lint --fix` and `--diff`: certain fixes, written into the spec files or shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from toolgen.cli.report import Report
from toolgen.cli.terminal import counted
from toolgen.diagnostics import Diagnostic, Place
from toolgen.input_files import read_named
from toolgen.lint.fixes import FIXABLE, Fixed, fix
from toolgen.output.plan import text_diff
from toolgen.output.text_file import write_text_file
from toolgen.schema.lower import LowerOptions
from toolgen.specs.formats.text import decode
from toolgen.specs.tool_spec import ToolSpec


def show(
    tools: Sequence[ToolSpec], findings: Sequence[Diagnostic], options: LowerOptions, report: Report
) -> int:
    """Print the diff of every file that would be changed, and return how many there are."""
    changes = list(_changes(tools, findings, options, report))
    for file, text, fixed in changes:
        report.print_diff("".join(text_diff(text, fixed.text, file, file)).rstrip("\n"))
    return len(changes)


def apply(
    tools: Sequence[ToolSpec], findings: Sequence[Diagnostic], options: LowerOptions, report: Report
) -> int:
    """Write every file that is changed, list what was fixed, and return how many files there are."""
    written = 0
    for file, _, fixed in _changes(tools, findings, options, report):
        try:
            write_text_file(Path(file), fixed.text)
        except OSError as error:
            report.write_failed(file, error)
            continue
        written += 1
        for one in fixed.findings:
            report.print(f"{file}: fixed [{one.code}] tool {one.tool!r}: {one.message}", optional=True)
        report.print(f"{file}: {counted(len(fixed.findings), 'finding')} fixed", optional=True)
    return written


def _changes(
    tools: Sequence[ToolSpec], findings: Sequence[Diagnostic], options: LowerOptions, report: Report
) -> Iterator[tuple[str, str, Fixed]]:
    """Yield each file that has fixes with its text of now."""
    certain = sorted((d for d in findings if d.code in FIXABLE), key=lambda d: d.place.file)
    for file, group in groupby(certain, lambda d: d.place.file):
        data = read_named(file)
        text = decode(data, Place(file))
        own = [tool for tool in tools if tool.place.file == file]
        fixed = fix(text, own, group, options) if text.encode() == data else None
        if fixed is None:
            report.print(
                f"{file}: not fixed: no fix is certain, or the file is not JSON in UTF-8", optional=True
            )
        else:
            yield file, text, fixed
