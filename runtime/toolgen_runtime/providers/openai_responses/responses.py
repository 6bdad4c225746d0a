"""Reading the calls of a Responses API response."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.codec import ID_RULES, Codec, codec_for
from toolgen_runtime.providers.errors import OpenAIResponseError
from toolgen_runtime.providers.reading import Reader, ToolUseBlock

_ID = ID_RULES["openai_responses"]
_CUT = frozenset({"incomplete", "failed", "cancelled", "in_progress", "queued"})


def _use(reader: Reader, item: dict[str, Any], at: str, codec: Codec) -> ToolUseBlock:
    reader.whole(item.get("status"), f"{at}.status", cut=_CUT, malformed=frozenset(), calls=True)
    id = reader.id(item, "call_id", at, _ID)
    name = reader.member(item, "name", str, at)
    payload = reader.payload_text(item, "arguments", at)
    return ToolUseBlock(id=codec.decode_id(id), name=codec.decode_name(name), input=payload)


def parse_tool_uses(response: object, *, codec: Codec | None = None) -> list[ToolUseBlock]:
    """Every function call among the output items, in order; `id` is the `call_id`, not the item's id.

    Raises:
        OpenAIResponseError: anything is missing, malformed or possibly cut; `field` names the place.
    """
    codec = codec or codec_for("openai_responses")
    reader = Reader(response, OpenAIResponseError)
    root = reader.root()
    items = [
        (at, item) for at, item in reader.blocks(root, "output", "") if item.get("type") == "function_call"
    ]
    reader.whole(root.get("status"), "status", cut=_CUT, malformed=frozenset(), calls=bool(items))
    return [_use(reader, item, at, codec) for at, item in items]


def parse_tool_use(response: object, *, codec: Codec | None = None) -> ToolUseBlock:
    """The first call of a response.

    Raises:
        OpenAIResponseError: there is none, or `parse_tool_uses` raises it.
    """
    uses = parse_tool_uses(response, codec=codec)
    if not uses:
        raise OpenAIResponseError("no function call", response, "output")
    return uses[0]
