"""What an assembler returns: deltas to display while the stream runs, and then the complete message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toolgen_transcripts.codec.received_call import ReceivedCall
from toolgen_transcripts.messages import (
    Block,
    Reasoning,
    Text,
    ToolCall,
    Turn,
    without_last_reasoning,
)

Place = tuple[int, ...]
"""The position of a block in its message; positions sort in the order of the blocks."""

Content = Block | ReceivedCall
"""A part of a received message: a block of its turn, or a checked call."""

DeltaKind = Literal["text", "reasoning", "call", "arguments"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the message, to be displayed while the rest arrives. Never run a call from a delta.

    The kind `call` is the start of a call and has no text; `arguments` is a fragment of its JSON text. Both have the
    call's id and the tool's original name, if these have arrived.
    """

    kind: DeltaKind
    block: Place
    text: str = ""
    call_id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """A message whose stream has ended, with every call checked.

    `blocks` are in the order of the message. If the message is incomplete, `truncated` is true, `why` is the reason as
    a phrase, and no call is ready. `error` is the error that the stream raised or sent; use it to decide whether to try
    again. `stop_reason` and `usage` are the provider's values; `metadata` contains its other data about the message
    under its own names (metrics, trace, service tier). `skipped` names the kinds of content that toolgen does not read.
    If such content is complete, it is among the blocks in the provider's format.
    """

    blocks: tuple[Content, ...]
    stop_reason: str | None
    truncated: bool
    why: str = ""
    error: Exception | None = None
    usage: Mapping[str, Any] | None = None
    skipped: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    read: Turn = field(default=Turn("assistant", ()), repr=False)

    @property
    def text(self) -> str:
        """The text of all text blocks, joined without a separator."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def reasoning(self) -> tuple[Reasoning, ...]:
        """The reasoning blocks, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Reasoning))

    @property
    def calls(self) -> tuple[ReceivedCall, ...]:
        """Every call that the model started, in order. Run a call only if it is `ready`."""
        return tuple(block for block in self.blocks if isinstance(block, ReceivedCall))

    @property
    def ready_calls(self) -> tuple[ReceivedCall, ...]:
        """The calls that may be run, in order."""
        return tuple(call for call in self.calls if call.ready)

    def turn(self) -> Turn:
        """Return the message as an assistant turn of a transcript.

        If the arguments of a call cannot be parsed, their text is its input. A call without a name is left out, because
        it cannot get a result. Reasoning at the end of a truncated message is left out too (`without_last_reasoning`).
        """
        turn = self.read
        if self.truncated:
            turn = without_last_reasoning(self.read)
        return replace(turn, blocks=tuple(b for b in turn.blocks if not isinstance(b, ToolCall) or b.name))


class StreamError(Exception):
    """An error that the provider sent as an event of the stream. `code` is the provider's own code."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.code
