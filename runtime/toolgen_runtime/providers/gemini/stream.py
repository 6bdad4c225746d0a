"""Chunks of Gemini `streamGenerateContent`, as REST sends them or as google-genai's objects dump."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from toolgen_runtime.providers.gemini.messages import API
from toolgen_runtime.providers.gemini.wire import either, snake
from toolgen_runtime.providers.shared.received_call import json_text_of
from toolgen_runtime.providers.shared.stream_assembly import BlockKind, mapping, rows
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place

_STEP = re.compile(r"""\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_PATH = re.compile(rf"\$(?:{_STEP.pattern})+")
_MAX_ITEMS = 10_000
_VALUES = ("stringValue", "numberValue", "boolValue")


def steps_of(path: object) -> list[str | int]:
    """Return the steps of a JSON path of members and indices (RFC 9535, singular queries); none for any other."""
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        return []
    return [
        int(index) if index else name or re.sub(r"\\(.)", r"\1", single or double)
        for name, index, single, double in _STEP.findall(path)
    ]


class PartialArgs:
    """The arguments of one call that come in pieces, as far as they have come; `problem` says what cannot be placed.

    Each piece names a place by a JSON path and gives a value, or a part of a text:
    https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling, "Stream function call arguments".
    `unfinished` are the paths of texts that were announced to go on and did not end.
    """

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.arguments = dict(arguments)
        self.problem = ""
        self.unfinished: set[str] = set()

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add one piece."""
        path = either(piece, "jsonPath")
        steps = steps_of(path)
        given = [value for key in _VALUES if (value := either(piece, key)) is not None]
        if not steps or len(given) > 1:
            self.problem = self.problem or "a piece of its arguments cannot be placed"
            return
        goes_on = either(piece, "willContinue") is True
        (self.unfinished.add if goes_on else self.unfinished.discard)(path)
        if given or "nullValue" in piece or "null_value" in piece:
            self._put(steps, given[0] if given else None)

    def _put(self, steps: list[str | int], value: Any) -> None:
        here: Any = self.arguments
        for step, below in pairwise(steps):
            here = self._member(here, step, [] if isinstance(below, int) else {})
        was = self._member(here, steps[-1], None)
        if here is not None and not self.problem:
            here[steps[-1]] = was + value if isinstance(was, str) and isinstance(value, str) else value

    def _member(self, parent: Any, step: str | int, fresh: Any) -> Any:
        """Return what stands at a step, made if there is nothing yet."""
        if isinstance(step, int) and isinstance(parent, list) and step <= len(parent) < _MAX_ITEMS:
            if step == len(parent):
                parent.append(fresh)
            return parent[step]
        if isinstance(step, str) and isinstance(parent, dict):
            return parent.setdefault(step, fresh)
        self.problem = self.problem or "a piece of its arguments cannot be placed"
        return None


_CHUNK = frozenset({"candidates", "usageMetadata", "usage_metadata", "error"})
_CANDIDATE = frozenset({"content", "index", "finishReason", "finish_reason"})
_PIECES = frozenset({"partialArgs", "partial_args", "willContinue", "will_continue"})
"""What is read of a chunk, of its candidate, and of a call in pieces."""


class StreamAssembler(Assembler):
    """One streamed candidate. Calls come whole, one a part, or their arguments in pieces over several parts
    (`partialArgs`, an option of Vertex AI), until one does not say that it goes on. An id is optional.

    Texts in a row are one part, but a part with a signature stays as it came: Gemini wants it back so.
    """

    api = API

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._place: Place = (0,)
        self._goes_on: BlockKind | None = None
        self._open: PartialArgs | None = None

    def take(self, event: dict[str, Any]) -> None:  # noqa: D102  inherited
        if event.get("error"):
            self.message.sent_error(event["error"], "status")
        usage = either(event, "usageMetadata")
        if usage:
            self.message.usage = mapping(usage)
        self.message.note(event, _CHUNK)
        for candidate in rows(event.get("candidates")):
            if not candidate.get("index"):
                self._candidate(candidate)

    def _candidate(self, candidate: dict[str, Any]) -> None:
        for part in rows(mapping(candidate.get("content")).get("parts")):
            self._part(_written(part))
        self.message.note(candidate, _CANDIDATE)
        reason = either(candidate, "finishReason")
        if reason is not None:
            self._end_pieces("its arguments came in pieces and did not end")
            self.message.stop(reason)
            self.message.end()

    def _part(self, part: dict[str, Any]) -> None:
        call, text = either(part, "functionCall"), part.get("text")
        if call is not None and self._open is not None and not mapping(call).get("name"):
            self._piece(mapping(call), part)
        elif call is not None:
            self._call(mapping(call), part)
        elif isinstance(text, str):
            self._text(part, text)
        else:
            self.message.native(self._next(), part, next(iter(part), "nothing"))

    def _next(self) -> Place:
        self._place = (self._place[0] + 1,)
        self._goes_on = None
        return self._place

    def _text(self, part: dict[str, Any], text: str) -> None:
        kind: BlockKind = "reasoning" if part.get("thought") is True else "text"
        is_plain = set(part) <= {"text", "thought"}
        if is_plain and not text:
            return
        if not (is_plain and kind == self._goes_on):
            self._next()
            self._goes_on = kind if is_plain else None
        block = self.message.at(self._place, kind, part | {"text": ""})
        if block is not None:
            block.grow(block.native, "text", text)
            self.message.show("text" if kind == "text" else "reasoning", self._place, text)

    def _call(self, call: dict[str, Any], part: dict[str, Any]) -> None:
        self._end_pieces("another call came before the end of its arguments")
        place, arguments = self._next(), call.get("args")
        in_pieces = either(call, "partialArgs") is not None or either(call, "willContinue") is True
        given = {key: value for key, value in call.items() if value is not None and key not in _PIECES}
        named = {key: given if key in ("functionCall", "function_call") else part[key] for key in part}
        self.message.call(place, named, call.get("id"), call.get("name"))
        if in_pieces:
            self._open = PartialArgs(arguments if isinstance(arguments, dict) else {})
            self._piece(call, {})
        else:
            self.message.show_arguments(place, json_text_of({} if arguments is None else arguments) or "")

    def _piece(self, call: dict[str, Any], part: dict[str, Any]) -> None:
        """Add the next pieces of the call that is open; the last one does not say that it goes on."""
        assert self._open is not None
        for piece in rows(either(call, "partialArgs")):
            self._open.add(piece)
        if block := self.message.blocks.get(self._place):
            block.native |= {key: part[key] for key in part if key not in ("functionCall", "function_call")}
        if either(call, "willContinue") is not True:
            self._end_pieces("")

    def _end_pieces(self, why: str) -> None:
        """End the call that is open, if there is one; `why` says what is missing of it."""
        args, self._open = self._open, None
        if args is None:
            return
        text = json_text_of(args.arguments)
        why = why or args.problem or ("a text among its arguments did not end" if args.unfinished else "")
        self.message.arguments(self._place, "" if text is None or why else text)
        if text is None or why:
            self.message.cut(self._place, why or "its arguments are not JSON")


def _written(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part without nulls, its signature as REST has it; google-genai gives the bytes."""
    given = {key: value for key, value in part.items() if value is not None}
    for key in ("thoughtSignature", snake("thoughtSignature")):
        if isinstance(given.get(key), bytes):
            given[key] = b64encode(given[key]).decode()
    return given
