"""The calls of a response: where they stand, and judging them, once for both ways to ask.

`parse_tool_uses` takes every call or raises at the first thing that is wrong, `read_tool_uses` gives every call with
what is wrong about it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

from toolgen_runtime.providers.shared.errors import ProviderResponseError
from toolgen_runtime.providers.shared.messages.native import dumped, is_dumpable, text_or_none
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.received_call import (
    Read,
    ReceivedCall,
    ToolUseBlock,
    UnnumberedToolUse,
    json_text_of,
    read_text,
    read_value,
)
from toolgen_runtime.providers.shared.wire import Wire, stop_reason
from toolgen_runtime.transcript.messages import Source
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

_T = TypeVar("_T")
UseT = TypeVar("UseT", ToolUseBlock, UnnumberedToolUse)
_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}


def described(value: object) -> str:
    """Return what kind of thing a value is, without showing it."""
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where, with which field (the last name of the path, unless given), and what."""

    path: str
    message: str
    field: str = ""

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.field or self.path.rpartition(".")[2].partition("[")[0]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object of the response: `at` is the object's path, `field` the API's name for the member."""

    parent: Mapping[str, Any]
    key: str
    at: str
    field: str = ""

    @property
    def value(self) -> Any:
        """Its value, `MISSING` where there is none."""
        return self.parent.get(self.key, MISSING)

    @property
    def path(self) -> str:
        """Where it stands."""
        return f"{self.at}.{self.key}" if self.at else self.key

    def fault(self, message: str) -> Fault:
        """Return a fault of this member."""
        return Fault(self.path, message, self.field)

    def wrong_kind(self, kind: type) -> Fault | None:
        """Return the fault of a member that is absent or of another type, or of an empty text."""
        value = self.value
        if value is MISSING:
            return self.fault("absent")
        if not isinstance(value, kind):
            return self.fault(f"expected {_KINDS[kind]}, got {described(value)}")
        return self.fault("empty") if value == "" else None


@dataclass(frozen=True, slots=True)
class NativeCall:
    """One call where it stands in a response.

    `arguments` are an object, or with `as_text` the JSON text of one; those of a call of another `kind` are what
    the API has, the text of a custom call. `faults` are those of what the call stands in; `cut` says why this
    call alone may not be all there. The `name` of a tool that the API itself defines is its kind. `native` is
    the whole call.
    """

    id: Member | None
    name: Member | None
    arguments: Member
    as_text: bool = False
    optional: bool = False
    faults: tuple[Fault, ...] = ()
    cut: Fault | None = None
    kind: str = "function"
    native: Mapping[str, Any] | None = None


@dataclass(slots=True)
class NativeMessage:
    """The calls of a response: `place` is the path where they stand, `stop` that of its stop `reason`.

    `why` says why the message may not be all there. `faults` are those of the message; only strict reading
    asks for them. `native` is the message, as the history has it; with `blocked` there is no answer at all.
    """

    place: str
    calls: list[NativeCall] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    stop: str = ""
    reason: str | None = None
    why: str = ""
    native: list[Any] = field(default_factory=list)
    blocked: bool = False


class Reader:
    """Reads members of one response and raises `error` with the response where it has not the API's shape."""

    def __init__(self, response: object, error: type[ProviderResponseError], wire: Wire) -> None:
        self.response = response
        self.error = error
        self.wire = wire

    def fail(self, fault: Fault) -> NoReturn:
        """Raise the error for a fault."""
        raise self.error(fault.message, self.response, fault.name, fault.path)

    def root(self) -> dict[str, Any]:
        """Return the response itself: a dict, or an SDK's pydantic object."""
        if isinstance(self.response, dict):
            return self.response
        if isinstance(self.response, Mapping):
            return dict(self.response)
        if not is_dumpable(self.response):
            self.fail(Fault("", f"expected a dict, got {described(self.response)}"))
        return self.as_kind(dumped(self.response, by_alias=True), dict, "")

    def as_kind(self, value: object, kind: type[_T], path: str) -> _T:
        """Return the value, which must be of this type."""
        if not isinstance(value, kind):
            self.fail(Fault(path, f"expected {_KINDS[kind]}, got {described(value)}"))
        return value

    def member(self, parent: Mapping[str, Any], key: str, kind: type[_T], at: str) -> _T:
        """Return a member that must be there, of this type; a text must not be empty."""
        member = Member(parent, key, at)
        fault = member.wrong_kind(kind)
        if fault is not None:
            self.fail(fault)
        value: _T = member.value
        return value

    def blocks(self, parent: Mapping[str, Any], key: str, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the objects of a member that must be a list of them, each with its place."""
        path = f"{at}.{key}" if at else key
        for index, block in enumerate(self.member(parent, key, list, at)):
            here = f"{path}[{index}]"
            yield here, self.as_kind(block, dict, here)

    def call(self, block: Mapping[str, Any], at: str, key: str = "") -> NativeCall:
        """Return the call in a block, or in a member of it, whose members have the names of the API."""
        shape, holder = self.wire.calls, Member(block, key, at)
        wrong = holder.wrong_kind(dict) if key else None
        members: Mapping[str, Any] = {} if wrong else holder.value if key else block
        place = holder.path if key else at
        return NativeCall(
            Member(members, shape.id_key, place),
            Member(members, "name", place),
            Member(members, shape.input_key, place),
            optional=shape.ids_optional,
            faults=(wrong,) if wrong else (),
            native=block,
        )

    def message(self, place: str, stop: object, stop_path: str) -> NativeMessage:
        """Return a message without calls as yet, judged by its stop reason; `MISSING` where nothing says it."""
        reason = stop_reason(stop)
        why = "" if stop is MISSING else self.wire.why_cut(reason)
        message = NativeMessage(place, stop=stop_path, reason=reason, why=why)
        if self.wire.stop_of(reason).malformed:
            message.faults.append(Fault(stop_path, f"the model's output was malformed ({reason})"))
        return message


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
        message = self.message(response)
        return [call for call, _ in _judged(message, self.wire, codec)]

    def judge(
        self, response: object, why: str, pieces: Iterable[tuple[str | None, str]], codec: Codec
    ) -> list[ReceivedCall]:
        """Return the calls of a response that was streamed.

        `why` says why the message may be cut. Each call has in `pieces` the text of its arguments as it came, None
        where it came as the response has it, and why it alone may be cut.
        """
        message = self.message(response)
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

    def message(self, response: object) -> NativeMessage:
        """Return the message of a response, and the calls in it."""
        return self.find(self._reader(response))

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
        payload, issues = (MISSING, (ValidationIssue((), "truncated", why),)) if why else read
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
    text = value if isinstance(value, str) else json_text_of(value) or ""
    if call.kind != "function":  # a text for a custom tool, else whatever the API has
        if value is MISSING or (call.as_text and not isinstance(value, str)):
            issue = ValidationIssue((), "type", "string" if call.as_text else "object", value)
            return "", (MISSING, (issue,))
        return text, (value, ())
    if call.optional and (value is MISSING or value is None):
        value = {}
    if not call.as_text:
        return json_text_of(value) or "", read_value(value)
    if isinstance(value, str):
        return text, read_text(value)
    return text, (MISSING, (ValidationIssue((), "json", "the JSON text of an object", value),))


def _argument_fault(call: NativeCall, issue: ValidationIssue) -> Fault:
    """Return an issue of the arguments as the fault that strict reading raises."""
    member = call.arguments
    wrong = member.wrong_kind(str if call.as_text else dict)
    if wrong is not None:  # an empty text never is an issue
        return wrong
    if issue.constraint == "type":
        return member.fault(f"expected an object, got {described(issue.got)}")
    return member.fault(f"not a JSON object ({issue.constraint}: {issue.expected})")
