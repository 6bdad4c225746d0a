"""The base class that reads and writes a provider's messages. Its subclasses know the form of the provider's
blocks.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_transcripts.codec.decoding import (
    Decoding,
    cache_mark,
    is_native,
    native_messages,
    rest_of,
    sender_of,
)
from toolgen_transcripts.codec.encoding import Encoded, Encoding, Fetch, shape_like
from toolgen_transcripts.codec.json_values import as_json, json_text, same
from toolgen_transcripts.codec.members import Native, as_list, without
from toolgen_transcripts.codec.names import Codec, RawCodec
from toolgen_transcripts.codec.plain_values import plain
from toolgen_transcripts.codec.prepared import prepare
from toolgen_transcripts.codec.responses import NativeMessage, Responses, UseT
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Json,
    Media,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
    native_value,
)
from toolgen_transcripts.tools.tool_codec import ToolCodec


class ApiCodec(ToolCodec, Responses[UseT]):
    """Reads and writes the messages of one API, and also its tools and responses.

    A subclass reads a block (`decode_block`) and a message (`decode_turn`), and writes new native blocks for blocks of
    other providers (`write_*`). Blocks and turns from its own API are written back unchanged.
    """

    def decode_messages(
        self, native: object, *, system: object = None, codec: Codec | None = None
    ) -> Transcript:
        """Convert native messages, or a whole request with its system prompt, to a transcript.

        The messages are not validated; content of an unknown form is kept unchanged.

        Raises:
            TypeError: the messages are not a list of mappings or of objects with `model_dump()`.
        """
        decoding = Decoding(self.wire, codec)
        if isinstance(native, Mapping) and system is None:
            members = {self.wire.request.spelling(k): v for k, v in native.items() if v is not None}
            system = members.get(self.wire.messages.system_key)
        turns = self.decode_turns(native_messages(native, self.wire.messages), decoding)
        prompt = plain(system)
        source = None if prompt is None else decoding.source(prompt, "system")
        return Transcript(tuple(turns), self.decode_content(prompt, decoding), source)

    def decode_turns(self, messages: list[Native], decoding: Decoding) -> Iterable[Turn]:
        """Convert native messages to turns, which keep references to the messages."""
        return [self.decode_turn(message, decoding) for message in messages]

    def decode_said(self, messages: list[Native], codec: Codec | None) -> Turn:
        """Combine one or more model responses into one assistant turn."""
        turns = list(self.decode_turns(messages, Decoding(self.wire, codec)))
        blocks = tuple(block for turn in turns for block in turn.blocks)
        return Turn("assistant", blocks, turns[0].source if len(turns) == 1 else None)

    def text_of(self, message: NativeMessage) -> str:  # noqa: D102  inherited
        return self.decode_said([plain(native) for native in message.native], None).text

    def decode_turn(self, message: Native, decoding: Decoding) -> Turn:
        """Convert a native message to a turn. The turn's source records whether the content was a string."""
        key = self.wire.messages.content_key
        content = message.get(key)
        rest = message if isinstance(content, str) else without(message, key)
        return Turn(
            decoding.role_of(message),
            self.decode_content(content, decoding),
            decoding.source(rest, "message"),
        )

    @abstractmethod
    def decode_block(self, block: Any, decoding: Decoding) -> Block:
        """Convert a native block (a dict) to a neutral block."""

    def decode_content(self, content: Any, decoding: Decoding) -> tuple[Block, ...]:
        """Convert a message's content, or a system prompt, to blocks. It is a string or a list of native
        blocks.
        """
        if isinstance(content, str):
            return (Text(content),)
        return tuple(
            self.decode_block(block, decoding) if isinstance(block, dict) else decoding.opaque(block)
            for block in as_list(content)
        )

    def encode_messages(
        self, transcript: Transcript, *, codec: Codec | None = None, fetch: Fetch | None = None
    ) -> Encoded:
        """Convert a transcript to native messages and a system prompt, with a diagnostic for everything that
        is lost.

        `fetch(media)` is called for media that the provider cannot load from their location (an S3 URI, the id of a
        file, a URL). It returns their bytes, the media in another form, or None; its exceptions are not caught.
        """
        encoding = Encoding(self.wire, codec, fetch)
        turns, prompt = prepare(transcript, encoding)
        encoding.role = "system"
        system, messages, given = self.encode_system(prompt, encoding), [], transcript.system_source
        if system is not None and self.wire.messages.system_first:
            system, messages = None, [{"role": "system", "content": system}]
        is_own = given is not None and given.provider == self.wire.provider
        if given and is_own and same(self.decode_content(given.value, encoding), tuple(prompt)):
            system = deepcopy(given.value)
        for index, turn in turns:
            encoding.at = f"/turns/{index}"
            messages += self.encode_turn(turn, index, encoding)
        return Encoded(messages, system, tuple(encoding.diagnostics))

    def encode_results(self, results: Sequence[ToolResult]) -> list[Native]:
        """Convert tool results to native messages, or to blocks if the API has several results in a message.

        Ids and names do not change. If the API's results cannot contain images, a message with the images follows.
        """
        encoding = Encoding(self.wire, RawCodec(self.wire.name_rule, self.wire.id_rule))
        if not results:
            return []
        messages = list(self.encode_turn(Turn("tool", tuple(results)), 0, encoding))
        if self.wire.calls.result_role == "tool":
            return messages
        return [block for message in messages for block in message[self.wire.messages.content_key]]

    def count_items(self, turn: Turn) -> int:  # noqa: ARG002  for those that override it
        """Return the number of native messages that a turn was read from."""
        return 1

    def encode_system(self, prompt: Sequence[Block], encoding: Encoding) -> Any:
        """Convert the system prompt to the value of its field in the request; return None if it is empty."""
        parts = self.encode_blocks(prompt, "/system", encoding)
        if self.wire.messages.system_text:
            parts = [part["text"] for part in parts if isinstance(part, dict) and "text" in part]
            return "\n\n".join(parts) or None
        return parts or None

    def encode_turn(self, turn: Turn, index: int, encoding: Encoding) -> Iterable[Native]:
        """Convert a turn to native messages."""
        shape, rest = self.wire.messages, rest_of(turn, self.wire.provider)
        content = self.encode_blocks(turn.blocks, f"/turns/{index}/blocks", encoding)
        if rest is None or not shape.role_optional:
            role = shape.role_of(sender_of(turn))
            rest = {shape.role_key: role, **(rest or {})}
        return [{**rest, shape.content_key: shape_like(content, rest.get(shape.content_key))}]

    def encode_blocks(
        self,
        blocks: Sequence[Block],
        place: str,
        encoding: Encoding,
        wanted: Callable[[Block], bool] = lambda _: True,
    ) -> list[Any]:
        """Convert those blocks for which `wanted` is true. `place` is the JSON pointer to the list of blocks."""
        out: list[Any] = []
        for ordinal, block in enumerate(blocks):
            encoding.at = f"{place}/{ordinal}"
            if wanted(block):
                self.append(block, out, encoding)
        return out

    def encode_content(self, result: ToolResult, encoding: Encoding) -> list[Any]:
        """Convert the content of a result to native blocks. `encoding.at` is the JSON pointer to the result."""
        return self.encode_blocks(result.content, f"{encoding.at}/content", encoding)

    def append(self, block: Block, out: list[Any], encoding: Encoding) -> None:
        """Convert a block and add it to `out`. `encoding.at` is the JSON pointer to the block."""
        if isinstance(block, Opaque):
            if is_native(block, self.wire.provider):
                out.append(deepcopy(block.value))
            else:
                encoding.dropped(block)
            return
        kept = self.verbatim(block, encoding)
        if kept is None and isinstance(block, CachePoint):
            self._cache(block, out, encoding)
            return
        place = encoding.at
        native = kept
        if kept is None:
            native = self._fresh(block, encoding)
        encoding.at = place
        if native is None:
            encoding.dropped(block)
            return
        if isinstance(block, ToolCall | ToolResult):
            encoding.label(native, block)
        out.append(native)
        cache = getattr(block, "cache", None)
        if kept is None and cache is not None:
            self._cache(cache, out, encoding)

    def verbatim(self, block: Block, encoding: Encoding) -> Any:
        """Return the native value that a block was read from; None if the block has changed since."""
        if isinstance(block, Opaque):
            return None
        if id(block) in encoding.unchanged:
            return deepcopy(native_value(block))
        return encoding.verbatim(block, self.decode_block)

    def _fresh(self, block: Block, encoding: Encoding) -> Any:
        """Return a new native form for a block that comes from another provider or has changed."""
        encoding.lose_fields(self._unsupported(block))
        match block:
            case Text(text):
                return self.wire.messages.text_block(text, encoding.role)
            case Json(value):
                return self.wire.messages.text_block(json_text(value), encoding.role)
            case Media():
                return self._media(block, encoding)
            case Reasoning():
                return self.write_reasoning(block)
            case ToolCall():
                return encoding.new_call(replace(block, input=as_json(block.input)))
            case ToolResult():
                if not encoding.says("result.cache"):
                    parts = (
                        replace(b, cache=None) if isinstance(b, Text | Media) else b for b in block.content
                    )
                    block = replace(block, content=tuple(parts))
                return self.write_result(block, encoding)
            case _:
                return None

    def _media(self, media: Media, encoding: Encoding) -> Any:
        owner = media.source.provider if media.source else self.wire.provider
        shared = owner == self.wire.provider or wire_of(owner).family == self.wire.family != ""
        own = media
        if not shared:  # ids of another provider are invalid here
            own = replace(media, file_id=None)
        native = self.write_media(own)
        if native is None and (found := encoding.fetch(media)) is not None:
            if isinstance(found, bytes):
                found = replace(media, data=found, uri=None, file_id=None)
            native = self.write_media(found)
        return native or self.wire.messages.text_block(encoding.stand_in(media), encoding.role)

    def _unsupported(self, block: Block) -> Iterator[str]:
        """Yield the attributes of a block that the provider cannot express."""
        said = self.wire.messages.attributes
        if isinstance(block, Media):
            for name in ("name", "context", "citations"):
                if getattr(block, name) is not None and f"{block.kind}.{name}" not in said:
                    yield name
            if block.uri and block.media_type and "uri.media_type" not in said:
                yield "media_type"
        if isinstance(block, ToolResult) and block.id is None and block.name and not self.wire.calls.by_name:
            yield "name"
        if isinstance(block, ToolCall) and block.namespace and "namespace" not in said:
            yield "namespace"
        if isinstance(block, ToolCall) and block.kind != "function" and block.kind not in said:
            yield f"the kind of call ({block.kind})"

    def _cache(self, point: CachePoint, out: list[Any], encoding: Encoding) -> None:
        """Write a cache point after some native blocks. Other servers with OpenAI's API may have sent one."""
        request = self.wire.request
        if request.cache_block:
            out.append({request.cache_block: cache_mark(point, "default")})
        elif (
            out
            and isinstance(out[-1], dict)
            and (request.cache_member or is_native(point, encoding.provider))
        ):
            out[-1]["cache_control"] = cache_mark(point)
        elif encoding.says("cache"):  # else the block reports it
            encoding.lose("cache-dropped", "there is no block before this cache point: left out")

    def write_media(self, media: Media) -> Any:
        """Convert media to a native block; return None if the API has no form for them."""
        return next(filter(None, (form.write(media) for form in self.wire.messages.media)), None)

    @abstractmethod
    def write_result(self, result: ToolResult, encoding: Encoding) -> Any:
        """Convert a result to its native form, without the id and the name."""

    def write_reasoning(self, block: Reasoning) -> Any:  # noqa: ARG002  for those that override it
        """Convert reasoning to its native form; return None if the API accepts only reasoning of its own."""
        return None
