"""Messages of an API whose calls, results and reasoning are items of the list, as its messages are.

A part of a message remembers the message (its number among the items, and the rest of it), since several messages
of the model in a row make one turn and must come apart again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import groupby
from typing import Any

from toolgen_runtime.providers.shared.messages.codec import ApiCodec
from toolgen_runtime.providers.shared.messages.encoding import Encoding, only_text
from toolgen_runtime.providers.shared.messages.native import (
    Decoding,
    Native,
    as_list,
    rest_of,
    same,
    text_or_none,
    unread,
    without,
)
from toolgen_runtime.providers.shared.received_call import ToolUseBlock
from toolgen_runtime.transcript.messages import (
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
    """Return the message number, the rest of the message and the part that a block was read from, if it was."""
    if isinstance(block, Opaque):
        origin = block.value if block.provider == provider else None
    else:
        origin = block.source.value if block.source and block.source.provider == provider else None
    return origin if isinstance(origin, dict) and set(origin) == {"message", "rest", "part"} else None


def thought_of(item: Native, signature_key: str, decoding: Decoding) -> Reasoning:
    """Return an item of reasoning: its texts, each a paragraph; images of a summary are kept as they are."""
    parts = [*as_list(item.get("summary")), *as_list(item.get("content"))]
    found = (part.get("text") for part in parts if isinstance(part, dict))
    text = "\n\n".join(text for text in found if isinstance(text, str))
    signature = text_or_none(item.get(signature_key))
    return Reasoning(text, signature, source=decoding.source(item, str(item.get("type"))))


class ItemCodec(ApiCodec[ToolUseBlock]):
    """A codec that reads a part of a message (`decode_part`) and an item that is no message (`decode_block`)."""

    lists_content = False
    """Whether a message that is written afresh has a list of parts, several of the model's or a single text."""

    def part(self, part: Any, message: int, rest: Native) -> Text | Media | Opaque:
        """Return a part of message number `message`; `rest` is the message without its list of parts."""
        value = {"message": message, "rest": rest, "part": part}
        found = Decoding(self.wire).part(part, value) if isinstance(part, dict) else None
        return found or Opaque(self.wire.provider, value)

    def parts(self, content: object, rest: Native, message: int) -> tuple[Text | Media | Opaque, ...]:
        """Return the content of message number `message`; `rest` is the message without a list of parts."""
        of_message = unread(rest, self.wire.messages.reads["message"])
        if isinstance(content, str):
            value = {"message": message, "rest": rest, "part": None}
            return (Text(content, Source(self.wire.provider, value, of_message)),)
        blocks = [self.part(p, message, rest) for p in as_list(content)]
        first = blocks[0] if blocks else None
        if of_message and first is not None and not isinstance(first, Opaque) and first.source is not None:
            source = replace(first.source, unread=(*first.source.unread, *of_message))
            blocks[0] = replace(first, source=source)
        return tuple(blocks)

    def decode_turns(self, messages: list[Native], decoding: Decoding) -> Iterable[Turn]:
        """Return what the model said in a row, one item each, is one turn, and so are results in a row."""
        items = [self._item(deepcopy(item), index, decoding) for index, item in enumerate(messages)]
        for joined, group in groupby(
            enumerate(items), lambda x: x[1][0] if x[1][0] in ("assistant", "tool") else x[0]
        ):
            members = [item for _, item in group]
            blocks = tuple(block for _, found, _ in members for block in found)
            rest = {} if isinstance(joined, str) else members[0][2]
            yield Turn(members[0][0], blocks, Source(self.wire.provider, rest))

    def _item(self, item: Native, index: int, decoding: Decoding) -> _Item:
        """Return an item's speaker, its blocks, and what of it belongs to its turn."""
        shape = self.wire.messages
        speaker = item.get(shape.role_key)
        if shape.is_message(item) and isinstance(speaker, str) and speaker in shape.roles:
            role = shape.roles[speaker]
            rest = without(item, "content") if isinstance(item.get("content"), list) else item
            blocks: tuple[Block, ...] = self.parts(item.get("content"), rest, index)
            if not blocks and role == "assistant":  # it must not be lost among what the model said in a row
                blocks = (decoding.opaque(item),)
            return role, blocks, rest
        block = self.decode_block(item, decoding)
        if str(item.get("type")) in shape.definitions:
            return "system", (block,), {}
        return "tool" if isinstance(block, ToolResult) else "assistant", (block,), {}

    def encode_system(self, prompt: Sequence[Block], encoding: Encoding) -> tuple[list[Native], Any]:
        """Return the system prompt, a text of the request."""
        encoding.role = "system"
        parts = self.encode_blocks(prompt, "/system", encoding)
        return [], "\n\n".join(part["text"] for part in parts if "text" in part) or None

    def encode_turn(self, turn: Turn, index: int, encoding: Encoding) -> Iterable[Native]:
        """Return the items of a turn: parts of one message together, the others each by itself."""
        encoding.role = "user" if turn.role == "tool" else turn.role
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

    def _message_of(self, block: Block) -> object:
        """Return what tells the parts of one message from those of the next; None for an item of its own."""
        if isinstance(block, ToolCall | ToolResult | Reasoning):
            return None
        origin = origin_of(block, self.wire.provider)
        if isinstance(block, Opaque) and origin is None:
            return None
        return "" if origin is None else origin["message"]

    def _message(
        self, members: list[tuple[int, Block]], rest: Native, place: str, encoding: Encoding
    ) -> Native:
        origin = origin_of(members[0][1], self.wire.provider)
        content: list[Any] = []
        for ordinal, block in members:
            encoding.at = f"{place}/{ordinal}"
            self.append(block, content, encoding)
        text = only_text(content)
        is_list = self.lists_content if origin is None else origin["part"] is not None
        shape = self.wire.messages
        said = {shape.role_key: shape.role_of(encoding.role)}
        message = said | (rest if origin is None else deepcopy(origin["rest"]))
        return {**message, "content": content if text is None or is_list else text}

    def verbatim(self, block: Block, encoding: Encoding) -> Any:
        """Return the native value or part that a block came from, None where it says something else by now."""
        if not isinstance(block, Text | Media):
            return super().verbatim(block, encoding)
        origin = origin_of(block, self.wire.provider)
        if origin is None or origin["part"] is None:
            return None
        return deepcopy(origin["part"]) if same(self.part(origin["part"], 0, {}), block) else None

    def append(self, block: Block, out: list[Any], encoding: Encoding) -> None:
        """Write a block; of a part of a message that part."""
        origin = origin_of(block, self.wire.provider) if isinstance(block, Opaque) else None
        if origin is None:
            super().append(block, out, encoding)
        else:
            out.append(deepcopy(origin["part"]))
