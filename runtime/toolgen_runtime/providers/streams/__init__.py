"""What the stream assemblers share: deltas as they come, calls only when the message has ended."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.providers.received import ReceivedCall as ReceivedCall
    from toolgen_runtime.providers.streams.completed import (
        Completed as Completed,
        Delta as Delta,
        StreamError as StreamError,
    )
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "toolgen_runtime.providers.received": "ReceivedCall",
            "toolgen_runtime.providers.streams.completed": "Completed Delta StreamError",
        },
    )
