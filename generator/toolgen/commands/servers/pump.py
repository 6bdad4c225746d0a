"""Forward lines between a client that uses pipes and a server, which is a process or a URL. See
docs/proxy.md.

One thread reads each pipe, and another thread writes to the server. A side that does not read therefore delays only its
own messages, and the end of the client is always noticed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import Empty, Queue, SimpleQueue
from shutil import which
from subprocess import PIPE, Popen
from threading import Event
from typing import IO, TYPE_CHECKING, Any, Final

from toolgen.commands.proxy.asking import METHOD
from toolgen.commands.proxy.call_filter import ToolList
from toolgen.commands.servers.large_messages import Held, Share
from toolgen.commands.servers.messages import Json, Message, list_request, read, weight_of
from toolgen.commands.servers.param_headers import is_header_mismatch
from toolgen.commands.servers.threads import in_thread
from toolgen_runtime import ToolOutput
from toolgen_runtime.calls.recent import Recent

if TYPE_CHECKING:
    from toolgen.commands.servers.url_server import UrlServer

FAILED: Final = 2
MAX_LINE: Final = 64 * 1024 * 1024
"""The maximum number of bytes of a line; a longer one ends the connection."""
SIGNALED: Final = 128
"""The number that shells add to a signal to get the exit code of a process that the signal ended."""
MAX_UNREAD: Final = 2 * MAX_LINE
"""The maximum number of bytes that may wait for a server that does not read; more bytes end the connection."""
GRACE: Final = 3.0
"""The number of seconds that a server has to exit after the client disconnected. It is then ended, within 5 in total.
"""
KILL_AFTER: Final = 1.5
"""The number of seconds from `SIGTERM` to `SIGKILL`. MCP clients kill the proxy 2 seconds after their own `SIGTERM`."""

ANSWER_SECONDS: Final = 0.2
"""The seconds that a client has to read the last errors."""

Handle = Callable[[bytes], None]
"""A function that is called with a line from the server."""
Ended = Callable[[int], None]
"""A function that is called with the exit code when the server has ended."""


def lines_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a pipe. A line that is too long is yielded as `b""`, and ends the loop."""
    with suppress(OSError, ValueError):
        while line := stream.readline(MAX_LINE):
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                yield b""
                return
            yield line if line.endswith(b"\n") else line + b"\n"


def write_line(stream: IO[bytes], line: bytes) -> bool:
    """Write a line, and wait until the pipe has accepted it.

    Return False if the other side has closed the pipe.
    """
    try:
        stream.write(line)
        stream.flush()
    except (OSError, ValueError):
        return False
    return True


class Writer:
    """Writes lines to a pipe in a thread of its own, so that the caller never waits."""

    def __init__(self, stream: IO[bytes], failed: Callable[[], None]) -> None:
        """Call `failed` if the other side has closed the pipe."""
        self._stream, self._failed = stream, failed
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._share = Share(Held(MAX_UNREAD))
        in_thread(self._write)

    def put(self, line: bytes) -> bool:
        """Add a line to the queue and return True. If too many bytes are waiting, drop it and return False."""
        has_room = self._share.add(len(line))
        if has_room:
            self._lines.put(line)
        return has_room

    def close(self) -> None:
        """Close the pipe once the last line has been written."""
        self._lines.put(None)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            is_written = write_line(self._stream, line)
            self._share.free(len(line))
            if not is_written:
                self._failed()
                break
        with suppress(OSError, ValueError):
            self._stream.close()


