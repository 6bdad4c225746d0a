"""A message while it is assembled from a stream.

It holds the native blocks by position. They are decoded and checked when the stream has ended.

Blocks are parsed only at the end, because only then is it known whether the message is complete. A block's stop event
also comes if the model has reached its token limit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen_runtime.validation.json_text import read as read_json
from toolgen_transcripts.codec.members import JsonObject, Native, Path, text_or_none, without, without_nulls
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.wire import Wire, stop_reason
from toolgen_transcripts.streams.result import Delta, DeltaKind, Place, StreamError

TextKind = Literal["text", "reasoning"]
BlockKind = TextKind | Literal["call", "native"]
"""The kinds of blocks. `native` is content that is neither displayed nor run and goes back to the provider unchanged.
"""


def as_mapping(value: object) -> Native:
    """Return a value if it is a dict; otherwise return an empty dict."""
    if isinstance(value, dict):
        return value
    return {}


def mapping(part: JsonObject, key: str) -> Native:
    """Return the dict under a key; an empty dict if there is none. An event may lack any of its fields."""
    return as_mapping(part.get(key))


def rows(part: JsonObject, key: str) -> list[Native]:
    """Return the dicts in the list under a key; an empty list if there is none."""
    value = part.get(key)
    if isinstance(value, list):
        return [row for row in value if isinstance(row, dict)]
    return []


def words(part: JsonObject, key: str) -> str:
    """Return the string under a key; an empty string if there is none."""
    value = part.get(key)
    if isinstance(value, str):
        return value
    return ""


def number(part: JsonObject, key: str) -> int | None:
    """Return the integer under a key; None if there is none."""
    value = part.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return None


class _Pieces:
    """A text in pieces, joined only at the end, because joining after each piece would take quadratic time."""

    __slots__ = ("parts",)

    def __init__(self, first: object) -> None:
        self.parts: list[str] = [first] if isinstance(first, str) else []


@dataclass(slots=True, eq=False)
class Block:
    """A block while it is assembled, in the provider's format (`native`).

    `arguments` are the pieces of a call's arguments text, or None if the API sends an object. `cut` is the reason why
    the block cannot be complete. `id` and `name` are those of a call, for deltas.
    """

    place: Place
    kind: BlockKind
    native: Native
    arguments: list[str] | None = None
    closed: bool = False
    cut: str = ""
    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    _grown: list[tuple[Native, str]] = field(default_factory=list)

    def inside(self, *path: str) -> Native:
        """Return the object at a path in the block, which is created if it is missing."""
        here = self.native
        for step in path:
            if not isinstance(here.get(step), dict):
                here[step] = {}
            here = here[step]
        return here

    def listed(self, holder: Native, key: str) -> list[Any]:
        """Return the list under a key of the block, which is created if it is missing."""
        found = holder.get(key)
        if not isinstance(found, list):
            found = holder[key] = []
        return found

    def grow(self, holder: Native, key: str, text: str) -> None:
        """Append a piece of text to a field of `holder`, which is the block or an object inside it."""
        pieces = holder.get(key)
        if not isinstance(pieces, _Pieces):
            pieces = holder[key] = _Pieces(pieces)
            self._grown.append((holder, key))
        pieces.parts.append(text)

    def extend(self, holder: Native, more: Native) -> None:
        """Add fields to an object: append to strings and lists, merge objects, and replace other values."""
        for key, value in more.items():
            was = holder.get(key)
            if (
                isinstance(value, str)
                and (was is None or isinstance(was, str | _Pieces))
                and key not in _ONCE
            ):
                self.grow(holder, key, value)
            elif isinstance(value, list) and isinstance(was, list):
                was.extend(value)
            elif isinstance(value, dict) and isinstance(was, dict):
                self.extend(was, value)
            elif value is not None and (value != "" or not was):
                holder[key] = value  # DashScope and Mistral repeat `id` and `name` as empty strings

    def add_row(self, listed: list[Any], row: Native) -> None:
        """Append an object to a list. If it continues the last one, extend that one instead."""
        last = as_mapping(listed[-1]) if listed else {}
        if not _goes_on(last, row):
            listed.append(row)
        elif isinstance(row.get("thinking"), list) and isinstance(last.get("thinking"), list):
            for part in rows(row, "thinking"):  # Mistral sends `thinking` as a list of text parts
                self.add_row(last["thinking"], part)
        else:
            self.extend(last, row)

    def join(self) -> None:
        """Join the texts that have arrived in pieces."""
        for holder, key in self._grown:
            if isinstance(pieces := holder.get(key), _Pieces):
                holder[key] = "".join(pieces.parts)
        self._grown.clear()

    def is_empty(self) -> bool:
        """Return whether the block is text or reasoning that has no content."""
        said = without(self.native, "type").values()
        return self.kind in ("text", "reasoning") and all(value in (None, "", [], {}) for value in said)


_ONCE = frozenset({"id", "type", "index", "name", "format", "role", "language", "server_name", "search_type"})
"""Fields that each piece may repeat; their strings are replaced and not appended to."""


_TEXTS = ("text", "thinking", "summary", "signature")
"""The fields in which a row continues the last one; a row is a part of the content or a detail of the reasoning."""


_LABELS = ("type", "index", "id")


def _goes_on(last: Native, row: Native) -> bool:
    """Return whether a row continues the last one. A row with a signature is never continued."""
    is_same = all(row.get(key) in (None, last.get(key)) for key in _LABELS)
    begun = {*without(last, *_LABELS), "signature"}
    if len(begun) == 1:
        begun = {*_TEXTS}
    texts = [key for key in _TEXTS if row.get(key) is not None and key in begun]
    return bool(last and is_same and texts) and not last.get("signature")


@dataclass(eq=False)
class Message(ABC):
    """A message while it is assembled. Each kind of event has a method.

    Each provider has a subclass, which reads the events (`take`) and knows the form of the whole message.
    """

    wire: Wire
    codec: Codec
    blocks: dict[Place, Block] = field(default_factory=dict)
    deltas: list[Delta] = field(default_factory=list)
    stop_reason: str | None = None
    error: Exception | None = None
    skipped: dict[str, None] = field(default_factory=dict)
    metadata: Native = field(default_factory=dict)
    usage: JsonObject | None = None
    _started: bool = False
    _ended: bool = False
    _damage: str = ""

    @abstractmethod
    def take(self, event: Native) -> None:
        """Add one event, which is a copy that may be kept."""

    def settle(self, block: Block) -> bool:
        """Convert a block to the form that it has in a complete message. Return False if it is empty."""
        shape = self.wire.calls
        if block.arguments is not None:
            holder = block.native
            if shape.call_key:
                holder = block.inside(shape.call_key)
            text = "".join(block.arguments)
            if text:
                payload, issues = read_json(text)
                holder[shape.input_key] = text if issues or isinstance(payload, str) else payload
            else:
                holder.setdefault(shape.input_key, {})
        return not block.is_empty()

    def native_messages(self, blocks: list[Block]) -> list[Native]:
        """Return the message in the provider's format, as a list that is empty if there are no blocks."""
        shape, native = self.wire.messages, [block.native for block in blocks]
        if shape.item_key or not native:
            return native
        return [{"role": shape.role_of("assistant"), shape.content_key: native}]

    def start(self) -> None:
        """Record that the message has started. If that happens twice, the message is damaged."""
        if self._started:
            self.damaged("a second message started in the stream")
        self._started = True

    def stop(self, reason: object) -> None:
        """Record why the model has stopped, if an event says so."""
        if reason is not None:
            self.stop_reason = stop_reason(reason)

    def end(self) -> None:
        """Record that the message has ended. If content follows, the message is damaged."""
        self._ended = True

    def sent_error(self, error: object, *keys: str, default: str = "error") -> None:
        """Record an error that arrived as an event. Its code is the first non-empty field of `keys`."""
        said = as_mapping(error)
        code = next(
            (said[key] for key in keys if isinstance(said.get(key), str | int) and said[key]), default
        )
        self.failed(StreamError(str(code), words(said, "message")))

    def failed(self, error: Exception) -> None:
        """Record the first error that the stream raised or sent."""
        self.error = self.error or error

    def damaged(self, why: str) -> None:
        """Record the first reason why the message is damaged. None of its calls may then be run."""
        self._damage = self._damage or why

    def skip(self, kind: object) -> None:
        """Record that the message has content of a kind that toolgen does not read."""
        self.skipped[kind if isinstance(kind, str) else type(kind).__name__] = None

    def note(self, fields: JsonObject, read: Collection[str] = ()) -> None:
        """Record other data about the message that the provider sent.

        Empty values and the keys in `read` are left out.
        """
        said = without(fields, *read)
        self.metadata |= {key: value for key, value in said.items() if value not in (None, "", [], {})}

    def is_over(self) -> bool:
        """Return whether the message has ended already. If so, it is damaged, because content came after its
        end.
        """
        if self._ended:
            self.damaged(f"content came after {self.wire.stream.end}")
        return self._ended

    def at(self, place: Place, kind: BlockKind, native: JsonObject | None = None) -> Block | None:
        """Return the block with this number, or create it from `native`.

        Return None if nothing can be added.
        """
        if self.is_over():
            return None
        block = self.blocks.get(place)
        if block is None:
            block = self.blocks[place] = Block(place, kind, without_nulls(native or {}))
        elif block.kind not in (kind, "native"):
            self.damaged(f"a piece of {kind} came for a {block.kind} block")
            return None
        if block.closed:
            self.cut(place, "a fragment came after its block had ended")
        return block

    def native(self, place: Place, native: JsonObject, kind: object) -> None:
        """Start a block of a kind that toolgen does not read."""
        if self.at(place, "native", native) is not None:
            self.skip(kind)

    def show(self, kind: DeltaKind, place: Place, text: str) -> None:
        """Add a delta that shows a piece of text or reasoning."""
        if text:
            self.deltas.append(Delta(kind, place, text))

    def call(
        self, place: Place, native: JsonObject, id: object, name: object, namespace: object = None
    ) -> None:
        """Start a call."""
        if place in self.blocks:
            self.cut(place, "its block was started twice")
            return
        block = self.at(place, "call", native)
        if block is not None:
            block.id, block.name, block.namespace = map(text_or_none, (id, name, namespace))
            self._show_call("call", block)

    def arguments(self, place: Place, fragment: object, native: JsonObject | None = None) -> None:
        """Append a piece of text to the arguments of a call. If the call has not started, it starts with the
        block `native`.
        """
        block = self.at(place, "call", native)
        if block is None:
            return
        if block.arguments is None:
            block.arguments = []
        if not isinstance(fragment, str):
            self.cut(place, "a fragment of its arguments is missing")
        elif fragment:
            block.arguments.append(fragment)
            self.show_arguments(place, fragment)

    def add_text(
        self,
        place: Place,
        kind: TextKind,
        key: str,
        text: str,
        native: JsonObject | None = None,
        inside: Path = (),
    ) -> None:
        """Append a piece of text to a field of a block, and show it unless it belongs to a signature.

        If there is no block at this place, start it with `native`. The key is in the object at the path `inside`.
        """
        block = self.at(place, kind, native) if text else None
        if block is not None:
            block.grow(block.inside(*inside), key, text)
            if key != "signature" and block.kind == kind:
                self.show(kind, place, text)

    def show_arguments(self, place: Place, text: str) -> None:
        """Add a delta that shows a piece of a call's arguments."""
        if text and place in self.blocks and self.blocks[place].kind == "call":
            self._show_call("arguments", self.blocks[place], text)

    def close(self, place: Place) -> None:
        """End the block with this number."""
        if place in self.blocks:
            self.blocks[place].closed = True

    def cut(self, place: Place, why: str) -> None:
        """Record why the block with this number, if there is one, must be incomplete."""
        if place in self.blocks:
            self.blocks[place].cut = self.blocks[place].cut or why

    def why_cut(self) -> str:
        """Return why the message may be incomplete; an empty string if it is complete."""
        if self.error is not None:
            return f"the stream broke off with {_described(self.error)}"
        if self._damage:
            return self._damage
        if not self._ended:
            return f"the stream ended without {self.wire.stream.end}"
        return self.wire.why_cut(self.stop_reason)

    def why_block_cut(self, block: Block) -> str:
        """Return why a block may be incomplete; an empty string if it is complete."""
        end = self.wire.stream.block_end
        return block.cut or (f"its block ended without {end}" if end and not block.closed else "")

    def _show_call(self, kind: DeltaKind, block: Block, text: str = "") -> None:
        id = block.id and self.codec.decode_id(block.id)
        name = block.name and self.codec.decode_name(block.name, block.namespace)
        self.deltas.append(Delta(kind, block.place, text, id, name))


