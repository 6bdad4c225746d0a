"""Assemble ConverseStream events, as in boto3's `response["stream"]`."""

from __future__ import annotations

from toolgen_transcripts.bedrock.messages import API
from toolgen_transcripts.bedrock.wire import SERVER_TOOL_USE, UNKNOWN_MEMBER
from toolgen_transcripts.codec.members import Native, as_list
from toolgen_transcripts.streams.assembly import Block, BlockMessage, mapping, words
from toolgen_transcripts.streams.reader import Assembler
from toolgen_transcripts.streams.result import Place


class _Bedrock(BlockMessage):
    def settle(self, block: Block) -> bool:
        """Convert a streamed block to the form that it has in a complete message.

        Text with citations is a different kind of block there.
        """
        if "citations" in block.native:
            said = [{"text": text} for text in (block.native.get("text"),) if text]
            block.native = {"citationsContent": {"content": said, "citations": block.native["citations"]}}
        return super().settle(block)

    def take(self, event: Native) -> None:
        for name in event:
            if isinstance(name, str):
                self._event(name, mapping(event, name))
            else:
                self.damaged("the name of an event is not a string")

    def _event(self, name: str, body: Native) -> None:
        match name:
            case "messageStart":
                self.start()
            case "contentBlockStart" | "contentBlockDelta" | "contentBlockStop":
                self.block_event(name, body)
            case "messageStop":
                self.stop(body.get("stopReason"))
                self.note(body, ("stopReason",))
                self.end()
            case "metadata":
                self.usage = mapping(body, "usage")
                self.note(body, ("usage",))
            case _ if name.endswith("Exception"):
                self.note(body, ("message",))
                self.sent_error(body, default=name)
            case _:
                self.skip(name)

    def block_start(self, place: Place, block: Native) -> None:
        """Start a block. A text block has no start event, or an empty one."""
        use = mapping(block, "toolUse")
        if use.get("type") == SERVER_TOOL_USE:  # the server runs it itself
            self.native(place, block, SERVER_TOOL_USE)
        elif "toolUse" in block:
            self.call(place, {"toolUse": {"input": {}, **use}}, use.get("toolUseId"), use.get("name"))
            self.arguments(place, "")
        elif block:
            self.native(place, block, _member(block))

    def block_delta(self, place: Place, delta: Native) -> None:
        known = self.blocks.get(place)
        match delta:
            case {"toolUse": _}:
                self.arguments(place, mapping(delta, "toolUse").get("input"), {"toolUse": {"input": {}}})
            case _ if known is not None and known.kind == "native":
                if block := self.at(place, "native"):
                    _extend(block, delta)
            case {"citation": citation}:
                if block := self.at(place, "text"):
                    block.listed(block.native, "citations").append(citation)
            case {"text": str(text)}:
                self.add_text(place, "text", "text", text)
            case {"reasoningContent": dict(thought)}:
                self._reasoning(place, thought)
            case _:
                self._unread(place, delta)

    def _reasoning(self, place: Place, thought: Native) -> None:
        match thought:
            case {"text": str(text)} | {"signature": str(text)}:
                inside = ("reasoningContent", "reasoningText")
                self.add_text(place, "reasoning", next(iter(thought)), text, inside=inside)
            case {"redactedContent": bytes() | str() as redacted}:
                if block := self.at(place, "reasoning"):
                    block.inside("reasoningContent")["redactedContent"] = redacted
            case _:
                self._unread(place, {"reasoningContent": thought})

    def _unread(self, place: Place, delta: Native) -> None:
        self.skip(_member(delta))
        self.cut(place, "a fragment of it cannot be read")


class StreamAssembler(Assembler):
    """Assembles one message that Converse streams."""

    api = API
    form = _Bedrock


def _member(union: Native) -> object:
    """Return the service's name for the member of a union that is set."""
    member = next(iter(union), "nothing")
    if member == UNKNOWN_MEMBER:
        return words(mapping(union, member), "name")
    return member


def _extend(block: Block, delta: Native) -> None:
    """Add a fragment to a native block, such as an image or the result of a call that the server ran."""
    for kind, part in delta.items():
        if kind == "toolResult":
            block.listed(block.inside(kind), "content").extend(as_list(part))
        elif isinstance(part, dict):
            block.extend(block.inside(kind), part)
