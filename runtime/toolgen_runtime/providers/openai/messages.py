"""Messages to and from Chat Completions."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from toolgen_runtime.providers.openai.content import decode_content, encode_content
from toolgen_runtime.providers.openai.wire import WIRE
from toolgen_runtime.providers.shared.encoding import Encoded, Encoding, result_text
from toolgen_runtime.providers.shared.messages import prepared
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.native import (
    Decoding,
    Native,
    is_native,
    json_text,
    native_messages,
    rest_of,
    without,
)
from toolgen_runtime.transcript.messages import Block, Media, Opaque, ToolCall, ToolResult, Transcript, Turn
from toolgen_runtime.validation.json_text import read

_OLDER = WIRE.calls.function_key


def arguments(text: object, codec: Codec) -> Any:
    """The payload in an arguments text; the text itself where it is not JSON."""
    if text == "":
        return {}
    if not isinstance(text, str):
        return text
    value, issues = read(text)
    return text if issues else codec.decode_input(value)


def arguments_text(payload: Any, codec: Codec) -> str:
    """The arguments text of a payload; a text that is not an object goes as it came."""
    if isinstance(payload, str) and arguments(payload, codec) == payload:
        return payload
    return json_text(codec.encode_input(payload))


def _call(call: Any, decoding: Decoding) -> ToolCall | Opaque:
    older = isinstance(call, dict) and set(call) == {_OLDER}
    function = call.get(_OLDER if older else "function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return decoding.opaque({"tool_call": call})
    payload = arguments(function.get("arguments"), decoding.codec)
    return decoding.call({**call, "name": function.get("name")}, payload, call)


def _result(message: Native, decoding: Decoding) -> ToolResult:
    return decoding.result(message, decode_content(message.get("content")), message, named=True)


def _turn(message: Native, decoding: Decoding) -> Turn:
    message = deepcopy(message)
    role = decoding.role(message)
    if role == "tool":
        return Turn(role, (_result(message, decoding),), decoding.source({}))
    blocks: tuple[Block, ...] = decode_content(message.get("content"))
    calls = message.get("tool_calls") if role == "assistant" else None
    taken = ["tool_calls"] if isinstance(calls, list) and calls else []
    if isinstance(calls, list):
        blocks += tuple(_call(c, decoding) for c in calls)
    if role == "assistant" and isinstance(message.get(_OLDER), dict):
        blocks += (_call({_OLDER: message[_OLDER]}, decoding),)
        taken.append(_OLDER)
    return Turn(role, blocks, decoding.source(without(message, *taken)))


def decode_messages(native: object, *, codec: Codec | None = None) -> Transcript:
    """The transcript of Chat Completions messages, or of a whole request (`messages`). Reads what is there:
    nothing is refused, and what it does not know is kept as it is.

    Raises:
        TypeError: the messages are not a list of mappings or of objects with `model_dump()`.
    """
    decoding = Decoding(WIRE, codec)
    return Transcript(tuple(_turn(m, decoding) for m in native_messages(native, WIRE.messages.list_key)))


def _encode_call(call: ToolCall | Opaque, encoding: Encoding) -> Any:
    if isinstance(call, Opaque):
        return deepcopy(call.value["tool_call"])
    kept = encoding.verbatim(call, _call)
    if kept is None:
        text = arguments_text(call.input, encoding.codec)
        kept = {"type": "function", "function": {"arguments": text}}
    if call.id is not None:
        kept[WIRE.calls.id_key] = encoding.codec.encode_id(call.id)
    if call.name:
        kept[_OLDER if _OLDER in kept else "function"]["name"] = encoding.codec.encode_name(call.name)
    return kept


def _fresh_result(result: ToolResult, encoding: Encoding) -> Native:
    if result.is_error:
        encoding.lose("error-flag-dropped", "openai has no flag for an error result", result.name or "")
    texts = tuple(b for b in result.content if not isinstance(b, Media))
    return {"role": "tool", "content": result_text(ToolResult(None, texts), encoding)}


def _encode_result(result: ToolResult, encoding: Encoding) -> Native:
    kept = encoding.verbatim(result, _result) or _fresh_result(result, encoding)
    encoding.label(kept, result)
    if "name" in kept and result.name:
        kept["name"] = encoding.codec.encode_name(result.name)
    return kept


def _hoisted(results: tuple[ToolResult, ...], encoding: Encoding) -> tuple[Media, ...]:
    """Media of results, which OpenAI takes from users only."""
    media = tuple(
        b for r in results if not is_native(r, WIRE.provider) for b in r.content if isinstance(b, Media)
    )
    if media:
        encoding.lose("media-moved", "media of a tool's result: moved to a user message after the results")
    return media


def _is_call(block: Block) -> bool:
    return isinstance(block, ToolCall) or (
        isinstance(block, Opaque)
        and block.provider == WIRE.provider
        and isinstance(block.value, dict)
        and set(block.value) == {"tool_call"}
    )


def _encode_assistant(turn: Turn, encoding: Encoding, index: int) -> Native:
    rest = rest_of(turn, WIRE.provider) or {}
    spoken = tuple(block for block in turn.blocks if not _is_call(block))
    content = encode_content(spoken, encoding, rest.get("content"), index)
    if content is not None or "content" in rest or not rest:
        rest["content"] = content
    calls = [
        _encode_call(b, encoding) for b in turn.blocks if isinstance(b, ToolCall | Opaque) and _is_call(b)
    ]
    older = [call for call in calls if isinstance(call, dict) and set(call) == {_OLDER}]
    calls = [call for call in calls if call not in older]
    rest |= older[-1] if older else {}
    return {**rest, "role": "assistant"} | ({"tool_calls": calls} if calls else {})


def _encode_other(turn: Turn, encoding: Encoding, index: int) -> list[Native]:
    """A user's or system turn: results as messages of their own first, then the rest."""
    out = [_encode_result(r, encoding) for r in turn.results]
    spoken: tuple[Block, ...] = tuple(b for b in turn.blocks if not isinstance(b, ToolResult))
    spoken += _hoisted(turn.results, encoding)
    rest = rest_of(turn, WIRE.provider) or {}
    if spoken or not out:
        role = "user" if turn.role == "tool" else turn.role
        content = encode_content(spoken, encoding, rest.get("content"), index)
        out.append({"role": role, **rest, "content": "" if content is None else content})
    return out


def encode_messages(transcript: Transcript, *, codec: Codec | None = None) -> Encoded:
    """Chat Completions messages, the system prompt first among them (`.system` is None)."""
    encoding = Encoding(WIRE, codec)
    messages: list[Native] = []
    turns, _ = prepared(transcript, encoding)
    system = encoding.prompt_text(transcript.system)
    if system:
        messages.append({"role": "system", "content": system})
    for index, turn in turns:
        encoding.at = f"/turns/{index}"
        if turn.role == "assistant":
            messages.append(_encode_assistant(turn, encoding, index))
        else:
            messages += _encode_other(turn, encoding, index)
    return encoding.done(messages)
