"""The base classes of the stream assemblers.

An assembler takes events, returns deltas, and returns the message at the end.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.leaked import Leaked
from toolgen_transcripts.codec.members import at_path
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.plain_values import plain
from toolgen_transcripts.codec.received_call import Fault, NativeCall, call_in, judge_calls
from toolgen_transcripts.messages import Block as TurnBlock, native_value
from toolgen_transcripts.streams.assembly import Block, Message
from toolgen_transcripts.streams.result import Completed, Delta


class Assembler:
    """Assembles one message from the events of a stream.

    Call `feed` for each event, then `finish`; use a new assembler for each message.

    Each provider has a subclass, whose `form` assembles the provider's message from its events. The `api` then reads
    this message in the same way as a complete response. `leaked` is the same as for `read_tool_uses`.
    """

    api: ClassVar[ApiCodec[Any]]
    form: ClassVar[type[Message]]

    def __init__(self, *, codec: Codec | None = None, leaked: Leaked = "report") -> None:
        self.wire = self.api.wire
        self.codec = codec or codec_for(self.wire.provider)
        self.message = self.form(self.wire, self.codec)
        self._leaked: Leaked = leaked
        self._completed: Completed | None = None

    def feed(self, event: object) -> list[Delta]:
        """Process one event (a dict, or an object of an SDK), and return the deltas to display.

        Raises:
            TypeError: the event is neither a mapping nor an SDK's object.
            RuntimeError: the message is already finished.
        """
        if self._completed is not None:
            raise RuntimeError("this message is finished; create a new StreamAssembler for the next one")
        try:
            found = plain(event)
            if isinstance(found, dict):
                self.message.take(found)
        except ValueError as error:  # nested too deeply, or too large
            self.message.damaged(str(error))
        else:
            if not isinstance(found, dict):
                what = type(event).__name__
                raise TypeError(f"an event must be a mapping or an object with model_dump(), not {what}")
        deltas, self.message.deltas = self.message.deltas, []
        return deltas

    def feed_error(self, error: Exception) -> None:
        """Record an error that the stream raised. The message then counts as truncated, and no call is ready."""
        self.message.failed(error)

    def read(self, stream: Iterable[object]) -> Iterator[Delta]:
        """Process a whole stream, and yield its deltas.

        If the stream raises an exception, it is stored in `Completed.error`.
        """
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
        """Do the same as `read` for an asynchronous stream."""
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
        """Return the complete message, in which every call has been checked.

        Call this method when the stream has ended, even after an error.
        """
        if self._completed is not None:
            return self._completed
        blocks = []
        for _, block in sorted(self.message.blocks.items()):
            block.join()
            if self.message.settle(block):
                blocks.append(block)
        turn = self.api.decode_said(self.message.native_messages(blocks), self.codec)
        why = self.message.why_cut()
        calls = [block for block in blocks if block.kind == "call"]
        natives = [self._native_call(block, index) for index, block in enumerate(calls)]
        if not natives:
            natives = self.api.leaked_calls(turn.text, self._leaked)
        judged = [call for call, _ in judge_calls(natives, why, self.wire, self.codec)]
        received = {id(block.native): call for block, call in zip(calls, judged, strict=False)}
        content = [received.get(id(_native_call(block)), block) for block in turn.blocks]
        self._completed = Completed(
            blocks=(*content, *judged[len(calls) :]),  # then the calls in the text
            stop_reason=self.message.stop_reason,
            truncated=bool(why),
            why=why,
            error=self.message.error,
            usage=self.message.usage,
            skipped=tuple(self.message.skipped),
            metadata=self.message.metadata,
            read=turn,
        )
        return self._completed

    def _native_call(self, block: Block, index: int) -> NativeCall:
        """Return the call of a block with its arguments as they were streamed."""
        at = f"{self.wire.stream.calls}[{index}]"
        call = self.api.native_call(block.native, at) or call_in(block.native, at, self.wire)
        if why := self.message.why_block_cut(block):
            call = replace(call, cut=Fault(call.arguments.path, why))
        if block.arguments is None or call.kind != "function":
            return call
        written = replace(call.arguments, parent={call.arguments.key: "".join(block.arguments)})
        return replace(call, arguments=written, as_text=True)


def _native_call(block: TurnBlock) -> Any:
    """Return the native value of a block. Chat Completions has a call of an unknown kind in an object of its own."""
    value = native_value(block)
    return at_path(value, ("tool_call",)) or value
