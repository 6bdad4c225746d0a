"""What the message codecs share: the encoding in progress, and a transcript made ready for a provider."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from toolgen_runtime.providers.shared.media import to_base64
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.sdk_objects import dumped, is_dumpable
from toolgen_runtime.providers.shared.tools import ProviderDiagnostic
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import (
    Block,
    Json,
    Media,
    Opaque,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
)

Native = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A transcript in a provider's form. `system` is what its request takes as such, None for nothing."""

    messages: list[Native]
    system: Any = None
    diagnostics: tuple[ProviderDiagnostic, ...] = ()


_Node = Text | Json | Media | Reasoning | ToolCall | ToolResult


def is_native(node: Turn | Block, provider: str) -> bool:
    """Whether the node was read from this provider's form."""
    if isinstance(node, Opaque):
        return node.provider == provider
    return node.source is not None and node.source.provider == provider


def rest_of(turn: Turn, provider: str) -> Native | None:
    """A copy of the native message that the turn was read from, without its content; None if it is not native."""
    return deepcopy(turn.source.value) if turn.source is not None and is_native(turn, provider) else None


def same(one: object, other: object) -> bool:
    """Equality that tells 1 from 1.0 from True."""
    return one == other and repr(one) == repr(other)


def json_text(value: Any) -> str:
    """A JSON value as compact text; what JSON has not is written as its own text, bytes as base64."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_odd_text)
    except TypeError:  # a key that is not a text, a number or null
        return json.dumps(
            _with_text_keys(value), ensure_ascii=False, separators=(",", ":"), default=_odd_text
        )


def _odd_text(value: object) -> str:
    return to_base64(value) if isinstance(value, bytes) else str(value)


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _with_text_keys(item) for key, item in value.items()}
    return [_with_text_keys(item) for item in value] if isinstance(value, list | tuple) else value


def plain(value: Any) -> Any:
    """A copy of a native value in dicts and lists: mappings, tuples and objects with `model_dump()` become such."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dumpable(value):  # without nulls, which responses have and requests may not
        return plain(dumped(value, mode="json", by_alias=True, exclude_none=True))
    return value


def native_messages(native: object, key: str) -> list[Native]:
    """Copies of the messages of a list of them, or of a request that has them under `key`.

    Raises:
        TypeError: they are not in a list, or one is neither a mapping nor an object with `model_dump()`.
    """
    found = native.get(key) if isinstance(native, Mapping) else native
    if found is None:
        return []
    if not isinstance(found, Sequence) or isinstance(found, str | bytes | bytearray):
        raise TypeError(
            f"messages are a list, or a request that has one as {key!r}, not {type(found).__name__}"
        )
    messages: list[Native] = []
    for index, message in enumerate(found):
        copied = plain(message)
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


def role_of(message: Native, roles: Mapping[str, Role]) -> Role:
    """The neutral role of a message; one that the API does not have is taken for the user's."""
    role = message.get("role")
    return roles.get(role, "user") if isinstance(role, str) else "user"


def text_or_none(value: object) -> str | None:
    """A text that says something, or None: an empty id is no id."""
    return value if isinstance(value, str) and value else None


def without(message: Mapping[str, Any], *keys: str) -> Native:
    """A deep copy of a message without some members."""
    return deepcopy({k: v for k, v in message.items() if k not in keys})


class Encoding:
    """One transcript on its way to a provider: its codec, the place being written, what was lost."""

    def __init__(self, wire: Wire, codec: Codec) -> None:
        self.wire = wire
        self.provider = wire.provider
        self.codec = codec
        self.diagnostics: list[ProviderDiagnostic] = []
        self.at = ""

    def lose(self, code: str, message: str, tool: str = "") -> None:
        """Note a loss at the place being written."""
        self.diagnostics.append(ProviderDiagnostic(code, message, tool, self.at))

    def verbatim(self, node: _Node, decode: Callable[[Any], Block | None]) -> Native | None:
        """The native value that the node came from, if it still says the same; ids and names do not count."""
        if node.source is None or node.source.provider != self.provider:
            return None
        was = decode(node.source.value)
        if isinstance(was, ToolCall) and isinstance(node, ToolCall):
            was = replace(was, id=node.id, name=node.name)
        if isinstance(was, ToolResult) and isinstance(node, ToolResult):
            was = replace(was, id=node.id, name=node.name)
        return deepcopy(node.source.value) if same(was, node) else None

    def dropped(self, block: Block) -> None:
        """Note that a block has no form here and was left out."""
        kind = type(block).__name__.lower()
        origin = f" of {block.provider}" if isinstance(block, Opaque) else ""
        self.lose(f"{kind}-dropped", f"{self.provider} has no form for this {kind} block{origin}: left out")

    def stand_in(self, media: Media) -> str:
        """Note that media has no form here; the text that stands for it."""
        self.lose(
            "media-dropped", f"{self.provider} cannot take this {media.kind} here: named in text instead"
        )
        return f"[{media.kind} omitted{': ' + media.name if media.name else ''}]"

    def id(self, id: str | None) -> str | None:
        """A call's id in the provider's form."""
        return None if id is None else self.codec.encode_id(id)

    def done(self, messages: list[Native], system: Any = None) -> Encoded:
        """The result."""
        return Encoded(messages, system, tuple(self.diagnostics))


Indexed = list[tuple[int, Turn]]


