"""Calls that were received in a response or stream, with their parsed arguments and their errors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, NotRequired, TypedDict

from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.json_text import read as read_json
from toolgen_transcripts.codec.members import JsonObject, text_or_none
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.messages import Source


@dataclass(frozen=True, slots=True)
class ReceivedCall:
    """One call from a message that has ended. The call itself may be incomplete.

    `arguments` is the JSON text of the arguments (unchanged if the provider sends a string), and `input` is their
    value, or `MISSING`. `issues` are the errors in the arguments (`truncated`, `json`, `duplicate_key`, or `type` if
    the root is not an object). `problems` are the call's other errors, such as a missing id or name, or an id that was
    used twice. `name` is the tool's original name. Only a `ready` call may be run.

    `kind` is `function` or another kind that the API has. The input of a `custom` call is a string; the input of
    `shell`, `apply_patch`, `computer` and `local_shell` has the API's form. The result must be of the same kind. A tool
    in a `namespace` is named `<namespace>.<name>`. `source` is the native call.
    """

    id: str | None
    name: str | None
    arguments: str
    input: Any = MISSING
    issues: tuple[ValidationIssue, ...] = ()
    problems: tuple[str, ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)
    _: KW_ONLY
    kind: str = "function"
    namespace: str | None = None

    @property
    def truncated(self) -> bool:
        """Whether the call was cut off, by the model's token limit or by an error in the stream."""
        return any(issue.constraint == "truncated" for issue in self.issues)

    @property
    def ready(self) -> bool:
        """Whether the call may be run: it is complete and has no errors."""
        return not self.issues and not self.problems


class ToolUseBlock(TypedDict):
    """One complete call from a response.

    `name` is the tool's original name, and `input` is the payload, an object for most tools.

    Only a call whose kind is not `function` has the key `kind` (see `ReceivedCall.kind`).
    """

    id: str
    name: str
    input: Any
    kind: NotRequired[str]


class UnnumberedToolUse(TypedDict):
    """One complete call from an API in which ids are optional. `id` is None if the provider sent none."""

    id: str | None
    name: str
    input: Any


Read = tuple[Any, tuple[ValidationIssue, ...]]
"""What parsing arguments returns: the object without issues, or `MISSING` with the issues."""


def read_text(text: str) -> Read:
    """Parse the JSON text of arguments, which must be an object. An empty text counts as `{}`."""
    if not text:
        return {}, ()
    payload, issues = read_json(text)
    if issues:
        return MISSING, tuple(issues)
    return _as_object(payload)


def read_value(value: object) -> Read:
    """Check arguments that were sent as a value, which must be an object of JSON values."""
    if isinstance(value, dict) and json_text_of(value) is None:
        return MISSING, (ValidationIssue((), "json", "an object of JSON values alone"),)
    return _as_object(value)


def _as_object(value: object) -> Read:
    if not isinstance(value, dict):
        return MISSING, (ValidationIssue((), "type", "object", value),)
    return value, ()


