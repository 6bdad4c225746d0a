"""What a call came to, as the result that a provider takes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.mcp_result import recognize
from toolgen_runtime.providers.mcp import decode_result
from toolgen_runtime.providers.shared.names import RawCodec
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.transcript.messages import Media, Text, ToolResult, Transcript, Turn


@cache
def provider_module(provider: str) -> Any:
    """Return the module of a provider's API."""
    return import_module(f"toolgen_runtime.providers.{provider}")


def neutral_result(output: ToolOutput, call_id: str | None, name: str | None) -> ToolResult:
    """Return an output as a result: its text, which must not be blank, and the images of an MCP result."""
    text = output.text()
    images: list[Media] = []
    if recognize(output.result) is not None:
        blocks = decode_result(output.result).content
        images = [block for block in blocks if isinstance(block, Media) and block.kind == "image"]
    content = (*((Text(text),) if text.strip() else ()), *images)
    return ToolResult(call_id, content, output.error is not None, name)


def native_results(results: Sequence[ToolResult], provider: str) -> list[dict[str, Any]]:
    """Return results as a provider's blocks or, where each is a message, messages.

    Ids and names are written as they are. Where results hold no images, a message that has them follows.
    """
    if not results:
        return []
    wire = wire_of(provider)
    transcript = Transcript((Turn("tool", tuple(results)),))
    codec = RawCodec(wire.name_rule, wire.id_rule)
    messages: list[dict[str, Any]] = (
        provider_module(provider).encode_messages(transcript, codec=codec).messages
    )
    if wire.calls.result_role == "tool":
        return messages
    return [block for message in messages for block in message[wire.messages.content_key]]
