"""Native messages as plain values, and the state of decoding them to a transcript."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from copy import deepcopy
from decimal import Decimal
from enum import Enum
from typing import Any

from toolgen_transcripts.codec.media import to_base64
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.shapes import MessageShape
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Json,
    Media,
    Opaque,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Turn,
)


def is_dumpable(value: object) -> bool:
    """Return whether a value is an object (not a class) with a `model_dump` method."""
    return not isinstance(value, type) and callable(getattr(value, "model_dump", None))


def dumped(value: object, **options: Any) -> Any:
    """Return the result of the object's `model_dump`, with pydantic's options if it accepts them."""
    dump: Any = getattr(value, "model_dump")  # noqa: B009  any object may have it
    try:
        return dump(warnings=False, **options)
    except TypeError:  # not a pydantic model
        return dump()


def unread(value: Any, reads: Collection[str]) -> tuple[str, ...]:
    """Return the non-empty members of a value that are not among `reads`, as dotted paths.

    A `Wire` lists the members that its decoder reads (`MessageShape.reads`, `ToolShape.reads`). All other members,
    including those that a provider may add later, are sent back to the same provider and are reported for another.

    A path in `reads` includes everything below it, and continues in the items of a list. Null, empty strings, lists
    and objects are not returned.
    """
    return tuple(dict.fromkeys(_unread(value, reads, ""))) if isinstance(value, Mapping) else ()


def _unread(value: Mapping[Any, Any], reads: Collection[str], at: str) -> Iterator[str]:
    for key, member in value.items():
        path = f"{at}{key}"
        if path in reads or member is None or member in ("", [], {}):
            continue
        if not any(read.startswith(f"{path}.") for read in reads):
            yield path
            continue
        for item in member if isinstance(member, list) else [member]:
            if isinstance(item, Mapping):  # else it is a short form: a URL instead of an object
                yield from _unread(item, reads, f"{path}.")


Native = dict[str, Any]


def is_native(node: Turn | Block, provider: str) -> bool:
    """Return whether a node was read from this provider's form."""
    if isinstance(node, Opaque):
        return node.provider == provider
    return node.source is not None and node.source.provider == provider


def rest_of(turn: Turn, provider: str) -> Native | None:
    """Return a copy of the native message of a turn, without its content; None if it is of another provider."""
    return deepcopy(turn.source.value) if turn.source is not None and is_native(turn, provider) else None


def same(one: object, other: object) -> bool:
    """Return whether two values are equal, where 1, 1.0 and True differ."""
    return one == other and repr(one) == repr(other)


_SCALARS = (str, int, float, bool, type(None))
_MAX_DIGITS = 300
"""The most digits of a number that is written as a JSON number."""


def json_text(value: Any) -> str:
    """Return a JSON value as compact text; values that JSON lacks are written with `str()`, bytes as base64."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_odd_value)
    except TypeError:  # a key that is not a string, a number or null
        return json.dumps(as_json(value), ensure_ascii=False, separators=(",", ":"))


def _odd_value(value: object) -> str | int | float:
    if isinstance(value, Decimal) and value.is_finite():
        return _number(value)
    return to_base64(value) if isinstance(value, bytes) else str(value)


def _number(value: Decimal) -> int | float | str:
    """Return a finite Decimal (the number type of DynamoDB) as a JSON number, or as a string if it is too large."""
    if value.adjusted() >= _MAX_DIGITS:
        return str(value)
    return int(value) if value == value.to_integral_value() else float(value)


def as_json(value: Any) -> Any:
    """Return a value in which values that JSON lacks are replaced as in `json_text`."""
    if isinstance(value, dict):
        return {str(key): as_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(member) for member in value]
    return value if isinstance(value, _SCALARS) else _odd_value(value)


MAX_LEVELS = 200
"""The deepest nesting of containers in a native value, the same as for JSON texts."""
MAX_VALUES = 500_000
"""The most values in one message, or in another member of a request; a shared value counts each time."""


def plain(value: Any) -> Any:
    """Return a copy of a native value in which mappings and SDK objects are dicts, and tuples are lists.

    Enum members become their values, as in dumps of SDK objects, and finite Decimals become numbers.

    Raises:
        ValueError: it is nested deeper than `MAX_LEVELS`, has more than `MAX_VALUES`, or contains itself.
    """
    return _Copier().copy(value, 0)


class _Copier:
    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def copy(self, value: Any, level: int) -> Any:
        if type(value) in _SCALARS:
            return value
        if type(value) is dict or isinstance(value, Mapping):  # the first test is fast and usually true
            self._count(value, level)
            return {key: self.copy(item, level + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            self._count(value, level)
            return [self.copy(item, level + 1) for item in value]
        if is_dumpable(value):  # without nulls, which are in responses but may be invalid in requests
            return self.copy(dumped(value, mode="json", by_alias=True, exclude_none=True), level)
        if isinstance(value, Enum):
            return value.value
        return _number(value) if isinstance(value, Decimal) and value.is_finite() else value

    def _count(self, container: Sized, level: int) -> None:
        self._left -= len(container)
        if level >= MAX_LEVELS:
            raise ValueError(f"a value is nested deeper than {MAX_LEVELS} levels, or contains itself")
        if self._left < 0:
            raise ValueError(f"there are more than {MAX_VALUES:,} values in one message")


def native_messages(native: object, shape: MessageShape) -> list[Native]:
    """Return copies of the messages in a list of messages or in a whole request.

    Raises:
        TypeError: they are not in a list, or one is neither a mapping nor an object with `model_dump()`.
        ValueError: one is nested too deeply or too large (see `plain`).
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


