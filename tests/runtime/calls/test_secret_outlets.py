"""A secret is in no outlet: each outlet, with each place of a secret, in each form in which a model sends it."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest
from helpers.support import JsonObject, for_each, tool_of
from pydantic import ValidationError

from toolgen_runtime import Conversation, InvalidPayload, Registry, Tool, ToolOutput, repair

SECRET = "sk-4eC39HqLyjWDarjt"
PASSWORD: JsonObject = {"type": "string", "format": "password", "maxLength": 3}
WRITTEN: JsonObject = {"type": "string", "writeOnly": True, "maxLength": 3}
PLAIN = "correct_horse_battery"
NAMES = ["api_key"]


def obj(required: tuple[str, ...] = (), *, closed: bool = True, **properties: Any) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": properties, "required": [*required]}
    return {**schema, "additionalProperties": False} if closed else schema


class Place(NamedTuple):
    """Where a schema has a secret: the way to it in a payload that is valid otherwise."""

    schema: JsonObject
    path: tuple[str | int, ...]
    payload: Any

    @property
    def key(self) -> str | int:
        return self.path[-1]


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
PLACES = {
    "a field": Place(obj(("user", "password"), user=TEXT, password=PASSWORD), ("password",), {"user": "u"}),
    "a field of an open object": Place(obj(n=WHOLE, token=WRITTEN, closed=False), ("token",), {"n": 1}),
    "a field with a constant beside it": Place(obj(ok={"const": "yes"}, pin=PASSWORD), ("pin",), {"ok": "yes"}),
    "a field of an object": Place(
        obj(url=TEXT, auth=obj(("token",), token=WRITTEN, kind={"enum": ["bearer", "basic"]})),
        ("auth", "token"), {"auth": {"kind": "basic"}},
    ),
    "an item": Place(obj(keys={"type": "array", "items": PASSWORD, "maxItems": 1}, n=WHOLE), ("keys", 0), {"keys": []}),
    "an item at a position": Place(
        obj(t={"type": "array", "prefixItems": [TEXT, PASSWORD], "items": False}), ("t", 1), {"t": ["a"]}
    ),
    "a branch of a union": Place(
        obj(cred={"oneOf": [
            obj(("type", "pw"), type={"const": "pw"}, pw=PASSWORD),
            obj(("type", "key"), type={"const": "key"}, key=WRITTEN),
        ]}), ("cred", "pw"), {"cred": {"type": "pw"}},
    ),
    "any other key": Place({**obj(n=WHOLE), "additionalProperties": WRITTEN}, ("env",), {"n": 1}),
    "a key of a pattern": Place({**obj(n=WHOLE), "patternProperties": {"^x_": PASSWORD}}, ("x_key",), {"n": 1}),
    "a reference": Place({**obj(p={"$ref": "#/$defs/pw"}), "$defs": {"pw": PASSWORD}}, ("p",), {}),
    "allOf": Place(obj(p={"allOf": [{"type": "string", "maxLength": 3}, {"writeOnly": True}]}), ("p",), {}),
    "a condition": Place(
        {**obj(p=TEXT, k=TEXT), "if": {"properties": {"k": {"const": "pw"}}}, "then": {"properties": {"p": PASSWORD}}},
        ("p",), {"k": "pw"},
    ),
    "a listed value": Place(obj(p={**WRITTEN, "enum": ["a", "b"]}, q=TEXT), ("p",), {"q": "q"}),
    "short names": Place({**obj(p=PASSWORD, closed=False), "propertyNames": {"maxLength": 5}}, ("p",), {}),
    "what is not allowed": Place(obj(p={**TEXT, "writeOnly": True, "not": {"minLength": 9}}), ("p",), {}),
    "a secret object": Place(obj(vault={**obj(pin=TEXT), "writeOnly": True}), ("vault", "pin"), {"vault": {}}),
    "a number": Place(obj(n=TEXT, pin={"type": "integer", "writeOnly": True}), ("pin",), {"n": "n"}),
    "beside a reference of draft-07": Place(
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **obj(p={"$ref": "#/definitions/k", "writeOnly": True}), "definitions": {"k": {**TEXT, "maxLength": 3}},
        },
        ("p",), {},
    ),
    "an identifier": Place(
        {
            "$id": "https://example.com/tool", **obj(p={"$ref": "key.json#token"}),
            "$defs": {"k": {"$id": "key.json", "$defs": {"t": {"$anchor": "token", **WRITTEN}}}},
        },
        ("p",), {},
    ),
    "a dynamic reference": Place(
        {**obj(p={"$dynamicRef": "#k"}), "$defs": {"k": {"$dynamicAnchor": "k", **WRITTEN}}}, ("p",), {}
    ),
    "a dependency": Place(
        {**obj(p={}), "dependentSchemas": {"p": {"properties": {"p": WRITTEN}}}}, ("p",), {}
    ),
    "a recursion": Place(
        {"$defs": {"n": obj(key=WRITTEN, next={"$ref": "#/$defs/n"})}, "$ref": "#/$defs/n"},
        ("next", "key"), {"next": {}},
    ),
    "an item that others contain": Place(
        obj(keys={"type": "array", "items": {"writeOnly": True}, "contains": {"const": 1}}), ("keys", 0), {"keys": []}
    ),
    "a name that the registry has": Place(obj(apiKey=WHOLE, note=TEXT), ("apiKey",), {"note": "n"}),
}  # fmt: skip
"""The last one has no secret in its schema."""


def put(place: Place, value: Any, path: tuple[str | int, ...] | None = None) -> Any:
    payload = copy.deepcopy(place.payload)
    path = place.path if path is None else path
    holder: Any = payload
    for step in path[:-1]:
        holder = holder[step]
    if isinstance(holder, list):
        holder.append(value)
    else:
        holder[path[-1]] = value
    return payload


def under(place: Place, name: Callable[[str], str]) -> Any:
    """The secret under another name of its key."""
    key = place.key
    return put(place, SECRET, (*place.path[:-1], name(key))) if isinstance(key, str) else None


def beside(place: Place, text: str) -> Any:
    """The secret in the text of another field."""
    return {**place.payload, "user": text.format(key=place.key)} if isinstance(place.key, str) else None


def as_key(place: Place) -> Any:
    """The secret as an undeclared key beside the place of the secret; keys of a map are data."""
    is_map = place.key in ("env", "x_key")
    is_known = place.key != "apiKey"
    return (
        put(place, 1, (*place.path[:-1], SECRET))
        if isinstance(place.key, str) and not is_map and is_known
        else None
    )


def plain_key(place: Place) -> Any:
    """A secret that looks like a name, in its place and as an undeclared key beside it."""
    payload = put(place, PLAIN)
    if not isinstance(place.key, str) or place.key in ("env", "x_key"):
        return None
    holder = payload
    for step in place.path[:-1]:
        holder = holder[step]
    holder[PLAIN] = 1
    return payload


def in_text(place: Place) -> Any:
    """The secret in its place, and in the text of another field of the schema."""
    if not isinstance(place.payload, dict):
        return None
    name = next((key for key, value in place.payload.items() if isinstance(value, str)), None)
    return None if name is None else {**put(place, SECRET), name: f"see {SECRET}"}


FORMS: dict[str, Callable[[Place], Any]] = {
    "itself": lambda place: put(place, SECRET),
    "with a wrong key beside it": lambda place: (
        {**put(place, SECRET), "zz": SECRET} if "apiKey" not in place.path else None
    ),
    "in a list": lambda place: put(place, [SECRET]),
    "in an object": lambda place: put(place, {"value": SECRET}),
    "in JSON": lambda place: put(place, json.dumps({"value": SECRET})),
    "as a key of its value": lambda place: put(place, {SECRET: 1}),
    "as a key of an object in its value": lambda place: put(place, {"value": {SECRET: {"a": SECRET}}}),
    "instead of the value around it": lambda place: (
        put(place, SECRET, place.path[:-1]) if place.path[1:] else None
    ),
    "as JSON instead of the value around it": lambda place: (
        put(place, json.dumps({str(place.key): SECRET}), place.path[:-1]) if place.path[1:] else None
    ),
    "under its key in capitals": lambda place: under(place, str.upper),
    "under its key with an underscore": lambda place: under(place, lambda key: f"_{key}_"),
    "at the top": lambda place: {str(place.key): SECRET} if place.path[1:] else None,
    "in a wrapper": lambda place: {"arguments": put(place, SECRET)},
    "in a list of arguments": lambda place: [put(place, SECRET)],
    "in a tag of another field": lambda place: beside(
        place, 'x<parameter name="{key}">' + SECRET + "</parameter>"
    ),
    "in JSON of another field": lambda place: beside(place, '{{"{key}": "' + SECRET + '"}}'),
    "as a key beside its place": lambda place: as_key(place),
    "of plain words, as a key beside its place": lambda place: plain_key(place),
    "of plain words, as a key at the top": lambda place: (
        {**put(place, PLAIN), PLAIN: 1} if isinstance(place.payload, dict) and place.path[1:] else None
    ),
    "in the text of another field, too": in_text,
    "in a text": lambda place: json.dumps(put(place, SECRET)),
    "in a text with single quotes": lambda place: repr(put(place, SECRET)),
    "in a text that ends early": lambda place: json.dumps(put(place, SECRET))[:-1],
    "in a text with words around it": lambda place: f"Here: {json.dumps(put(place, SECRET))} ok",
    "as the text": lambda place: f"{place.key}={SECRET}",
    "in a text with a repeated key": lambda place: (
        json.dumps(put(place, "a"))[:-1] + f', "{place.path[0]}": "{SECRET}"}}'
    ),
}


class Case(NamedTuple):
    """What was called, and what came of it."""

    tool: Tool[Any]
    registry: Registry
    arguments: Any
    output: ToolOutput
    failed: ToolOutput
    seen: list[str]
    """What the hooks got."""

    def issues(self) -> list[Any]:
        is_text = isinstance(self.arguments, str)
        return self.tool.validate_json(self.arguments) if is_text else self.tool.validate(self.arguments)

    def error(self) -> BaseException | None:
        try:
            (self.tool.parse_json if isinstance(self.arguments, str) else self.tool.parse)(self.arguments)
        except InvalidPayload as error:
            return error
        return None


def of_hints(case: Case) -> Iterator[str]:
    payload = case.arguments
    hints = [case.output.retry_hint, case.failed.retry_hint, case.registry.hint("t", case.issues())]
    hints.append(case.registry.hint("t", case.issues(), payload=payload))
    hints.append(case.registry.hint("t", case.issues(), payload=payload, previous=hints[-1]))
    if (error := case.error()) is not None:
        hints.append(case.registry.hint("t", error, payload=payload))
    for problem in (RuntimeError(f"no access with {SECRET}"), f"{SECRET!r} is not of type 'integer'"):
        hints.append(case.registry.hint("t", problem, payload=payload))
    for hint in hints:
        if hint is not None:
            yield f"{hint} {hint!r} {json.dumps(hint.to_dict())} {hint.render(9_999)} {hint.render(200)}"
            yield f"{hint.clarifying_question} {hint.example_input!r} {hint.corrected} {hint.edits!r}"


def model_of(case: Case) -> str:
    try:
        model = case.tool.parse(case.output.payload)
    except InvalidPayload:
        return ""
    return f"{model!r} {model}"


def refused_by_payload_type(case: Case) -> str:
    """What a payload's class says of what it does not take; it knows the secrets of its schema alone."""
    if "apiKey" in str(case.tool.schema):
        return ""
    try:
        case.tool.payload_type.model_validate(case.arguments)
    except ValidationError as error:
        return f"{error} {error!r} {error.errors(include_input=False)}"
    return ""


