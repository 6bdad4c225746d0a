"""Work in other processes: batches out, results back in their order; nothing stays behind, however it ends."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, TypeVar

from toolgen.diagnostics import Diagnostic, Place, SpecError

Batch = TypeVar("Batch")
Result = TypeVar("Result")

_LAST_WORDS: Final = 5
"""Seconds to wait for the exit code of a process that has closed its pipe."""


def are_copies() -> bool:
    """Return whether processes that are started now have all that this one has loaded, because they are forks of it.

    A fork has the locks of other threads as they stand, so it is made where there are none; elsewhere, and where
    threads cannot be counted, each process is a new interpreter.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def in_order(work: Callable[[Batch], Result], batches: Iterable[Batch], jobs: int) -> Generator[Result]:
    """Yield what `work` returns for each batch, in the order of the batches, from `jobs` processes.

    Each process has one batch at a time; batches are pickled, and so is `work` for new interpreters. When the
    iterator ends or is closed, the processes have ended; they also end when this process is killed.

    Raises:
        SpecError: `worker-died`: a process cannot be started, or ended without a result.
        Exception: what `work` raised, in the turn of its batch.
    """
    numbered = enumerate(batches)
    done: dict[int, Callable[[], Result]] = {}
    workers: list[_Worker[Batch, Result]] = []
    following = 0
    try:
        _start(workers, work, jobs)
        busy = {worker.pipe: worker for worker in workers if worker.begin(numbered)}
        while busy:
            for pipe in wait(list(busy)):
                worker = busy.pop(pipe)  # type: ignore[call-overload]
                number, result = worker.result()
                done[number] = result
                if worker.begin(numbered):
                    busy[worker.pipe] = worker
            while following in done:
                yield done.pop(following)()
                following += 1
    finally:
        for worker in workers:
            worker.end()


def _start(workers: list[_Worker[Batch, Result]], work: Callable[[Batch], Result], jobs: int) -> None:
    try:
        copies = are_copies()
        with interrupts_blocked(copies):  # all that started are in the list, and none of them hears Ctrl-C
            for _ in range(jobs):
                workers.append(_Worker(work, [worker.pipe for worker in workers] if copies else None))
    except OSError as error:
        raise _failed(f"a process cannot be started: {error.strerror or error}") from None


def _failed(message: str) -> SpecError:
    return SpecError([Diagnostic(Place(""), "worker-died", message, "name fewer --jobs")])


@contextmanager
def interrupts_blocked(copies: bool = False) -> Iterator[None]:
    """Hold back a Ctrl-C; processes that are started meanwhile never hear one, where the platform has signal masks.

    `copies` says that they are forks.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if not copies:
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # would let interrupts in if it were started by the first process
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker(Generic[Batch, Result]):
    """A process that works on one batch at a time, and this side of the pipe to it."""

    def __init__(
        self, work: Callable[[Batch], Result], others: Sequence[Connection[Any, Any]] | None
    ) -> None:
        """Start a process: a fork, if the pipes to other processes are given, which it then closes."""
        self.pipe, end = Pipe()
        if others is None:
            self._process: BaseProcess = SpawnProcess(target=_serve, args=(end, work, ()), daemon=True)
        else:
            arguments = (end, work, (*others, self.pipe))
            self._process = get_context("fork").Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        end.close()
        self._number = -1

    def begin(self, numbered: Iterator[tuple[int, Batch]]) -> bool:
        """Send the next batch; return False if there is none."""
        for self._number, batch in numbered:
            with self._alive():
                self.pipe.send(batch)
            return True
        return False

    def result(self) -> tuple[int, Callable[[], Result]]:
        """Return the number of the batch, and a function that returns or raises what came of it."""
        with self._alive():
            value, error = self.pipe.recv()

        def outcome() -> Result:
            if error is not None:
                raise error
            result: Result = value
            return result

        return self._number, outcome

    def end(self) -> None:
        """End the process at once: it has nothing that has to be put in order."""
        self._process.kill()
        self._process.join()
        self.pipe.close()

    @contextmanager
    def _alive(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError):
            self._process.join(_LAST_WORDS)
            code = self._process.exitcode
            raise _failed(
                f"a process ended without a result (exit code {code}); perhaps there was no memory left"
            ) from None


def _serve(
    pipe: Connection[Any, Any], work: Callable[[Any], Any], inherited: Sequence[Connection[Any, Any]]
) -> None:
    """Answer each batch until the pipe is closed, by the end of the process that holds its other end alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where there are no signal masks
    for other in inherited:
        other.close()
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_answer(work, pipe.recv()))


def _answer(work: Callable[[Any], Any], batch: Any) -> tuple[Any, Exception | None]:
    try:
        return work(batch), None
    except Exception as error:  # whatever it is, it is raised where the result would be
        return None, _sendable(error)


def _sendable(error: Exception) -> Exception:
    """Return an exception that can be pickled, with the place where it was raised as a note."""
    try:
        sent: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note("".join(traceback.format_exception(error)))
    return sent
