"""`toolgen build`: build a package from specs, or show what would change (`--check`, `--diff`)."""

from __future__ import annotations

import keyword
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from toolgen.cli.options import SHARED, options, specs_arguments
from toolgen.cli.reports import Report, workflow_command
from toolgen.cli.request import ARGUMENTS, Command, Request, begin, begin_again
from toolgen.cli.terminal import Progress, counted, limited
from toolgen.commands.build.watch import watch
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.python.layout import is_tool
from toolgen.package import cache
from toolgen.package.build import build as build_package
from toolgen.package.output import write
from toolgen.package.output.on_disk import PackageOnDisk, read_package
from toolgen.package.output.plan import Plan, diff as diff_of, plan

DRIFT = 1
MOST_NAMED = 10
"""The maximum number of missing tools that the summary of a build names."""

SHADOWING = "not written by toolgen, and imported in place of its files; delete it or move it elsewhere"
"""The text about a foreign file that Python imports instead of one of the package's files."""
READ_ONLY = frozenset(("--check", "--diff", "-q", "--quiet", "--no-quiet"))
"""The options, besides `--output-format`, that do not change what is built."""


@click.command("build", cls=Command)
@specs_arguments
@options("output")
@click.option("--check", is_flag=True, help="Do not write; exit with 1 if the package differs.")
@click.option("--diff", is_flag=True, help="Do not write; show the changes.")
@click.option("--watch", is_flag=True, help="Build again when a spec changes, until Ctrl-C.")
@click.option(
    "--prune",
    is_flag=True,
    help="Remove all tools that are not in SPECS, even if SPECS are only some of the specs in the settings.",
)
@options("client", *SHARED)
def command(check: bool, diff: bool, watch: bool, report: Report, **_: Any) -> int:
    """Build a package from SPECS: files, folders, or - for standard input."""
    if watch:
        return _watch(check or diff)
    request = begin(report)
    code = build(request, report, check=check, diff=diff)
    is_new = report.result.get("created") and not report.result["updated"] and not report.result["unchanged"]
    if code == 0 and not report.failed and is_new:
        out, name = request.out.absolute(), "toolsets" if request.namespace else "toolset"
        below = os.path.relpath(out.parent)
        place = "" if below == os.curdir else f"  # with {below} on Python's path"
        report.inform(f"use it: from {out.name} import {name}{place}")
    return code


def build(request: Request, report: Report, *, check: bool = False, diff: bool = False) -> int:
    """Build the package once, and return the exit code.

    It is 0 if the package was built or is up to date, and 1 if it differs (`check`).
    """
    try:
        _build(request, report, check=check, diff=diff)
    except BrokenPipeError:
        raise  # the reader of a diff has exited; the package is not affected
    except OSError as error:
        place = Place(str(error.filename or request.out))
        hint = "nothing was changed; free disk space or fix the permissions, and build again"
        raise SpecError.of(place, "write-failed", error.strerror or str(error), hint) from None
    is_as_built = report.result.get("current", False) and not report.result.get("shadowing")
    return DRIFT if check and not is_as_built else 0


def _build(request: Request, report: Report, *, check: bool, diff: bool) -> None:
    """Write the package, or show what would change.

    `--check` and `--diff` do not use the cache, so that every file is generated and compared. They do not repeat the
    notes about tools that a build leaves out.
    """
    _require_import_name(request)
    is_shown = check or diff
    loaded = request.load(report, notes=not is_shown)
    if not loaded.tools:
        return
    cached = {} if is_shown else cache.load(request.out)
    on_disk = read_package(request.out, cached)
    progress = Progress(enabled=not report.quiet and report.format == "text")
    try:
        built = build_package(
            loaded.groups, _with_client(request, on_disk).build_options(), progress, on_disk
        )
    finally:
        progress.clear()
    report.diagnose(built.diagnostics)
    if not built.files or (report.failed and not request.keep_going):
        return
    planned = plan(built.files, request.out, on_disk)
    _refuse_to_prune(request, planned, len(loaded.tools))
    if is_shown:
        _show(planned, report, check=check, diff=diff)
        return
    done = write.write(planned)
    report.has_written = not done.is_current
    names = ((stem, spec.name) for stem, specs in loaded.groups.items() for spec in specs)
    left_out = [name for stem, name in names if (stem, name) not in built.modules]
    _report(done, report, len(built.modules), left_out)
    entries = built.entries(planned.digests)
    if entries != cached:
        cache.save(request.out, entries)


def _with_client(request: Request, on_disk: PackageOnDisk) -> Request:
    """Return a request that keeps the package's client, unless the options or the settings say otherwise."""
    source = click.get_current_context().get_parameter_source("client")
    has_client = any(f"/{path}".endswith("/client.pyi") for path in on_disk.own)
    if source is ParameterSource.DEFAULT:
        return replace(request, client=has_client)
    return request