class ProcessServer:
    """A server that runs as a process."""

    def __init__(self, command: Sequence[str], handle: Handle, ended: Ended, **how: Any) -> None:
        """Start the server in a new process group. `how` is passed to `Popen`. Raise `OSError` if the start fails."""
        path = (how.get("env") or os.environ).get("PATH")  # npx is npx.cmd on Windows
        how |= {"stdin": PIPE, "stdout": PIPE, "start_new_session": True}
        self._process: Any = Popen([which(command[0], path=path) or command[0], *command[1:]], **how)
        pipe: Any = self._process.stdin
        self._ended, self._exited = ended, Event()
        self._writer = Writer(pipe, self._end_unless_it_exits)
        self._reading = in_thread(self._read, handle)
        in_thread(self._wait)

    def _read(self, handle: Handle) -> None:
        with self._process.stdout as output:
            for line in lines_of(output):
                handle(line)
        self._end_unless_it_exits()

    def _end_unless_it_exits(self) -> None:
        """End the connection if the server has closed a pipe, but does not exit: it can answer no more."""
        if not self._exited.wait(GRACE):
            self._ended(FAILED)

    def _wait(self) -> None:
        """Wait for the process to exit, and then a moment for its output, which another process may keep open."""
        code = self._process.wait()
        self._exited.set()
        self._reading.join(GRACE)
        self._ended(SIGNALED - code if code < 0 else code)

    def send(self, message: Message) -> None:
        """Write a line to the server. If it has not read the lines before, end the connection."""
        if not self._writer.put(message.data):
            self._ended(FAILED)

    def finish(self) -> None:
        """Close the server's input after the last line, as the protocol requires at the end."""
        self._writer.close()

    def end(self) -> None:
        """End the server and all processes in its group, some of which may outlive the server."""
        for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            until = time.monotonic() + KILL_AFTER
            if self._is_running():
                with suppress(OSError):
                    getattr(os, "killpg", os.kill)(self._process.pid, number)  # Windows has no groups
            while self._is_running() and time.monotonic() < until:
                time.sleep(0.01)

    def _is_running(self) -> bool:
        if self._process.poll() is None:
            return True
        if not hasattr(os, "killpg"):
            return False
        try:
            os.killpg(self._process.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:  # a member that this user may not signal
            pass
        return True


class Pump:
    """The connection of one client to a server."""

    def __init__(
        self,
        streams: tuple[IO[bytes], IO[bytes]],
        tools: ToolList,
        connect: Callable[[Handle, Ended], ProcessServer | UrlServer],
    ) -> None:
        """Take the client's output and its input, and what starts the server."""
        self._tools, self._connect = tools, connect
        self._reads, self._client = streams
        self._waiting: Queue[Message] = Queue()
        self._share = Share(Held())
        """The weight of the messages in `_waiting`."""
        self._open: Recent[str, object] = Recent()
        """The ids of the client's requests without an answer."""
        self._calls: Recent[str, tuple[Message, ToolOutput | None]] = Recent()
        """The calls under way with their checks, by the calls' ids."""
        self._asked: dict[str, Future[Json | None]] = {}
        """The answers to the proxy's own requests, by id."""
        self._ends: SimpleQueue[int | None] = SimpleQueue()
        """Exit codes, and None after the client has disconnected."""
        self.stop: Ended = self._ends.put
        """Ends `run` with an exit code."""
        self._is_leaving = self._is_over = False
        self.client_has_gone = False

    def run(self) -> int:
        """Start the server, forward messages until one side disconnects or `stop` is called, and return the
        exit code.

        Raises:
            OSError: the server cannot be started.
        """
        self._server = self._connect(self._from_server, self.stop)
        in_thread(self._make_calls)
        in_thread(self._read_client)
        try:
            code = self._ends.get()
            if code is None:
                self.client_has_gone = True
                code = self._ends.get(timeout=GRACE)
            return code or 0
        except Empty:
            return 0
        finally:
            self._is_over = True
            in_thread(self._answer_the_rest).join(ANSWER_SECONDS)
            self._server.end()

    def _answer_the_rest(self) -> None:
        """Answer the requests that the server will not answer any more."""
        for request_id in [*self._open.values()]:
            request = Message(b"", {"id": request_id})
            write_line(self._client, request.fail("the connection ended before the response").data)

    def _leave(self) -> None:
        """Begin to end, since the client has closed a pipe."""
        if not self._is_leaving:
            self._is_leaving = True
            self._ends.put(None)

    def _tell(self, message: Message) -> None:
        """Write a message to the client, unless it comes too late."""
        if self._is_over:
            return
        self._open.pop(message.answers, None)
        if not write_line(self._client, message.data):
            self._leave()
            self._server.finish()

    def _read_client(self) -> None:
        """Forward the client's messages. Only calls and cancellations wait until the tools are known."""
        for line in lines_of(self._reads):
            message = read(line)
            self._tools.asking.saw(message)
            self._open.pop(message.cancels, None)
            if message.asks:
                self._open[message.asks] = message.value["id"]
            if not line:
                self.stop(FAILED)
            elif message.is_call or message.cancels or self._tools.asking.is_answer(message):
                self._wait_with(message)
            else:
                self._server.send(message)
        self._leave()  # first: what waits below may wait for a server that never answers
        self._waiting.join()
        self._server.finish()

    def _wait_with(self, message: Message) -> None:
        """Let a message wait behind earlier ones. If too much is waiting already, respond to a call with an error."""
        if self._share.add(weight_of(message.data)):
            self._waiting.put(message)
        elif message.is_call:
            reason = "the proxy holds too many large calls; try again"
            self._tell(message.fail(reason))

    def _make_calls(self) -> None:
        with asyncio.Runner() as runner:
            while True:
                message = self._waiting.get()
                try:
                    self._make(message, runner)
                except (
                    Exception
                ) as error:  # no call is lost, and no later one, whatever is wrong with this one
                    if message.is_call:
                        reason = f"the proxy failed: {type(error).__name__}"
                        self._tell(message.fail(reason))
                finally:
                    self._share.free(weight_of(message.data))
                    self._waiting.task_done()

    def _make(self, message: Message, runner: asyncio.Runner) -> None:
        """Forward a call, a cancellation or a response of the user, or respond to the call."""
        if message.is_repeated:
            runner.run(self._tools.renew(partial(self._ask, message)))
            self._server.send(self._tools.with_headers(message))
            return
        decision, checked = runner.run(self._tools.decide(message, partial(self._ask, message)))
        if decision.answers or decision.method == METHOD:
            self._tell(decision)
        elif decision.data:
            if decision.is_call:
                self._calls[decision.asks] = decision, checked
            canceled, _ = self._calls.get(decision.cancels, (decision, None))
            if canceled is not decision and canceled.span is not None:
                canceled.span.end(None)
            self._server.send(decision)

    async def _ask(self, call: Message, cursor: str | None) -> Json | None:
        request = list_request(cursor, call)
        asked = self._asked[request.asks] = Future()
        self._server.send(request)
        return await asyncio.wrap_future(asked)

    def _from_server(self, line: bytes) -> None:
        """Forward a line to the client, unless it responds to a request of the proxy."""
        message = read(line)
        asked = self._asked.pop(message.answers, None)
        call, checked = self._calls.get(message.answers, (None, None))
        if not line:
            self.stop(FAILED)
        elif asked is not None:
            if asked.set_running_or_notify_cancel():
                asked.set_result(message.result)
        # The headers of a call without a session depend on the list of tools, which may have changed.
        elif call and call.protocol and not call.is_repeated and is_header_mismatch(message.value):
            call.is_repeated = True
            self._wait_with(call)
        else:
            self._calls.pop(message.answers, None)
            with suppress(Exception):  # a result that nobody expected is passed on as it is
                message = self._tools.passed(message, checked, call.span if call else None)
            self._tell(message)
