"""The neutral transcript: immutable turns of text, reasoning, media, tool calls and tool results.

The `source` of a decoded node is its native value. If the node has not changed, the codec of the same provider writes
this value again. Converting to a transcript and back therefore loses no data, not even unknown fields. For a changed
node, the codec writes a new value. Equality ignores `source`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal, TypeVar

Role = Literal["system", "user", "assistant", "tool"]
"""The author of a turn; a `tool` turn contains results."""
MediaKind = Literal["image", "document", "video", "audio"]


@dataclass(frozen=True, slots=True)
class Source:
    """The provider's own JSON that a block was read from, or that a message was read from, without its
    content.

    `unread` lists the fields of this JSON that toolgen does not read, as dotted paths: `citations`,
    `source.bucketOwner`. If the history is converted for another provider, each of them gives a diagnostic.
    """

    provider: str
    value: Any
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CachePoint:
    """A point up to which the content may be cached, for `ttl` (`5m`, `1h`) or for the provider's default
    time.

    In Bedrock, a cache point is a block. In Anthropic, it is a field of the previous block, here the `cache` of that
    block.
    """

    ttl: str | None = None
    source: Source | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str
    source: Source | None = field(default=None, compare=False, repr=False)
    _: KW_ONLY
    cache: CachePoint | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Json:
    """A tool's result as a JSON value."""

    value: Any
    source: Source | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Media:
    """An image, document, video or audio clip, as bytes, as a URI, or as the id of an uploaded file.

    `media_type` is a MIME type (`image/png`). `name` is a document's title or file name, `context` is a note about it
    for the model, and `citations` says whether the model may cite it.
    """

    kind: MediaKind
    media_type: str | None = None
    data: bytes | None = field(default=None, repr=False)
    uri: str | None = None
    name: str | None = None
    source: Source | None = field(default=None, compare=False, repr=False)
    _: KW_ONLY
    file_id: str | None = None
    context: str | None = None
    citations: bool | None = None
    cache: CachePoint | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The model's reasoning. Send `signature` back to the provider unchanged. `redacted` replaces a hidden
    text.

    If the message belongs to another provider, `signed_by` is the provider of the signature.
    """

    text: str = ""
    signature: str | None = None
    redacted: str | bytes | None = None
    source: Source | None = field(default=None, compare=False, repr=False)
    _: KW_ONLY
    signed_by: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model made. `name` is the tool's original name, and `id` is None if the provider sent
    none.

    `input` is the parsed JSON value (an object, if the call is valid), or the original string if it was not JSON.
    `kind` is `function` or another kind that the API has: `custom`, whose input is a string, `shell`, `apply_patch`,
    ... A tool in a `namespace` is named `<namespace>.<name>`.
    """

    id: str | None
    name: str
    input: Any
    source: Source | None = field(default=None, compare=False, repr=False)
    _: KW_ONLY
    kind: str = "function"
    namespace: str | None = None
    cache: CachePoint | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call. `is_error` is None if this is not known.

    `name` is the tool's name, if it is known, and `kind` is the kind of the call.
    """

    id: str | None
    content: tuple[Text | Json | Media | Opaque, ...] = ()
    is_error: bool | None = None
    name: str | None = None
    source: Source | None = field(default=None, compare=False, repr=False)
    _: KW_ONLY
    kind: str = "function"
    cache: CachePoint | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block that has no neutral form, such as a call that the provider's server runs."""

    provider: str
    value: Any


Part = Text | Json | Media | Opaque
"""A piece of a result."""
Block = Text | Json | Media | Reasoning | ToolCall | ToolResult | CachePoint | Opaque
"""One piece of a turn."""
BlockT = TypeVar("BlockT", bound=Block)


def native_value(block: Block | Turn) -> Any:
    """Return the native value that a block was read from (for a turn, the message without its content), or
    None.
    """
    if isinstance(block, Opaque):
        return block.value
    if block.source is not None:
        return block.source.value
    return None


def native_members(block: Block | Turn) -> dict[str, Any]:
    """Return the native object that a block or turn was read from; an empty dict if there is none."""
    value = native_value(block)
    if isinstance(value, dict):
        return value
    return {}


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. A `tool` turn has only results, and is sent as a user message if the provider has no such
    role.
    """

    role: Role
    blocks: tuple[Block, ...]
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The turn's calls, in order."""
        return tuple(b for b in self.blocks if isinstance(b, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The turn's results, in order."""
        return tuple(b for b in self.blocks if isinstance(b, ToolResult))

    @property
    def parts(self) -> tuple[ToolCall | ToolResult, ...]:
        """The turn's calls and results, in order."""
        return tuple(b for b in self.blocks if isinstance(b, ToolCall | ToolResult))

    @property
    def text(self) -> str:
        """The text of all text blocks, joined without a separator."""
        return "".join(b.text for b in self.blocks if isinstance(b, Text))


NodeT = TypeVar("NodeT", bound=Block | Turn)


def with_native(node: NodeT, value: dict[str, Any], provider: str) -> NodeT:
    """Return a copy of a block or turn that has another native value."""
    if isinstance(node, Opaque):
        return replace(node, value=value)
    source = node.source or Source(provider, value)
    return replace(node, source=replace(source, value=value))


def without_last_reasoning(turn: Turn) -> Turn:
    """Return a turn without the reasoning at its end, as a truncated message may have it.

    Such reasoning may lack its signature or the item that must follow it. A server that gets it back rejects the whole
    history from then on.
    """
    blocks = list(turn.blocks)
    while blocks and isinstance(blocks[-1], Reasoning):
        blocks.pop()
    if not blocks:
        return Turn(turn.role, ())  # without the source, which has the reasoning in Chat Completions
    if len(blocks) == len(turn.blocks):
        return turn
    return replace(turn, blocks=tuple(blocks))


@dataclass(frozen=True, slots=True)
class Transcript:
    """A message history: its turns, and the system prompt if the provider keeps it apart from the messages.

    `system_source` is the prompt in the request's original form.
    """

    turns: tuple[Turn, ...] = ()
    system: tuple[Block, ...] = ()
    system_source: Source | None = field(default=None, compare=False, repr=False)

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.turns)

    def __len__(self) -> int:
        return len(self.turns)
