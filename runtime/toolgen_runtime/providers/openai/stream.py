"""Chunks of OpenAI Chat Completions, and of the many servers that speak it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.openai.wire import WIRE
from toolgen_runtime.providers.shared.stream_events import mapping, number, rows, words
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Place, StreamError

# A chat message has one text and one list of calls: reasoning, text, calls is their order.
_REASONING: Place = (0,)
_TEXT: Place = (1,)
_CALLS = 2

_CHUNK = frozenset({"choices", "usage", "object", "created", "error"})
_DELTA = frozenset(
    {"role", "content", "refusal", "tool_calls", "function_call", "reasoning_content", "reasoning"}
)
"""What is read of a chunk and of its delta, or is in every one."""


class StreamAssembler(Assembler):
    """One streamed choice of a chat completion; `choice` says which, where several were asked for.

    A refusal counts as text. `reasoning_content` and `reasoning`, which OpenAI does not send but others do,
    are read as reasoning.
    """

    wire = WIRE

    def __init__(self, *, choice: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self._choice = choice
        self._ids: dict[int, str] = {}
        self._turns: dict[int, int] = {}
        self._lists: dict[str, list[Any]] = {}

    def take(self, event: Mapping[str, Any]) -> None:  # noqa: D102  inherited
        if event.get("error"):
            error = mapping(event["error"])
            code = words(error, "code") or words(error, "type") or number(error, "code") or "error"
            self.message.failed(StreamError(str(code), words(error, "message")))
        if event.get("usage"):
            self.message.usage = mapping(event["usage"])
        self.message.note({key: event[key] for key in event if key not in _CHUNK})
        for choice in rows(event.get("choices")):
            if choice.get("index", 0) == self._choice:
                self._delta(mapping(choice.get("delta")))
                if choice.get("finish_reason") is not None:
                    self.message.stop(choice["finish_reason"])
                    self.message.end()

    def _delta(self, delta: Mapping[str, Any]) -> None:
        member = next((key for key in ("reasoning_content", "reasoning") if words(delta, key)), "")
        if member:
            self.message.reasoning(_REASONING, words(delta, member))
            self.message.keep(_REASONING, {member: self.message.heard(_REASONING)}, "message")
        for key in ("content", "refusal"):
            if isinstance(delta.get(key), list):  # some servers send parts
                self.message.skip(f"{key} parts")
            self.message.text(_TEXT, words(delta, key))
        for fragment in rows(delta.get("tool_calls")):
            self._call(fragment)
        for key in delta.keys() - _DELTA:  # annotations, a voice: what comes in pieces is a list
            self._more(key, delta[key])
        if delta.get("function_call"):  # the deprecated form, which has no id to answer to
            self.message.skip("function_call")

    def _call(self, fragment: Mapping[str, Any]) -> None:
        index = number(fragment, "index")
        if index is None:
            self.message.damaged("a tool call's fragment came without its index")
            return
        custom = fragment.get("type") == "custom" or "custom" in fragment
        function = mapping(fragment.get("custom" if custom else "function"))
        id, name = words(fragment, "id"), words(function, "name")
        if id and name and self._ids.setdefault(index, id) != id:
            # Some servers give every call the index 0: another id with a name is another call.
            self._ids[index] = id
            self._turns[index] = self._turns.get(index, 0) + 1
        place = (_CALLS, index, self._turns.get(index, 0))
        if not self.message.has(place):
            self.message.call(place, id, name, kind="custom" if custom else "function")
        written = function.get("input" if custom else "arguments")
        if written is not None:
            self.message.arguments(place, written)

    def _more(self, key: str, value: Any) -> None:
        if isinstance(value, list):
            self._lists.setdefault(key, []).extend(value)
            value = self._lists[key]
        self.message.note({key: value})
