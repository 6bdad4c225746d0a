"""Reading the calls of a Messages API response."""

from __future__ import annotations

from toolgen_runtime.providers.anthropic.wire import ENVELOPE, WIRE
from toolgen_runtime.providers.shared.errors import AnthropicResponseError
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.reading import (
    Member,
    NativeCall,
    NativeMessage,
    Reader,
    ToolUseBlock,
)
from toolgen_runtime.providers.shared.received import ReceivedCall
from toolgen_runtime.providers.shared.responses import Responses
from toolgen_runtime.validation.issues import MISSING


def _find(reader: Reader) -> NativeMessage:
    root = reader.root()
    bare = not any(key in root for key in ENVELOPE)
    stop = root.get(WIRE.stop_key, MISSING if bare else None)
    message = reader.message("content", stop, WIRE.stop_key)
    for at, block in reader.blocks(root, "content", ""):
        if reader.member(block, "type", str, at) == "tool_use":
            call = NativeCall(Member(block, "id", at), Member(block, "name", at), Member(block, "input", at))
            message.calls.append(call)
    return message


_RESPONSES = Responses(WIRE, AnthropicResponseError, _find, "no tool_use block")


def parse_tool_uses(response: object, *, codec: Codec | None = None) -> list[ToolUseBlock]:
    """Every `tool_use` block, in order; calls that the server runs (`server_tool_use`) are not ours.

    Raises:
        AnthropicResponseError: anything is missing, malformed or possibly cut; `path` names the place.
    """
    return _RESPONSES.parse(response, codec)


def parse_tool_use(response: object, *, codec: Codec | None = None) -> ToolUseBlock:
    """The first call of a response.

    Raises:
        AnthropicResponseError: there is none, or `parse_tool_uses` raises it.
    """
    use: ToolUseBlock = _RESPONSES.parse_first(response, codec)
    return use


def read_tool_uses(response: object, *, codec: Codec | None = None) -> list[ReceivedCall]:
    """Every call of a response, in order, as streams give them: each says whether it is `ready`, and why not.

    Raises:
        AnthropicResponseError: the response has no list of content blocks.
    """
    return _RESPONSES.read(response, codec)
