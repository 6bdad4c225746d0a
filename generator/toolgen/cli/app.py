"""The `toolgen` program: its commands and exit codes."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from toolgen.cli.similar import did_you_mean
from toolgen.package.extras import EXTRA
from toolgen_runtime import __version__

FAILED = 2
INTERRUPTED = 130
_OUTPUT_IS_FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO)

COMMANDS = {
    "audit": "Report which fields models get wrong in recorded calls.",
    "build": "Generate a package from tool definitions.",
    "diff": "Show which changes to your tools are breaking.",
    "docs": "Write an HTML page with the tools of a package.",
    "explain": "Show what is wrong with a call, and the hint for it.",
    "export": "Convert tool definitions to a provider's format, or to stubs.",
    "init": "Set up a project from an MCP server.",
    "lint": "Find problems in tool definitions.",
    "list": "List tools and their fields.",
    "proxy": "Run an MCP proxy that checks every call.",
    "pull": "Download tool definitions from MCP servers.",
}
"""Each command's line in `--help`. Its module `toolgen.commands.<name>.cli` is imported when the command runs."""


class Program(click.Group):
    """The `toolgen` command, which contains all others.

    A failure exits with 2, because 1 means differences or findings. No traceback is printed.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's own signature
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command that has a name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"toolgen.commands.{cmd_name}.cli").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names.

        Raises:
            click.UsageError: the command does not exist; the message suggests similar names.
        """
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            meant = did_you_mean(args[0], COMMANDS, 2).capitalize() or f"Commands: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No such command {args[0]!r}. {meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands for the help, without loading the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run a command, and exit with the code that it returns."""
        extra["standalone_mode"] = False
        run = super().main
        given = list(sys.argv[1:] if args is None else args)
        sys.exit(_exit_code_of(lambda: run(given, *rest, **extra), given))


def _exit_code_of(run: Callable[[], Any], given: Sequence[str]) -> int:
    try:
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:  # click exits with 1 after a broken pipe
        return FAILED if stop.code else 0
    except (click.Abort, KeyboardInterrupt):
        click.echo("toolgen: interrupted", err=True)
        return INTERRUPTED
    except click.ClickException as error:
        _show(error, given)
        return FAILED
    except BrokenPipeError:
        _stop_printing()
        return FAILED
    except OSError as error:
        if error.errno not in _OUTPUT_IS_FULL or error.filename is not None:
            return _report_internal_error(error)
        _stop_printing()
        _say("write-failed", f"standard output: {error.strerror}", "free disk space, or print elsewhere")
        return FAILED
    except Exception as error:
        return _report_internal_error(error)


def _report_internal_error(error: Exception) -> int:
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in EXTRA:
        raise error
    if os.environ.get("TOOLGEN_DEBUG") == "1":
        raise error
    message = f"{type(error).__name__}: {error}"[:300]
    hint = "this is a bug in toolgen: please report it with the spec and what TOOLGEN_DEBUG=1 prints"
    _say("internal-error", message, hint)
    return FAILED


def _say(code: str, message: str, hint: str, command: str = "", output_format: str = "text") -> None:
    from toolgen.cli.reports import Report
    from toolgen.compiler.diagnostics import Diagnostic, Place

    report = Report(command, output_format)
    report.diagnose([Diagnostic(Place(""), code, message, hint)])
    report.done(FAILED)


def _stop_printing() -> None:
    """Discard all further standard output, because it cannot be written.

    This includes what the interpreter flushes when it exits.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show(error: click.ClickException, given: Sequence[str]) -> None:
    """Print a usage error in click's format, or in the format that the arguments select."""
    asked = re.search("--output-format[= ](json|github)( |$)", " ".join(given))
    if asked is None:
        error.show()
        return
    command = next((word for word in given if word in COMMANDS), "")
    _say("bad-usage", error.format_message(), "see toolgen --help", command, asked[1])


COMPLETION = """Shell completion, in bash: eval "$(_TOOLGEN_COMPLETE=bash_source toolgen)"; in zsh with zsh_source,
and in fish: _TOOLGEN_COMPLETE=fish_source toolgen | source"""


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]}, epilog=COMPLETION)
@click.version_option(__version__, prog_name="toolgen", message="%(prog)s %(version)s")
def program() -> None:
    """Check LLM tool calls: generate a typed Python package from tool definitions, and more."""
