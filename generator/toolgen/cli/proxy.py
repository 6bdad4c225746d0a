"""`toolgen proxy`: an MCP server in front of another, which checks the arguments of calls."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from toolgen.cli.options import options
from toolgen.cli.report import Report
from toolgen.cli.terminal import inline
from toolgen.diagnostics import Diagnostic, Place, SpecError

FAILED = 2


@click.command("proxy")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option("--repair", is_flag=True, help="Send on what is certainly meant in place of wrong arguments.")
@click.option(
    "--unknown-keys",
    type=click.Choice(("schema", "note", "refuse")),
    default="schema",
    show_default=True,
    help="What a key is that the schema neither names nor describes: as the schema says, noted, or refused.",
)
@click.option(
    "--env",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="A variable of the command's environment; repeatable.",
)
@options("formats")
def command(words: tuple[str, ...], env: tuple[str, ...], formats: str, **checking: Any) -> int:
    """Run an MCP server over stdio and answer calls with wrong arguments in its place, with a hint.

    All else passes as it is. Exits as the server does; it is ended where it outlives the client.
    """
    if not words or words[0].startswith(("http://", "https://")):
        raise click.UsageError(
            "name the server's command after --; servers behind a URL are not supported yet"
        )
    from toolgen.servers.call_checks import CallChecks
    from toolgen.servers.relay import ClientStreams, Relay
    from toolgen.servers.server import pairs

    report = Report("proxy")
    checks = CallChecks(
        _log, formats="annotate" if formats == "annotate" else "assert", absent="empty", **checking
    )
    streams = ClientStreams(
        os.fdopen(os.dup(sys.stdin.fileno()), "rb"),
        os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0),
        _log_raw,
    )
    try:
        relay = Relay(words, streams, checks, environment=pairs(env, "=", "--env"))
    except SpecError as error:
        report.diagnose(error.diagnostics)
        return FAILED
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "name a program that is installed"
        report.diagnose([Diagnostic(Place(words[0]), "server-failed", reason, hint)])
        return FAILED
    code = relay.run()
    if code or not relay.client_has_gone:
        _log(f"the server exited with code {code}")
    return code


def _log_raw(data: bytes) -> None:
    """Pass on what the server printed among its messages, like its own standard error."""
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


def _log(text: str) -> None:
    click.echo(f"toolgen proxy: {inline(text)}", err=True)
