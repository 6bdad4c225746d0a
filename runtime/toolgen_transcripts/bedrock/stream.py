"""Assemble ConverseStream events, as in boto3's `response["stream"]`."""

from __future__ import annotations

from toolgen_transcripts.bedrock.messages import API
from toolgen_transcripts.bedrock.wire import SERVER_TOOL_USE, UNKNOWN_MEMBER
from toolgen_transcripts.codec.members import Native
from toolgen_transcripts.streams.assembly import Block, mapping, words
from toolgen_transcripts.streams.reader import BlockAssembler
from toolgen_transcripts.streams.result import Place


class StreamAssembler(BlockAssembler):
    """Assembles one streamed Converse message."""

    api = API

    def settle(self, block: Block) -> bool:
        """Convert a block to the form that it has in a message.

        Text with citations is a different kind of block there.
        """
        if "citations" in block.native:
            said = [{"text": text} for text in (block.native.get("text"),) if text]
            block.native = {"citationsContent": {"content": said, "citations": block.native["citations"]}}
        return super().settle(block)

    def take(self, event: Native) -> None:  # noqa: D102  inherited
        for name, value in event.items():
            if isinstance(name, str):
                self._event(name, mapping(value))
            else:
                self.message.damaged("the name of an event is not a string")

    def _event(self, name: str, body: Native) -> None:
        match name:
            case "messageStart":
                self.message.start()
            case "contentBlockStart" | "contentBlockDelta" | "contentBlockStop":
                self.block_event(name, body)
            case "messageStop":
                self.message.stop(body.get("stopReason"))
                self.message.note(body, ("stopReason",))
                self.message.end()
            case "metadata":
                self.message.usage = mapping(body.get("usage"))
                self.message.note(body, ("usage",))
            case _ if name.endswith("Exception"):
                self.message.note(body, ("message",))
                self.message.sent_error(body, default=name)
            case _:
                self.message.skip(name)

    def block_start(self, place: Place, block: Native) -> None:
        """Start a block. A text block has no start event, or an empty one."""
        use = mapping(block.get("toolUse"))
        if use.get("type") == SERVER_TOOL_USE:  # the server runs it itself
            self.message.native(place, block, SERVER_TOOL_USE)
        elif "toolUse" in block:
            self.message.call(place, {"toolUse": {"input": {}, **use}}, use.get("toolUseId"), use.get("name"))
            self.message.arguments(place, "")
        elif block:
            self.message.native(place, block, _member(block))

    def block_delta(self, place: Place, delta: Native) -> None:  # noqa: D102  inherited
        known = self.message.blocks.get(place)
        match delta:
            case {"toolUse": use}:
                self.message.arguments(place, mapping(use).get("input"), {"toolUse": {"input": {}}})
            case _ if known is not None and known.kind == "native":
                if block := self.message.at(place, "native"):
                    _extend(block, delta)
            case {"citation": citation}:
                if block := self.message.at(place, "text"):
                    block.listed(block.native, "citations").append(citation)
            case {"text": str(text)}:
                if text and (block := self.message.at(place, "text")):
                    block.grow(block.native, "text", text)
                    self.message.show("text", place, text)
            case {"reasoningContent": dict(thought)}:
                self._reasoning(place, thought)
            case _:
                self._unread(place, delta)

    def _reasoning(self, place: Place, thought: Native) -> None:
        match thought:
            case {"text": str(text)} | {"signature": str(text)}:
                if text and (block := self.message.at(place, "reasoning")):
                    key = next(iter(thought))
                    block.grow(block.inside("reasoningContent", "reasoningText"), key, text)
                    self.message.show("reasoning", place, text if key == "text" else "")
            case {"redactedContent": bytes() | str() as redacted}:
                if block := self.message.at(place, "reasoning"):
                    block.inside("reasoningContent")["redactedContent"] = redacted
            case _:
                self._unread(place, {"reasoningContent": thought})

    def _unread(self, place: Place, delta: Native) -> None:
        self.message.skip(_member(delta))
        self.message.cut(place, "a fragment of it cannot be read")


def _member(union: Native) -> object:
    """Return the service's name for the member of a union that is set."""
    member = next(iter(union), "nothing")
    if member == UNKNOWN_MEMBER:
        return words(mapping(union[member]), "name")
    return member


def _extend(block: Block, delta: Native) -> None:
    """Add a fragment to a native block, such as an image or the result of a call that the server ran."""
    for kind, part in delta.items():
        if kind == "toolResult":
            block.listed(block.inside(kind), "content").extend(part if isinstance(part, list) else [part])
        elif isinstance(part, dict):
            block.extend(block.inside(kind), part)