class BlockMessage(Message):
    """A message whose events each belong to one numbered block."""

    def block_event(self, kind: str, event: Native) -> None:
        """Process an event that starts, continues or ends a block."""
        form = self.wire.stream
        index = number(event, form.index_key)
        if index is None:
            self.damaged(f"a {kind} came without its {form.index_key}")
        elif kind.lower().endswith("start"):
            self.block_start((index,), mapping(event, form.start_key))
        elif kind.lower().endswith("delta"):
            self.block_delta((index,), mapping(event, "delta"))
        elif kind == form.block_end:
            self.block_stop((index,))
        else:
            self.skip(kind)

    @abstractmethod
    def block_start(self, place: Place, block: Native) -> None:
        """Start a block."""

    @abstractmethod
    def block_delta(self, place: Place, delta: Native) -> None:
        """Add a piece to a block that has started."""

    def block_stop(self, place: Place) -> None:
        """End a block."""
        self.close(place)


def _described(error: Exception) -> str:
    """Return the class and the code of an error, without its text, which may quote the response."""
    code = getattr(error, "code", None)
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore's ClientError and similar ones
        code = mapping(response, "Error").get("Code", code)
    name = type(error).__name__
    if isinstance(code, str) and code:
        return f"{name} ({code[:60]})"
    return name
