"""A context in which Ctrl-C is delayed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Delay a Ctrl-C until the end of the context; processes that are started meanwhile never receive one.

    It is not delayed if the platform has no signal masks.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
