"""A block under assembly, and what it turns out to be once the message has ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.received_call import Read, ReceivedCall, cut_off, read_text
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import Opaque, Reasoning, Source, Text
from toolgen_runtime.validation.issues import MISSING

BlockKind = Literal["text", "reasoning", "call", "native"]
"""`native` is what has no neutral form, kept as the provider has it."""


class Block:
    """What has come for one block.

    `id` and `name` are as the wire has them; `cut` says why it cannot be whole. A call is of `call_kind`
    (`ReceivedCall.kind`); `input` is that of a call which is not of a function, where it is not a text.
    """

    __slots__ = (
        "call_kind",
        "closed",
        "cut",
        "id",
        "input",
        "kind",
        "name",
        "namespace",
        "parts",
        "redacted",
        "signature",
        "source",
    )

    def __init__(self, kind: BlockKind) -> None:
        self.kind: BlockKind = kind
        self.parts: list[str] = []
        self.id: str | None = None
        self.name: str | None = None
        self.signature: str | None = None
        self.redacted: str | bytes | None = None
        self.source: Source | None = None
        self.closed = False
        self.cut = ""
        self.call_kind = "function"
        self.namespace: str | None = None
        self.input: Any = MISSING

    @property
    def text(self) -> str:
        """Its fragments, joined."""
        return "".join(self.parts)

    def is_empty(self) -> bool:
        """Return whether it says nothing; a call always says something."""
        return self.kind not in ("call", "native") and not (
            any(self.parts) or self.signature or self.redacted or self.source
        )

    def content(self) -> Text | Reasoning | Opaque:
        """Return a block that is not a call, as the transcript has it."""
        if self.kind == "native" and self.source is not None:
            return Opaque(self.source.provider, self.source.value)
        if self.kind == "text":
            return Text(self.text, self.source)
        return Reasoning(self.text, self.signature, self.redacted, self.source)

    def call(self, why: str, problems: tuple[str, ...], codec: Codec) -> ReceivedCall:
        """Return the call, judged; `why` says why its message or its block is not all there."""
        why = why or self.cut
        payload, issues = cut_off(why) if why else self._read()
        return ReceivedCall(
            id=self.id and codec.decode_id(self.id),
            name=self.name and codec.decode_name(self.name, self.namespace),
            arguments=self.text,
            input=MISSING if issues else codec.decode_input(payload),
            issues=issues,
            problems=problems,
            source=self.source,
            kind=self.call_kind,
            namespace=self.namespace,
        )

    def _read(self) -> Read:
        """Return what the arguments stand for: a custom call's are the text that they are."""
        if self.call_kind == "function":
            return read_text(self.text)
        return (self.text if self.input is MISSING else self.input), ()


def call_problems(block: Block, used: int, wire: Wire) -> Iterator[str]:
    """Yield what is wrong with a call's name and id; `used` is how many calls of the message have that id."""
    if not block.name:
        yield "the call has no name"
    if not block.id:
        if not wire.calls.ids_optional:
            yield "the call has no id"
    elif used > 1:
        yield "another call of the message has the same id"
    elif wire.stream.published_ids and not wire.id_rule.legal(block.id):
        yield "the call's id is not one that the provider allows"
