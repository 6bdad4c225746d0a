"""Events of the OpenAI Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.openai_responses.wire import WIRE, item_is_whole, stop_of
from toolgen_runtime.providers.shared.stream_events import mapping, number, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError
from toolgen_runtime.transcript.messages import Source

# The events that are read, by kind, each with the key that names the part of its item.
_TEXTS = {"response.output_text.delta": "content_index", "response.refusal.delta": "content_index"}
_REASONINGS = {
    "response.reasoning_summary_text.delta": "summary_index",
    "response.reasoning_text.delta": "content_index",
}
_ITEMS = ("response.output_item.added", "response.output_item.done", "response.function_call_arguments.delta")
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class StreamAssembler(Assembler):
    """One streamed response. Its `stop_reason` is `completed`, or the reason why it is not.

    A refusal counts as text. Custom tools take free text and no JSON: their calls are skipped, like those of
    tools that the server runs.
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

    def _item_event(self, kind: str, index: int, event: Mapping[str, Any]) -> None:
        item, place = mapping(event.get("item")), (index, 0)
        if kind in _TEXTS:
            self.message.text((index, number(event, _TEXTS[kind]) or 0), words(event, "delta"))
        elif kind in _REASONINGS:
            self._reasoning(place, number(event, _REASONINGS[kind]) or 0, words(event, "delta"))
        elif kind == "response.function_call_arguments.delta":
            self.message.arguments(place, event.get("delta"))
        elif kind == "response.output_item.done":
            self._done(place, item)
        elif item.get("type") == "function_call":
            self.message.call(place, item.get("call_id"), item.get("name"), words(item, "arguments"))
        elif item.get("type") not in ("message", "reasoning"):
            self.message.skip(words(item, "type"), place)

    def _reasoning(self, place: Place, part: int, text: str) -> None:
        """The parts of a summary are paragraphs of one block."""
        if self._thoughts.setdefault(place, part) != part:
            self._thoughts[place] = part
            text = f"\n\n{text}"
        self.message.reasoning(place, text)

    def _done(self, place: Place, item: Mapping[str, Any]) -> None:
        """An item's end repeats it whole, in the form in which the API wants it back."""
        if item.get("type") == "reasoning":
            self.message.reasoning(place, signature=words(item, "encrypted_content"))
        elif item.get("type") == "function_call":
            self._call_done(place, item)
        else:
            return
        given = {key: value for key, value in item.items() if value is not None}
        self.message.keep(place, Source(WIRE.provider, given))

    def _call_done(self, place: Place, item: Mapping[str, Any]) -> None:
        """The arguments in the item must be those of the deltas."""
        streamed, final = self.message.heard(place), words(item, "arguments")
        if not self.message.has(place):
            self.message.call(place, item.get("call_id"), item.get("name"), final)
        elif not streamed:
            self.message.arguments(place, final)
        elif streamed != final:
            self.message.cut(place, "a fragment of its arguments is missing")
        if not item_is_whole(item):
            self.message.cut(place, "its item is incomplete")
        self.message.close(place)

    def _end(self, kind: str, response: Mapping[str, Any]) -> None:
        self.message.usage = mapping(response.get("usage"))
        status = kind.removeprefix("response.")
        stop = stop_of(response, status)
        if WIRE.is_whole(stop) and not WIRE.is_whole(status):
            stop = status
        if kind == "response.failed":
            error = mapping(response.get("error"))
            self.message.failed(StreamError(words(error, "code") or status, words(error, "message")))
        self.message.stop(stop)
        self.message.end()
