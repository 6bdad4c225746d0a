"""Convert native messages to a transcript.

This module finds the messages in a request and keeps the state of the conversion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from toolgen_runtime.validation.json_text import read
from toolgen_transcripts.codec.members import JsonObject, Native, text_or_none, unread
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.plain_values import plain
from toolgen_transcripts.codec.shapes import MessageShape
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Media,
    Opaque,
    Part,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Turn,
)


def is_native(node: Turn | Block, provider: str) -> bool:
    """Return whether a turn or block was read from this provider's format."""
    if isinstance(node, Opaque):
        return node.provider == provider
    return node.source is not None and node.source.provider == provider


def rest_of(turn: Turn, provider: str) -> Native | None:
    """Return the message that a turn was read from, without its content; None if it was another provider's."""
    if turn.source is None or not is_native(turn, provider):
        return None
    rest: Native = deepcopy(turn.source.value)
    return rest


def native_messages(native: object, shape: MessageShape) -> list[Native]:
    """Return copies of the messages from a list of messages or from a whole request.

    Raises:
        TypeError: the messages are not a list, or one is neither a mapping nor an object with `model_dump()`.
        ValueError: a message is nested too deeply or too large (see `plain`).
    """
    key = shape.list_key
    found = shape.listed(native.get(key) if isinstance(native, Mapping) else native)
    if found is None or isinstance(found, Mapping):
        return []
    if not isinstance(found, Sequence) or isinstance(found, str | bytes | bytearray):
        raise TypeError(
            f"messages must be a list, or a request that contains a list as {key!r}, not {type(found).__name__}"
        )
    messages: list[Native] = []
    for index, message in enumerate(found):
        try:
            copied = plain(message)
        except ValueError as error:
            raise ValueError(f"message {index}: {error}") from None
        if not isinstance(copied, dict):
            what = type(message).__name__
            raise TypeError(f"message {index} is not a mapping or an object with model_dump(), but {what}")
        messages.append(copied)
    return messages


def sender_of(turn: Turn) -> Role:
    """Return the role that sends a turn, for APIs in which the user sends results."""
    return "user" if turn.role == "tool" else turn.role


def cache_mark(point: CachePoint, kind: str = "ephemeral") -> Native:
    """Return the native form of a cache point."""
    if point.ttl:
        return {"type": kind, "ttl": point.ttl}
    return {"type": kind}


_TEXT_MEMBERS = frozenset({"type", "text", "refusal", "cache_control"})
"""The fields of a text part that may be read."""


class Decoding:
    """One conversion of native messages to a transcript.

    It knows the provider's facts and the codec for names and ids.
    """

    def __init__(self, wire: Wire, codec: Codec | None = None) -> None:
        self.wire = wire
        self.codec = codec or codec_for(wire.provider)

    def source(self, value: Any, kind: str = "") -> Source:
        """Return the `Source` for a native value. `kind` says which of its fields toolgen reads
        (`MessageShape.reads`).
        """
        reads = self.wire.messages.reads.get(kind, frozenset())
        return Source(self.wire.provider, value, unread(value, reads))

    def known_or_opaque(self, part: Any) -> Text | Media | Opaque:
        """Convert a part of a message to text or media. A part of any other form becomes opaque."""
        found = None
        if isinstance(part, dict):
            found = self.part(part)
        return found or self.opaque(part)

    def part(self, part: Native) -> Text | Media | None:
        """Convert a part of a message to text or media; return None if it is neither."""
        kind = str(part.get("type"))
        text, reads = part.get("text", part.get("refusal")), self.wire.messages.reads.get(kind)
        if reads is None or not isinstance(text, str) or not reads <= _TEXT_MEMBERS:
            return self.media(part)
        return Text(text, self.source(part, kind), cache=self.cache_point(part))

    def media(self, block: Native) -> Media | None:
        """Return the media in a block; None if the block is something else."""
        for form in self.wire.messages.media:
            fields = form.read(block)
            if fields is not None:
                mark = {"cache_control"} & self.wire.messages.reads.keys()
                left = unread(block, form.reads | mark)
                source = Source(self.wire.provider, block, left)
                return Media(**fields, source=source, cache=self.cache_point(block))
        return None

    def opaque(self, value: Any) -> Opaque:
        """Return an `Opaque` block for a native value that has no neutral form."""
        return Opaque(self.wire.provider, value)

    def role_of(self, message: Native) -> Role:
        """Return the neutral role of a message. An unknown role becomes `user`."""
        shape = self.wire.messages
        return shape.roles.get(str(message.get(shape.role_key)), "user")

    def call(
        self,
        members: JsonObject,
        source: Source,
        *,
        kind: str = "function",
        absent: Any = None,
        cache: CachePoint | None = None,
    ) -> ToolCall:
        """Convert the native fields of a call to a `ToolCall`. If they contain no input, use `absent`."""
        shape, namespace = self.wire.calls, text_or_none(members.get("namespace"))
        id, name = self._id(members.get(shape.id_key)), self._name(members.get("name"), namespace)
        if kind == "custom":
            payload = members.get("input")
        elif shape.text_arguments:
            payload = self.arguments(members.get(shape.input_key), name)
        else:
            payload = self.codec.decode_input(members.get(shape.input_key, absent), name)
        return ToolCall(id, name or "", payload, source, kind=kind, namespace=namespace, cache=cache)

    def arguments(self, text: object, name: str | None) -> Any:
        """Parse the arguments of a call to the tool `name`.

        If the text is not JSON, return the text itself.
        """
        if text == "":
            return {}
        if not isinstance(text, str):
            return text
        value, issues = read(text)
        if issues:
            return text
        return self.codec.decode_input(value, name)

    def result(
        self,
        members: JsonObject,
        content: tuple[Part, ...],
        source: Source,
        *,
        is_error: bool | None = None,
        kind: str = "function",
        cache: CachePoint | None = None,
    ) -> ToolResult:
        """Convert the native fields of a result to a `ToolResult`."""
        id, name = self._id(members.get(self.wire.calls.result_id_key)), self._name(members.get("name"))
        return ToolResult(id, content, is_error, name, source, kind=kind, cache=cache)

    def cache_point(self, members: JsonObject) -> CachePoint | None:
        """Return the cache point that the fields of a block or message contain, or None."""
        mark = members.get("cache_control")
        if not isinstance(mark, dict) or "cache_control" not in self.wire.messages.reads:
            return None
        return CachePoint(text_or_none(mark.get("ttl")), self.source(mark, "cache_control"))

    def _id(self, value: object) -> str | None:
        id = text_or_none(value)
        return id and self.codec.decode_id(id)

    def _name(self, value: object, namespace: str | None = None) -> str | None:
        if isinstance(value, str):
            return self.codec.decode_name(value, namespace)
        return None
