"""Reading the calls of a generateContent response."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.codec import ID_RULES, Codec, codec_for
from toolgen_runtime.providers.errors import GeminiResponseError
from toolgen_runtime.providers.reading import Reader, UnnumberedToolUse

_ID = ID_RULES["gemini"]
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
_WHOLE = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED"})


def _use(reader: Reader, part: dict[str, Any], at: str, codec: Codec) -> UnnumberedToolUse:
    call, at = reader.member(part, "functionCall", dict, at), f"{at}.functionCall"
    id = codec.decode_id(reader.id(call, "id", at, _ID)) if call.get("id") is not None else None
    name = reader.member(call, "name", str, at)
    payload = reader.payload(call, "args", at) if call.get("args") is not None else {}  # optional in the API
    return UnnumberedToolUse(id=id, name=codec.decode_name(name), input=payload)


def parse_tool_uses(response: object, *, codec: Codec | None = None) -> list[UnnumberedToolUse]:
    """Every function call of the first candidate, in order. Ids are optional in Gemini and never made up.

    Raises:
        GeminiResponseError: anything is missing, malformed or possibly cut; `field` names the place.
    """
    codec = codec or codec_for("gemini")
    reader = Reader(response, GeminiResponseError)
    candidates = list(reader.blocks(reader.root(), "candidates", ""))
    if not candidates:
        reader.fail("candidates", "empty")
    at, candidate = candidates[0]
    stop, field = candidate.get("finishReason"), f"{at}.finishReason"
    reader.whole(stop, field, cut=frozenset(), malformed=_MALFORMED, calls=False)
    content = reader.member(candidate, "content", dict, at)
    parts = reader.blocks(content, "parts", f"{at}.content")
    uses = [_use(reader, part, here, codec) for here, part in parts if "functionCall" in part]
    if uses and isinstance(stop, str) and stop not in _WHOLE:
        reader.whole(stop, field, cut=frozenset({stop}), malformed=frozenset(), calls=True)
    return uses


def parse_tool_use(response: object, *, codec: Codec | None = None) -> UnnumberedToolUse:
    """The first call of a response.

    Raises:
        GeminiResponseError: there is none, or `parse_tool_uses` raises it.
    """
    uses = parse_tool_uses(response, codec=codec)
    if not uses:
        raise GeminiResponseError("no function call", response, "candidates[0].content.parts")
    return uses[0]
