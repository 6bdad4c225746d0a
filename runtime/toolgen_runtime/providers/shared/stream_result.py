"""What a stream gives: deltas on the way, and at its end the message with every call judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toolgen_runtime.providers.shared.received_call import ReceivedCall
from toolgen_runtime.transcript.messages import Block, Reasoning, Text, ToolCall, Turn

Place = tuple[int, ...]
"""Where a block stands in its message; places sort as the blocks do."""

Content = Block | ReceivedCall
"""What a message that was received consists of: the blocks of its turn, its calls judged."""

DeltaKind = Literal["text", "reasoning", "call", "arguments"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the message as it came, to be shown and never to be run.

    `call` announces a call and has no text; `arguments` is a fragment of its JSON text. Both carry the
    call's id and the tool's own name, as far as they are known by then.
    """

    kind: DeltaKind
    block: Place
    text: str = ""
    call_id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Completed:
    """A message whose stream is over.

    `blocks` are in the message's order. `truncated` says that the message is not all there, and `why` in a
    phrase why; then no call is ready. `error` is what the stream raised or sent as an error, for whoever
    decides on a retry. `stop_reason` and `usage` are the provider's own; `metadata` is what else it says of the
    message, by its own names (metrics, trace, service tier). `skipped` names the kinds of content that nobody
    here reads: they stand among the blocks as the provider has them, where they came whole.
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
        """All its text, joined without a separator."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def reasoning(self) -> tuple[Reasoning, ...]:
        """Its reasoning blocks, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Reasoning))

    @property
    def calls(self) -> tuple[ReceivedCall, ...]:
        """Every call that the model began, in order: look at `ready` before you run one."""
        return tuple(block for block in self.blocks if isinstance(block, ReceivedCall))

    @property
    def ready_calls(self) -> tuple[ReceivedCall, ...]:
        """The calls that may be run, in order."""
        return tuple(call for call in self.calls if call.ready)

    def turn(self) -> Turn:
        """Return the message as an assistant turn of a transcript.

        A call whose arguments cannot be read stands there with its raw text; one without a name cannot be
        answered and is left out.
        """
        said = tuple(b for b in self.read.blocks if not isinstance(b, ToolCall) or b.name)
        return replace(self.read, blocks=said)


class StreamError(Exception):
    """An error that the provider sent as an event of the stream. `code` is the provider's own."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.code
