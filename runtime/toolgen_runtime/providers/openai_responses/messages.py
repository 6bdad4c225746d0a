"""Items to and from the Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import groupby
from typing import Any

from toolgen_runtime.providers.openai.messages import arguments, arguments_text, is_custom
from toolgen_runtime.providers.openai_responses.content import (
    decode_content,
    encode_media,
    origin_of,
    part_of,
    texts_of,
)
from toolgen_runtime.providers.openai_responses.results import special_result
from toolgen_runtime.providers.openai_responses.tools import DECODER, lower_tools
from toolgen_runtime.providers.openai_responses.wire import CALL_ITEMS, OUTPUTS, TEXT_KINDS, WIRE, is_ours
from toolgen_runtime.providers.shared.messages.codec import MessageCodec, text_of
from toolgen_runtime.providers.shared.messages.encoding import Encoding
from toolgen_runtime.providers.shared.messages.native import (
    Decoding,
    Native,
    as_list,
    is_native,
    rest_of,
    text_or_none,
    without,
)
from toolgen_runtime.providers.shared.tools.changes import decode_definitions, defined_tools
from toolgen_runtime.transcript.messages import (
    Block,
    Media,
    Opaque,
    Reasoning,
    Role,
    Source,
    Text,
    ToolCall,
    ToolChange,
    ToolResult,
    Turn,
)

_CALLS = {item: kind for item, (kind, _) in CALL_ITEMS.items() if kind in TEXT_KINDS}
_RESULTS = {OUTPUTS[kind]: kind for kind in TEXT_KINDS}
_Item = tuple[Role, tuple[Block, ...], Native]


def _call(item: Native, kind: str, decoding: Decoding) -> ToolCall:
    payload = item.get("input")
    if kind == "function":
        payload = arguments(item.get("arguments"), decoding.codec, decoding.name(item))
    return decoding.call(item, payload, decoding.source(item, str(item.get("type"))), kind=kind)


def _result(item: Native, kind: str, decoding: Decoding) -> ToolResult:
    output = item.get("output")
    content = (Text(output),) if isinstance(output, str) else decode_content(output, {}, -1)
    return decoding.result(item, content, decoding.source(item, "result"), kind=kind)


def _reasoning(item: Native, decoding: Decoding) -> Reasoning:
    texts = [*texts_of(item.get("summary")), *texts_of(item.get("content"))]
    signature = text_or_none(item.get("encrypted_content"))
    return Reasoning("\n\n".join(texts), signature, source=decoding.source(item, "reasoning"))


def _tools(item: Native, decoding: Decoding) -> ToolChange | None:
    source = decoding.source(item, "additional_tools")
    return decode_definitions(as_list(item.get("tools")), DECODER, decoding, source)


def _message_of(block: Block) -> object:
    """Return what tells the parts of one message from those of the next; None for an item of its own."""
    if isinstance(block, ToolCall | ToolResult | Reasoning | ToolChange):
        return None
    origin = origin_of(block)
    if isinstance(block, Opaque) and origin is None:
        return None
    return "" if origin is None else origin["message"]


class _Responses(MessageCodec):
    wire = WIRE

    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        kind = str(block.get("type")) if isinstance(block, dict) else ""
        if kind in _CALLS and is_ours(block):
            return _call(block, _CALLS[kind], decoding)
        if kind in _RESULTS:
            return _result(block, _RESULTS[kind], decoding)
        if kind == "additional_tools":
            return _tools(block, decoding) or decoding.opaque(block)
        return _reasoning(block, decoding) if kind == "reasoning" else decoding.opaque(block)

    def decode_turns(self, messages: list[Native], decoding: Decoding) -> Iterable[Turn]:
        """Return what the model said in a row, one item each, is one turn, and so are results in a row."""
        items = [self._item(deepcopy(item), index, decoding) for index, item in enumerate(messages)]
        for joined, group in groupby(
            enumerate(items), lambda x: x[1][0] if x[1][0] in ("assistant", "tool") else x[0]
        ):
            members = [item for _, item in group]
            blocks = tuple(block for _, found, _ in members for block in found)
            rest = {} if isinstance(joined, str) else members[0][2]
            yield Turn(members[0][0], blocks, Source(WIRE.provider, rest))

    def decode_turn(self, message: Native, decoding: Decoding) -> Turn:
        (turn,) = self.decode_turns([message], decoding)
        return turn

    def _item(self, item: Native, index: int, decoding: Decoding) -> _Item:
        """Return an item's speaker, its blocks, and what of it belongs to its turn."""
        speaker = item.get("role")
        if (
            WIRE.messages.item_kind(item) == "message"
            and isinstance(speaker, str)
            and speaker in WIRE.messages.roles
        ):
            role = WIRE.messages.roles[speaker]
            rest = without(item, "content") if isinstance(item.get("content"), list) else item
            blocks: tuple[Block, ...] = decode_content(item.get("content"), rest, index)
            if not blocks and role == "assistant":  # it must not be lost among what the model said in a row
                blocks = (decoding.opaque(item),)
            return role, blocks, rest
        block = self.decode_block(item, decoding)
        if isinstance(block, ToolChange):
            return "system", (block,), {}
        return "tool" if isinstance(block, ToolResult) else "assistant", (block,), {}

    def encode_system(self, prompt: Sequence[Block], encoding: Encoding) -> tuple[list[Native], Any]:
        encoding.role = "system"
        parts = self.encode_blocks(prompt, "/system", encoding)
        return [], "\n\n".join(part["text"] for part in parts if "text" in part) or None

    def encode_turn(self, turn: Turn, index: int, encoding: Encoding) -> Iterable[Native]:
        encoding.role = "user" if turn.role == "tool" else turn.role
        rest = rest_of(turn, WIRE.provider) or {}
        place = f"/turns/{index}/blocks"
        for message, group in groupby(enumerate(turn.blocks), lambda x: _message_of(x[1])):
            members = list(group)
            if message == "" and turn.role == "assistant":  # parts of the model's need ids: a text has none
                yield from (self._message([member], rest, place, encoding) for member in members)
                continue
            if message is not None:
                yield self._message(members, rest, place, encoding)
                continue
            for ordinal, block in members:
                encoding.at = f"{place}/{ordinal}"
                yield from self.encode_block(block, encoding)
        if not turn.blocks and rest:
            yield {**rest, "content": rest.get("content", [])}

    def _message(
        self, members: list[tuple[int, Block]], rest: Native, place: str, encoding: Encoding
    ) -> Native:
        origin = origin_of(members[0][1])
        content: list[Any] = []
        for ordinal, block in members:
            encoding.at = f"{place}/{ordinal}"
            content += self.encode_block(block, encoding)
        first = content[0] if len(content) == 1 else None
        is_text = isinstance(first, dict) and set(first) == {"type", "text"}
        was_list = origin is not None and origin["part"] is not None
        message = {"role": encoding.role, **(rest if origin is None else deepcopy(origin["rest"]))}
        return {**message, "content": content[0]["text"] if is_text and not was_list else content}

    def verbatim(self, block: Block, encoding: Encoding) -> Any:
        if isinstance(block, Text | Media):
            return part_of(block)
        return super().verbatim(block, encoding)

    def encode_block(self, block: Block, encoding: Encoding) -> list[Any]:
        if isinstance(block, Opaque) and is_native(block, WIRE.provider):
            origin = origin_of(block)
            return [deepcopy(block.value if origin is None else origin["part"])]
        return super().encode_block(block, encoding)

    def label(self, native: Any, block: ToolCall | ToolResult, encoding: Encoding) -> None:
        encoding.label(native, block)
        if native.get("type") == OUTPUTS["local_shell"]:  # its id is that of the call
            native["id"] = native.pop(WIRE.calls.result_id_key, None)

    def write_media(self, media: Media) -> Any:
        return encode_media(media)

    def write_call(self, call: ToolCall, encoding: Encoding) -> Any:
        inside = {"namespace": call.namespace} if call.namespace else {}
        if is_custom(call):
            return {"type": "custom_tool_call", "input": call.input, **inside}
        return {"type": "function_call", "arguments": arguments_text(call, encoding.codec), **inside}

    def write_change(self, change: ToolChange, encoding: Encoding) -> list[Any]:
        tools = defined_tools(change, lower_tools, encoding)
        return [{"type": "additional_tools", "role": "developer", "tools": tools}]

    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        if result.kind not in TEXT_KINDS:
            return special_result(result, text_of(result, encoding) if result.kind != "computer" else "")
        if result.is_error:
            encoding.lose("error-flag-dropped", "openai has no flag for an error result", result.name or "")
        encoding.role = "user"
        has_media = any(isinstance(b, Media) for b in result.content)
        if has_media:
            output: Any = [native for b in result.content for native in self.encode_block(b, encoding)]
        else:
            output = text_of(result, encoding)
        return {"type": OUTPUTS[result.kind], "output": output}


MESSAGES = _Responses()
decode_messages = MESSAGES.decode_messages
encode_messages = MESSAGES.encode_messages
"""`input` items; `.system` is the `instructions` text."""
