"""Stream assemblers, one module a provider: deltas as they come, calls only when the message has ended."""

from __future__ import annotations

from toolgen_runtime.providers.streams.completed import Completed, Delta, StreamedCall, StreamError

__all__ = ["Completed", "Delta", "StreamError", "StreamedCall"]
