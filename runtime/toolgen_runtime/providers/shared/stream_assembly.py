"""The message under assembly: native blocks by their place, decoded and judged when the stream is over.

Nothing is parsed before the end, because only the end tells whether all of it arrived: a block's own stop
also comes when the model ran into its token limit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

from toolgen_runtime.providers.shared.messages.native import text_or_none
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.stream_result import Delta, DeltaKind, Place, StreamError
from toolgen_runtime.providers.shared.wire import Wire, stop_reason

BlockKind = Literal["text", "reasoning", "call", "native"]
"""`native` is any content that is neither shown nor run here: it goes back as the provider has it."""


def mapping(value: object) -> dict[str, Any]:
    """Return the value if it is a mapping, else an empty one: an event may lack any of its parts."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> Iterator[dict[str, Any]]:
    """Yield the mappings of a list; none if it is not a list."""
    if isinstance(value, list):
        yield from (row for row in value if isinstance(row, dict))


def words(part: Mapping[str, Any], key: str) -> str:
    """Return the text under a key; `""` where there is none."""
    value = part.get(key)
    return value if isinstance(value, str) else ""


def number(part: Mapping[str, Any], key: str) -> int | None:
    """Return the whole number under a key, None where there is none."""
    value = part.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class _Pieces:
    """A text that comes in pieces. It stays in pieces until the end: joining it for each would be quadratic."""

    __slots__ = ("parts",)

    def __init__(self, first: object) -> None:
        self.parts: list[str] = [first] if isinstance(first, str) else []


class Block:
    """The block as the provider has it, and how its assembly went.

    `arguments` are the pieces of a call's arguments text, None where the API sends an object. `cut` says why
    the block cannot be whole. `id` and `name` are a call's, for deltas.
    """

    __slots__ = ("_grown", "arguments", "closed", "cut", "id", "kind", "name", "namespace", "native", "place")

    def __init__(self, place: Place, kind: BlockKind, native: dict[str, Any]) -> None:
        self.place = place
        self.kind: BlockKind = kind
        self.native = native
        self.arguments: list[str] | None = None
        self.closed = False
        self.cut = ""
        self.id: str | None = None
        self.name: str | None = None
        self.namespace: str | None = None
        self._grown: list[tuple[dict[str, Any], str]] = []

    def inside(self, *path: str) -> dict[str, Any]:
        """Return the object at a path of the native form, made if there is none."""
        here = self.native
        for step in path:
            if not isinstance(here.get(step), dict):
                here[step] = {}
            here = here[step]
        return here

    def listed(self, holder: dict[str, Any], key: str) -> list[Any]:
        """Return the list under a key, made if there is none."""
        if not isinstance(holder.get(key), list):
            holder[key] = []
        found: list[Any] = holder[key]
        return found

    def grow(self, holder: dict[str, Any], key: str, text: str) -> None:
        """Add a piece to the text of a member; `holder` is the native form or an object in it."""
        pieces = holder.get(key)
        if not isinstance(pieces, _Pieces):
            pieces = holder[key] = _Pieces(pieces)
            self._grown.append((holder, key))
        pieces.parts.append(text)

    def extend(self, holder: dict[str, Any], more: dict[str, Any]) -> None:
        """Add members of any kind: texts and lists go on, other values are replaced."""
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
            elif value is not None:
                holder[key] = value

    def add_row(self, listed: list[Any], row: dict[str, Any]) -> None:
        """Add a row to a list: its text goes on with that of the last row if it is of the same part."""
        last = listed[-1] if listed and isinstance(listed[-1], dict) else {}
        if not _goes_on(last, row):
            listed.append(row)
        elif isinstance(row.get("thinking"), list) and isinstance(last.get("thinking"), list):
            for part in rows(row["thinking"]):  # Mistral's is a list of texts
                self.add_row(last["thinking"], part)
        else:
            self.extend(last, row)

    def join(self) -> None:
        """Join the texts that came in pieces."""
        for holder, key in self._grown:
            if isinstance(pieces := holder.get(key), _Pieces):
                holder[key] = "".join(pieces.parts)
        self._grown.clear()

    def is_empty(self) -> bool:
        """Return whether it is a text or reasoning that says nothing."""
        said = (value for key, value in self.native.items() if key != "type")
        return self.kind in ("text", "reasoning") and all(value in (None, "", [], {}) for value in said)


_ONCE = frozenset({"id", "type", "index", "name", "format", "role", "language", "server_name", "search_type"})
"""Members that a piece repeats and never continues."""


_TEXTS = ("text", "thinking", "summary", "signature")
"""The members in which a row of a list goes on: a part of the content, a detail of the reasoning."""


def _goes_on(last: dict[str, Any], row: dict[str, Any]) -> bool:
    """Return whether a row continues the last one: a signature ends what it signs."""
    is_same = all(row.get(key) in (None, last.get(key)) for key in ("type", "index", "id"))
    begun = {*last, "signature"} if last.keys() - {"type", "index", "id"} else {*_TEXTS}
    texts = [key for key in _TEXTS if row.get(key) is not None and key in begun]
    return bool(last and is_same and texts) and not last.get("signature")


