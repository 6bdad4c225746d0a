"""`toolgen lint`: what will hurt a model or a provider, in tools that build."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.options import SHARED, options, specs_arguments
from toolgen.cli.report import Report, hosted_once
from toolgen.cli.request import Command, Request, begin
from toolgen.cli.sarif import sarif_text
from toolgen.cli.terminal import counted
from toolgen.diagnostics import Diagnostic, Level, SpecError
from toolgen.lint.baseline import baseline_text, new_findings
from toolgen.lint_codes import LINT_CODES
from toolgen.output.text_file import write_text_file
from toolgen.specs.load import Loaded

if TYPE_CHECKING:
    from toolgen.lint.run import Linted

FINDINGS, FAILED = 1, 2
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@click.command("lint", cls=Command)
@specs_arguments()
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
@click.option("--write-baseline", is_flag=True, help="Write the current findings to the file of --baseline.")
@click.option(
    "--fix",
    is_flag=True,
    help="Make certain fixes in the spec files (JSON only), and report the other findings.",
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
    **_: Any,
) -> int:
    """Report problems that the tools of SPECS can cause for models and providers."""
    from toolgen.cli.fix import fix_files

    request, report = begin("lint")
    _refuse_unknown(ignore)
    if write_baseline and baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE")
    if (fix or diff) and "-" in request.specs:
        raise click.UsageError("--fix and --diff need files, not standard input")
    if report.failed:
        return report.done(FAILED)
    lowering = request.build_options().lower_options
    loaded, linted = _linted(request, provider, ignore)
    if fix and not diff and fix_files(loaded.tools, linted.findings, lowering, report, write=True):
        loaded, linted = _linted(request, provider, ignore)
    report.diagnose(hosted_once(loaded.diagnostics))
    report.diagnose(linted.problems)
    if diff:
        changed = fix_files(loaded.tools, linted.findings, lowering, report, write=False)
        return report.done(FAILED if report.failed else FINDINGS if changed else 0)
    findings = linted.findings
    if baseline is not None:
        if write_baseline:
            return _write_baseline(baseline, findings, report)
        try:
            findings = new_findings(findings, baseline)
        except SpecError as error:
            report.diagnose(error.diagnostics)
            return report.done(FAILED)
    report.diagnose(findings, are_results=True)
    counts = Counter(finding.code for finding in findings)
    report.result = {"findings": len(findings), "by_code": dict(sorted(counts.items()))}
    if sarif is not None:
        try:
            write_text_file(Path(sarif), sarif_text(findings))
        except OSError as error:
            report.write_failed(sarif, error)
    failing = LEVELS[: LEVELS.index(fail_on) + 1] if fail_on in LEVELS else ()
    failed = any(d.level == "error" and d not in findings for d in report.diagnostics)
    if findings or not failed:
        _print_counts(counts, report)
    found = any(finding.level in failing for finding in findings)
    return report.done(FAILED if failed else FINDINGS if found else 0)


def _linted(request: Request, providers: Sequence[str], ignore: Sequence[str]) -> tuple[Loaded, Linted]:
    from toolgen.lint.run import lint

    loaded = request.load()
    options = request.build_options().lower_options
    return loaded, lint(loaded.tools, options, providers=providers, ignore=ignore)


def _write_baseline(baseline: Path, findings: Sequence[Diagnostic], report: Report) -> int:
    if not report.failed:
        try:
            write_text_file(baseline, baseline_text(findings))
            report.print(f"{baseline}: {counted(len(findings), 'finding')} written", optional=True)
        except OSError as error:
            report.write_failed(str(baseline), error)
    return report.done(FAILED if report.failed else 0)


def _refuse_unknown(codes: Sequence[str]) -> None:
    for code in codes:
        if code not in LINT_CODES:
            near = difflib.get_close_matches(code, LINT_CODES, 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"--ignore: there is no finding {code!r}{meant}")


def _print_counts(counts: Counter[str], report: Report) -> None:
    for code, number in counts.most_common():
        report.print(f"{number:6} {code}", optional=True)
    total = counts.total()
    report.print(counted(total, "finding") if total else "no findings", optional=True)
