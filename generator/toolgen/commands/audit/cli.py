"""`toolgen audit`: report the mistakes in recorded calls."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolgen.cli.options import options, processors
from toolgen.cli.reports import Report
from toolgen.cli.request import Command, begin, standard_input
from toolgen.cli.terminal import Progress, limited, width_of
from toolgen.commands.audit.table import lines, problems_of
from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError
from toolgen_runtime import __version__

if TYPE_CHECKING:
    from toolgen.commands.audit.engines import Audited, Engine
    from toolgen.commands.audit.sources import Source
    from toolgen.commands.audit.tools import AuditTools
    from toolgen.compiler.specs.tool_spec import ToolSpec

INTERRUPTED = 130
MIB = 2**20
GC_THRESHOLD = 50_000
"""The number of new objects after which garbage is collected while calls are read."""
MAX_PROBLEMS = 200
"""The maximum number of broken constraints on the HTML page; those of most calls come first."""
MAX_FILES = 5
"""The maximum number of input files that the HTML page names."""
MAX_UNREADABLE = 3
"""The number of records to name if none could be read."""


@click.command("audit", cls=Command)
@click.argument("calls", nargs=-1, required=True)
@click.option(
    "--package", metavar="PACKAGE", help="The generated package with the tools: its folder or import name."
)
@click.option(
    "--html", metavar="FILE", type=click.Path(dir_okay=False), help="Also write the report as an HTML page."
)
@click.option(
    "--propose",
    is_flag=True,
    help="Instead of the report, print repair rules that the calls support, as TOML for Conversation(rules=...).",
)
@options("jobs")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Process the files on the Dask cluster that has this scheduler: tcp://HOST:PORT.",
)
@click.option(
    "--secret", "secrets", multiple=True, metavar="KEY", help="Mask the values of this key; repeatable."
)
@click.option(
    "--examples",
    type=click.IntRange(0, 20),
    default=3,
    show_default=True,
    metavar="N",
    help="The number of examples for each broken constraint.",
)
@options("specs", "exclude", "namespace", "formats", "ref-dir", "output-format", "quiet")
def command(calls: tuple[str, ...], html: str | None, propose: bool, report: Report, **given: Any) -> int:
    """Report the tools, fields and constraints that the recorded CALLS get wrong.

    CALLS are files or folders of JSON lines or Parquet, or `-` for standard input. A record is {"tool", "arguments"},
    an MCP request, a response or conversation of OpenAI, Anthropic, Bedrock or Gemini, or an export of OpenTelemetry,
    OpenInference, LangSmith or Langfuse.
    """
    # Imported late, as below, because loading the core takes longer than printing the help.
    from toolgen.commands.audit.sources import sources_of

    report.diagnose(click.get_current_context().obj.diagnostics)
    report.stop_if_failed()
    if html is not None:
        import_module("toolgen.commands.html_template")  # reports a missing extra before the work starts
    engine = _engine(given["jobs"], given["scheduler"])  # likewise reports that Dask is missing
    sources = sources_of(calls, standard_input())
    tools = _tools(sources, report, given)
    if propose:
        _propose(sources, tools, report)
        return 0
    audited = _audited(sources, tools, engine, report)
    _refuse_unreadable(audited)
    _show(audited, tools, html, report, calls)
    return INTERRUPTED if audited.interrupted else 0


def _tools(sources: Sequence[Source], report: Report, given: dict[str, Any]) -> AuditTools:
    """Return the tools from the package, from the specs, or from the calls themselves."""
    from toolgen.commands.audit.tools import AuditTools

    shown: dict[str, Any] = {"secrets": given["secrets"], "examples": given["examples"]}
    try:
        if given["package"] is not None:
            return AuditTools.of_package(given["package"], **shown)
        if not given["specs"]:
            specs = _as_objects(_recorded(sources))
            return AuditTools.of_specs(specs, formats=given["formats"], **shown)
        request = begin(report)
        loaded = request.load(report)
        report.stop_if_failed()
        files = {stem or "": _as_objects(specs) for stem, specs in loaded.groups.items()}
        shown |= {"ref_dir": dict(request.ref_pairs), "by_file": True}
        return AuditTools.of_specs(files, formats=given["formats"], **shown)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _recorded(sources: Sequence[Source]) -> list[ToolSpec]:
    from toolgen.commands.audit.recorded_tools import recorded_tools

    is_piped = any(source.stdin is not None for source in sources)
    if is_piped:
        found = []
    else:
        found = recorded_tools(sources)
    if not found:
        why = "standard input is read only once, so its" if is_piped else "the"
        advice = "pass a package with --package, or specs with --specs"
        raise click.UsageError(f"{why} calls define no tools: {advice}")
    return found


def _propose(sources: Sequence[Source], tools: AuditTools, report: Report) -> None:
    """Print the rules that the recorded calls support."""
    from toolgen.commands.audit.proposals import proposals

    if any(source.stdin is not None for source in sources):
        raise click.UsageError("--propose reads files, not standard input")
    found = proposals(sources, tools)
    report.result = {
        "proposals": [{"rule": one.table(), "seen": one.seen, "retries": one.retries} for one in found]
    }
    for one in found:
        report.print(one.toml() + "\n")
    if not found:
        report.print("# no rule is supported by the calls")


def _as_objects(specs: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    return [{"name": s.name, "description": s.description, "schema": s.schema} for s in specs]


def _engine(jobs: int | None, scheduler: str | None) -> Engine:
    from toolgen.commands.audit.engines import cluster, processes

    if scheduler is None:
        return processes(jobs or processors())
    if click.get_current_context().get_parameter_source("jobs") is ParameterSource.COMMANDLINE:
        raise click.UsageError(
            "--jobs is for this machine; the cluster behind --scheduler has its own workers"
        )

    return cluster(scheduler)


def _audited(sources: Sequence[Source], tools: AuditTools, engine: Engine, report: Report) -> Audited:
    from toolgen.commands.audit.engines import audit
    from toolgen.commands.audit.partitions import total_size

    before = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD, *before[1:])  # calls contain no cycles, so frequent collections waste time
    total = total_size(sources)
    progress = Progress(bool(total) and not report.quiet and report.format == "text", "MiB")
    try:
        return audit(sources, tools, engine, lambda done: progress(done // MIB, -(-total // MIB)))
    finally:
        gc.set_threshold(*before)
        progress.clear()


def _refuse_unreadable(audited: Audited) -> None:
    """Raise an error if no record in the input could be read.

    Raises:
        SpecError: `bad-calls`, with the locations of the first records and the reasons.
    """
    summary = audited.summary
    if audited.interrupted or not summary.records or summary.malformed < summary.records:
        return
    hint = "pass a file of recorded calls; docs/audit.md lists the formats"
    first = list(summary.malformed_at.items())[:MAX_UNREADABLE]
    raise SpecError([Diagnostic(Place(at.file, "", at.line, 1), "bad-calls", why, hint) for at, why in first])


def _show(
    audited: Audited, tools: AuditTools, html: str | None, report: Report, files: Sequence[str]
) -> None:
    from toolgen.commands.audit.report import report as found_of

    report.result = found = found_of(audited, tools)
    if html is not None:
        from toolgen.commands.html_template import render

        problems = problems_of(found["tools"])[:MAX_PROBLEMS]
        text = render(
            "audit.html.jinja",
            report=found,
            problems=problems,
            files=limited(files, MAX_FILES),
            version=__version__,
        )
        report.write(html, text, "")
        report.stop_if_failed()
    for line in lines(found, width_of(sys.stdout)):
        report.print(line, wrapped=True)
    if html is not None:
        report.inform(f"\n{html}: written")
