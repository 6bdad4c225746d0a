"""Read the calls in a response: strictly, or with a list of the errors of each call.

`parse_tool_uses` returns all calls, or raises an exception at the first error. `read_tool_uses` returns every call with
its errors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

from toolgen_runtime.validation.issues import MISSING
from toolgen_transcripts.codec.errors import ProviderResponseError
from toolgen_transcripts.codec.leaked import Leaked, find_leaked_calls, leaked_natives
from toolgen_transcripts.codec.members import JsonObject, Native
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.plain_values import dump, is_dumpable
from toolgen_transcripts.codec.received_call import (
    KINDS,
    Fault,
    Member,
    NativeCall,
    ReceivedCall,
    ToolUseBlock,
    UnnumberedToolUse,
    call_in,
    describe_type,
    judge_calls,
)
from toolgen_transcripts.codec.wire import Wire, stop_reason

_T = TypeVar("_T")
UseT = TypeVar("UseT", ToolUseBlock, UnnumberedToolUse)


@dataclass(slots=True)
class NativeMessage:
    """The message in a response, with its calls.

    `place` is the path of the message, and `stop` is the path of `reason`, its stop reason.

    `why` is the reason why the message may be incomplete. `faults` are the errors of the message itself, which only
    strict reading reports. `native` is the message as a list for the history. If `blocked` is true, the API sent no
    response.
    """

    place: str
    calls: list[NativeCall] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    stop: str = ""
    reason: str | None = None
    why: str = ""
    native: list[Any] = field(default_factory=list)
    blocked: bool = False

    def add_call(self, call: NativeCall | None) -> None:
        """Add a call, or do nothing for None, which stands for a call that the caller must not run."""
        if call is not None:
            self.calls.append(call)


@dataclass(slots=True)
class Reader:
    """Reads the fields of one response. It raises the API's error if the response does not have the API's
    structure.
    """

    response: object
    api: Responses[Any]

    def fail(self, fault: Fault) -> NoReturn:
        """Raise the API's error for a fault."""
        raise self.api.error(fault.message, self.response, fault.name, fault.path)

    def root(self) -> Native:
        """Return the response, which may also be an SDK's pydantic object, as a dict."""
        if isinstance(self.response, dict):
            return self.response
        if isinstance(self.response, Mapping):
            return dict(self.response)
        if not is_dumpable(self.response):
            self.fail(Fault("", f"expected a dict, got {describe_type(self.response)}"))
        return self.as_kind(dump(self.response, by_alias=True), dict, "")

    def as_kind(self, value: object, kind: type[_T], path: str) -> _T:
        """Return the value if it has this type; otherwise raise an error."""
        if not isinstance(value, kind):
            self.fail(Fault(path, f"expected {KINDS[kind]}, got {describe_type(value)}"))
        return value

    def member(self, parent: JsonObject, key: str, kind: type[_T], at: str) -> _T:
        """Return a required field that must have this type. A string must not be empty."""
        member = Member(parent, key, at)
        fault = member.wrong_kind(kind)
        if fault is not None:
            self.fail(fault)
        value: _T = member.value
        return value

    def blocks(self, parent: JsonObject, key: str, at: str) -> Iterator[tuple[str, Native]]:
        """Yield the path and the value of each object in a field, which must be a list of objects."""
        path = key
        if at:
            path = f"{at}.{key}"
        for index, block in enumerate(self.member(parent, key, list, at)):
            here = f"{path}[{index}]"
            yield here, self.as_kind(block, dict, here)

    def message(self, place: str, holder: JsonObject, at: str = "", stop_key: str = "") -> NativeMessage:
        """Check the stop reason, and return a message to which calls can be added.

        The stop reason is in the object `holder`, which is at the path `at`. If there is no stop reason, the message is
        complete.
        """
        wire = self.api.wire
        stop = Member(holder, stop_key or wire.stop_key, at)
        message = NativeMessage(place, stop=stop.path, reason=stop_reason(stop.value))
        if stop.value is not MISSING:
            message.why = wire.why_cut(message.reason)
        if wire.stop_of(message.reason).malformed:
            message.faults.append(stop.fault(f"the model's output was malformed ({message.reason})"))
        return message


class Responses(ABC, Generic[UseT]):
    """Reads the calls in the responses of one API (`parse_tool_uses` and `read_tool_uses`).

    `no_call` is the error message for a response without a call.
    """

    wire: ClassVar[Wire]
    error: ClassVar[type[ProviderResponseError]]
    no_call: ClassVar[str] = "no function call"

    @abstractmethod
    def find(self, reader: Reader) -> NativeMessage:
        """Find the message in a response, and return it with its calls in the API's form."""

    def text_of(self, message: NativeMessage) -> str:  # noqa: ARG002  for those that override it
        """Return the text of a message without its reasoning; an empty string if the API has no messages."""
        return ""

    def read_tool_uses(
        self, response: object, *, codec: Codec | None = None, leaked: Leaked = "report"
    ) -> list[ReceivedCall]:
        """Return the calls of a response, in order, even if they have errors. An assembled stream returns the
        same.

        Each call has `ready`, and its errors are in `issues` and `problems`. A server with OpenAI's API may have left
        calls in the text (`<tool_call>`, harmony, DSML, `[TOOL_CALLS]`). `leaked` says how to treat these: `report`
        returns them as calls that are not ready, `read` returns them as calls with new ids, and `ignore` does not
        return them.

        Raises:
            ProviderResponseError: the response does not have the API's structure. This is the provider's own exception.
        """
        message = self.message(response)
        calls = message.calls
        if not calls and self.wire.of_many:
            calls = self.leaked_calls(self.text_of(message), leaked)
        codec = codec or codec_for(self.wire.provider)
        return [call for call, _ in judge_calls(calls, message.why, self.wire, codec)]

    def read_requests(self, response: object) -> list[ReceivedCall]:  # noqa: ARG002  for those that override it
        """Return what a response asks the caller to do besides running calls.

        Each request needs a response according to its `kind`.
        """
        return []

    def leaked_calls(self, text: str, leaked: Leaked) -> list[NativeCall]:
        """Return the calls that a local server left in the text of a message."""
        if leaked == "ignore" or not self.wire.of_many:
            return []
        return list(leaked_natives(find_leaked_calls(text), "text", leaked))

    def native_call(self, block: Native, at: str) -> NativeCall | None:
        """Return the call in a block of a message. `at` is the path of the block.

        Return None if the caller must not run the call.
        """
        key = self.wire.calls.call_key
        if key not in block:
            key = self.wire.calls.other_keys.get(key, key)
        return call_in(block, at, self.wire, key)

    def parse_tool_uses(self, response: object, *, codec: Codec | None = None) -> list[UseT]:
        """Return the calls of a response, in order. The list is empty if the model made none.

        Raises:
            ProviderResponseError: something is missing, malformed or possibly truncated; `path` says where. This is the
                provider's own exception.
        """
        codec = codec or codec_for(self.wire.provider)
        reader = Reader(response, self)
        message = self.find(reader)
        for fault in message.faults:
            reader.fail(fault)
        uses: list[UseT] = []
        for call, faults in judge_calls(message.calls, message.why, self.wire, codec):
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
            ProviderResponseError: there is no call, or `parse_tool_uses` raises this error. It is the provider's own
                exception.
        """
        uses = self.parse_tool_uses(response, codec=codec)
        if not uses:
            Reader(response, self).fail(Fault(self.message(response).place, self.no_call))
        return uses[0]

    def message(self, response: object) -> NativeMessage:
        """Return the message in a response with its calls."""
        return self.find(Reader(response, self))
