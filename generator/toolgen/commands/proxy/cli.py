"""`toolgen proxy`: run an MCP server that checks the arguments of calls to another MCP server."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.options import env_option, header_option, options
from toolgen.cli.request import CheckedCommand
from toolgen.cli.terminal import inline
from toolgen.commands.proxy.policy_options import conversation_options, policy_of, read_rules
from toolgen.commands.servers.address import ServerAddress, of_command_line, pairs
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen_runtime.validation.issues import field_of

if TYPE_CHECKING:
    from toolgen.commands.proxy.call_filter import ToolList
    from toolgen.commands.proxy.tracing import Tracing
    from toolgen.commands.servers.http_client import HttpClient
    from toolgen.commands.servers.pump import Ended, Handle, ProcessServer
    from toolgen.commands.servers.url_server import UrlServer
    from toolgen_runtime import ToolOutput

LOOPBACK = "127.0.0.1"


@click.command("proxy", cls=CheckedCommand)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[URL | -- COMMAND...]")
@conversation_options
@click.option(
    "--listen",
    metavar="[HOST:]PORT",
    help="Serve a URL over HTTP instead of standard input and output. [HOST: 127.0.0.1]",
)
@env_option
@header_option
@click.option(
    "--clean-env",
    is_flag=True,
    help="Pass only basic environment variables, such as HOME and PATH, and those of --env to the server's command.",
)
@click.option(
    "--otel",
    is_flag=True,
    help="Send a span and a duration for each call to the collector at OTEL_EXPORTER_OTLP_ENDPOINT.",
)
@click.option(
    "--verbose",
    "-v",
    is_flag=True,
    help="Print a line on standard error for each call that is rejected or repaired.",
)
@options("formats")
def command(
    words: tuple[str, ...], listen: str | None, formats: str, *, otel: bool, verbose: bool, **given: Any
) -> int:
    """Check the calls to an MCP server, which is a command or a URL, and respond to wrong calls with a hint.

    All other messages are forwarded unchanged. If the server is a command, the proxy exits with the server's exit code,
    and stops the server when the client disconnects.
    """
    if not words:
        raise click.UsageError("pass the server's URL, or its command after --")
    from toolgen.commands.proxy.call_filter import ToolList
    from toolgen.commands.proxy.compile_apart import compile_apart
    from toolgen.package import memory_modules

    memory_modules.compile_text = compile_apart
    tracing: Tracing | None = None
    if otel:
        from toolgen.commands.proxy.tracing import Tracing

        tracing = Tracing()
    make_tools = partial(
        ToolList,
        lru_cache(_log),
        tracing=tracing,
        formats=formats,
        rules=read_rules(given["rules"]),
        log_call=_log_call if verbose else lambda _: None,
        **policy_of(given),
    )
    environment, headers = pairs(given["env"], "=", "--env"), pairs(given["header"], ":", "--header")
    # The client that started the proxy has chosen its variables for the server.
    server = of_command_line(words, environment, headers, inherits_all=not given["clean_env"])
    if listen is not None and not server.url:
        raise click.UsageError("--listen serves a URL; a command is served over standard input and output")
    with ExitStack() as at_end:
        if tracing is not None:
            at_end.callback(tracing.close)
        if server.url:
            return _in_front_of_url(server, listen, make_tools, at_end.close)
        return _in_front_of_command(server, make_tools())


def _in_front_of_command(server: ServerAddress, tools: ToolList) -> int:
    from toolgen.commands.servers.pump import ProcessServer

    try:
        code, was_asked_to_end = _pump(tools, partial(ProcessServer, server.command, env=server.variables))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _failed(server.command[0], reason, "use a program that is installed") from None
    if not was_asked_to_end:
        _log(f"the server exited with code {code}")
    return code


def _pump(tools: ToolList, connect: Callable[[Handle, Ended], ProcessServer | UrlServer]) -> tuple[int, bool]:
    """Forward messages until one side ends.

    Return the exit code, and whether the proxy ended as it should: after a signal, or because the client disconnected
    and the server then ended without an error.
    """
    from toolgen.commands.servers.pump import SIGNALED, Pump

    reads, writes = os.dup(sys.stdin.fileno()), os.dup(sys.stdout.fileno())
    pump = Pump((os.fdopen(reads, "rb"), os.fdopen(writes, "wb")), tools, connect)
    # Before the server starts, and also SIGINT: a second signal must not stop the proxy while it ends the server.
    signals = []

    def stop(number: int, _: object) -> None:
        signals.append(number)
        pump.stop(SIGNALED + number)

    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        if number := getattr(signal, name, None):  # Windows has no SIGHUP
            signal.signal(number, stop)
    code = pump.run()
    if code == SIGNALED + signal.SIGINT:
        raise KeyboardInterrupt
    return code, bool(signals) or (pump.client_has_gone and code == 0)


def _in_front_of_url(
    server: ServerAddress,
    listen: str | None,
    make_tools: Callable[[], ToolList],
    at_end: Callable[[], None],
) -> int:
    from toolgen.commands.servers.http_client import HttpClient
    from toolgen.commands.servers.url_server import UrlServer

    try:
        http = HttpClient(server.url, server.headers)
    except ValueError as error:
        raise _failed(server.name, str(error), "correct the URL") from None
    if listen is not None:
        return _serve(http, listen, make_tools, at_end)
    return _pump(make_tools(), partial(UrlServer, http))[0]


def _serve(
    http: HttpClient, listen: str, make_tools: Callable[[], ToolList], at_end: Callable[[], None]
) -> int:
    from toolgen.commands.proxy import reverse_proxy

    host, _, port = listen.rpartition(":")
    if not (port.isdigit() and int(port) < 65_536):
        raise click.UsageError(f"--listen {listen!r} is not [HOST:]PORT")
    try:
        listening = reverse_proxy.listen(host.strip("[]") or LOOPBACK, int(port))
    except OSError as error:
        raise _failed(
            listen, error.strerror or str(error), "use a free port, and an address of this machine"
        ) from None
    with listening:
        address, taken = listening.getsockname()[:2]
        _log(f"listening at http://{f'[{address}]' if ':' in address else address}:{taken}{http.url.path}")
        reverse_proxy.serve(http, make_tools, listening, at_end)
    return 0


def _failed(name: str, message: str, hint: str) -> SpecError:
    return SpecError.of(Place(""), "server-failed", f"{name}: {message}", hint)


def _log_call(output: ToolOutput) -> None:
    """Print a line about a rejected or repaired call. It has no values, because logs stay on disk."""
    hint = output.retry_hint
    if output.error is None:
        said = "was forwarded with changes"
        found = [(field_of(change["path"]), change["rule"]) for change in output.repairs]
    else:
        said = "ran, but its result was rejected" if output.executed else "was rejected"
        found = [(field.field, field.constraint) for field in hint.fields] if hint else []
    places = ", ".join(f"{field or 'arguments'} ({reason})" for field, reason in found)
    _log(f"{output.tool} {said}: {places or output.kind}")


def _log(text: str) -> None:
    click.echo(f"toolgen proxy: {inline(text)}", err=True)
