"""The state of one conversion from a transcript to a provider's format."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from toolgen_transcripts.codec.decoding import Decoding
from toolgen_transcripts.codec.json_values import json_text, same
from toolgen_transcripts.codec.members import Native
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.wire import Wire
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
)
from toolgen_transcripts.tools.definitions import ProviderDiagnostic

Fetch = Callable[[Media], "bytes | Media | None"]
"""A function that loads the media at a URI or file id: it returns bytes, the media in another form, or None."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A transcript in a provider's format. `system` is the system prompt of the request, or None."""

    messages: list[Native]
    system: Any = None
    diagnostics: tuple[ProviderDiagnostic, ...] = ()


_Node = Text | Json | Media | Reasoning | ToolCall | ToolResult | CachePoint


def kind_of_block(block: Block) -> str:
    """Return the word for a block in diagnostics: `text`, `toolcall`, or the type of a native block."""
    if not isinstance(block, Opaque):
        return type(block).__name__.lower()
    value = block.value
    if isinstance(value, dict) and set(value) == {"message", "rest", "part"}:  # a part of a Responses message
        value = value["part"]
    if not isinstance(value, dict) or not value:
        return "opaque"
    kind = value.get("type")
    if isinstance(kind, str):
        return kind
    return str(next(iter(value)))


class Encoding(Decoding):
    """One conversion of a transcript to a provider's format: its codec, the current position, and what was
    lost.

    Native values of the same provider are decoded again, to see whether the blocks have changed since then. `unchanged`
    contains the object ids of blocks that are known not to have changed.
    """

    def __init__(self, wire: Wire, codec: Codec | None = None, fetch: Fetch | None = None) -> None:
        super().__init__(wire, codec)
        self.fetch = fetch or (lambda _: None)
        self.provider = wire.provider
        self.diagnostics: list[ProviderDiagnostic] = []
        self.at = ""
        self.role = ""
        self.unchanged: Container[int] = ()

    def says(self, attribute: str) -> bool:
        """Return whether the provider has a field for an attribute of blocks (`MessageShape.attributes`)."""
        return attribute in self.wire.messages.attributes

    def lose(self, code: str, message: str, tool: str = "") -> None:
        """Add a diagnostic for something at the current position that is lost."""
        self.diagnostics.append(ProviderDiagnostic(code, message, tool, self.at))

    def lose_fields(self, fields: Iterable[str], tool: str = "") -> None:
        """Add a diagnostic about fields at the current position that the provider does not support."""
        named = ", ".join(fields)
        if named:
            self.lose("field-dropped", f"{self.provider} has no form for {named}: left out", tool)

    def verbatim(self, node: _Node, decode: Callable[[Any, Decoding], Block | None]) -> Any:
        """Return the native value that a block or turn was read from.

        Return None if anything except its ids and names has changed since then.
        """
        if node.source is None or node.source.provider != self.provider:
            return None
        was = decode(node.source.value, self)
        if isinstance(was, ToolCall) and isinstance(node, ToolCall):
            was = replace(was, id=node.id, name=node.name)
        if isinstance(was, ToolResult) and isinstance(node, ToolResult):
            was = replace(was, id=node.id, name=node.name, kind=node.kind)
        if same(was, node):
            return deepcopy(node.source.value)
        return None

    def dropped(self, block: Block) -> None:
        """Add a diagnostic for a block that is left out because the provider has no form for it."""
        code = kind_of_block(block)
        said = f"form for this {code} block"
        if isinstance(block, Opaque):
            code, said = "opaque", f"{said} of {block.provider}"
        elif isinstance(block, CachePoint):
            code, said = "cache", "cache point here"
        self.lose(f"{code}-dropped", f"{self.provider} has no {said}: left out")

    def stand_in(self, media: Media) -> str:
        """Return a text that replaces media which the provider rejects, and add a diagnostic."""
        what = f"{self.provider} cannot take this {media.kind} here"
        if where := media.uri or media.file_id:
            what += f" ({where})"
        self.lose("media-dropped", f"{what}: named in text instead")
        if media.name:
            return f"[{media.kind} omitted: {media.name}]"
        return f"[{media.kind} omitted]"

    def sent_input(self, call: ToolCall) -> Any:
        """Convert the arguments of a call to the API's form.

        If the API has arguments as text, text that is not JSON stays unchanged.
        """
        payload, shape = call.input, self.wire.calls
        if not shape.text_arguments:
            return self.codec.encode_input(payload, call.name)
        if isinstance(payload, str) and self.arguments(payload, call.name) == payload:
            return payload
        return json_text(self.codec.encode_input(payload, call.name))

    def new_call(self, call: ToolCall) -> Native:
        """Convert a call to its native form, without the id and the name."""
        shape, kind = self.wire.calls, "function"
        key = shape.call_key
        native: Native = {shape.input_key: self.sent_input(call)}
        if call.kind == "custom" and isinstance(call.input, str) and self.says("custom"):
            kind, key, native = "custom", shape.other_keys.get(key, ""), {"input": call.input}
        if key:
            native = {key: native}
        if kind in shape.call_types:
            native = {"type": shape.call_types[kind], **native}
        if call.namespace and self.says("namespace"):
            native["namespace"] = call.namespace
        return native

    def label(self, native: Native, node: ToolCall | ToolResult) -> None:
        """Add the id, and the tool's name if the API wants it, to the native form of a call or result."""
        shape, id_key, key = self.wire.calls, self.wire.calls.id_key, self.wire.calls.call_key
        if isinstance(node, ToolResult):
            id_key = shape.other_id_keys.get(str(native.get("type")), shape.result_id_key)
            key = shape.result_key
        if key not in native:
            key = shape.other_keys.get(key, key)
        members = native[key] if key else native
        if node.id is not None:
            (native if shape.id_outside else members)[id_key] = self.codec.encode_id(node.id)
        if node.name and isinstance(node, ToolCall):
            namespace = node.namespace if self.says("namespace") else None
            members["name"] = self.codec.encode_name(node.name, namespace)
        elif node.name and ("name" in members or (shape.by_name and not shape.names_optional)):
            members["name"] = self.codec.encode_name(node.name)


def shape_like(content: list[Any], was: object) -> Any:
    """Return content in the form that it had before: as a string if it was one and is still a single text.

    Otherwise return it as blocks.
    """
    if not isinstance(was, str):
        return content
    text = only_text(content)
    return (content or was) if text is None else text


def only_text(content: Sequence[Any]) -> str | None:
    """Return the text of content that is a single text block; otherwise return None."""
    first = content[0] if len(content) == 1 else None
    if not isinstance(first, dict) or set(first) != {"type", "text"}:
        return None
    text: str = first["text"]
    return text


def text_of(result: ToolResult, encoding: Encoding) -> str:
    """Return a result as one string, for providers that accept nothing else. Media are only mentioned in it."""
    parts: list[str] = []
    place = encoding.at
    for ordinal, block in enumerate(result.content):
        encoding.at = f"{place}/content/{ordinal}"
        if isinstance(block, Text):
            parts.append(block.text)
        elif isinstance(block, Json):
            parts.append(json_text(block.value))
        elif isinstance(block, Media):
            parts.append(encoding.stand_in(block))
        else:
            encoding.dropped(block)
    return "\n".join(parts)
