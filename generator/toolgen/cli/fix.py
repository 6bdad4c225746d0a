"""`toolgen lint --fix` and `--diff`: certain fixes, written into the spec files or shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from toolgen.cli.report import Report
from toolgen.cli.terminal import counted
from toolgen.diagnostics import Diagnostic, Place
from toolgen.input_files import read_named
from toolgen.lint.fixes import FIXABLE, Fixed, fix
from toolgen.output.plan import text_diff
from toolgen.schema.lower import LowerOptions
from toolgen.specs.formats.text import decode
from toolgen.specs.tool_spec import ToolSpec


def fix_files(
    tools: Sequence[ToolSpec],
    findings: Sequence[Diagnostic],
    options: LowerOptions,
    report: Report,
    *,
    write: bool,
) -> int:
    """Write each file that has fixes and list them, or print its diff; return how many files there are."""
    changes = list(_changes(tools, findings, options, report))
    for file, text, fixed in changes:
        if not write:
            report.print_diff("".join(text_diff(text, fixed.text, file, file)).rstrip("\n"))
            continue
        if not report.write(file, fixed.text, ""):
            continue
        for one in fixed.findings:
            report.print(f"{file}: fixed [{one.code}] tool {one.tool!r}: {one.message}", optional=True)
        report.print(f"{file}: {counted(len(fixed.findings), 'finding')} fixed", optional=True)
    return len(changes)


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
                f"{file}: no fixes: no fix is certain, or the file is not JSON in UTF-8", optional=True
            )
        else:
            yield file, text, fixed
