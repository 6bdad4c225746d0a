"""Assemble the events of the OpenAI Responses API."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolgen_transcripts.codec.members import Native, without_nulls
from toolgen_transcripts.openai_responses.messages import API
from toolgen_transcripts.openai_responses.wire import (
    CALL_ITEMS,
    WIRE,
    input_key,
    is_ours,
    item_is_whole,
    stop_of,
)
from toolgen_transcripts.streams.assembly import Block, Message, TextKind, mapping, number, rows, words
from toolgen_transcripts.streams.reader import Assembler
from toolgen_transcripts.streams.result import Place

# The events with text: the kind of item, the list in it, and the type of the part.
_TEXTS: dict[str, tuple[TextKind, str, str]] = {
    "response.output_text.delta": ("text", "content", "output_text"),
    "response.refusal.delta": ("text", "content", "refusal"),
    "response.reasoning_summary_text.delta": ("reasoning", "summary", "summary_text"),
    "response.reasoning_text.delta": ("reasoning", "content", "reasoning_text"),
}
_ARGUMENTS = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
_ITEMS = ("response.output_item.added", "response.output_item.done", *_ARGUMENTS)
_REPEATED = (".created", ".queued", ".in_progress", ".searching", ".interpreting", ".generating", ".compacting",
             ".completed", ".done", ".added", ".delta", ".partial_image", ".failed")  # fmt: skip
_NOT_REPEATED = ("response.audio.", "response.steer.")
"""Events that are ignored because the final item repeats them or they have no content; also the exceptions from these.
"""

_IDS = ("id", WIRE.calls.id_key)

_RESPONSE = frozenset({"object", "output", "usage", "error", "incomplete_details", "tools", "instructions"})
"""The members of a response that are read, or that repeat the request."""


@dataclass(eq=False)
class _Responses(Message):
    _parts: dict[Place, dict[tuple[str, int], Native]] = field(default_factory=dict)

    def settle(self, block: Block) -> bool:
        """Add the parts that were streamed to an item, if its end event did not repeat them."""
        item = block.native
        if block.kind == "call" and not is_ours(item):  # known only at its end
            block.kind = "native"
        if block.kind == "call" and block.arguments is not None:
            item[input_key(item)] = "".join(block.arguments)
        absent = [member for member in ("content", "summary") if not item.get(member)]
        for (member, _), part in sorted(self._parts.get(block.place, {}).items()):
            if member in absent:
                block.listed(item, member).append(part)
        has_text = bool(item.get("content") or item.get("summary"))
        return block.kind == "call" or has_text or (block.closed and block.kind != "text")

    def take(self, event: Native) -> None:
        kind = words(event, "type")
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            self._end(kind, mapping(event, "response"))
        elif kind == "error":
            self.sent_error(event, "code")
        elif kind in _TEXTS or kind in _ITEMS:
            index = number(event, "output_index")
            if index is None:
                self.damaged(f"a {kind} came without its output_index")
            else:
                self._item_event(kind, (index,), event)
        elif not kind.endswith(_REPEATED) or kind.startswith(_NOT_REPEATED):
            self.skip(kind or "an event without a type")

    def _item_event(self, kind: str, place: Place, event: Native) -> None:
        item = mapping(event, "item")
        if kind in _TEXTS:
            self._text(place, *_TEXTS[kind], event)
        elif kind in _ARGUMENTS:
            started = "function_call" if "function" in kind else "custom_tool_call"
            self.arguments(place, event.get("delta"), {"type": started})
        elif kind == "response.output_item.done":
            self._done(place, item)
        else:
            self._start(place, item)

    def _text(self, place: Place, kind: TextKind, member: str, part_type: str, event: Native) -> None:
        """Append text to a part of an item. The parts of a summary are paragraphs."""
        text, ordinal = words(event, "delta"), number(event, f"{member}_index") or 0
        item: Native = {"type": "reasoning", "summary": []}
        shown = place
        if kind == "text":
            item = {"type": "message", "role": "assistant"}
            shown = (*place, ordinal)
        if not text or (block := self.at(place, kind, item)) is None:
            return
        parts = self._parts.setdefault(place, {})
        if parts and (member, ordinal) not in parts and kind == "reasoning":
            self.show(kind, shown, "\n\n")
        part = parts.setdefault((member, ordinal), {"type": part_type})
        block.grow(part, "refusal" if part_type == "refusal" else "text", text)
        if block.kind == kind:
            self.show(kind, shown, text)

    def _start(self, place: Place, item: Native) -> None:
        """Start an item. If the API defines the tool of a call, the call's name is its kind."""
        kind = words(item, "type")
        if is_ours(item):
            call, key = CALL_ITEMS[kind]
            name = item.get("name")
            if call not in ("function", "custom"):
                name = call
            self.call(place, item, item.get(WIRE.calls.id_key), name, item.get("namespace"))
            if words(item, key):
                self.arguments(place, item[key])
        elif kind == "message":
            self.at(place, "text", {"role": "assistant", **item})
        elif kind == "reasoning":
            self.at(place, "reasoning", item)
        else:
            self.native(place, item, kind)

    def _done(self, place: Place, item: Native) -> None:
        """End an item. Its end event repeats it, and the arguments must be the same as the streamed ones."""
        if place not in self.blocks:
            self._start(place, item)
        block = self.blocks.get(place)
        if block is None:
            return
        if words(item, "type") not in ("", words(block.native, "type")):
            self.cut(place, "its item is of another type at its end")
            return
        block.native.pop(WIRE.stop_key, None)  # at the start: `in_progress`
        block.native |= without_nulls(item)
        if block.kind == "call" and is_ours(item):
            self._call_done(place, block, item)
        elif block.kind == "text" and place not in self._parts and not block.closed:
            for index, part in enumerate(rows(item, "content")):
                self.show("text", (*place, index), words(part, "text") or words(part, "refusal"))
        block.closed = True

    def _call_done(self, place: Place, block: Block, item: Native) -> None:
        final, streamed = words(item, input_key(item)), "".join(block.arguments or ())
        if final and not streamed:
            self.arguments(place, final)
        elif streamed != final:
            self.cut(place, "a fragment of its arguments is missing")
        if not item_is_whole(item):
            self.cut(place, "its item is incomplete")

    def _end(self, kind: str, response: Native) -> None:
        self._end_items(rows(response, "output"))
        self.usage = mapping(response, "usage")
        self.note(response, _RESPONSE)
        status = kind.removeprefix("response.")
        stop = stop_of(response, status)
        if WIRE.is_whole(stop) and not WIRE.is_whole(status):
            stop = status
        if kind == "response.failed":
            self.sent_error(response.get("error"), "code", default=status)
        self.stop(stop)
        self.end()

    def _end_items(self, items: list[Native]) -> None:
        """End the items in the final response, which repeats the streamed items and may contain more.

        Ids may change between events (GitHub Copilot), so an item with an unknown id is found by its position.
        """
        blocks = dict(self.blocks)
        places = {
            (key, name): place
            for place, block in blocks.items()
            for key in _IDS
            if (name := words(block.native, key))
        }
        more = 1 + max((place[0] for place in blocks), default=-1)
        for index, item in enumerate(items):
            names = ((key, words(item, key)) for key in _IDS)
            found = next((places[name] for name in names if name in places), None)
            there = blocks.get((index,))
            if (
                found is None
                and there is not None
                and (is_ours(item) or there.native.get("type") != item.get("type"))
            ):
                found = (more + index,)
            self._done(found or (index,), item)


class StreamAssembler(Assembler):
    """Assembles one response that OpenAI streams.

    Its `stop_reason` is `completed`, or the reason why the response is incomplete.

    The last event about an item decides its content: the item's own end event, or the end of the response, which
    repeats the item. An item of another kind (such as a call that the server ran) is kept unchanged.
    """

    api = API
    form = _Responses
