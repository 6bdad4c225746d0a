"""Read and write APIs whose list of messages also contains calls, results and reasoning as items of their
own.

The source of a message part contains the message's index among the items and the message's other fields. Consecutive
messages of the model become one turn, and these facts make it possible to separate them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from itertools import groupby
from typing import Any

from toolgen_transcripts.codec.api_codec import ApiCodec
from toolgen_transcripts.codec.decoding import Decoding, rest_of, sender_of
from toolgen_transcripts.codec.encoding import Encoding, only_text
from toolgen_transcripts.codec.json_values import same
from toolgen_transcripts.codec.members import Native, as_list, text_or_none, unread, without
from toolgen_transcripts.codec.received_call import ToolUseBlock
from toolgen_transcripts.messages import (
    Block,
    Media,
    Opaque,
    Reasoning,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Turn,
)

_Item = tuple[Role, tuple[Block, ...], Native]


def origin_of(block: Block, provider: str) -> Native | None:
    """Return the message number, the message without its parts, and the part that a block was read from.

    Otherwise return None.
    """
    origin: Opaque | Source | None = block if isinstance(block, Opaque) else block.source
    if origin is None or origin.provider != provider:
        return None
    if isinstance(origin.value, dict) and set(origin.value) == {"message", "rest", "part"}:
        return origin.value
    return None


def thought_of(item: Native, signature_key: str, decoding: Decoding) -> Reasoning:
    """Return the reasoning in an item, with each of its texts as a paragraph.

    Images in a summary are kept only in the source.
    """
    parts = [*as_list(item.get("summary")), *as_list(item.get("content"))]
    found = (part.get("text") for part in parts if isinstance(part, dict))
    text = "\n\n".join(text for text in found if isinstance(text, str))
    signature = text_or_none(item.get(signature_key))
    return Reasoning(text, signature, source=decoding.source(item, str(item.get("type"))))


class ItemCodec(ApiCodec[ToolUseBlock]):
    """Reads and writes lists of items: messages with parts, and items of other kinds, such as calls."""

    lists_content = False
    """Whether a new message has a list of parts even for a single text, so that parts of the model share one message.
    """

    def part(self, part: Any, message: int, rest: Native) -> Text | Media | Opaque:
        """Convert a part of message number `message`. `rest` is the message without its list of parts."""
        value = {"message": message, "rest": rest, "part": part}
        found = Decoding(self.wire).known_or_opaque(part)
        if isinstance(found, Opaque):
            return replace(found, value=value)
        return replace(found, source=replace(found.source, value=value) if found.source else None)

    def parts(self, content: object, rest: Native, message: int) -> tuple[Text | Media | Opaque, ...]:
        """Convert all parts of message number `message`. `rest` is the message without its list of parts."""
        of_message = unread(rest, self.wire.messages.reads["message"])
        if isinstance(content, str):
            value = {"message": message, "rest": rest, "part": None}
            return (Text(content, Source(self.wire.provider, value, of_message)),)
        blocks = [self.part(p, message, rest) for p in as_list(content)]
        first = blocks[0] if of_message and blocks else None
        if isinstance(first, Text | Media) and first.source is not None:
            source = replace(first.source, unread=(*first.source.unread, *of_message))
            blocks[0] = replace(first, source=source)
        return tuple(blocks)

    def decode_turns(self, messages: list[Native], decoding: Decoding) -> Iterable[Turn]:
        """Convert native items to turns.

        Consecutive items of the model become one turn, and so do consecutive results.
        """
        items = [self._item(item, index, decoding) for index, item in enumerate(messages)]
        for joined, group in groupby(
            enumerate(items), lambda x: x[1][0] if x[1][0] in ("assistant", "tool") else x[0]
        ):
            members = [item for _, item in group]
            blocks = tuple(block for _, found, _ in members for block in found)
            rest = {} if isinstance(joined, str) else members[0][2]
            yield Turn(members[0][0], blocks, Source(self.wire.provider, rest))

    def _item(self, item: Native, index: int, decoding: Decoding) -> _Item:
        """Return an item's role, its blocks, and the fields that belong to its turn."""
        shape = self.wire.messages
        speaker = item.get(shape.role_key)
        if shape.is_message(item) and isinstance(speaker, str) and speaker in shape.roles:
            role = shape.roles[speaker]
            rest = item
            if isinstance(item.get("content"), list):
                rest = without(item, "content")
            blocks: tuple[Block, ...] = self.parts(item.get("content"), rest, index)
            if not blocks and role == "assistant":  # else the message would be lost
                blocks = (decoding.opaque(item),)
            return role, blocks, rest
        block = self.decode_block(item, decoding)
        if str(item.get("type")) in shape.definitions:
            return "system", (block,), {}
        return "tool" if isinstance(block, ToolResult) else "assistant", (block,), {}

    def encode_turn(self, turn: Turn, index: int, encoding: Encoding) -> Iterable[Native]:
        """Convert a turn to native items. The parts of one message stay together; every other block becomes
        an item.
        """
        encoding.role = sender_of(turn)
        rest = rest_of(turn, self.wire.provider) or {}
        place = f"/turns/{index}/blocks"
        for message, group in groupby(enumerate(turn.blocks), lambda x: self._message_of(x[1])):
            members = list(group)
            if message == "" and turn.role == "assistant" and not self.lists_content:
                yield from (self._message([member], rest, place, encoding) for member in members)
                continue
            if message is not None:
                yield self._message(members, rest, place, encoding)
                continue
            for ordinal, block in members:
                encoding.at = f"{place}/{ordinal}"
                items: list[Native] = []
                self.append(block, items, encoding)
                yield from items
        if not turn.blocks and rest:
            yield {**rest, "content": rest.get("content", [])}

    def count_items(self, turn: Turn) -> int:
        """Return the number of native items that a turn was read from. All parts of a message count as one
        item.
        """
        origins = [origin_of(block, self.wire.provider) for block in turn.blocks]
        messages = {origin["message"] for origin in origins if origin is not None}
        return len(messages) + origins.count(None) or 1

    def _message_of(self, block: Block) -> object:
        """Return the key of the message to which a block belongs (`""` if it is new).

        Return None if the block is itself an item.
        """
        if isinstance(block, ToolCall | ToolResult | Reasoning):
            return None
        origin = origin_of(block, self.wire.provider)
        if isinstance(block, Opaque) and origin is None:
            return None
        if origin is None:
            return ""
        return origin["message"]

    def _message(
        self, members: list[tuple[int, Block]], rest: Native, place: str, encoding: Encoding
    ) -> Native:
        origin = origin_of(members[0][1], self.wire.provider)
        content: list[Any] = []
        for ordinal, block in members:
            encoding.at = f"{place}/{ordinal}"
            self.append(block, content, encoding)
        text, shape, is_list = only_text(content), self.wire.messages, self.lists_content
        if origin is not None:
            rest, is_list = deepcopy(origin["rest"]), origin["part"] is not None
        message = {shape.role_key: shape.role_of(encoding.role), **rest, "content": content}
        if text is not None and not is_list:
            message["content"] = text
        return message

    def verbatim(self, block: Block, encoding: Encoding) -> Any:
        """Return the native item or part that a block was read from.

        Return None if the block has changed since then.
        """
        if not isinstance(block, Text | Media):
            return super().verbatim(block, encoding)
        origin = origin_of(block, self.wire.provider)
        if origin is None or origin["part"] is None:
            return None
        if same(self.part(origin["part"], 0, {}), block):
            return deepcopy(origin["part"])
        return None

    def append(self, block: Block, out: list[Any], encoding: Encoding) -> None:
        """Convert a block and add it to `out`. If it is an opaque part of a message, add only the part."""
        origin = origin_of(block, self.wire.provider)
        if isinstance(block, Opaque) and origin is not None:
            out.append(deepcopy(origin["part"]))
        else:
            super().append(block, out, encoding)
