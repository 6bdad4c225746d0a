"""Native messages as plain values, and reading them into the transcript."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from copy import deepcopy
from decimal import Decimal
from enum import Enum
from typing import Any

from toolgen_runtime.providers.shared.messages.media import to_base64
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.shapes import MessageShape
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import (
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
    """Return whether a value is an object that can be dumped, and not a class of such."""
    return not isinstance(value, type) and callable(getattr(value, "model_dump", None))


def dumped(value: object, **options: Any) -> Any:
    """Return what the object dumps, with pydantic's options where it knows them."""
    dump: Any = getattr(value, "model_dump")  # noqa: B009  any object may have it
    try:
        return dump(warnings=False, **options)
    except TypeError:  # not pydantic's
        return dump()


def unread(value: Any, reads: Collection[str]) -> tuple[str, ...]:
    """Return the members of a value, as dotted paths, that are not among `reads` and say something.

    A wire says which members its decoder reads (`MessageShape.reads`, `ToolShape.reads`). Whatever else there is, a
    member that a provider adds tomorrow included, goes back to its own provider and is a diagnostic to another.

    A path of `reads` stands for all that is below it, and leads through the items of a list. Null and what is
    empty say nothing.
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
            if isinstance(item, Mapping):  # else it is a short form: a URL for an object with one
                yield from _unread(item, reads, f"{path}.")


Native = dict[str, Any]


def is_native(node: Turn | Block, provider: str) -> bool:
    """Return whether the node was read from this provider's form."""
    if isinstance(node, Opaque):
        return node.provider == provider
    return node.source is not None and node.source.provider == provider


def rest_of(turn: Turn, provider: str) -> Native | None:
    """Return a copy of the native message that a turn was read from, without its content; None if not native."""
    return deepcopy(turn.source.value) if turn.source is not None and is_native(turn, provider) else None


def same(one: object, other: object) -> bool:
    """Equality that tells 1 from 1.0 from True."""
    return one == other and repr(one) == repr(other)


_SCALARS = (str, int, float, bool, type(None))
_MAX_DIGITS = 300
"""Digits of whole numbers that are written out."""


