"""Judging the calls of a response, once for both ways to ask: `parse_tool_uses` takes every call or raises at
the first thing that is wrong, `read_tool_uses` gives every call with what is wrong about it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from toolgen_runtime.providers.shared.errors import ProviderResponseError
from toolgen_runtime.providers.shared.messages.native import text_or_none
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.received_call import (
    Read,
    ReceivedCall,
    ToolUseBlock,
    UnnumberedToolUse,
    cut_off,
    json_text_of,
    read_text,
    read_value,
)
from toolgen_runtime.providers.shared.responses.native_calls import (
    Fault,
    NativeCall,
    NativeMessage,
    Reader,
    described,
)
from toolgen_runtime.providers.shared.wire import Wire
from toolgen_runtime.transcript.messages import Source
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

UseT = TypeVar("UseT", ToolUseBlock, UnnumberedToolUse)


class Responses(ABC, Generic[UseT]):
    """`parse_tool_uses` and `read_tool_uses` of one API; `no_call` is the error of a response without calls."""

    wire: ClassVar[Wire]
    error: ClassVar[type[ProviderResponseError]]
    no_call: ClassVar[str] = "no function call"

    @abstractmethod
    def find(self, reader: Reader) -> NativeMessage:
        """Return the calls of a response where they stand in it."""

    def read_tool_uses(self, response: object, *, codec: Codec | None = None) -> list[ReceivedCall]:
        """Return every call of a response, in order, as streams give them.

        Each says whether it is `ready`, and why not.

        Raises:
            ProviderResponseError: the provider's own; the response does not have the API's shape.
        """
        codec = codec or codec_for(self.wire.provider)
        message = self.find(self._reader(response))
        return [call for call, _ in _judged(message, self.wire, codec)]

    def judge(
        self, response: object, why: str, pieces: Iterable[tuple[str | None, str]], codec: Codec
    ) -> list[ReceivedCall]:
        """Return the calls of a response that was streamed.

        `why` says why the message may be cut. Each call has in `pieces` the text of its arguments as it came, None
        where it came as the response has it, and why it alone may be cut.
        """
        message = self.find(self._reader(response))
        message.why = why
        message.calls = [_streamed(*each) for each in zip(message.calls, pieces, strict=True)]
        return [call for call, _ in _judged(message, self.wire, codec)]

    def parse_tool_uses(self, response: object, *, codec: Codec | None = None) -> list[UseT]:
        """Return every call of a response, in order; none where the model made none.

        Raises:
            ProviderResponseError: the provider's own; anything is missing, malformed or possibly cut. `path` names
                the place.
        """
        codec = codec or codec_for(self.wire.provider)
        reader = self._reader(response)
        message = self.find(reader)
        for fault in message.faults:
            reader.fail(fault)
        uses: list[UseT] = []
        for call, faults in _judged(message, self.wire, codec):
            for fault in faults:
                reader.fail(fault)
            use: Any = {"id": call.id, "name": call.name, "input": call.input}
            uses.append(use if call.kind == "function" else use | {"kind": call.kind})
        if uses and message.why:
            why = f"{message.why}: its calls may be cut, none of them may be run"
            reader.fail(Fault(message.stop, why))
        if not uses and self.wire.stop_of(message.reason).finish == "tool_calls" and not message.why:
            reader.fail(Fault(message.place, f"{self.no_call}, though the model stopped for one"))
        return uses

    def parse_tool_use(self, response: object, *, codec: Codec | None = None) -> UseT:
        """Return the first call of a response.

        Raises:
            ProviderResponseError: the provider's own; there is no call, or `parse_tool_uses` raises it.
        """
        uses = self.parse_tool_uses(response, codec=codec)
        if not uses:
            reader = self._reader(response)
            reader.fail(Fault(self.find(reader).place, self.no_call))
        return uses[0]

    def _reader(self, response: object) -> Reader:
        return Reader(response, self.error, self.wire)


def _judged(
    message: NativeMessage, wire: Wire, codec: Codec
) -> Iterator[tuple[ReceivedCall, tuple[Fault, ...]]]:
    """Yield each call, and its faults in the order in which strict reading looks at them."""
    used = Counter(
        id for call in message.calls if (id := text_or_none(call.id and call.id.value)) is not None
    )
    seen: dict[str, str] = {}
    for call in message.calls:
        unnamed = call.name.wrong_kind(str) if call.name else None
        around = [*call.faults, *_id_faults(call, wire, seen), *((unnamed,) if unnamed else ())]
        id = text_or_none(call.id and call.id.value)
        name = text_or_none(call.name.value) if call.name else call.kind
        namespace = text_or_none((call.native or {}).get("namespace"))
        text, read = _arguments(call)
        why = message.why or (call.cut.message if call.cut else "")
        payload, issues = cut_off(why) if why else read
        problems = [f"{fault.name}: {fault.message}" for fault in around]
        if id is not None and used[id] > 1 and call.id and seen.get(id) == call.id.path:
            problems.append("another call of the message has the same id")
        own = None if name is None else codec.decode_name(name, namespace)
        received = ReceivedCall(
            id=None if id is None else codec.decode_id(id),
            name=own,
            arguments=text,
            input=MISSING if issues else codec.decode_input(payload, own),
            issues=issues,
            problems=tuple(problems),
            source=None if call.native is None else Source(wire.provider, dict(call.native)),
            kind=call.kind,
            namespace=namespace,
        )
        cut = (call.cut,) if call.cut else ()
        yield received, (*around, *(_argument_fault(call, issue) for issue in read[1]), *cut)


def _streamed(call: NativeCall, piece: tuple[str | None, str]) -> NativeCall:
    text, why = piece
    cut = Fault(call.arguments.path, why) if why else call.cut
    if text is None or call.kind != "function":
        return replace(call, cut=cut)
    written = replace(call.arguments, parent={call.arguments.key: text})
    return replace(call, cut=cut, arguments=written, as_text=True)


def _id_faults(call: NativeCall, wire: Wire, seen: dict[str, str]) -> Iterator[Fault]:
    """Yield what is wrong with an id: it is there, a text, within the provider's rule, and new to the response."""
    member = call.id
    if member is None or (call.optional and (member.value is MISSING or member.value is None)):
        return
    fault = member.wrong_kind(str)
    if fault is not None:
        yield fault
        return
    value: str = member.value
    rule, published = wire.id_rule, wire.calls.published_ids
    if published and len(value) > rule.max_length:
        yield member.fault(f"{len(value)} characters long, at most {rule.max_length} are allowed")
    elif published and not rule.legal(value):
        yield member.fault(f"has characters outside {rule.pattern}")
    if value in seen:
        yield member.fault(f"the same id as {seen[value]}")
    else:
        seen[value] = member.path


