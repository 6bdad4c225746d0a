"""Reading the calls of a generateContent response."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.gemini.spelling import either, snake
from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.errors import GeminiResponseError
from toolgen_runtime.providers.shared.reading import (
    Fault,
    Member,
    NativeCall,
    NativeMessage,
    Reader,
    UnnumberedToolUse,
)
from toolgen_runtime.providers.shared.responses import Responses


def _call(part: dict[str, Any], at: str) -> NativeCall:
    """Return the call in a part; ids and arguments are optional in the API."""
    key = "functionCall" if "functionCall" in part else snake("functionCall")
    member, at = Member(part, key, at), f"{at}.{key}"
    wrong = member.wrong_kind(dict)
    call = {} if wrong else member.value
    return NativeCall(
        id=Member(call, "id", at),
        name=Member(call, "name", at),
        arguments=Member(call, "args", at),
        id_optional=True,
        arguments_optional=True,
        faults=(wrong,) if wrong else (),
        native=part,
    )


def _find(reader: Reader) -> NativeMessage:
    candidates = list(reader.blocks(reader.root(), "candidates", ""))
    if not candidates:
        reader.fail(Fault("candidates", "empty"))
    at, candidate = candidates[0]
    place = f"{at}.content"
    message = reader.message(f"{place}.parts", either(candidate, WIRE.stop_key), f"{at}.{WIRE.stop_key}")
    content = Member(candidate, "content", at)
    wrong = content.wrong_kind(dict)
    if wrong is not None:
        if not message.why:
            reader.fail(wrong)
        message.faults.append(wrong)  # a candidate that was stopped may have none
        return message
    for here, part in reader.blocks(content.value, "parts", place):
        if either(part, "functionCall") is not None:
            message.calls.append(_call(part, here))
    return message


_RESPONSES = Responses[UnnumberedToolUse](WIRE, GeminiResponseError, _find, "no function call")
parse_tool_uses = _RESPONSES.parse_tool_uses
parse_tool_use = _RESPONSES.parse_tool_use
read_tool_uses = _RESPONSES.read_tool_uses
"""Calls of the first candidate. Ids are optional and never made up. Errors are `GeminiResponseError`."""
