"""`toolgen lint`: find problems that valid tool definitions can cause for models and providers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.options import SHARED, options, specs_arguments
from toolgen.cli.reports import Report
from toolgen.cli.request import Command, begin
from toolgen.cli.similar import did_you_mean
from toolgen.cli.terminal import counted
from toolgen.commands.lint.baseline import baseline_text, new_findings
from toolgen.commands.lint.sarif import sarif_text
from toolgen.commands.remembered import remembered
from toolgen.commands.tokens import print_files
from toolgen.compiler.diagnostics import Diagnostic, Level, Place
from toolgen.compiler.input_files import read_named
from toolgen.compiler.lint_codes import LINT_CODES
from toolgen.compiler.specs.formats.text import decode
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.package.output.plan import text_diff

if TYPE_CHECKING:
    from toolgen.compiler.schema.lower import LowerOptions

FINDINGS = 1
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
FAIL_ON = ("never", *LEVELS)
"""The values of `--fail-on`, each with one more failing level than the value before it."""


@click.command("lint", cls=Command)
@specs_arguments
@options("provider", "ignore", "fail-on")
@click.option(
    "--sarif", metavar="FILE", type=click.Path(dir_okay=False), help="Also write the findings as SARIF."
)
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Do not report findings that this file lists.",
)
@click.option(
    "--write-baseline", is_flag=True, help="Write the current findings to the file that --baseline names."
)
@click.option(
    "--fix",
    is_flag=True,
    help="Make safe fixes in the spec files (JSON only), and report the other findings.",
)
@click.option("--diff", is_flag=True, help="Show the changes that --fix would make, without writing.")
@options(*SHARED)
def command(
    provider: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    sarif: str | None,
    baseline: Path | None,
    write_baseline: bool,
    fix: bool,
    diff: bool,
    report: Report,
    **_: Any,
) -> int:
    """Find problems in the tool definitions of SPECS that may confuse models or that providers may reject."""
    from toolgen.commands.lint.run import lint

    request = begin(report)
    _refuse_unknown(ignore)
    if write_baseline and baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE")
    if (fix or diff) and "-" in request.specs:
        raise click.UsageError("--fix and --diff need files, not standard input")
    lowering = request.build_options().lower_options
    loaded = request.load()
    with remembered("lint", request, loaded.tools, provider) as remember:
        run = partial(lint, options=lowering, providers=provider, ignore=ignore, remember=remember)
        linted = run(loaded.tools)
        if fix and not diff and _fix_files(loaded.tools, linted.findings, lowering, report, write=True):
            loaded = request.load()
            linted = run(loaded.tools)
    report.diagnose(loaded.diagnostics)
    report.diagnose(linted.problems)
    if diff:
        return FINDINGS if _fix_files(loaded.tools, linted.findings, lowering, report, write=False) else 0
    findings = linted.findings
    if baseline is not None and write_baseline:
        report.stop_if_failed()
        report.write(baseline, baseline_text(findings), f"{counted(len(findings), 'finding')} written")
        return 0
    if baseline is not None:
        findings = new_findings(findings, baseline)
    report.diagnose(findings, are_results=True)
    counts = Counter(finding.code for finding in findings)
    report.result = {"findings": len(findings), "by_code": dict(sorted(counts.items()))}
    if sarif is not None:
        report.write(sarif, sarif_text(findings), "")
    if findings or not report.failed:
        report.result["tokens"] = print_files(loaded.tools, report)
        for code, number in counts.most_common():
            report.inform(f"{number:6} {code}")
        report.inform(_summary(findings))
    failing = LEVELS[: FAIL_ON.index(fail_on)]
    return FINDINGS if any(finding.level in failing for finding in findings) else 0


def _summary(findings: Sequence[Diagnostic]) -> str:
    """Return the last line: the number of findings in total and for each level."""
    if not findings:
        return "no findings"
    levels = Counter(finding.level for finding in findings)
    listed = ", ".join(counted(levels[level], level) for level in LEVELS if levels[level])
    return f"{counted(len(findings), 'finding')}: {listed}"


def _refuse_unknown(codes: Sequence[str]) -> None:
    for code in codes:
        if code not in LINT_CODES:
            meant = did_you_mean(code, LINT_CODES, 1)
            raise click.UsageError(f"--ignore: unknown code {code!r}{meant and f'; {meant}'}")


def _fix_files(
    tools: Sequence[ToolSpec],
    findings: Sequence[Diagnostic],
    options: LowerOptions,
    report: Report,
    *,
    write: bool,
) -> int:
    """Write and list each file that has fixes, or print its diff. Return the number of files."""
    from toolgen.commands.lint.fixes import FIXABLE, fix

    files = 0
    certain = sorted((d for d in findings if d.code in FIXABLE), key=lambda d: d.place.file)
    for file, group in groupby(certain, lambda d: d.place.file):
        data = read_named(file)
        text = decode(data, Place(file))
        own = [tool for tool in tools if tool.place.file == file]
        fixed = fix(text, own, group, options) if text.encode() == data else None
        if fixed is None:
            report.inform(f"{file}: nothing fixed (no safe fix found, or not JSON in UTF-8)")
            continue
        files += 1
        if not write:
            report.print_diff("".join(text_diff(text, fixed.text, file, file)).rstrip("\n"))
        elif report.write(file, fixed.text, ""):
            for one in fixed.findings:
                report.inform(f"{file}: fixed [{one.code}] tool {one.tool!r}: {one.message}")
            report.inform(f"{file}: {counted(len(fixed.findings), 'finding')} fixed")
    return files
