"""Assemble Gemini's `streamGenerateContent` chunks, as the REST API or google-genai's dumps have them."""

from __future__ import annotations

from base64 import b64encode

from toolgen_transcripts.codec.members import Native, without, without_nulls
from toolgen_transcripts.codec.received_call import json_text_of
from toolgen_transcripts.gemini.messages import API
from toolgen_transcripts.gemini.wire import either, finish_reason, snake
from toolgen_transcripts.streams.assembly import Message, TextKind, as_mapping, mapping, rows
from toolgen_transcripts.streams.reader import Assembler
from toolgen_transcripts.streams.result import Place

_CHUNK = frozenset({"candidates", "usageMetadata", "usage_metadata", "error"})
_CANDIDATE = frozenset({"content", "index", "finishReason", "finish_reason"})
_PIECES = frozenset({"partialArgs", "partial_args", "willContinue", "will_continue"})
"""The members that are read of a chunk (`_CHUNK`), a candidate (`_CANDIDATE`) and a call in pieces (`_PIECES`)."""


class _Gemini(Message):
    _place: Place = (0,)
    _goes_on: TextKind | None = None

    def take(self, event: Native) -> None:
        if event.get("error"):
            self.sent_error(event["error"], "status")
        if usage := either(event, "usageMetadata"):
            self.usage = as_mapping(usage)
        self.note(event, _CHUNK)
        for candidate in rows(event, "candidates"):
            if not candidate.get("index"):
                self._candidate(candidate)

    def _candidate(self, candidate: Native) -> None:
        for part in rows(mapping(candidate, "content"), "parts"):
            self._part(_written(part))
        self.note(candidate, _CANDIDATE)
        reason = finish_reason(candidate)
        if reason is not None:
            self.stop(reason)
            self.end()

    def _part(self, part: Native) -> None:
        call, text = either(part, "functionCall"), part.get("text")
        if call is not None:
            self._call(as_mapping(call), part)
        elif isinstance(text, str):
            self._text(part, text)
        else:
            self.native(self._next(), part, next(iter(part), "nothing"))

    def _next(self) -> Place:
        self._place = (self._place[0] + 1,)
        self._goes_on = None
        return self._place

    def _text(self, part: Native, text: str) -> None:
        kind: TextKind = "reasoning" if part.get("thought") is True else "text"
        is_plain = set(part) <= {"text", "thought"}
        if is_plain and not text:
            return
        if not (is_plain and kind == self._goes_on):
            self._next()
        if is_plain:
            self._goes_on = kind
        self.at(self._place, kind, part | {"text": ""})  # a part with a signature may have no text
        self.add_text(self._place, kind, "text", text)

    def _call(self, call: Native, part: Native) -> None:
        if not call.get("name") and self._continue_call(call, part):
            return
        place = self._next()
        given = without(without_nulls(call), *_PIECES)
        named = {key: given if key in ("functionCall", "function_call") else part[key] for key in part}
        self.call(place, named, call.get("id"), call.get("name"))
        if any(call.get(key) for key in _PIECES):
            self.skip("partialArgs")
            self.cut(place, "its arguments came in pieces, which are not read")
        else:
            self.show_arguments(place, json_text_of(call.get("args") or {}) or "")

    def _continue_call(self, call: Native, part: Native) -> bool:
        """Add a call without a name to the call before it, because some servers send its arguments separately.

        Return False if it does not fit there. The call before it may then be incomplete too.
        """
        begun = next((b for _, b in sorted(self.blocks.items(), reverse=True) if b.kind == "call"), None)
        if begun is None:
            return False
        is_next = begun.place == self._place
        if begun.cut:
            return is_next  # another piece of a call that is not read
        members = as_mapping(either(begun.native, "functionCall"))
        is_same = call.get("id") in (None, "", begun.id)
        if not is_next or not is_same or members.get("args") or any(call.get(key) for key in _PIECES):
            self.cut(begun.place, "a part of a call without a name came after it")
            return False
        arguments = call.get("args")
        if arguments is not None:
            members["args"] = arguments
            self.show_arguments(begun.place, json_text_of(arguments) or "")
        begun.extend(begun.native, {key: value for key, value in part.items() if value is not call})
        return True


class StreamAssembler(Assembler):
    """Assembles one candidate that Gemini streams. Each call arrives complete, and its id is optional.

    A call whose arguments arrive in pieces in several parts (`partialArgs`, an option of Vertex AI) is not read and is
    never ready. Consecutive texts become one part, but a part with a signature does not change, because Gemini requires
    it back unchanged.
    """

    api = API
    form = _Gemini


def _written(part: Native) -> Native:
    """Return a part without nulls, and with its signature as base64 as in the REST API.

    In google-genai, it is bytes.
    """
    given = without_nulls(part)
    for key in ("thoughtSignature", snake("thoughtSignature")):
        if isinstance(given.get(key), bytes):
            given[key] = b64encode(given[key]).decode()
    return given