OUTLETS: dict[str, Callable[[Case], str]] = {
    "repr of issues": lambda case: repr(case.issues()),
    "text of issues": lambda case: "".join(f"{issue} {issue.field} {issue.got}" for issue in case.issues()),
    "text of paths": lambda case: "".join(f"{issue.path} {''.join(map(str, issue.path))}" for issue in case.issues()),
    "issues as data": lambda case: json.dumps([issue.to_dict() for issue in case.issues()]),
    "pickled issues": lambda case: repr(pickle.loads(pickle.dumps(case.issues()))),
    "traceback of an error": lambda case: "".join(traceback.format_exception(case.error())) if case.error() else "",
    "arguments of an error": lambda case: repr(error.args) if (error := case.error()) else "",
    "errors of the payload type": refused_by_payload_type,
    "text of an output": lambda case: f"{case.output.text(9_999)} {case.output.text()} {case.output.notes}",
    "text of a failure": lambda case: f"{case.failed.text(9_999)} {case.failed.error}",
    "repr of an output": lambda case: f"{case.output!r} {case.failed!r}",
    "facts of an output": lambda case: json.dumps([case.output.facts(), case.failed.facts()]),
    "repairs of an output": lambda case: f"{case.output.repairs!r} {json.dumps(case.output.repairs)}",
    "redacted arguments": lambda case: json.dumps([case.output.redacted(), case.failed.redacted()]),
    "changes of repair": lambda case: json.dumps(repair(case.tool, case.arguments).changes),
    "hints": lambda case: "\n".join(of_hints(case)),
    "models": model_of,
    "hooks": lambda case: "\n".join(case.seen),
}  # fmt: skip


