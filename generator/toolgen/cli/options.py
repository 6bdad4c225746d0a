"""The options that every command shares, and how they and the project's settings make one request."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toolgen.diagnostics import Diagnostic, Place
from toolgen.settings import FORMATS, OUTPUT_FORMATS, Settings, read

if TYPE_CHECKING:
    from toolgen.build import BuildOptions
    from toolgen.cli.report import Report
    from toolgen.load import Loaded

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_OUTPUT = "agent_tools"


@dataclass(frozen=True)
class Request:
    """What a command is asked for: the command line's word, else the settings', else the default."""

    specs: tuple[str, ...]
    output: str
    namespace: bool
    keep_going: bool
    formats: str
    ref_dirs: tuple[str, ...]
    settings: Settings

    @property
    def out(self) -> Path:
        """The package folder, with a name (`.` has none)."""
        out = Path(self.output)
        return out if out.name not in ("", "..") else Path(os.path.abspath(out))

    def load(self) -> Loaded:
        """The tools that the request names."""
        from toolgen.load import load

        return load(self.specs, stdin=sys.stdin.buffer, namespace=self.namespace)

    @property
    def ref_pairs(self) -> list[tuple[str, str]]:
        """URI (empty: by `$id`) and folder of each `--ref-dir`."""
        return [(uri, folder) for uri, _, folder in (given.rpartition("=") for given in self.ref_dirs)]

    def build_options(self) -> BuildOptions:
        """The same, as the pipeline takes it."""
        from toolgen.build import BuildOptions
        from toolgen.spec import RefDir

        return BuildOptions(
            package=self.out.absolute().name,
            formats="annotate" if self.formats == "annotate" else "assert",
            keep_going=self.keep_going,
            ref_dirs=tuple(RefDir(Path(folder), uri or None) for uri, folder in self.ref_pairs),
        )


SHARED = (
    click.option("--namespace/--no-namespace", default=None, help="One subpackage per spec file."),
    click.option(
        "--keep-going/--no-keep-going", default=None, help="Go on with the sound tools; still exits 2."
    ),
    click.option(
        "--formats", type=click.Choice(FORMATS), help="Whether `format` is a constraint (default: assert)."
    ),
    click.option(
        "--ref-dir",
        multiple=True,
        metavar="[URI=]DIR",
        help="Local files for non-local $refs; repeatable.",
    ),
)

OUTPUT = (
    click.option("--output-format", type=click.Choice(OUTPUT_FORMATS), help="How to print (default: text)."),
    click.option("-q", "--quiet/--no-quiet", default=None, help="Print errors and results only."),
)


def options(*groups: tuple[Callable[[Command], Command], ...]) -> Callable[[Command], Command]:
    """A decorator that gives a command these groups of options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return decorate


def begin(command: str, given: dict[str, Any]) -> tuple[Request, Report]:
    """The request and the report of a command, from its parameters and the settings.

    Raises:
        click.UsageError: no specs are named anywhere.
    """
    from toolgen.cli.report import Report

    settings = read(Path.cwd())

    def chosen(option: str, default: Any) -> Any:
        value = given.get(option.replace("-", "_"))
        return settings.get(option, default) if value is None or value == () else value

    report = Report(command, chosen("output-format", "text"), chosen("quiet", False))
    request = Request(
        specs=tuple(chosen("specs", ())),
        output=chosen("output", DEFAULT_OUTPUT),
        namespace=chosen("namespace", False),
        keep_going=chosen("keep-going", False),
        formats=chosen("formats", "assert"),
        ref_dirs=tuple(chosen("ref-dir", ())),
        settings=settings,
    )
    report.diagnose(settings.diagnostics)
    report.diagnose(_missing_ref_dirs(request))
    if not request.specs and not report.failed:
        said = "no specs: name files or folders (- for standard input), or set specs in [tool.toolgen]"
        raise click.UsageError(said)
    return request, report


def _missing_ref_dirs(request: Request) -> list[Diagnostic]:
    missing = [folder for _, folder in request.ref_pairs if not Path(folder).is_dir()]
    return [
        Diagnostic(Place(folder), "no-such-folder", "no such folder", "mend --ref-dir") for folder in missing
    ]