def as_list(content: object) -> list[Any]:
    """Return content as a list of blocks: a list unchanged, null as an empty list, any other value as one block."""
    if isinstance(content, list):
        return content
    return [] if content is None else [content]


def text_or_none(value: object) -> str | None:
    """Return the value if it is a non-empty string, else None: an empty id is not an id."""
    return value if isinstance(value, str) and value else None


def without(message: Mapping[str, Any], *keys: str) -> Native:
    """Return a deep copy of a message without some members."""
    return deepcopy({k: v for k, v in message.items() if k not in keys})


def cache_mark(point: CachePoint, kind: str = "ephemeral") -> Native:
    """Return the native object that marks a cache point."""
    return {"type": kind} | ({"ttl": point.ttl} if point.ttl else {})


_TEXT_MEMBERS = frozenset({"type", "text", "refusal", "cache_control"})
"""The members that may be read of a text part."""


class Decoding:
    """The conversion of native messages to a transcript: the provider's facts, and the codec of names and ids."""

    def __init__(self, wire: Wire, codec: Codec | None = None) -> None:
        self.wire = wire
        self.codec = codec or codec_for(wire.provider)

    def source(self, value: Any, kind: str = "") -> Source:
        """Return the source for a native value; `kind` is the key in `MessageShape.reads` for its members."""
        reads = self.wire.messages.reads.get(kind, frozenset())
        return Source(self.wire.provider, value, unread(value, reads))

    def part(self, part: Native, native: Any = None) -> Text | Media | None:
        """Return the text or media in a part that has a type; `native` replaces the part as the source's value."""
        kind = str(part.get("type"))
        text, reads = part.get("refusal" if kind == "refusal" else "text"), self.wire.messages.reads.get(kind)
        if reads is None or not isinstance(text, str) or not reads <= _TEXT_MEMBERS:
            return self.media(part, native)
        source = Source(self.wire.provider, part if native is None else native, unread(part, reads))
        return Text(text, source, cache=self.cache_point(part))

    def media(self, block: Native, native: Any = None) -> Media | None:
        """Return the media in a block, or None; `native` replaces the block as the source's value."""
        for form in self.wire.messages.media:
            fields = form.read(block)
            if fields is not None:
                mark = {"cache_control"} & self.wire.messages.reads.keys()
                left = unread(block, form.reads | mark)
                source = Source(self.wire.provider, block if native is None else native, left)
                return Media(**fields, source=source, cache=self.cache_point(block))
        return None

    def opaque(self, value: Any) -> Opaque:
        """Return the block for a native value that has no neutral form."""
        return Opaque(self.wire.provider, value)

    def role_of(self, message: Native) -> Role:
        """Return the neutral role of a message; a role that the API does not have becomes `user`."""
        role = message.get(self.wire.messages.role_key)
        return self.wire.messages.roles.get(role, "user") if isinstance(role, str) else "user"

    def call(
        self,
        members: Mapping[str, Any],
        payload: Any,
        source: Source,
        *,
        kind: str = "function",
        cache: CachePoint | None = None,
    ) -> ToolCall:
        """Return the call with these native members."""
        id = self._id(members.get(self.wire.calls.id_key))
        namespace = text_or_none(members.get("namespace"))
        name = self.name(members) or ""
        return ToolCall(id, name, payload, source, kind=kind, namespace=namespace, cache=cache)

    def result(
        self,
        members: Mapping[str, Any],
        content: tuple[Text | Json | Media | Opaque, ...],
        source: Source,
        *,
        is_error: bool | None = None,
        named: bool = False,
        kind: str = "function",
        cache: CachePoint | None = None,
    ) -> ToolResult:
        """Return the result with these native members, with its tool's name if `named`."""
        id = self._id(members.get(self.wire.calls.result_id_key))
        name = self._name(members.get("name")) if named else None
        return ToolResult(id, content, is_error, name, source, kind=kind, cache=cache)

    def payload(self, members: Mapping[str, Any], sent: Any) -> Any:
        """Return the payload from the arguments `sent` in a call with these native members."""
        return self.codec.decode_input(sent, self.name(members))

    def name(self, members: Mapping[str, Any]) -> str | None:
        """Return the tool's name in a call with these native members."""
        return self._name(members.get("name"), text_or_none(members.get("namespace")))

    def cache_point(self, members: Mapping[str, Any]) -> CachePoint | None:
        """Return the cache point in the members of a block or a message, or None."""
        mark = members.get("cache_control")
        if not isinstance(mark, dict) or "cache_control" not in self.wire.messages.reads:
            return None
        return CachePoint(text_or_none(mark.get("ttl")), self.source(mark, "cache_control"))

    def _id(self, value: object) -> str | None:
        id = text_or_none(value)
        return None if id is None else self.codec.decode_id(id)

    def _name(self, value: object, namespace: str | None = None) -> str | None:
        return self.codec.decode_name(value, namespace) if isinstance(value, str) else None
