"""A transcript on its way into a provider's form: what is written, and what is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.native import Decoding, Native, json_text, same
from toolgen_runtime.providers.shared.tools import ProviderDiagnostic
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import (
    Block,
    Json,
    Media,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A transcript in a provider's form. `system` is what its request takes as such, None for nothing."""

    messages: list[Native]
    system: Any = None
    diagnostics: tuple[ProviderDiagnostic, ...] = ()


_Node = Text | Json | Media | Reasoning | ToolCall | ToolResult


class Encoding:
    """One transcript on its way to a provider: its codec, the place being written, what was lost."""

    def __init__(self, wire: Wire, codec: Codec | None = None) -> None:
        self.wire = wire
        self.provider = wire.provider
        self.codec = codec or codec_for(wire.provider)
        self._decoding = Decoding(wire, self.codec)
        self.diagnostics: list[ProviderDiagnostic] = []
        self.at = ""

    def lose(self, code: str, message: str, tool: str = "") -> None:
        """Note a loss at the place being written."""
        self.diagnostics.append(ProviderDiagnostic(code, message, tool, self.at))

    def verbatim(self, node: _Node, decode: Callable[[Any, Decoding], Block | None]) -> Native | None:
        """The native value that the node came from, if it still says the same; ids and names do not count."""
        if node.source is None or node.source.provider != self.provider:
            return None
        was = decode(node.source.value, self._decoding)
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

    def label(self, members: Native, node: ToolCall | ToolResult) -> None:
        """Write the id of a call or a result into its members, and its tool's name where it bears one."""
        shape = self.wire.calls
        if node.id is not None:
            key = shape.result_id_key if isinstance(node, ToolResult) else shape.id_key
            members[key] = self.codec.encode_id(node.id)
        if node.name and (isinstance(node, ToolCall) or shape.by_name):
            members["name"] = self.codec.encode_name(node.name)

    def turn(self, blocks: Sequence[Block], index: int, encode: Encode) -> list[Any]:
        """Return the native blocks of turn `index`."""
        out: list[Any] = []
        for ordinal, block in enumerate(blocks):
            self.at = f"/turns/{index}/blocks/{ordinal}"
            out += encode(block, self)
        return out

    def prompt(self, blocks: Sequence[Block], encode: Encode) -> list[Any]:
        """Return the native blocks of the system prompt."""
        self.at = "/system"
        return [native for block in blocks for native in encode(block, self)]

    def prompt_text(self, blocks: Sequence[Block]) -> str:
        """Return the system prompt where it must be a text; anything else is dropped."""
        self.at = "/system"
        for block in blocks:
            if not isinstance(block, Text):
                self.dropped(block)
        return "\n\n".join(b.text for b in blocks if isinstance(b, Text))

    def done(self, messages: list[Native], system: Any = None) -> Encoded:
        """The result."""
        return Encoded(messages, system, tuple(self.diagnostics))


Encode = Callable[[Block, Encoding], list[Any]]


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
