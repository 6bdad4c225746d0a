"""What the tests of several frameworks share: an event loop that outlives a test, so that servers start once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def portal() -> Iterator[Any]:
    """A loop in a thread of its own; see `anyio.from_thread.BlockingPortal`."""
    from anyio.from_thread import start_blocking_portal

    with start_blocking_portal() as portal:
        yield portal
