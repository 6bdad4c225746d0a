"""Events of the OpenAI Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.openai_responses.content import decode_content
from toolgen_runtime.providers.openai_responses.wire import (
    CALL_ITEMS,
    WIRE,
    input_key,
    is_ours,
    item_is_whole,
    stop_of,
)
from toolgen_runtime.providers.shared.stream_events import mapping, number, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError
from toolgen_runtime.transcript.messages import Text

# The events that are read, by kind, each with the key that names the part of its item.
_TEXTS = {"response.output_text.delta": "content_index", "response.refusal.delta": "content_index"}
_REASONINGS = {
    "response.reasoning_summary_text.delta": "summary_index",
    "response.reasoning_text.delta": "content_index",
}
_ARGUMENTS = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
_ITEMS = ("response.output_item.added", "response.output_item.done", *_ARGUMENTS)
_REPEATED = (".created", ".queued", ".in_progress", ".searching", ".interpreting", ".generating", ".compacting",
             ".completed", ".done", ".added", ".delta", ".partial_image", ".failed")  # fmt: skip
_NOT_REPEATED = ("response.audio.", "response.steer.")
"""Events whose item has all that they say once it is done, or that say nothing; and those of which that is not so."""

_ENDS = ("response.completed", "response.incomplete", "response.failed")


_RESPONSE = frozenset({"object", "output", "usage", "error", "incomplete_details", "tools", "instructions"})
"""What is read of a response, or repeats the request."""


class StreamAssembler(Assembler):
    """One streamed response. Its `stop_reason` is `completed`, or the reason why it is not.

    A refusal counts as text. An item that nobody here reads (what the server ran itself) is kept as it came.
    """

    wire = WIRE

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._thoughts: dict[Place, int] = {}

    def take(self, event: Mapping[str, Any]) -> None:  # noqa: D102  inherited
        kind = words(event, "type")
        if kind in _ENDS:
            self._end(kind, mapping(event.get("response")))
        elif kind == "error":
            self.message.failed(StreamError(words(event, "code") or "error", words(event, "message")))
        elif kind in _TEXTS or kind in _REASONINGS or kind in _ITEMS:
            index = number(event, "output_index")
            if index is None:
                self.message.damaged(f"a {kind} came without its output_index")
            else:
                self._item_event(kind, index, event)
        elif not kind.endswith(_REPEATED) or kind.startswith(_NOT_REPEATED):
            self.message.skip(kind or "an event without a type")

    def _item_event(self, kind: str, index: int, event: Mapping[str, Any]) -> None:
        item, place = mapping(event.get("item")), (index, 0)
        if kind in _TEXTS:
            self.message.text((index, number(event, _TEXTS[kind]) or 0), words(event, "delta"))
        elif kind in _REASONINGS:
            self._reasoning(place, number(event, _REASONINGS[kind]) or 0, words(event, "delta"))
        elif kind in _ARGUMENTS:
            self.message.arguments(place, event.get("delta"))
        elif kind == "response.output_item.done":
            self._done(place, item)
        elif is_ours(item):
            self._call(place, item)
        elif item.get("type") not in ("message", "reasoning"):
            self.message.skip(words(item, "type"), place)

    def _call(self, place: Place, item: Mapping[str, Any]) -> None:
        """Start a call; a tool that the API defines is called by its kind."""
        kind, key = CALL_ITEMS[words(item, "type")]
        name = item.get("name") if kind in ("function", "custom") else kind
        namespace = item.get("namespace")
        id = item.get(WIRE.calls.id_key)
        self.message.call(place, id, name, words(item, key), kind=kind, namespace=namespace)

    def _reasoning(self, place: Place, part: int, text: str) -> None:
        """Add a part of a summary, a paragraph of the block."""
        if self._thoughts.setdefault(place, part) != part:
            self._thoughts[place] = part
            text = f"\n\n{text}"
        self.message.reasoning(place, text)

    def _done(self, place: Place, item: Mapping[str, Any]) -> None:
        """End an item, which is repeated whole, in the form in which the API wants it back."""
        given, kind = {key: value for key, value in item.items() if value is not None}, words(item, "type")
        if kind == "message":
            self._message_done(place, given)
        elif kind == "reasoning":
            self.message.reasoning(place, signature=words(item, "encrypted_content"))
            self.message.keep(place, given, kind)
        elif is_ours(item):
            self._call_done(place, item)
            self.message.keep(place, given, kind)
        else:
            self.message.native(place, given, kind)

    def _message_done(self, place: Place, item: dict[str, Any]) -> None:
        """Keep the parts of a message with what they say beside their text: citations, an id."""
        rest = {key: value for key, value in item.items() if key != "content"}
        for part, block in enumerate(decode_content(item.get("content"), rest, place[0])):
            if isinstance(block, Text) and block.source is not None:
                self.message.remember((place[0], part), block.source)

    def _call_done(self, place: Place, item: Mapping[str, Any]) -> None:
        """End a call; the arguments in the item must be those of the deltas."""
        key = input_key(item)
        streamed, final = self.message.heard(place), words(item, key)
        if not self.message.has(place):
            self._call(place, item)
        elif not streamed:
            self.message.arguments(place, final)
        elif streamed != final:
            self.message.cut(place, "a fragment of its arguments is missing")
        if key not in ("arguments", "input"):
            self.message.input(place, item.get(key))
        if not item_is_whole(item):
            self.message.cut(place, "its item is incomplete")
        self.message.close(place)

    def _end(self, kind: str, response: Mapping[str, Any]) -> None:
        self.message.usage = mapping(response.get("usage"))
        self.message.note({key: response[key] for key in response if key not in _RESPONSE})
        status = kind.removeprefix("response.")
        stop = stop_of(response, status)
        if WIRE.is_whole(stop) and not WIRE.is_whole(status):
            stop = status
        if kind == "response.failed":
            error = mapping(response.get("error"))
            self.message.failed(StreamError(words(error, "code") or status, words(error, "message")))
        self.message.stop(stop)
        self.message.end()
