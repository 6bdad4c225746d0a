"""`toolgen build`: specs in, a package on disk out; or what would change (`--check`, `--diff`)."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.options import SHARED, options, specs_arguments
from toolgen.cli.report import Report
from toolgen.cli.request import Command, Request, begin, begin_again
from toolgen.diagnostics import Diagnostic, Place, SpecError

if TYPE_CHECKING:
    from toolgen.write import Plan

DRIFT, FAILED = 1, 2


@click.command("build", cls=Command)
@specs_arguments()
@options("output")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the package differs.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("--watch", is_flag=True, help="Build again whenever a spec changes, until Ctrl-C.")
@options(*SHARED)
def command(check: bool, diff: bool, watch: bool, **_: Any) -> int:
    """Build a package from SPECS: files, folders, or - for standard input."""
    if watch:
        return _watch(check or diff)
    request, report = begin("build")
    return report.done(build(request, report, check=check, diff=diff))


def build(request: Request, report: Report, *, check: bool = False, diff: bool = False) -> int:
    """Build once; 0 built or up to date, 1 differs (`check`), 2 not everything could be built."""
    if not report.failed:
        _build(request, report, check=check, diff=diff)
    drift = check and not report.result.get("current", False)
    return FAILED if report.failed else DRIFT if drift else 0


def _build(request: Request, report: Report, *, check: bool, diff: bool) -> None:
    from toolgen import write

    try:
        planned = _plan(request, report)
        if planned is None:
            return
        if check or diff:
            _show(planned, report, diff=diff)
        else:
            _report(write.write(planned), report)
    except SpecError as error:
        report.diagnose(error.diagnostics)
    except BrokenPipeError:
        raise  # the reader of a diff went away: no fault of the package
    except OSError as error:
        place = Place(str(error.filename or request.out))
        hint = "nothing was changed; free disk space or fix the permissions, and build again"
        report.diagnose([Diagnostic(place, "write-failed", error.strerror or str(error), hint)])


def _plan(request: Request, report: Report) -> Plan | None:
    """What the build would do; None where nothing must be written."""
    from toolgen import write
    from toolgen.build import build as build_package
    from toolgen.cli.progress import Progress
    from toolgen.standing import look

    _need_import_name(request)
    loaded = request.load()
    report.diagnose(loaded.diagnostics)
    if not loaded.tools:
        return None
    standing = look(request.out)
    progress = Progress(enabled=not report.quiet and report.format == "text")
    try:
        built = build_package(loaded.groups, request.build_options(), progress, standing.earlier)
    finally:
        progress.clear()
    report.diagnose(built.diagnostics)
    if not built.files or (report.failed and not request.keep_going):
        return None
    return write.plan(built.files, request.out, built.parts, standing)


def _need_import_name(request: Request) -> None:
    name = request.out.absolute().name
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        message = f"a package cannot be called {name!r}"
        hint = "end -o in an import name, such as agent_tools"
        raise SpecError([Diagnostic(Place(request.output), "bad-package-name", message, hint)])


def _report(done: Plan, report: Report) -> None:
    report.result = _summary(done)
    if done.is_current:
        report.say(f"{done.out.as_posix()}: up to date ({len(done.files)} files)", comfort=True)
    else:
        report.say(f"{done.out.as_posix()}: {_counts(done)}", comfort=True)


def _show(planned: Plan, report: Report, *, diff: bool) -> None:
    from toolgen import write

    report.result = _summary(planned)
    if diff:
        report.result["diff"] = write.diff(planned)
        if report.result["diff"]:
            report.say(report.result["diff"].removesuffix("\n"))
    if planned.is_current:
        report.say(f"{planned.out.as_posix()}: up to date", comfort=True)
    else:
        said = f"{planned.out.as_posix()}: differs; a build gives {_counts(planned)}"
        report.say(said, comfort=True)


def _counts(planned: Plan) -> str:
    return ", ".join(f"{len(getattr(planned, word))} {word}" for word in ("created", "updated", "removed"))


def _summary(planned: Plan) -> dict[str, Any]:
    lists = {word: list(getattr(planned, word)) for word in ("created", "updated", "removed")}
    counted = {"unchanged": len(planned.unchanged), "current": planned.is_current}
    return {"package": planned.out.as_posix(), **lists, **counted}


def _watch(only_shows: bool) -> int:
    from toolgen.cli.watch import watch

    if only_shows:
        raise click.UsageError("--watch builds: it takes neither --check nor --diff")
    if "-" in click.get_current_context().params["specs"]:
        raise click.UsageError("--watch needs files: standard input is read once")

    def once(look: Callable[[Request], None]) -> None:
        request, report = begin_again("build")
        look(request)
        if report.done(build(request, report)):
            report.say("not built; waiting for a change")

    watch(once)
    return 0