class Message:
    """What a reader tells of its provider's events, one method a fact."""

    def __init__(self, wire: Wire, codec: Codec) -> None:
        self._wire = wire
        self._codec = codec
        self.blocks: dict[Place, Block] = {}
        self.deltas: list[Delta] = []
        self._started = self._ended = False
        self._damage = ""
        self.stop_reason: str | None = None
        self.error: Exception | None = None
        self.skipped: dict[str, None] = {}
        self.metadata: dict[str, Any] = {}
        self.usage: Mapping[str, Any] | None = None

    def start(self) -> None:
        """Start the message, which can only be done once."""
        if self._started:
            self.damaged("a second message started in the stream")
        self._started = True

    def stop(self, reason: object) -> None:
        """Note the reason for which the model stopped."""
        self.stop_reason = stop_reason(reason)

    def end(self) -> None:
        """End the message: nothing more is to come."""
        self._ended = True

    def sent_error(self, error: object, *keys: str, default: str = "error") -> None:
        """Note an error that came as an event; its code is in the first of some members."""
        said = mapping(error)
        code = next(
            (said[key] for key in keys if isinstance(said.get(key), str | int) and said[key]), default
        )
        self.failed(StreamError(str(code), words(said, "message")))

    def failed(self, error: Exception) -> None:
        """Note an error that the stream raised or sent; the first one counts."""
        self.error = self.error or error

    def damaged(self, why: str) -> None:
        """Note that something cannot be placed, so that the message cannot be relied on."""
        self._damage = self._damage or why

    def skip(self, kind: object) -> None:
        """Note a kind of content that is not read."""
        self.skipped[kind if isinstance(kind, str) else type(kind).__name__] = None

    def note(self, fields: Mapping[str, Any], read: Collection[str] = ()) -> None:
        """Note what the provider says about the message beside what is read; null or empty says nothing."""
        said = {key: value for key, value in fields.items() if key not in read}
        self.metadata |= {key: value for key, value in said.items() if value not in (None, "", [], {})}

    def is_over(self) -> bool:
        """Return whether the message has ended, so that nothing may be added; it cannot be relied on then."""
        if self._ended:
            self.damaged(f"content came after {self._wire.stream.end}")
        return self._ended

    def at(self, place: Place, kind: BlockKind, native: Mapping[str, Any] | None = None) -> Block | None:
        """Return the block at this place, made of `native` if need be; None where nothing can be added."""
        if self.is_over():
            return None
        block = self.blocks.get(place)
        if block is None:
            block = self.blocks[place] = Block(
                place, kind, {k: v for k, v in (native or {}).items() if v is not None}
            )
        elif block.kind not in (kind, "native"):
            self.damaged(f"a piece of {kind} came for a {block.kind} block")
            return None
        if block.closed:
            self.cut(place, "a fragment came after its block had ended")
        return block

    def native(self, place: Place, native: Mapping[str, Any], kind: object) -> None:
        """Start a block that is not read here."""
        if self.at(place, "native", native) is not None:
            self.skip(kind)

    def show(self, kind: DeltaKind, place: Place, text: str) -> None:
        """Show a piece of text or reasoning."""
        if text:
            self.deltas.append(Delta(kind, place, text))

    def call(
        self, place: Place, native: Mapping[str, Any], id: object, name: object, namespace: object = None
    ) -> None:
        """Start a call."""
        if place in self.blocks:
            self.cut(place, "its block was started twice")
            return
        block = self.at(place, "call", native)
        if block is not None:
            block.id, block.name, block.namespace = map(text_or_none, (id, name, namespace))
            self._show_call("call", place, block)

    def arguments(self, place: Place, fragment: object, native: Mapping[str, Any] | None = None) -> None:
        """Add a piece of a call's arguments text; `native` is the call if it has not started."""
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

    def show_arguments(self, place: Place, text: str) -> None:
        """Show a piece of a call's arguments text."""
        if text and place in self.blocks and self.blocks[place].kind == "call":
            self._show_call("arguments", place, self.blocks[place], text)

    def close(self, place: Place) -> None:
        """End the block at this place."""
        if place in self.blocks:
            self.blocks[place].closed = True

    def cut(self, place: Place, why: str) -> None:
        """Note that the block at this place, if there is one, cannot be whole."""
        if place in self.blocks:
            self.blocks[place].cut = self.blocks[place].cut or why

    def why_cut(self) -> str:
        """Return why the message cannot be relied on to be all there; `""` if it can."""
        if self.error is not None:
            return f"the stream broke off with {_described(self.error)}"
        if self._damage:
            return self._damage
        if not self._ended:
            return f"the stream ended without {self._wire.stream.end}"
        return self._wire.why_cut(self.stop_reason)

    def why_block_cut(self, block: Block) -> str:
        """Return why a block cannot be whole; `""` if it can."""
        end = self._wire.stream.block_end
        return block.cut or (f"its block ended without {end}" if end and not block.closed else "")

    def _show_call(self, kind: DeltaKind, place: Place, block: Block, text: str = "") -> None:
        id = block.id and self._codec.decode_id(block.id)
        name = block.name and self._codec.decode_name(block.name, block.namespace)
        self.deltas.append(Delta(kind, place, text, id, name))


def _described(error: Exception) -> str:
    """Return the error's class and, where it has one, its code; never its text, which may quote the response."""
    code = getattr(error, "code", None)
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore's ClientError and its kin
        code = mapping(response.get("Error")).get("Code", code)
    name = type(error).__name__
    return f"{name} ({code[:60]})" if isinstance(code, str) and code else name