def _arguments(call: NativeCall) -> tuple[str, Read]:
    """Return the arguments' text, and what they stand for."""
    value = call.arguments.value
    if call.kind != "function":
        return _special_arguments(call, value)
    if call.optional and (value is MISSING or value is None):
        value = {}
    if not call.as_text:
        return json_text_of(value) or "", read_value(value)
    if isinstance(value, str):
        return value, read_text(value)
    return json_text_of(value) or "", (
        MISSING,
        (ValidationIssue((), "json", "the JSON text of an object", value),),
    )


def _special_arguments(call: NativeCall, value: object) -> tuple[str, Read]:
    """Return the input of a call that is not of a function: a text for a custom tool, else whatever the API has."""
    fault = call.arguments.wrong_kind(str) if call.as_text and value != "" else None
    if value is MISSING or fault is not None:
        return "", (MISSING, (ValidationIssue((), "type", "string" if call.as_text else "object", value),))
    return value if isinstance(value, str) else json_text_of(value) or "", (value, ())


def _argument_fault(call: NativeCall, issue: ValidationIssue) -> Fault:
    """Return an issue of the arguments as the fault that strict reading raises."""
    member = call.arguments
    if call.kind != "function":
        return member.wrong_kind(str if call.as_text else dict) or member.fault("absent")
    wrong = member.wrong_kind(str if call.as_text else dict)
    if wrong is not None:  # an empty text never is an issue
        return wrong
    if issue.constraint == "type":
        return member.fault(f"expected an object, got {described(issue.got)}")
    return member.fault(f"not a JSON object ({issue.constraint}: {issue.expected})")