def json_text_of(value: object) -> str | None:
    """Return a value as JSON text; None if it is not JSON.

    A value is not JSON if it contains bytes, NaN, keys that are not strings, or other such values.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if json.loads(text) == value:  # `dumps` turns other keys into strings
            return text
        return None
    except (TypeError, ValueError, RecursionError):
        return None


KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}


def describe_type(value: object) -> str:
    """Return words for the type of a value, without showing the value."""
    if value is None:
        return "null"
    return KINDS.get(type(value), type(value).__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """One error in a response: its path, its message, and the field (by default the last name in the path)."""

    path: str
    message: str
    field: str = ""

    @property
    def name(self) -> str:
        """The name of the field."""
        return self.field or self.path.rpartition(".")[2].partition("[")[0]


@dataclass(frozen=True, slots=True)
class Member:
    """A field of an object in the response, which may be missing.

    `at` is the path of the object, and `field` is what errors call this field.
    """

    parent: JsonObject
    key: str
    at: str
    field: str = ""

    @property
    def value(self) -> Any:
        """The value of the field, or `MISSING`."""
        return self.parent.get(self.key, MISSING)

    @property
    def path(self) -> str:
        """The path of the field in the response."""
        if self.at:
            return f"{self.at}.{self.key}"
        return self.key

    def fault(self, message: str) -> Fault:
        """Return an error about this field."""
        return Fault(self.path, message, self.field)

    def wrong_kind(self, kind: type) -> Fault | None:
        """Return an error if the field is missing, has the wrong type or is an empty string.

        Return None if the field is correct.
        """
        value = self.value
        if value is MISSING:
            return self.fault("absent")
        if not isinstance(value, kind):
            return self.fault(f"expected {KINDS[kind]}, got {describe_type(value)}")
        if value == "":
            return self.fault("empty")
        return None


@dataclass(frozen=True, slots=True)
class NativeCall:
    """One call as the response contains it.

    `arguments` are an object or, with `as_text`, the JSON text of one. If the `kind` is not `function`, they have the
    API's form, such as the text of a custom call. `faults` are the errors of the block around the call, and `cut` is
    the reason why only this call may be incomplete. If `name` is None, the API itself defines the tool, and its name is
    the kind. `native` is the whole call.
    """

    id: Member | None
    name: Member | None
    arguments: Member
    as_text: bool = False
    optional: bool = False
    faults: tuple[Fault, ...] = ()
    cut: Fault | None = None
    kind: str = "function"
    native: JsonObject | None = None


def call_in(block: JsonObject, at: str, wire: Wire, key: str = "") -> NativeCall:
    """Return the call in a block, or under `key` in the block. `wire` lists the names of its fields."""
    shape = wire.calls
    members, place, faults = block, at, tuple[Fault, ...]()
    if key:
        holder = Member(block, key, at)
        members, place = holder.value, holder.path
        if wrong := holder.wrong_kind(dict):
            members, faults = {}, (wrong,)
    named = Member(members, "name", place)
    return NativeCall(
        Member(block, shape.id_key, at) if shape.id_outside else replace(named, key=shape.id_key),
        named,
        replace(named, key=shape.input_key),
        as_text=shape.text_arguments,
        optional=shape.ids_optional,
        faults=faults,
        native=block,
    )


def judge_calls(
    calls: Sequence[NativeCall], cut: str, wire: Wire, codec: Codec
) -> Iterator[tuple[ReceivedCall, tuple[Fault, ...]]]:
    """Check the calls, and yield each one with its errors, in the order in which strict reading reports them.

    `cut` is the reason why all calls may be truncated, or `""`.
    """
    used = Counter(_id_of(call) for call in calls)
    seen: dict[str, str] = {}
    for call in calls:
        faults = [*call.faults, *_id_faults(call, wire, seen)]
        if call.name and (unnamed := call.name.wrong_kind(str)):
            faults.append(unnamed)
        problems = [f"{fault.name}: {fault.message}" for fault in faults]
        id = _id_of(call)
        if id is not None and used[id] > 1 and call.id and seen.get(id) == call.id.path:
            problems.append("another call of the message has the same id")
        text, read = _arguments(call)
        faults += [_argument_fault(call, issue) for issue in read[1]]
        reason = cut
        if call.cut is not None:
            faults.append(call.cut)
            reason = cut or call.cut.message
        if reason:
            read = MISSING, (ValidationIssue((), "truncated", reason),)
        yield _received(call, text, read, problems, codec, wire), tuple(faults)


def _received(
    call: NativeCall, text: str, read: Read, problems: list[str], codec: Codec, wire: Wire
) -> ReceivedCall:
    """Return a call with its original id, its original name and its payload."""
    payload, issues = read
    id, namespace = _id_of(call), text_or_none((call.native or {}).get("namespace"))
    name: str | None = call.kind
    if call.name is not None:
        name = text_or_none(call.name.value)
    if name is not None:
        name = codec.decode_name(name, namespace)
    return ReceivedCall(
        id=id and codec.decode_id(id),
        name=name,
        arguments=text,
        input=MISSING if issues else codec.decode_input(payload, name),
        issues=issues,
        problems=tuple(problems),
        source=None if call.native is None else Source(wire.provider, dict(call.native)),
        kind=call.kind,
        namespace=namespace,
    )


def _id_of(call: NativeCall) -> str | None:
    return text_or_none(call.id and call.id.value)


def _id_faults(call: NativeCall, wire: Wire, seen: dict[str, str]) -> Iterator[Fault]:
    """Yield the faults of an id: it must be a string, match the provider's rule and be new in the response."""
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
    """Return the text of the arguments, and their parsed value or its issues."""
    value = call.arguments.value
    if call.kind != "function":  # a text for a custom tool, else a value in the API's form
        if value is MISSING or (call.as_text and not isinstance(value, str)):
            issue = ValidationIssue((), "type", "string" if call.as_text else "object", value)
            return "", (MISSING, (issue,))
        if isinstance(value, str):
            return value, (value, ())
        return json_text_of(value) or "", (value, ())
    if call.optional and (value is MISSING or value is None):
        value = {}
    if call.as_text and isinstance(value, str):
        return value, read_text(value)
    text = json_text_of(value) or ""
    if call.as_text:
        return text, (MISSING, (ValidationIssue((), "json", "the JSON text of an object", value),))
    return text, read_value(value)


def _argument_fault(call: NativeCall, issue: ValidationIssue) -> Fault:
    """Return the fault that strict reading raises for an issue of the arguments."""
    member = call.arguments
    wrong = member.wrong_kind(str if call.as_text else dict)
    if wrong is not None:  # an empty text has no issue
        return wrong
    if issue.constraint == "type":
        return member.fault(f"expected an object, got {describe_type(issue.got)}")
    return member.fault(f"not a JSON object ({issue.constraint}: {issue.expected})")
