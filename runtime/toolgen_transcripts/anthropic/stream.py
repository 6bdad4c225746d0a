"""Assemble streams of the Anthropic Messages API.

The events may be raw (`create(stream=True)`) or those of the SDK (`messages.stream`).
"""

from __future__ import annotations

from toolgen_transcripts.anthropic.messages import API
from toolgen_transcripts.codec.members import Native, without
from toolgen_transcripts.codec.received_call import json_text_of
from toolgen_transcripts.streams.assembly import BlockKind, BlockMessage, mapping, rows, words
from toolgen_transcripts.streams.reader import Assembler
from toolgen_transcripts.streams.result import Place

_MESSAGE = frozenset({"type", "role", "content", "usage", "stop_reason"})
"""The fields of a message that are read, or that every message has."""

_PASSED = frozenset({"ping", "text", "thinking", "signature", "citation", "input_json", "compaction"})
"""The events that are ignored: `ping`, and those with which the SDK's `messages.stream` repeats the raw events."""

_KINDS: dict[str, BlockKind] = {
    "text": "text",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "call",
}
"""The types of blocks that are read. All others (server tools, their results, new types) are sent back unchanged."""


class _Anthropic(BlockMessage):
    _first: Native | None = None

    def take(self, event: Native) -> None:
        kind = words(event, "type")
        match kind:
            case "message_start":
                self._message_start(mapping(event, "message"))
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                self.block_event(kind, event)
            case "message_delta":
                self._message_delta(event)
            case "message_stop":
                self.end()
            case "error":
                self.sent_error(event.get("error"), "type")
            case _ if kind not in _PASSED:
                self.skip(kind or "an event without a type")

    def _message_start(self, message: Native) -> None:
        """Start the message.

        If a program on the server makes calls, this event contains all of them, complete.
        """
        if message == self._first and not self.blocks:  # some proxies send it twice
            return
        self._first = message
        self.start()
        self.usage = mapping(message, "usage")
        self.note(message, _MESSAGE)
        for index, block in enumerate(rows(message, "content")):
            self.block_start((index,), block)
            self.block_stop((index,))
        self.stop(message.get("stop_reason"))

    def _message_delta(self, event: Native) -> None:
        delta = mapping(event, "delta")
        self.stop(delta.get("stop_reason"))
        self.note(delta, _MESSAGE)
        self.note(event, ("type", "delta", "usage"))
        self.usage = {**(self.usage or {}), **mapping(event, "usage")}

    def block_start(self, place: Place, block: Native) -> None:
        """Start a block. A call usually starts with the arguments `{}`, and the real ones follow in deltas."""
        name = words(block, "type")
        kind = _KINDS.get(name, "native")
        if kind == "call":
            self.call(place, {"input": {}, **block}, block.get("id"), block.get("name"))
            if block.get("input"):
                self.show_arguments(place, json_text_of(block["input"]) or "")
            else:
                self.arguments(place, "")
        elif kind == "native":
            self.native(place, block, name)
        elif self.at(place, kind, block) is not None:
            self.show(kind, place, words(block, "text") or words(block, "thinking"))

    def block_delta(self, place: Place, delta: Native) -> None:
        match words(delta, "type"):
            case "text_delta":
                self.add_text(place, "text", "text", words(delta, "text"), {"type": "text"})
            case ("thinking_delta" | "signature_delta") as kind:
                key = kind.removesuffix("_delta")
                self.add_text(place, "reasoning", key, words(delta, key), {"type": "thinking"})
            case "input_json_delta":
                self.arguments(place, delta.get("partial_json"), {"type": "tool_use", "input": {}})
            case "citations_delta":
                if block := self.at(place, "text", {"type": "text"}):
                    block.listed(block.native, "citations").append(delta.get("citation"))
            case kind:
                self._other(place, kind, delta)

    def _other(self, place: Place, kind: str, delta: Native) -> None:
        """Add a delta of another type to its block, such as the summary of a compaction or a new type."""
        block = self.blocks.get(place)
        if block is None or block.kind != "native":
            self.skip(kind)
        if block is not None:
            block.extend(block.native, without(delta, "type"))


class StreamAssembler(Assembler):
    """Assembles one message that Anthropic streams.

    The SDK's `messages.stream` adds events (`text`, `input_json`, ...) that repeat the raw ones. These are ignored, and
    so is `ping`.
    """

    api = API
    form = _Anthropic
