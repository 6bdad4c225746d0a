"""Reading the calls of a Chat Completions response."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.codec import ID_RULES, Codec, codec_for
from toolgen_runtime.providers.errors import OpenAIResponseError
from toolgen_runtime.providers.reading import Reader, ToolUseBlock

_ID = ID_RULES["openai"]
_CUT = frozenset({"length", "content_filter"})


def _use(reader: Reader, call: dict[str, Any], at: str, codec: Codec) -> ToolUseBlock:
    if call.get("type", "function") != "function":
        reader.fail(f"{at}.type", "not a function call")
    id = reader.id(call, "id", at, _ID)
    function = reader.member(call, "function", dict, at)
    name = reader.member(function, "name", str, f"{at}.function")
    payload = reader.payload_text(function, "arguments", f"{at}.function")
    return ToolUseBlock(id=codec.decode_id(id), name=codec.decode_name(name), input=payload)


def parse_tool_uses(response: object, *, codec: Codec | None = None) -> list[ToolUseBlock]:
    """Every call of the first choice, in order; none where the model made none.

    Raises:
        OpenAIResponseError: anything is missing, malformed or possibly cut; `field` names the place.
    """
    codec = codec or codec_for("openai")
    reader = Reader(response, OpenAIResponseError)
    choices = list(reader.blocks(reader.root(), "choices", ""))
    if not choices:
        reader.fail("choices", "empty")
    at, choice = choices[0]
    message = reader.member(choice, "message", dict, at)
    calls = message.get("tool_calls")
    uses: list[ToolUseBlock] = []
    if calls is not None:
        blocks = reader.blocks(message, "tool_calls", f"{at}.message")
        uses = [_use(reader, call, here, codec) for here, call in blocks]
    stop = choice.get("finish_reason")
    reader.whole(stop, f"{at}.finish_reason", cut=_CUT, malformed=frozenset(), calls=bool(uses))
    if stop == "tool_calls" and not uses:
        reader.fail(f"{at}.message.tool_calls", "no call, though the model stopped for one")
    return uses


def parse_tool_use(response: object, *, codec: Codec | None = None) -> ToolUseBlock:
    """The first call of a response.

    Raises:
        OpenAIResponseError: there is none, or `parse_tool_uses` raises it.
    """
    uses = parse_tool_uses(response, codec=codec)
    if not uses:
        raise OpenAIResponseError("no call", response, "choices[0].message.tool_calls")
    return uses[0]