def _refuse_to_prune(request: Request, planned: Plan, tools: int) -> None:
    """Refuse to remove more than half of a package's tools.

    This applies if the user passed only some of the specs in the settings.

    Raises:
        SpecError: `tools-removed`.
    """
    context = click.get_current_context()
    if context.params["prune"] or context.get_parameter_source("specs") is not ParameterSource.COMMANDLINE:
        return
    removed, kept = (
        sum(map(is_tool, paths)) for paths in (planned.removed, (*planned.updated, *planned.unchanged))
    )
    configured = request.settings.values.get("specs", ())
    if removed <= kept or set(request.files(configured)) <= set(request.files(request.specs)):
        return
    message = (
        f"{request.output} has {counted(removed + kept, 'tool')}, but the given specs have {tools:,}: "
        f"this would remove {removed:,}"
    )
    hint = "run toolgen build without arguments to build all specs of the settings, or add --prune"
    raise SpecError.of(Place(request.output), "tools-removed", message, hint)


def _require_import_name(request: Request) -> None:
    name = request.out.absolute().name
    message, hint = "", "end -o in an import name, such as agent_tools"
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        message = f"{name!r} is not a valid name for a package"
    elif name in sys.stdlib_module_names:
        message = f"a package named {name!r} would be imported in place of Python's own module"
    if message:
        raise SpecError.of(Place(request.output), "bad-package-name", message, hint)


def _report(done: Plan, report: Report, built: int, left_out: Sequence[str]) -> None:
    report.result = {**_summary(done), "tools": built}
    tools = counted(built, "tool")
    if done.is_current:
        state = f"up to date ({tools}, {counted(len(done.files), 'file')})"
    else:
        state = f"{tools} built{report.duration()} (files: {_counts(done)})"
    _print_files(done, done.shadowing, SHADOWING, report, report.print)
    if left_out:
        state += f"; without {', '.join(limited(left_out, MOST_NAMED))}"
    report.inform(f"{done.out.as_posix()}: {state}", wrapped=True)


def _show(planned: Plan, report: Report, *, check: bool, diff: bool) -> None:
    report.result = _summary(planned)
    if diff:
        report.result["diff"] = diff_of(planned)
        if report.result["diff"]:
            report.print_diff(report.result["diff"].removesuffix("\n"))
    _print_files(planned, planned.shadowing, SHADOWING, report, report.print)
    if planned.is_current:
        if not planned.shadowing:
            report.inform(f"{planned.out.as_posix()}: up to date")
        return
    command = _command()
    report.result["run"] = command
    kinds = {"missing": planned.created, "differs": planned.updated, "no longer generated": planned.removed}
    for kind, paths in kinds.items() if check else ():
        _print_files(planned, paths, kind, report, report.inform, f"; run: {command}")
    summary = f"{planned.out.as_posix()}: differs; a build gives {_counts(planned)}"
    report.inform(f"{summary}\nrun: {command}")


def _print_files(
    planned: Plan, paths: Sequence[str], text: str, report: Report, say: Callable[[str], None], hint: str = ""
) -> None:
    """Print a text about each file. For GitHub, print an annotation, which also has the hint."""
    for path in paths:
        file = (planned.out / path).as_posix()
        if report.format == "github":
            properties = {"file": file, "title": "toolgen drift"}
            click.echo(workflow_command("error", properties, text + hint), err=True)
        else:
            say(f"{file}: {text}")


def _command() -> str:
    """Return this command line without the options that prevent it from writing."""
    words, given = ["toolgen", "build"], iter(click.get_current_context().meta[ARGUMENTS])
    for word in given:
        if word == "--output-format":
            next(given)
        elif word not in READ_ONLY and not word.startswith("--output-format="):
            words.append(word)
    return shlex.join(words)


def _counts(planned: Plan) -> str:
    return ", ".join(f"{len(getattr(planned, word))} {word}" for word in ("created", "updated", "removed"))


def _summary(planned: Plan) -> dict[str, Any]:
    lists = {word: list(getattr(planned, word)) for word in ("created", "updated", "removed")}
    lists |= {"shadowing": list(planned.shadowing)} if planned.shadowing else {}
    counted = {"unchanged": len(planned.unchanged), "current": planned.is_current}
    return {"package": planned.out.as_posix(), **lists, **counted}


def _watch(read_only: bool) -> int:
    if read_only:
        raise click.UsageError("--watch cannot be combined with --check or --diff")
    if "-" in click.get_current_context().params["specs"]:
        raise click.UsageError("--watch needs files or folders: standard input can only be read once")

    def build_once(remember: Callable[[Request], None]) -> None:
        def run(request: Request, report: Report) -> int:
            remember(request)
            return build(request, report)

        code, report = begin_again(run)
        if code:
            report.print("build failed; waiting for a change")

    watch(build_once)
    return 2  # the settings or the folders of schemas are invalid from the start