def _merge(turns: Indexed, wire: Wire) -> Indexed:
    """Turns of one speaker in a row as one, unless both are the provider's own."""

    def speaker(turn: Turn) -> Role:
        return "user" if turn.role == "tool" and wire.calls.result_role == "user" else turn.role

    out: Indexed = []
    for index, turn in turns:
        last = out[-1][1] if out else None
        foreign = last is not None and not (is_native(last, wire.provider) and is_native(turn, wire.provider))
        if last is not None and foreign and speaker(last) == speaker(turn):
            out[-1] = (out[-1][0], Turn(last.role, last.blocks + turn.blocks, last.source))
        else:
            out.append((index, turn))
    return out


def _number(turns: Indexed, encoding: Encoding) -> Indexed:
    """Ids for calls from a provider that has none, and for their results in order of the tools' names."""
    taken = {b.id for _, t in turns for b in t.blocks if isinstance(b, ToolCall | ToolResult)}
    waiting: list[ToolCall] = []

    def numbered(block: Block, index: int, ordinal: int) -> Block:
        if isinstance(block, ToolCall) and block.id is None and not is_native(block, encoding.provider):
            id = f"call_{index}_{ordinal}"
            while id in taken:
                id += "_"
            encoding.at = f"/turns/{index}/blocks/{ordinal}"
            encoding.lose("id-made", "the call had no id: made from its place", block.name)
            block = replace(block, id=id)
            waiting.append(block)
        elif isinstance(block, ToolResult) and block.id is None and not is_native(block, encoding.provider):
            call = next((c for c in waiting if block.name in (None, c.name)), None)
            if call is not None:
                waiting.remove(call)
                block = replace(block, id=call.id, name=call.name)
        return block

    return [
        (index, replace(turn, blocks=tuple(numbered(b, index, o) for o, b in enumerate(turn.blocks))))
        for index, turn in turns
    ]


def _named(turns: Indexed) -> Indexed:
    """Results with the names of the calls they answer, for a provider that pairs by name."""
    names: dict[str | None, str] = {}
    out = []
    for index, turn in turns:
        names |= {c.id: c.name for c in turn.calls if c.id is not None}
        blocks = tuple(
            replace(b, name=names[b.id]) if isinstance(b, ToolResult) and not b.name and b.id in names else b
            for b in turn.blocks
        )
        out.append((index, replace(turn, blocks=blocks)))
    return out


def _survives(block: Block, wire: Wire) -> bool:
    """Whether a provider may have a block: not another's opaque one, nor reasoning it would not take back."""
    if isinstance(block, Opaque):
        return block.provider == wire.provider
    if not isinstance(block, Reasoning) or is_native(block, wire.provider):
        return True
    if block.source is None:
        return bool(wire.reasoning_from) and bool(block.signature or block.redacted)
    readable = block.source.provider in wire.reasoning_from
    return readable and bool(block.signature) and block.redacted is None


def _surviving(turn: Turn, index: int, encoding: Encoding) -> Turn:
    blocks: list[Block] = []
    for ordinal, block in enumerate(turn.blocks):
        if _survives(block, encoding.wire):
            blocks.append(block)
        else:
            encoding.at = f"/turns/{index}/blocks/{ordinal}"
            encoding.dropped(block)
    return turn if len(blocks) == len(turn.blocks) else replace(turn, blocks=tuple(blocks))


def _spoken(transcript: Transcript, encoding: Encoding) -> tuple[Indexed, list[Block]]:
    """The turns that the provider can have, and the blocks of system turns that it cannot."""
    turns: Indexed = []
    moved: list[Block] = []
    for index, given in enumerate(transcript):
        turn = _surviving(given, index, encoding)
        encoding.at = f"/turns/{index}"
        if is_native(turn, encoding.provider):
            turns.append((index, turn))
        elif turn.role == "system" and not encoding.wire.messages.system_messages:
            encoding.lose("system-moved", "a system message among the turns: moved to the system prompt")
            moved += turn.blocks
        elif turn.blocks:
            turns.append((index, turn))
        else:
            encoding.lose("turn-dropped", f"{encoding.provider} can have nothing of this turn: left out")
    return turns, moved


def prepared(transcript: Transcript, encoding: Encoding) -> tuple[Indexed, list[Block]]:
    """The turns as the provider wants them, and the whole system prompt; claims all names and ids.

    Each turn comes with its (first) index. What the provider's own codec read is left alone.
    """
    calls = [c for t in transcript for c in t.calls]
    ids = [c.id for c in calls if c.id] + [r.id for t in transcript for r in t.results if r.id]
    encoding.codec.claim([c.name for c in calls if c.name], ids)
    spoken, moved = _spoken(transcript, encoding)
    turns = _number(_merge(spoken, encoding.wire), encoding)
    return _named(turns) if encoding.wire.calls.by_name else turns, [*transcript.system, *moved]


def result_text(result: ToolResult, encoding: Encoding) -> str:
    """A result as one text, where a provider takes nothing else; media are named."""
    parts: list[str] = []
    for block in result.content:
        if isinstance(block, Text):
            parts.append(block.text)
        elif isinstance(block, Json):
            parts.append(json_text(block.value))
        elif isinstance(block, Media):
            parts.append(encoding.stand_in(block))
        else:
            encoding.dropped(block)
    return "\n".join(parts)
