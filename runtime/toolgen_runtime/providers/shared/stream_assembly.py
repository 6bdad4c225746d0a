"""The message under assembly: blocks keyed by their place, judged when the stream is over.

Nothing is parsed before the end, because only the end tells whether all of it arrived: a block's own stop
also comes when the model ran into its token limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.shared.fields import unread
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.stream_blocks import Block, BlockKind, call_problems
from toolgen_runtime.providers.shared.stream_events import describe
from toolgen_runtime.providers.shared.stream_result import Completed, Content, Delta, DeltaKind, Place
from toolgen_runtime.providers.shared.wire import Wire, stop_reason
from toolgen_runtime.transcript.messages import Source


class Message:
    """What a reader tells of its provider's events, one method a fact."""

    def __init__(self, wire: Wire, codec: Codec) -> None:
        self._wire = wire
        self._codec = codec
        self._blocks: dict[Place, Block] = {}
        self._foreign: set[Place] = set()
        self._deltas: list[Delta] = []
        self._started = self._ended = False
        self._stop_reason: str | None = None
        self._damage = ""
        self._error: Exception | None = None
        self._skipped: dict[str, None] = {}
        self._metadata: dict[str, Any] = {}
        self.usage: Mapping[str, Any] | None = None

    def take_deltas(self) -> list[Delta]:
        """Return the deltas since the last time."""
        deltas, self._deltas = self._deltas, []
        return deltas

    def start(self) -> None:
        """Start the message, which can only be done once."""
        if self._started:
            self.damaged("a second message started in the stream")
        self._started = True

    def stop(self, reason: object) -> None:
        """Note the reason for which the model stopped."""
        self._stop_reason = stop_reason(reason)

    def end(self) -> None:
        """End the message: nothing more is to come."""
        self._ended = True

    def failed(self, error: Exception) -> None:
        """Note an error that the stream raised or sent; the first one counts."""
        self._error = self._error or error

    def damaged(self, why: str) -> None:
        """Something came that cannot be placed, so nothing of the message can be relied on."""
        self._damage = self._damage or why

    def skip(self, kind: object, place: Place | None = None) -> None:
        """Content came that nobody here reads; with a place, all that comes for that block is such."""
        self._skipped[kind if isinstance(kind, str) else type(kind).__name__] = None
        if place is not None:
            self._foreign.add(place)

    def text(self, place: Place, text: str) -> None:
        """Add a piece of text."""
        if text and self._add(place, "text", text):
            self._deltas.append(Delta("text", place, text))

    def reasoning(
        self, place: Place, text: str = "", *, signature: str = "", redacted: str | bytes | None = None
    ) -> None:
        """Add a piece of reasoning, or of what the provider wants back with it."""
        block = self._add(place, "reasoning", text)
        if block is None:
            return
        if signature:
            block.signature = (block.signature or "") + signature
        if redacted is not None:
            block.redacted = redacted
        if text:
            self._deltas.append(Delta("reasoning", place, text))

    def call(
        self,
        place: Place,
        id: object,
        name: object,
        arguments: str = "",
        *,
        kind: str = "function",
        namespace: object = None,
    ) -> None:
        """Start a call, with such arguments as its start already has."""
        if place in self._blocks:
            self.cut(place, "its block was started twice")
            return
        block = self._add(place, "call", arguments)
        if block is None:
            return
        block.id = id if isinstance(id, str) and id else None
        block.name = name if isinstance(name, str) and name else None
        block.namespace = namespace if isinstance(namespace, str) and namespace else None
        block.call_kind = kind
        self._show("call", place, block)
        if arguments:
            self._show("arguments", place, block, arguments)

    def arguments(self, place: Place, fragment: object) -> None:
        """Add a piece of a call's arguments text."""
        block = self._add(place, "call", fragment if isinstance(fragment, str) else "")
        if not isinstance(fragment, str):
            self.cut(place, "a fragment of its arguments is missing")
        elif block is not None and fragment:
            self._show("arguments", place, block, fragment)

    def close(self, place: Place) -> None:
        """End the block at this place."""
        if place in self._blocks:
            self._blocks[place].closed = True

    def cut(self, place: Place, why: str) -> None:
        """Note that the block at this place, if there is one, cannot be whole."""
        if place in self._blocks:
            self._blocks[place].cut = self._blocks[place].cut or why

    def has(self, place: Place) -> bool:
        """Return whether anything has come for the block at this place."""
        return place in self._blocks

    def heard(self, place: Place) -> str:
        """Return all the text that has come for the block at this place."""
        return self._blocks[place].text if place in self._blocks else ""

    def keep(self, place: Place, value: Any, kind: str = "") -> None:
        """Remember the native form of the block at this place, for the same provider's codec.

        `kind` says what is read of it (`MessageShape.reads`).
        """
        reads = self._wire.messages.reads.get(kind, frozenset())
        self.remember(place, Source(self._wire.provider, value, unread(value, reads)))

    def remember(self, place: Place, source: Source) -> None:
        """Remember where the block at this place comes from."""
        if place in self._blocks:
            self._blocks[place].source = source

    def native(self, place: Place, value: Any, kind: object) -> None:
        """Keep a block that nobody here reads as the provider has it."""
        self.skip(kind)
        self._foreign.add(place)
        self._blocks[place] = block = Block("native")
        block.source = Source(self._wire.provider, value)

    def input(self, place: Place, value: Any) -> None:
        """Note the input of a call that is not of a function, where it is not a text."""
        if place in self._blocks:
            self._blocks[place].input = value

    def note(self, fields: Mapping[str, Any]) -> None:
        """Note what the provider says beside the message; what is null or empty says nothing."""
        self._metadata |= {key: value for key, value in fields.items() if value not in (None, "", [], {})}

    def complete(self) -> Completed:
        """Return the message as it stands, its calls judged."""
        why = self._why()
        blocks = [block for _, block in sorted(self._blocks.items()) if not block.is_empty()]
        ids = Counter(block.id for block in blocks if block.id)
        return Completed(
            blocks=tuple(self._content(block, why, ids) for block in blocks),
            stop_reason=self._stop_reason,
            truncated=bool(why),
            why=why,
            error=self._error,
            usage=self.usage,
            skipped=tuple(self._skipped),
            metadata=self._metadata,
        )

    def _content(self, block: Block, why: str, ids: Counter[str]) -> Content:
        if block.kind != "call":
            return block.content()
        end = self._wire.stream.block_end
        unclosed = f"its block ended without {end}" if end and not block.closed else ""
        problems = call_problems(block, ids[block.id or ""], self._wire)
        return block.call(why or unclosed, tuple(problems), self._codec)

    def _why(self) -> str:
        """Why the message cannot be relied on to be all there; `""` if it can."""
        if self._error is not None:
            return f"the stream broke off with {describe(self._error)}"
        if self._damage:
            return self._damage
        if not self._ended:
            return f"the stream ended without {self._wire.stream.end}"
        return self._wire.why_cut(self._stop_reason)

    def _add(self, place: Place, kind: BlockKind, part: str) -> Block | None:
        """Return the block at this place, `part` added, made if need be; None where it cannot be added."""
        if place in self._foreign:
            return None
        if self._ended:
            self.damaged(f"content came after {self._wire.stream.end}")
            return None
        block = self._blocks.setdefault(place, Block(kind))
        if block.kind != kind:
            self.damaged(f"a piece of {kind} came for a {block.kind} block")
            return None
        if block.closed:
            self.cut(place, "a fragment came after its block had ended")
        block.parts.append(part)
        return block

    def _show(self, kind: DeltaKind, place: Place, block: Block, text: str = "") -> None:
        id = block.id and self._codec.decode_id(block.id)
        name = block.name and self._codec.decode_name(block.name, block.namespace)
        self._deltas.append(Delta(kind, place, text, id, name))
