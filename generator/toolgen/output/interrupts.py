"""Ctrl-C while files are written: held back, and raised only where nothing is left behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

_is_waiting = False
"""Whether there was a Ctrl-C that has not been raised. A process has one handler of a signal, so this is global."""


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back Ctrl-C within a block, until `raise_held_interrupt` or its end.

    Does nothing outside the main thread, which alone gets a KeyboardInterrupt, and where Ctrl-C is ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, _hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    raise_held_interrupt()


def raise_held_interrupt() -> None:
    """Raise a Ctrl-C that was held back.

    Raises:
        KeyboardInterrupt: there was one.
    """
    global _is_waiting
    if _is_waiting:
        _is_waiting = False
        raise KeyboardInterrupt


def _hold(_signal: int, _frame: FrameType | None) -> None:
    global _is_waiting
    _is_waiting = True
