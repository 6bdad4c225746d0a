"""Reading the calls of a Converse response, and of an InvokeModel response of a Claude model."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.codec import ID_RULES, Codec, codec_for
from toolgen_runtime.providers.errors import BedrockResponseError
from toolgen_runtime.providers.reading import Reader, ToolUseBlock

_ID = ID_RULES["bedrock"]
_CUT = frozenset({"max_tokens", "model_context_window_exceeded", "guardrail_intervened", "content_filtered"})
_MALFORMED = frozenset({"malformed_model_output", "malformed_tool_use"})


def _message(reader: Reader) -> tuple[str, dict[str, Any]]:
    """The object that holds `content`, and its place."""
    root = reader.root()
    if "output" not in root and "content" in root:  # InvokeModel's body, or a message by itself
        return "", root
    output = reader.member(root, "output", dict, "")
    return "output.message", reader.member(output, "message", dict, "output")


def _use(reader: Reader, block: dict[str, Any], at: str, codec: Codec) -> ToolUseBlock | None:
    """The call in a block, None where it is none of ours to run."""
    if "SDK_UNKNOWN_MEMBER" in block:
        reader.fail(f"{at}.SDK_UNKNOWN_MEMBER", "a kind of block that this version of the SDK does not know")
    key = "toolUseId"
    if "toolUse" in block:
        use, at = reader.member(block, "toolUse", dict, at), f"{at}.toolUse"
        if use.get("type") == "server_tool_use":
            return None
    elif block.get("type") == "tool_use":
        use, key = block, "toolUseId" if "toolUseId" in block else "id"
    else:
        return None
    id = reader.id(use, key, at, _ID)
    name = reader.member(use, "name", str, at)
    return ToolUseBlock(
        id=codec.decode_id(id), name=codec.decode_name(name), input=reader.payload(use, "input", at)
    )


def parse_tool_uses(response: object, *, codec: Codec | None = None) -> list[ToolUseBlock]:
    """Every call of a response, in order; none where the model made none.

    Reads what `converse` returns, a message by itself, and an InvokeModel body; blocks as
    `{"toolUse": {...}}` and as `{"type": "tool_use", ...}`. A call that the server runs is not ours.

    Raises:
        BedrockResponseError: anything is missing, malformed or possibly cut; `field` names the place.
    """
    codec = codec or codec_for("bedrock")
    reader = Reader(response, BedrockResponseError)
    at, message = _message(reader)
    root = reader.root()
    stop_field = "stopReason" if "stopReason" in root else "stop_reason"
    stop = root.get(stop_field)
    reader.whole(stop, stop_field, cut=_CUT, malformed=_MALFORMED, calls=False)
    blocks = list(reader.blocks(message, "content", at))
    uses = [use for here, block in blocks if (use := _use(reader, block, here, codec))]
    reader.whole(stop, stop_field, cut=_CUT, malformed=_MALFORMED, calls=bool(uses))
    if stop == "tool_use" and not uses:
        reader.fail(
            f"{at}.content" if at else "content", "no tool use block, though the model stopped for one"
        )
    return uses


def parse_tool_use(response: object, *, codec: Codec | None = None) -> ToolUseBlock:
    """The first call of a response.

    Raises:
        BedrockResponseError: there is none, or `parse_tool_uses` raises it.
    """
    uses = parse_tool_uses(response, codec=codec)
    if not uses:
        at, _ = _message(Reader(response, BedrockResponseError))
        field = f"{at}.content" if at else "content"
        raise BedrockResponseError("no tool use block", response, field)
    return uses[0]
