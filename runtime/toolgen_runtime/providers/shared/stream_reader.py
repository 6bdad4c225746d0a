"""What every stream assembler does: take events, give deltas, and at the end the message."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.stream_assembly import Message
from toolgen_runtime.providers.shared.stream_events import as_mapping
from toolgen_runtime.providers.shared.stream_result import Completed, Delta
from toolgen_runtime.providers.shared.wire import Wire


class Assembler(ABC):
    """Feed it the events of one message, then call `finish`. Each message takes a new one.

    A reader, one a provider, has the facts about its API (`wire`) and tells `self.message` what their
    events say.
    """

    wire: ClassVar[Wire]

    def __init__(self, *, codec: Codec | None = None) -> None:
        self.message = Message(self.wire, codec or codec_for(self.wire.provider))
        self._completed: Completed | None = None

    @abstractmethod
    def take(self, event: Mapping[str, Any]) -> None:
        """Tell `self.message` what one event says."""

    def feed(self, event: object) -> list[Delta]:
        """Take one event, a dict or the SDK's object; returns what it brings that can be shown.

        Raises:
            TypeError: the event is neither.
            RuntimeError: the message is finished.
        """
        if self._completed is not None:
            raise RuntimeError("this message is finished: the next one takes a new StreamAssembler")
        self.take(as_mapping(event))
        return self.message.take_deltas()

    def feed_error(self, error: Exception) -> None:
        """Note what the stream raised: the message is truncated then, and none of its calls is ready."""
        self.message.failed(error)

    def read(self, stream: Iterable[object]) -> Iterator[Delta]:
        """Feed a whole stream. An exception that it raises ends it and is kept in `Completed.error`."""
        events = iter(stream)
        while True:
            try:
                event = next(events)
            except StopIteration:
                return
            except Exception as error:
                self.feed_error(error)
                return
            yield from self.feed(event)

    async def aread(self, stream: AsyncIterable[object]) -> AsyncIterator[Delta]:
        """Yield `read` of an asynchronous stream."""
        events = aiter(stream)
        while True:
            try:
                event = await anext(events)
            except StopAsyncIteration:
                return
            except Exception as error:
                self.feed_error(error)
                return
            for delta in self.feed(event):
                yield delta

    def finish(self) -> Completed:
        """Return the message, its calls judged. Call it when the stream is over, however it ended."""
        if self._completed is None:
            self._completed = self.message.complete()
        return self._completed
