"""Assemble the events of Gemini's Interactions API."""

from __future__ import annotations

from toolgen_transcripts.codec.members import Native, without, without_nulls
from toolgen_transcripts.codec.received_call import json_text_of
from toolgen_transcripts.gemini_interactions.messages import API
from toolgen_transcripts.gemini_interactions.wire import MEDIA
from toolgen_transcripts.streams.assembly import Block, BlockKind, BlockMessage, mapping, rows, words
from toolgen_transcripts.streams.reader import Assembler
from toolgen_transcripts.streams.result import Place

_KINDS: dict[str, BlockKind] = {"model_output": "text", "thought": "reasoning", "function_call": "call"}
_INTERACTION = frozenset({"status", "steps", "usage", "object", "event_type", "interaction_id"})
"""The members of an interaction that are read or ignored."""


class _Interactions(BlockMessage):
    def take(self, event: Native) -> None:
        kind = words(event, "event_type")
        self.note({"event_id": event.get("event_id")})
        if kind == "interaction.created":
            self.start()
            self._note(mapping(event, "interaction"))
        elif kind == "interaction.completed":
            self._end(mapping(event, "interaction"))
        elif kind == "interaction.status_update":
            self._note(event)
        elif kind == "error":
            self.sent_error(event.get("error"), "code")
        elif kind.startswith("step."):
            self.block_event(kind, event)
        elif kind != "done":
            self.skip(kind or "an event without a type")

    def _note(self, interaction: Native) -> None:
        self.note(interaction, _INTERACTION)
        self.usage = mapping(interaction, "usage") or self.usage

    def block_start(self, place: Place, block: Native) -> None:
        kind = words(block, "type")
        if kind == "function_call":
            self.call(place, block, block.get("id"), block.get("name"))
            return
        if place in self.blocks:
            self.damaged("a step was started twice")
        elif kind in _KINDS:
            self.at(place, _KINDS[kind], block)
            for content in (*rows(block, "content"), *rows(block, "summary")):
                self.show("text" if kind == "model_output" else "reasoning", place, words(content, "text"))
        else:
            self.native(place, block, kind or "a step without a type")

    def block_stop(self, place: Place) -> None:
        block = self.blocks.get(place)
        if block is not None and block.arguments is None:  # a call that was not streamed in pieces
            self.show_arguments(place, json_text_of(block.native.get("arguments", {})) or "")
        self.close(place)

    def block_delta(self, place: Place, delta: Native) -> None:
        kind = words(delta, "type")
        if kind == "arguments_delta":
            self._arguments(place, delta)
        elif kind == "text" or kind in MEDIA:
            self._content(self.at(place, "text", {"type": "model_output"}), "content", delta)
        elif kind == "text_annotation_delta":
            self._annotate(self.at(place, "text", {"type": "model_output"}), delta)
        elif kind == "thought_summary":
            block = self.at(place, "reasoning", {"type": "thought"})
            self._content(block, "summary", mapping(delta, "content"))
        else:
            self._members(place, kind, delta)

    def _arguments(self, place: Place, delta: Native) -> None:
        """Append a piece of arguments. If its index is not that of a call, it belongs to the only open call."""
        block = self.blocks.get(place)
        if block is not None and block.kind != "call":
            calls = [b for b in self.blocks.values() if b.kind == "call" and not b.closed]
            if len(calls) == 1:
                place = calls[0].place
        self.arguments(place, delta.get("arguments"), {"type": "function_call"})

    def _content(self, block: Block | None, key: str, content: Native) -> None:
        """Add a piece of text, or complete media, to a list of contents."""
        if block is None:
            return
        if words(content, "type") == "text":
            content = {**content, "text": words(content, "text")}
            self.show("text" if key == "content" else "reasoning", block.place, content["text"])
        block.add_row(block.listed(block.native, key), content)

    def _annotate(self, block: Block | None, delta: Native) -> None:
        """Add citations to the last text."""
        texts = []
        if block:
            texts = [c for c in rows(block.native, "content") if c.get("type") == "text"]
        if block is None or not texts:
            self.damaged("annotations came without their text")
            return
        block.listed(texts[-1], "annotations").extend(rows(delta, "annotations"))

    def _members(self, place: Place, kind: str, delta: Native) -> None:
        """Add members to a step: a signature, or the content of a step that the server ran."""
        said = without(without_nulls(delta), "type")
        block = self.blocks.get(place)
        if self.is_over():
            return
        if block is None or kind not in ("thought_signature", words(block.native, "type")):
            self.damaged(f"a piece of {kind or 'no type'} came for another step")
        elif block.closed:
            self.cut(place, "a fragment came after its block had ended")
        elif kind == "thought_signature":
            block.native |= said
        else:
            block.extend(block.native, said)

    def _end(self, interaction: Native) -> None:
        """End the message. The last event may contain steps, which are added if they were not streamed."""
        for index, step in enumerate(rows(interaction, "steps")):
            if (index,) not in self.blocks:
                self.block_start((index,), step)
                self.block_stop((index,))
        self._note(interaction)
        self.stop(interaction.get("status"))
        self.end()

    def settle(self, block: Block) -> bool:
        """Add the arguments that were streamed to a call.

        If the call also started with arguments, mark it as truncated.
        """
        given = block.native.get("arguments")
        if block.kind == "call" and block.arguments is not None and given:
            self.cut(block.place, "its arguments came twice")
        is_step = block.closed and block.kind == "reasoning"  # the API may require it back
        return super().settle(block) or is_step


class StreamAssembler(Assembler):
    """Assembles one interaction that Gemini streams. Its `stop_reason` is the status at the end.

    Steps arrive one after the other, in pieces. Consecutive pieces of text become one content, and each piece of media
    is a separate content. A step of another kind (such as a call that the server ran) is kept unchanged.
    """

    api = API
    form = _Interactions