def case_of(place: Place, arguments: Any, **options: Any) -> Case:
    seen: list[str] = []
    registry = Registry(
        secrets=NAMES,
        on_call=lambda event: seen.append(f"{event!r} {event}"),
        on_issue=lambda event: seen.append(f"{event!r} {event.issue.to_dict()}"),
        **options,
    )
    registry.register({"t": tool_of(place.schema)})
    tool = registry.find("t")
    assert tool is not None

    def fail(payload: Any) -> None:
        raise RuntimeError(f"not allowed for {json.dumps(payload)}")

    conversation = Conversation(registry)
    output = conversation.call("t", arguments, lambda _: "fine")
    return Case(tool, registry, arguments, output, conversation.call("t", arguments, fail), seen)


COMBINATIONS = [
    (place, form, arguments)
    for place in PLACES
    for form, make in FORMS.items()
    if (arguments := make(PLACES[place])) is not None
]
OPTIONS: dict[str, JsonObject] = {
    "as it is": {},
    "with repair": {"repair": True},
    "without unknown keys": {"unknown_keys": "drop"},
}


@for_each(product(PLACES, OPTIONS))
def test_no_outlet_shows_a_secret(place: str, options: str, *, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    leaks = []
    for _, form, arguments in (combination for combination in COMBINATIONS if combination[0] == place):
        caplog.clear()
        case = case_of(PLACES[place], arguments, **OPTIONS[options])
        leaks += [(form, outlet) for outlet, shown in OUTLETS.items() if has_secret(shown(case))]
        leaks += [(form, "logs")] if has_secret(caplog.text) else []
    assert leaks == []


@pytest.mark.parametrize("place", PLACES)
def test_secrets_change_no_verdict(place: str) -> None:
    plain = (
        json.dumps(PLACES[place].schema).replace('"writeOnly": true', '"title": "x"').replace("password", "x")
    )
    payload = json.loads(json.dumps(put(PLACES[place], SECRET)).replace("password", "x"))
    secret = tool_of(PLACES[place].schema).validate(put(PLACES[place], SECRET))
    said = [(issue.constraint, issue.expected) for issue in secret]
    assert said == [
        (issue.constraint, issue.expected) for issue in tool_of(json.loads(plain)).validate(payload)
    ]


def has_secret(text: str) -> bool:
    """Whether a text has a part of the secret that tells it."""
    return any(secret[:12] in text or secret[-12:] in text for secret in (SECRET, PLAIN))


def test_the_table_is_large_and_finds_what_is_shown() -> None:
    assert len(COMBINATIONS) * len(OPTIONS) > 178
    place = Place(obj(name={"type": "string", "maxLength": 3}), ("name",), {})
    case = case_of(place, {"name": SECRET, SECRET: 1})
    silent = {"repairs of an output", "changes of repair", "models", "traceback of an error"}
    assert {outlet for outlet, shown in OUTLETS.items() if has_secret(shown(case))} >= OUTLETS.keys() - silent
