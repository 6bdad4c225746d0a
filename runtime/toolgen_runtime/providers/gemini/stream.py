"""Chunks of Gemini `streamGenerateContent`, as REST sends them or as google-genai's objects dump."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.gemini.partial_args import PartialArgs
from toolgen_runtime.providers.gemini.spelling import either
from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.received_call import json_text_of
from toolgen_runtime.providers.shared.stream_events import mapping, rows, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError

_CHUNK = frozenset({"candidates", "usageMetadata", "usage_metadata", "error"})
_CANDIDATE = frozenset({"content", "index", "finishReason", "finish_reason"})
_PART = frozenset(
    {"text", "thought", "thoughtSignature", "thought_signature", "functionCall", "function_call"}
)
_PIECES = frozenset({"partialArgs", "partial_args", "willContinue", "will_continue"})
"""What is read of a chunk, of its candidate, of a part, and of a call in pieces."""


class StreamAssembler(Assembler):
    """One streamed candidate. Calls come whole, one a part, or their arguments in pieces over several parts
    (`partialArgs`, an option of Vertex AI), until one does not say that it goes on. An id is optional.
    """

    wire = WIRE

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._parts = 0
        self._last = ""
        self._open: tuple[Place, dict[str, Any], PartialArgs] | None = None

    def take(self, event: Mapping[str, Any]) -> None:  # noqa: D102  inherited
        if event.get("error"):
            error = mapping(event["error"])
            self.message.failed(StreamError(words(error, "status") or "error", words(error, "message")))
        usage = either(event, "usageMetadata")
        if usage:
            self.message.usage = mapping(usage)
        self.message.note({key: event[key] for key in event if key not in _CHUNK})
        for candidate in rows(event.get("candidates")):
            if not candidate.get("index"):
                self._candidate(candidate)

    def _candidate(self, candidate: Mapping[str, Any]) -> None:
        for part in rows(mapping(candidate.get("content")).get("parts")):
            self._part(part)
        self.message.note({key: candidate[key] for key in candidate if key not in _CANDIDATE})
        reason = either(candidate, "finishReason")
        if reason is not None:
            self._end_pieces("its arguments came in pieces and did not end")
            self.message.stop(reason)
            self.message.end()

    def _part(self, part: Mapping[str, Any]) -> None:
        call, text = either(part, "functionCall"), part.get("text")
        signature = _written(either(part, "thoughtSignature"))
        said = {k: v for k, v in part.items() if v is not None and k not in _PART}  # for Gemini itself
        more = said | ({"thoughtSignature": signature} if signature else {})
        if call is not None and self._open is not None and _goes_on(mapping(call)):
            self._piece(mapping(call), more)
        elif call is not None:
            self._call(mapping(call), more)
        elif isinstance(text, str) and part.get("thought"):
            place = self._next("reasoning")
            self.message.reasoning(place, text, signature=signature)
            self._keep(place, {"text": self.message.heard(place), "thought": True, **more})
        elif isinstance(text, str):
            place = self._next("text")
            self.message.text(place, text)
            if more:
                self._keep(place, {"text": self.message.heard(place), **more})
        else:
            given = {key: value for key, value in part.items() if value is not None}
            self.message.native(self._next("call"), given, next(iter(given), "nothing"))

    def _next(self, kind: str) -> Place:
        """Return where the next part stands: text goes on where text stood last, a call is always a new one."""
        if kind == "call" or kind != self._last:
            self._parts += 1
            self._last = kind
        return (self._parts,)

    def _keep(self, place: Place, part: Mapping[str, Any]) -> None:
        """Gemini wants its signatures back on the part that had them."""
        self.message.keep(place, part, "thought" if part.get("thought") else "")

    def _call(self, call: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        self._end_pieces("another call came before the end of its arguments")
        place, arguments = self._next("call"), call.get("args")
        written = "" if arguments is None else json_text_of(arguments)
        in_pieces = either(call, "partialArgs") is not None or either(call, "willContinue") is True
        self.message.call(place, call.get("id"), call.get("name"), "" if in_pieces else written or "")
        if written is None:
            self.message.cut(place, "its arguments are not JSON")
        given = {key: value for key, value in call.items() if value is not None and key not in _PIECES}
        native = {"functionCall": given, **more}
        self._keep(place, native)
        if in_pieces:
            self._open = (place, native, PartialArgs())
            self._open[2].arguments.update(arguments if isinstance(arguments, dict) else {})
            self._piece(call, {})

    def _piece(self, call: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        """Add the next pieces of the call that is open; the last one does not say that it goes on."""
        assert self._open is not None
        _, native, args = self._open
        for piece in rows(either(call, "partialArgs")):
            args.add(piece)
        native.update(more)
        if either(call, "willContinue") is not True:
            self._end_pieces("")

    def _end_pieces(self, why: str) -> None:
        """End the call that is open, if there is one; `why` says what is missing of it."""
        if self._open is None:
            return
        place, native, args = self._open
        self._open = None
        text = json_text_of(args.arguments)
        why = why or args.problem or ("a text among its arguments did not end" if args.unfinished else "")
        if text is None or why:
            self.message.cut(place, why or "its arguments are not JSON")
            return
        native["functionCall"]["args"] = args.arguments
        self.message.arguments(place, text)
        self._keep(place, native)


def _goes_on(call: Mapping[str, Any]) -> bool:
    """Return whether a call is more of the one before: it has no name of its own."""
    return not call.get("name")


def _written(signature: object) -> str:
    """Return a signature as REST has it; google-genai gives the bytes."""
    if isinstance(signature, bytes):
        return b64encode(signature).decode()
    return signature if isinstance(signature, str) else ""
