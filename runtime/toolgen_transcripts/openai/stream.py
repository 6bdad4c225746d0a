"""Assemble the chunks of Chat Completions, for OpenAI and the many servers that implement its API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolgen_transcripts.codec.members import Native, without
from toolgen_transcripts.openai.messages import API
from toolgen_transcripts.streams.assembly import Block, Message, mapping, number, rows, words
from toolgen_transcripts.streams.reader import Assembler
from toolgen_transcripts.streams.result import Place

# A chat message has one text and one list of calls; the order is reasoning, text, calls.
_REASONING: Place = (0,)
_TEXT: Place = (1,)
_CALLS = 2

_CHUNK = frozenset({"choices", "usage", "object", "created", "error"})
_READ = frozenset(
    {"role", "content", "refusal", "tool_calls", "reasoning_content", "reasoning", "function_call"}
)
"""The members of a chunk (`_CHUNK`) and of its delta (`_READ`) that are read, or that every one has."""


_INPUTS = {"custom": "input", "function": "arguments"}
"""The member with the input of a call, by its kind."""


@dataclass(eq=False)
class _Chat(Message):
    _ids: dict[int, list[str]] = field(default_factory=dict)
    _indices: dict[str, int] = field(default_factory=dict)
    _most: int = -1
    _said: Block = field(default_factory=lambda: Block((), "native", {"role": "assistant", "content": None}))

    def settle(self, block: Block) -> bool:
        kind = "custom" if "custom" in block.native else "function"
        block.inside(kind)[_INPUTS[kind]] = "".join(block.arguments or ())
        return True

    def native_messages(self, blocks: list[Block]) -> list[Native]:
        self._said.join()
        message = self._said.native
        self.note(message, _READ)
        message["content"] = message["content"] or None
        calls = [block.native for block in blocks]
        if calls:
            message |= {"tool_calls": calls}
        if any(message[key] for key in message if key != "role"):
            return [message]
        return []

    def take(self, event: Native) -> None:
        if event.get("error"):
            self.sent_error(event["error"], "code", "type")
        if event.get("usage"):
            self.usage = mapping(event, "usage")
        self.note(event, _CHUNK)
        for choice in rows(event, "choices"):
            if not choice.get("index"):
                self._delta(mapping(choice, "delta"))
                if choice.get("finish_reason") is not None:
                    self.stop(choice["finish_reason"])
                    self.end()

    def _delta(self, delta: Native) -> None:
        said = without(delta, "role", "tool_calls")
        given = {key: value for key, value in said.items() if value not in (None, "", [], {})}
        if not given.keys().isdisjoint(_READ) and self.is_over():
            return
        if "function_call" in given:  # deprecated: it has no id for a result
            self.skip("function_call")
        self.show("reasoning", _REASONING, _thought(given))
        self.show("text", _TEXT, _text(given, "content") + words(given, "refusal"))
        for key, value in given.items():
            self._add(key, value)
        for fragment in rows(delta, "tool_calls"):
            self._call(fragment)

    def _add(self, key: str, value: Any) -> None:
        """Add a value to a field of the message. Strings and lists are appended."""
        native = self._said.native
        if key == "content" and (isinstance(value, list) or isinstance(native[key], list)):
            self._start_parts()
            if not isinstance(value, list):
                value = [{"type": "text", "text": value}]
        if isinstance(value, list) and all(isinstance(row, dict) for row in value):
            for row in value:
                self._said.add_row(self._said.listed(native, key), row)
        else:
            self._said.extend(native, {key: value})

    def _start_parts(self) -> None:
        """Convert the content to a list of parts, which some servers send from the start or later."""
        native = self._said.native
        if not isinstance(native["content"], list):
            self._said.join()
            given = native["content"]
            native["content"] = []
            if given:
                native["content"] = [{"type": "text", "text": given}]

    def _call(self, fragment: Native) -> None:
        member = "function"
        if fragment.get("type") == "custom" or "custom" in fragment:
            member = "custom"
        function = mapping(fragment, member)
        id, name = words(fragment, "id"), words(function, "name")
        index = self._index(number(fragment, "index"), id, name)
        if index is None:
            self.damaged("a tool call's fragment came without its index")
            return
        self._most = max(self._most, index)
        ids = self._ids.setdefault(index, [])
        if id and name and ids[-1:] != [id]:
            # Some servers give every call the index 0: another id with a name starts another call.
            ids.append(id)
        place = (_CALLS, index, max(len(ids) - 1, 0))
        if place not in self.blocks:
            self.call(place, {"type": member, "id": id or None, member: {}}, id, name)
        written = function.pop(_INPUTS[member], None)
        more = without(fragment, "index")
        if block := self.at(place, "call"):
            block.extend(block.native, more)
        if written is not None:
            self.arguments(place, written)

    def _index(self, index: int | None, id: str, name: str) -> int | None:
        """Return the index of the call to which a fragment belongs. If it has none, use its id.

        A new id with a name starts a new call.
        """
        if index is not None or not id:
            return index
        if id not in self._indices and name:
            self._indices[id] = self._most + 1
        return self._indices.get(id)


class StreamAssembler(Assembler):
    """Assembles the first choice of a chat completion that is streamed.

    Servers other than OpenAI's send `reasoning_content`, `reasoning`, `reasoning_details` and `thinking_blocks`, which
    are read as reasoning.
    """

    api = API
    form = _Chat


def _text(part: Native, key: str) -> str:
    """Return the text under a key, which is a string or a list of parts."""
    texts = (words(inner, "text") for inner in rows(part, key) if inner.get("type") == "text")
    return words(part, key) or "".join(texts)


def _thought(delta: Native) -> str:
    """Return the reasoning in a delta, which some servers repeat in two fields."""
    for key in ("reasoning_content", "reasoning"):
        if text := words(delta, key):
            return text
    found = (
        _text(row, "thinking") or words(row, "text") or words(row, "summary")
        for key in ("reasoning_details", "thinking_blocks", "content")
        for row in rows(delta, key)
        if row.get("type") != "text"
    )
    return "".join(found)
