"""Delay Ctrl-C while a block of code runs."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Delay a Ctrl-C until the end of the context. Processes that are started inside it never receive one.

    If the platform has no signal masks, Ctrl-C is not delayed.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