def json_text(value: Any) -> str:
    """Return a JSON value as compact text; what JSON has not is written as its own text, bytes as base64."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_odd_value)
    except TypeError:  # a key that is not a text, a number or null
        return json.dumps(as_json(value), ensure_ascii=False, separators=(",", ":"))


def _odd_value(value: object) -> str | int | float:
    if isinstance(value, Decimal) and value.is_finite():
        return _number(value)
    return to_base64(value) if isinstance(value, bytes) else str(value)


def _number(value: Decimal) -> int | float | str:
    """Return a finite Decimal, as which DynamoDB keeps numbers, as a number of JSON; one too large as a text."""
    if value.adjusted() >= _MAX_DIGITS:
        return str(value)
    return int(value) if value == value.to_integral_value() else float(value)


def as_json(value: Any) -> Any:
    """Return a value with what JSON has not as `json_text` writes it."""
    if isinstance(value, dict):
        return {str(key): as_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(member) for member in value]
    return value if isinstance(value, _SCALARS) else _odd_value(value)


MAX_LEVELS = 200
"""Levels of containers in a native value; JSON texts are read to as many."""
MAX_VALUES = 500_000
"""Values in one message, or in what else stands in a request; one that is shared counts each time."""


def plain(value: Any) -> Any:
    """Return a copy of a native value in dicts and lists, which mappings, tuples and SDK objects become.

    Members of enums become their values, as in SDK objects' dumps, and finite Decimals numbers.

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
        if type(value) is dict or isinstance(value, Mapping):  # the first is quick, and the rule
            self._count(value, level)
            return {key: self.copy(item, level + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            self._count(value, level)
            return [self.copy(item, level + 1) for item in value]
        if is_dumpable(value):  # without nulls, which responses have and requests may not
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
    """Return copies of the messages of a list of them, or of a whole request.

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
    """Content as a list of blocks: itself, nothing for null, anything else as the one block of it."""
    if isinstance(content, list):
        return content
    return [] if content is None else [content]


def text_or_none(value: object) -> str | None:
    """Return a text that is not empty, else None: an empty id is not an id."""
    return value if isinstance(value, str) and value else None


def without(message: Mapping[str, Any], *keys: str) -> Native:
    """Return a deep copy of a message without some members."""
    return deepcopy({k: v for k, v in message.items() if k not in keys})


def cache_mark(point: CachePoint, kind: str = "ephemeral") -> Native:
    """Return the object that says where a cache point is."""
    return {"type": kind} | ({"ttl": point.ttl} if point.ttl else {})


_TEXT_MEMBERS = frozenset({"type", "text", "refusal", "cache_control"})
"""What may be read of a part that is a text."""


class Decoding:
    """Native messages on their way into the transcript: their provider's facts and the codec of its names."""

    def __init__(self, wire: Wire, codec: Codec | None = None) -> None:
        self.wire = wire
        self.codec = codec or codec_for(wire.provider)

    def source(self, value: Any, kind: str = "") -> Source:
        """Return what remembers the native value of a node; `kind` says what is read of it (`MessageShape.reads`)."""
        reads = self.wire.messages.reads.get(kind, frozenset())
        return Source(self.wire.provider, value, unread(value, reads))

    def part(self, part: Native, native: Any = None) -> Text | Media | None:
        """Return the text or the media in a part that has a type; `native` is what is remembered of it."""
        kind = str(part.get("type"))
        text, reads = part.get("refusal" if kind == "refusal" else "text"), self.wire.messages.reads.get(kind)
        if reads is None or not isinstance(text, str) or not reads <= _TEXT_MEMBERS:
            return self.media(part, native)
        source = Source(self.wire.provider, part if native is None else native, unread(part, reads))
        return Text(text, source, cache=self.cache_point(part))

    def media(self, block: Native, native: Any = None) -> Media | None:
        """Return the media in a block, None if it has none that are known; `native` is what is remembered of it."""
        for form in self.wire.messages.media:
            fields = form.read(block)
            if fields is not None:
                mark = {"cache_control"} & self.wire.messages.reads.keys()
                left = unread(block, form.reads | mark)
                source = Source(self.wire.provider, block if native is None else native, left)
                return Media(**fields, source=source, cache=self.cache_point(block))
        return None

    def opaque(self, value: Any) -> Opaque:
        """Return the block for a native value that has no neutral meaning."""
        return Opaque(self.wire.provider, value)

    def role_of(self, message: Native) -> Role:
        """Return the neutral role of a message; one that the API does not have is taken for the user's."""
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
        """Return the call with these members."""
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
        """Return the result with these members, with its tool's name if it is `named`."""
        id = self._id(members.get(self.wire.calls.result_id_key))
        name = self._name(members.get("name")) if named else None
        return ToolResult(id, content, is_error, name, source, kind=kind, cache=cache)

    def payload(self, members: Mapping[str, Any], sent: Any) -> Any:
        """Return the payload that the arguments of a call with these members stand for."""
        return self.codec.decode_input(sent, self.name(members))

    def name(self, members: Mapping[str, Any]) -> str | None:
        """Return the name of the tool that a call with these members is of."""
        return self._name(members.get("name"), text_or_none(members.get("namespace")))

    def cache_point(self, members: Mapping[str, Any]) -> CachePoint | None:
        """Return the cache point after a block or a message that is marked with one."""
        mark = members.get("cache_control")
        if not isinstance(mark, dict) or "cache_control" not in self.wire.messages.reads:
            return None
        return CachePoint(text_or_none(mark.get("ttl")), self.source(mark, "cache_control"))

    def _id(self, value: object) -> str | None:
        id = text_or_none(value)
        return None if id is None else self.codec.decode_id(id)

    def _name(self, value: object, namespace: str | None = None) -> str | None:
        return self.codec.decode_name(value, namespace) if isinstance(value, str) else None
