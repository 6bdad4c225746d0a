"""What the user asks a command to do: the options of the command line, with the project's settings as
defaults.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO, Literal

import click

from toolgen.cli.reports import Report
from toolgen.cli.settings import Settings, read
from toolgen.compiler.diagnostics import Diagnostic, Place
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.specs.load import Loaded, files_of, load
from toolgen.package.build import BuildOptions

ARGUMENTS = "toolgen.arguments"
"""The key in click's `meta` under which the unparsed arguments are stored."""


class CheckedCommand(click.Command):
    """A command that gets a `Report` and returns its exit code. Empty values of options are rejected."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments.

        Raises:
            click.UsageError: an option is empty, for example because a shell variable is not set.
        """
        rest = super().parse_args(ctx, args)
        for option in self.params:
            given = ctx.params.get(option.name or "")
            if isinstance(option, click.Option) and (
                given == "" or (isinstance(given, tuple) and "" in given)
            ):
                raise click.UsageError(f"{max(option.opts, key=len)} is empty", ctx)
        return rest

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, and return its exit code."""
        ctx.params["report"] = report = report_of(ctx)
        return report.finish(lambda: super(CheckedCommand, self).invoke(ctx))


class Command(CheckedCommand):
    """A command whose options have defaults in the project's settings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the settings, then parse the arguments, which have priority."""
        ctx.obj = read(Path.cwd())
        ctx.default_map = ctx.obj.values
        ctx.meta[ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)


@dataclass(frozen=True)
class Request:
    """The values of the shared options. Each command sets only those that it has."""

    settings: Settings
    specs: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    output: str = ""
    namespace: bool = False
    keep_going: bool = False
    formats: Literal["assert", "annotate"] = "assert"
    slow_patterns: Literal["refuse", "allow"] = "refuse"
    client: bool = False
    ref_dir: tuple[str, ...] = ()

    @property
    def out(self) -> Path:
        """The path of the package's folder. It always ends in a name, even if the option is `.`."""
        out = Path(self.output)
        if out.name not in ("", ".."):
            return out
        return Path(os.path.abspath(out))

    @property
    def ref_pairs(self) -> list[tuple[str, str]]:
        """The URI and the folder of each `--ref-dir`. With an empty URI, schemas are found by their `$id`."""
        return [(uri, folder) for uri, _, folder in (given.rpartition("=") for given in self.ref_dir)]

    def files(self, specs: Iterable[str]) -> list[str]:
        """Return the spec files: all files in each folder, and each path that is not a folder."""
        return files_of(specs, self.exclude)

    def load(self, report: Report | None = None, *, notes: bool = True) -> Loaded:
        """Read the tools from the specs, and report problems."""
        loaded = load(self.specs, stdin=standard_input(), namespace=self.namespace, exclude=self.exclude)
        if report is not None:
            report.diagnose(d for d in loaded.diagnostics if notes or d.level != "note")
        return loaded

    def build_options(self) -> BuildOptions:
        """Return the options for a build."""
        return BuildOptions(
            formats=self.formats,
            keep_going=self.keep_going,
            ref_dirs=tuple(RefDir(Path(folder), uri or None) for uri, folder in self.ref_pairs),
            slow_patterns=self.slow_patterns,
            slow_tools=tuple(self.settings.values.get("allow_slow_patterns", ())),
            client=self.client,
        )


def standard_input() -> BinaryIO | None:
    """Return standard input as bytes; None if it was closed when the program started."""
    return None if sys.stdin is None else sys.stdin.buffer


def report_of(context: click.Context) -> Report:
    """Create the report for a command, in the format that the command line or the settings select."""
    given = context.params
    return Report(context.command.name or "", given.get("output_format", "text"), given.get("quiet", False))


def begin(report: Report) -> Request:
    """Return the request of the running command. Report problems in the settings.

    Raises:
        SpecError: one of the problems is an error.
        click.UsageError: neither the arguments nor the settings name any specs.
    """
    context = click.get_current_context()
    given: dict[str, Any] = {"settings": context.obj, **context.params}
    request = Request(**{f.name: given[f.name] for f in fields(Request) if f.name in given})
    report.diagnose(request.settings.diagnostics)
    missing = [folder for _, folder in request.ref_pairs if not Path(folder).is_dir()]
    report.diagnose(
        Diagnostic(Place(f), "no-such-folder", "no such folder", "correct --ref-dir") for f in missing
    )
    report.stop_if_failed()
    if not request.specs:
        message = "no specs: pass files or folders (- for standard input), or set specs in [tool.toolgen]"
        if Path("specs").is_dir():  # where `toolgen pull` writes
            message += "; name the folder specs, or run: toolgen init"
        raise click.UsageError(message)
    return request


def begin_again(run: Callable[[Request, Report], int]) -> tuple[int, Report]:
    """Read the settings and arguments again, and run a command with them. Return its exit code and report."""
    context = click.get_current_context()
    arguments = list(context.meta[ARGUMENTS])
    with context.command.make_context(context.info_name, arguments, parent=context.parent) as again:
        report = report_of(again)
        return report.finish(lambda: run(begin(report), report)), report
