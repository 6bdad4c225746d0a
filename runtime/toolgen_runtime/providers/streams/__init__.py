"""Stream assemblers, one module a provider: deltas as they come, calls only when the message has ended."""

from __future__ import annotations

from toolgen_runtime.providers.received import ReceivedCall
from toolgen_runtime.providers.streams.completed import Completed, Delta, StreamError

__all__ = ["Completed", "Delta", "ReceivedCall", "StreamError"]
