"""Events of Anthropic Messages, raw (`create(stream=True)`) or from the SDK's `messages.stream`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.native import as_list
from toolgen_runtime.providers.shared.received_call import json_text_of
from toolgen_runtime.providers.shared.stream_events import mapping, number, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError
from toolgen_runtime.validation.json_text import read as read_json

_MESSAGE = frozenset({"type", "role", "content", "usage", "stop_reason"})
"""What a message has that is read, or that every message has."""

_PASSED = frozenset({"ping", "text", "thinking", "signature", "citation", "input_json", "compaction"})
"""What keeps the connection alive, and what the SDK's `messages.stream` says again in events of its own."""

_SAID = frozenset({"type", "text", "id", "name", "input"})
"""What a text and a call say of themselves in the neutral form."""


class StreamAssembler(Assembler):
    """One streamed Anthropic message.

    The SDK's `messages.stream` adds events of its own (`text`, `input_json`, ...) that repeat the raw ones;
    they are passed over, like `ping`.
    """

    wire = WIRE

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._natives: dict[Place, dict[str, Any]] = {}
        self._inputs: dict[Place, str] = {}

    def take(self, event: Mapping[str, Any]) -> None:  # noqa: D102  inherited
        kind = words(event, "type")
        match kind:
            case "message_start":
                self.message.start()
                message = mapping(event.get("message"))
                self.message.usage = mapping(message.get("usage"))
                self.message.note({key: message[key] for key in message if key not in _MESSAGE})
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
            case _ if kind not in _PASSED:
                self.message.skip(kind or "an event without a type")

    def _message_delta(self, event: Mapping[str, Any]) -> None:
        delta = mapping(event.get("delta"))
        reason = delta.get("stop_reason")
        if reason is not None:
            self.message.stop(reason)
        self.message.note({key: delta[key] for key in delta if key not in _MESSAGE})
        self.message.note({key: event[key] for key in event if key not in ("type", "delta", "usage")})
        self.message.usage = {**(self.message.usage or {}), **mapping(event.get("usage"))}

    def _block_event(self, kind: str, place: Place, event: Mapping[str, Any]) -> None:
        if kind == "content_block_start":
            self._block_start(place, mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            self._block_delta(place, mapping(event.get("delta")))
        else:
            self._closed(place)
            self.message.close(place)

    def _closed(self, place: Place) -> None:
        """Keep a block whole that says more than its text or its input."""
        block, text = self._natives.get(place, {}), self._inputs.get(place)
        kind = words(block, "type")
        if kind == "text":
            block["text"] = self.message.heard(place)
        elif text is not None:
            payload, issues = read_json(text)
            block["input"] = text if issues else payload
        if kind in ("text", "tool_use") and set(block) - _SAID:
            self.message.keep(place, block, kind)

    def _block_start(self, place: Place, block: Mapping[str, Any]) -> None:
        kind = words(block, "type")
        self._natives[place] = {key: value for key, value in block.items() if value is not None}
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
                self.message.native(place, self._natives[place], kind)

    def _call(self, place: Place, block: Mapping[str, Any]) -> None:
        """Start a call: it has its arguments mostly as `{}`, and the deltas say the rest."""
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
                self._inputs[place] = self._inputs.get(place, "") + words(delta, "partial_json")
                self.message.arguments(place, delta.get("partial_json"))
            case "citations_delta":
                cited = as_list(self._natives.setdefault(place, {}).get("citations"))
                self._natives[place]["citations"] = [*cited, delta.get("citation")]
            case "thinking_delta":
                self.message.reasoning(place, words(delta, "thinking"))
            case "signature_delta":
                self.message.reasoning(place, signature=words(delta, "signature"))
            case _:
                self.message.skip(kind)
