"""Find and replace roles and contents of the wrong type before messages are read (the rule `malformed`).

One pass finds and repairs these errors, so that finding and repairing always agree. It makes each message well-formed
and records each step as a fault. No content is lost: a value in the wrong place is sent as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from toolgen_transcripts.codec.json_values import json_text
from toolgen_transcripts.codec.members import Native, at_path, kind_of_call
from toolgen_transcripts.codec.shapes import MessageShape

EMPTY = "[empty]"
Path = tuple[str | int, ...]


class ShapeFault(NamedTuple):
    """A value in a message that has the wrong type.

    It has a path, the type that was expected, and the value that replaces it.
    """

    path: Path
    expected: str
    action: str


class _Message:
    """The conversion of one message to a well-formed one."""

    def __init__(self, index: int, message: Native, shape: MessageShape) -> None:
        self.index = index
        self.message: Native = dict(message)
        self.shape = shape
        self.faults: list[ShapeFault] = []
        self._texts: list[str] = []

    def fault(self, path: Path, expected: str, action: str = "sent as text") -> None:
        self.faults.append(ShapeFault((self.index, *path), expected, action))

    def run(self) -> Native:
        """Return the message with valid types. Items that are not messages stay unchanged."""
        kind = self.shape.item_kind(self.message)
        if not isinstance(kind, str):
            self.fault((self.shape.item_key,), "a string")
            text = self.shape.text_message(json_text(self.message))
            role = self.message.get(self.shape.role_key)
            self.message = text
            if isinstance(role, str):
                text[self.shape.role_key] = role
        elif self.shape.is_message(self.message):
            self._role()
            self._calls()
            self._content()
        return self.message

    def _role(self) -> None:
        shape = self.shape
        key, role = shape.role_key, self.message.get(shape.role_key)
        if role is None and shape.role_optional:
            return
        if not isinstance(role, str) or (not shape.other_roles and role not in shape.roles):
            expected = " or ".join(map(repr, sorted(shape.roles)))
            self.fault((key,), "a string" if shape.other_roles else expected, "role sent as user")
            self.message[key] = shape.role_of("user")

    def _text(self, value: object) -> dict[str, str]:
        text = value if isinstance(value, str) else json_text(value)
        return self.shape.text_block(text, str(self.message.get(self.shape.role_key, "")))

    def _calls(self) -> None:
        """If the field for calls contains values that are not a list or not calls, move them to the content as text."""
        key = self.shape.calls_key
        calls = self.message.get(key)
        odd: list[tuple[Path, str, Any]] = [((key,), "an array", calls)]
        kept = []
        if isinstance(calls, list):
            odd = [((key, i), "a tool call", call) for i, call in enumerate(calls) if not _is_call(call)]
            kept = list(filter(_is_call, calls))
        if calls is None or not odd:
            return
        for path, expected, value in odd:
            self.fault(path, expected)
            self._texts.append(json_text(value))
        del self.message[key]
        if kept:
            self.message[key] = kept

    def _content(self) -> None:
        key = self.shape.content_key
        content = self.message.get(key)
        if content is None and self.message.get(self.shape.role_key) in self.shape.content_for:
            self.fault((key,), "a string or an array", "placeholder put")
            content = self.message[key] = EMPTY
        if content is not None:
            self.message[key] = self._blocks(content, (key,), self.shape.text_content)
        if self._texts:
            before = self.message.get(key) or []
            if not isinstance(before, list):
                before = [self._text(before)]
            self.message[key] = [*before, *map(self._text, self._texts)]

    def _blocks(self, content: object, path: Path, may_be_text: bool) -> Any:
        if isinstance(content, str) and may_be_text:
            return content
        if not isinstance(content, list):
            self.fault(path, "a string or an array" if may_be_text else "an array")
            return [self._text(content)]
        return [self._block(block, (*path, at)) for at, block in enumerate(content)]

    def _block(self, block: object, path: Path) -> Any:
        if not isinstance(block, dict):
            self.fault(path, "an object")
            return self._text(block)
        for key, kind in self.shape.members.items():
            value = block.get(key)
            if not isinstance(value, kind) and (value is not None or key in self.shape.required):
                self.fault((*path, key), "a string" if kind is str else "an object")
                return self._text(block)
        return self._result(block, path)

    def _result(self, block: Native, path: Path) -> Native:
        """Return a block in which the content of its result, if it has one, is well-formed."""
        steps, kind = self.shape.result, self.shape.result_type
        if not steps or (kind and block.get("type") != kind):
            return block
        outer, key = steps[:-1], steps[-1]
        holder = at_path(block, outer)
        if not isinstance(holder, dict) or holder.get(key) is None:
            return block
        made = {**holder, key: self._blocks(holder[key], (*path, *steps), self.shape.text_content)}
        if outer:
            return {**block, outer[0]: made}
        return made


def _is_call(call: object) -> bool:
    """Return whether a value is a call. A call of an unknown kind may have a field `function` too."""
    if not isinstance(call, dict):
        return False
    kind = kind_of_call(call)
    if not isinstance(kind, str):
        return False
    keys = {kind} if kind == "custom" else {kind, "function"}
    return any(isinstance(call.get(key), dict) for key in keys)


def well_formed(
    messages: Sequence[Native], shape: MessageShape
) -> tuple[list[Native], tuple[ShapeFault, ...]]:
    """Return the messages with roles and contents of the right types, and a list of the values that were
    replaced.
    """
    made, faults = [], []
    for index, given in enumerate(messages):
        message = _Message(index, given, shape)
        made.append(message.run())
        faults += message.faults
    return made, tuple(faults)
