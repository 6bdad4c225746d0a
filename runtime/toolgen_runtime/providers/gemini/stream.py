"""Chunks of Gemini `streamGenerateContent`, as REST sends them or as google-genai's objects dump."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.received import json_text_of
from toolgen_runtime.providers.shared.stream_events import mapping, rows, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError
from toolgen_runtime.transcript.messages import Source


class StreamAssembler(Assembler):
    """One streamed candidate. Calls come whole, one a part; an id is optional.

    Arguments that come in pieces (`partialArgs`, an option of Vertex AI) are not put together: such a call
    is cut off.
    """

    wire = WIRE

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._parts = 0
        self._last = ""

    def take(self, event: Mapping[str, Any]) -> None:  # noqa: D102  inherited
        if event.get("error"):
            error = mapping(event["error"])
            self.message.failed(StreamError(words(error, "status") or "error", words(error, "message")))
        usage = _either(event, "usageMetadata", "usage_metadata")
        if usage:
            self.message.usage = mapping(usage)
        for candidate in rows(event.get("candidates")):
            if not candidate.get("index"):
                self._candidate(candidate)

    def _candidate(self, candidate: Mapping[str, Any]) -> None:
        for part in rows(mapping(candidate.get("content")).get("parts")):
            self._part(part)
        reason = _either(candidate, "finishReason", "finish_reason")
        if reason is not None:
            self.message.stop(reason)
            self.message.end()

    def _part(self, part: Mapping[str, Any]) -> None:
        call = _either(part, "functionCall", "function_call")
        signature = _written(_either(part, "thoughtSignature", "thought_signature"))
        signed = {"thoughtSignature": signature} if signature else {}
        text = part.get("text")
        if call is not None:
            self._call(mapping(call), signed)
        elif isinstance(text, str) and part.get("thought"):
            place = self._next("reasoning")
            self.message.reasoning(place, text, signature=signature)
            self._keep(place, {"text": self.message.heard(place), "thought": True, **signed})
        elif isinstance(text, str):
            place = self._next("text")
            self.message.text(place, text)
            if signed:
                self._keep(place, {"text": self.message.heard(place), **signed})
        else:
            self.message.skip(next((key for key, value in part.items() if value is not None), "nothing"))

    def _next(self, kind: str) -> Place:
        """Where the next part stands: text goes on where text stood last, a call is always a new one."""
        if kind == "call" or kind != self._last:
            self._parts += 1
            self._last = kind
        return (self._parts,)

    def _keep(self, place: Place, part: Mapping[str, Any]) -> None:
        """Gemini wants its signatures back on the part that had them."""
        self.message.keep(place, Source(WIRE.provider, part))

    def _call(self, call: Mapping[str, Any], signed: Mapping[str, str]) -> None:
        place, arguments = self._next("call"), call.get("args")
        written = "" if arguments is None else json_text_of(arguments)
        self.message.call(place, call.get("id"), call.get("name"), written or "")
        if written is None:
            self.message.cut(place, "its arguments are not JSON")
        given = {key: call[key] for key in ("id", "name", "args") if call.get(key) is not None}
        self._keep(place, {"functionCall": given, **signed})
        if _either(call, "partialArgs", "partial_args") or _either(call, "willContinue", "will_continue"):
            self.message.cut(place, "its arguments came in pieces")


def _either(part: Mapping[str, Any], camel: str, snake: str) -> Any:
    """A field by REST's name or the SDK's."""
    value = part.get(camel)
    return part.get(snake) if value is None else value


def _written(signature: object) -> str:
    """A signature as REST has it; google-genai gives the bytes."""
    if isinstance(signature, bytes):
        return b64encode(signature).decode()
    return signature if isinstance(signature, str) else ""
