"""Events of Anthropic Messages, raw (`create(stream=True)`) or from the SDK's `messages.stream`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.received import json_text_of
from toolgen_runtime.providers.shared.stream_events import mapping, number, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError


class StreamAssembler(Assembler):
    """One streamed Anthropic message.

    The SDK's `messages.stream` adds events of its own (`text`, `input_json`, ...) that repeat the raw ones;
    they are passed over, like `ping`.
    """

    wire = WIRE

    def take(self, event: Mapping[str, Any]) -> None:  # noqa: D102  inherited
        kind = words(event, "type")
        match kind:
            case "message_start":
                self.message.start()
                self.message.usage = mapping(mapping(event.get("message")).get("usage"))
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                index = number(event, "index")
                if index is None:
                    self.message.damaged(f"a {kind} came without its index")
                else:
                    self._block_event(kind, (index,), event)
            case "message_delta":
                self._message_delta(event)
            case "message_stop":
                self.message.end()
            case "error":
                error = mapping(event.get("error"))
                self.message.failed(StreamError(words(error, "type") or "error", words(error, "message")))

    def _message_delta(self, event: Mapping[str, Any]) -> None:
        reason = mapping(event.get("delta")).get("stop_reason")
        if reason is not None:
            self.message.stop(reason)
        self.message.usage = {**(self.message.usage or {}), **mapping(event.get("usage"))}

    def _block_event(self, kind: str, place: Place, event: Mapping[str, Any]) -> None:
        if kind == "content_block_start":
            self._block_start(place, mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            self._block_delta(place, mapping(event.get("delta")))
        else:
            self.message.close(place)

    def _block_start(self, place: Place, block: Mapping[str, Any]) -> None:
        kind = words(block, "type")
        match kind:
            case "text":
                self.message.text(place, words(block, "text"))
            case "tool_use":
                self._call(place, block)
            case "thinking":
                self.message.reasoning(place, words(block, "thinking"), signature=words(block, "signature"))
            case "redacted_thinking":
                self.message.reasoning(place, redacted=words(block, "data"))
            case _:  # a tool that the server runs, its result, or what is new: none of it is ours to run
                self.message.skip(kind, place)

    def _call(self, place: Place, block: Mapping[str, Any]) -> None:
        """A call's start has its arguments mostly as `{}`, and the deltas say the rest."""
        arguments = block.get("input")
        text = json_text_of(arguments) if arguments else ""
        self.message.call(place, block.get("id"), block.get("name"), text or "")
        if text is None:
            self.message.cut(place, "its arguments are not JSON")

    def _block_delta(self, place: Place, delta: Mapping[str, Any]) -> None:
        kind = words(delta, "type")
        match kind:
            case "text_delta":
                self.message.text(place, words(delta, "text"))
            case "input_json_delta":
                self.message.arguments(place, delta.get("partial_json"))
            case "thinking_delta":
                self.message.reasoning(place, words(delta, "thinking"))
            case "signature_delta":
                self.message.reasoning(place, signature=words(delta, "signature"))
            case _:
                self.message.skip(kind)
