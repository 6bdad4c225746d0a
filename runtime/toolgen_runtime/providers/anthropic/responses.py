"""Reading the calls of a Messages API response."""

from __future__ import annotations

from toolgen_runtime.providers.codec import ID_RULES, Codec, codec_for
from toolgen_runtime.providers.errors import AnthropicResponseError
from toolgen_runtime.providers.reading import Reader, ToolUseBlock

_ID = ID_RULES["anthropic"]
_CUT = frozenset({"max_tokens", "model_context_window_exceeded", "refusal", "pause_turn"})


def parse_tool_uses(response: object, *, codec: Codec | None = None) -> list[ToolUseBlock]:
    """Every `tool_use` block, in order; calls that the server runs (`server_tool_use`) are not ours.

    Raises:
        AnthropicResponseError: anything is missing, malformed or possibly cut; `field` names the place.
    """
    codec = codec or codec_for("anthropic")
    reader = Reader(response, AnthropicResponseError)
    root = reader.root()
    uses: list[ToolUseBlock] = []
    for at, block in reader.blocks(root, "content", ""):
        if reader.member(block, "type", str, at) == "tool_use":
            id, name = reader.id(block, "id", at, _ID), reader.member(block, "name", str, at)
            payload = reader.payload(block, "input", at)
            uses.append(ToolUseBlock(id=codec.decode_id(id), name=codec.decode_name(name), input=payload))
    stop = root.get("stop_reason")
    reader.whole(stop, "stop_reason", cut=_CUT, malformed=frozenset(), calls=bool(uses))
    if stop == "tool_use" and not uses:
        reader.fail("content", "no tool_use block, though the model stopped for one")
    return uses


def parse_tool_use(response: object, *, codec: Codec | None = None) -> ToolUseBlock:
    """The first call of a response.

    Raises:
        AnthropicResponseError: there is none, or `parse_tool_uses` raises it.
    """
    uses = parse_tool_uses(response, codec=codec)
    if not uses:
        raise AnthropicResponseError("no tool_use block", response, "content")
    return uses[0]
