"""Finding the calls of a response: where they stand, and what is wrong with the response around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from toolgen_runtime.providers.shared.errors import ProviderResponseError
from toolgen_runtime.providers.shared.messages.native import dumped, is_dumpable
from toolgen_runtime.providers.shared.wire import Wire, stop_reason
from toolgen_runtime.validation.issues import MISSING

_T = TypeVar("_T")
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
    asks for them.
    """

    place: str
    calls: list[NativeCall] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    stop: str = ""
    reason: str | None = None
    why: str = ""


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
