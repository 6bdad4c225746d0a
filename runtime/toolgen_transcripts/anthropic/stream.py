"""Assemble Anthropic Messages streams.

The events may be raw (`create(stream=True)`) or those of the SDK (`messages.stream`).
"""

from __future__ import annotations

from typing import Any

from toolgen_transcripts.anthropic.messages import API
from toolgen_transcripts.codec.members import Native, without
from toolgen_transcripts.codec.received_call import json_text_of
from toolgen_transcripts.streams.assembly import BlockKind, mapping, rows, words
from toolgen_transcripts.streams.reader import BlockAssembler
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


class StreamAssembler(BlockAssembler):
    """Assembles one streamed Anthropic message.

    The SDK's `messages.stream` adds events (`text`, `input_json`, ...) that repeat the raw ones. These are ignored, and
    so is `ping`.
    """

    api = API

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._start: Native | None = None

    def take(self, event: Native) -> None:  # noqa: D102  inherited
        kind = words(event, "type")
        match kind:
            case "message_start":
                self._message_start(mapping(event.get("message")))
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                self.block_event(kind, event)
            case "message_delta":
                self._message_delta(event)
            case "message_stop":
                self.message.end()
            case "error":
                self.message.sent_error(event.get("error"), "type")
            case _ if kind not in _PASSED:
                self.message.skip(kind or "an event without a type")

    def _message_start(self, message: Native) -> None:
        """Start the message.

        If a program on the server makes calls, this event contains all of them, complete.
        """
        if message == self._start and not self.message.blocks:  # some proxies send it twice
            return
        self._start = message
        self.message.start()
        self.message.usage = mapping(message.get("usage"))
        self.message.note(message, _MESSAGE)
        for index, block in enumerate(rows(message.get("content"))):
            self.block_start((index,), block)
            self.block_stop((index,))
        if message.get("stop_reason") is not None:
            self.message.stop(message["stop_reason"])

    def _message_delta(self, event: Native) -> None:
        delta = mapping(event.get("delta"))
        reason = delta.get("stop_reason")
        if reason is not None:
            self.message.stop(reason)
        self.message.note(delta, _MESSAGE)
        self.message.note(event, ("type", "delta", "usage"))
        self.message.usage = {**(self.message.usage or {}), **mapping(event.get("usage"))}

    def block_start(self, place: Place, block: Native) -> None:
        """Start a block. A call usually starts with the arguments `{}`, and the real arguments follow in deltas."""
        name = words(block, "type")
        kind = _KINDS.get(name, "native")
        if kind == "call":
            self.message.call(place, {"input": {}, **block}, block.get("id"), block.get("name"))
            if block.get("input"):
                self.message.show_arguments(place, json_text_of(block["input"]) or "")
            else:
                self.message.arguments(place, "")
        elif kind == "native":
            self.message.native(place, block, name)
        elif self.message.at(place, kind, block) is not None:
            self.message.show(kind, place, words(block, "text") or words(block, "thinking"))

    def block_delta(self, place: Place, delta: Native) -> None:  # noqa: D102  inherited
        match words(delta, "type"):
            case "text_delta":
                self._text(place, "text", delta, "text")
            case "thinking_delta":
                self._text(place, "reasoning", delta, "thinking")
            case "signature_delta":
                self._text(place, "reasoning", delta, "signature")
            case "input_json_delta":
                self.message.arguments(place, delta.get("partial_json"), {"type": "tool_use", "input": {}})
            case "citations_delta":
                if block := self.message.at(place, "text", {"type": "text"}):
                    block.listed(block.native, "citations").append(delta.get("citation"))
            case kind:
                self._other(place, kind, delta)

    def _text(self, place: Place, kind: BlockKind, delta: Native, key: str) -> None:
        started = {"type": "text" if kind == "text" else "thinking"}
        text = words(delta, key)
        block = None
        if text:
            block = self.message.at(place, kind, started)
        if block is not None:
            block.grow(block.native, key, text)
            if key != "signature" and block.kind == kind:
                self.message.show("text" if kind == "text" else "reasoning", place, text)

    def _other(self, place: Place, kind: str, delta: Native) -> None:
        """Add a delta of another type to its block, such as the summary of a compaction or a new type."""
        block = self.message.blocks.get(place)
        if block is None or block.kind != "native":
            self.message.skip(kind)
        if block is not None:
            block.extend(block.native, without(delta, "type"))
