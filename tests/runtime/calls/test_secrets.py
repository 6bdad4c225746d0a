"""Secret values: none is in anything that is shown, logged or handed to a hook as text."""

from __future__ import annotations

import json
import logging
import secrets
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.support import cases_of, tool_of
from pydantic import ValidationError

from toolgen_runtime import (
    InvalidPayload,
    Registry,
    Tool,
    ToolExecutionError,
    Toolset,
    ValidationIssue,
    repair,
)
from toolgen_runtime.validation.issues import Secret
from toolgen_runtime.validation.redaction import MASK

PASSWORD = {"type": "string", "format": "password", "maxLength": 3}
WRITTEN = {"type": "string", "writeOnly": True, "pattern": "^[a-z]$"}
_KEY = {"type": "object", "properties": {"key": WRITTEN}, "additionalProperties": False}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"name": {"type": "string"}, **properties}}


Shape = tuple[Any, Callable[[Any], Any]]
SHAPES: dict[str, Shape] = {
    "password": (_object(pw=PASSWORD), lambda s: {"pw": s}),
    "writeOnly": (_object(key=WRITTEN), lambda s: {"key": s}),
    "type": (_object(pw={"type": "integer", "format": "password"}), lambda s: {"pw": s}),
    "enum": (_object(pw={**PASSWORD, "enum": ["a", "b"]}), lambda s: {"pw": s}),
    "const": (_object(pw={**PASSWORD, "const": "a"}), lambda s: {"pw": s}),
    "number": (_object(pin={"type": "integer", "writeOnly": True, "maximum": 1}), lambda s: {"pin": s}),
    "referenced": ({**_object(key={"$ref": "#/$defs/k"}), "$defs": {"k": WRITTEN}}, lambda s: {"key": s}),
    "beside a reference": (
        {**_object(key={"$ref": "#/$defs/k", "writeOnly": True}), "$defs": {"k": {"maxLength": 1}}},
        lambda s: {"key": s},
    ),
    "beside a reference of draft-07": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **_object(key={"$ref": "#/definitions/k", "writeOnly": True}),
            "definitions": {"k": {"type": "string", "maxLength": 1}},
        },
        lambda s: {"key": s},
    ),
    "by an identifier": (
        {
            "$id": "https://example.com/tool",
            **_object(key={"$ref": "key.json#token"}),
            "$defs": {"k": {"$id": "key.json", "$defs": {"t": {"$anchor": "token", **WRITTEN}}}},
        },
        lambda s: {"key": s},
    ),
    "by a dynamic reference": (
        {**_object(key={"$dynamicRef": "#k"}), "$defs": {"k": {"$dynamicAnchor": "k", **WRITTEN}}},
        lambda s: {"key": s},
    ),
    "allOf": (_object(key={"allOf": [{"writeOnly": True}], "maxLength": 1}), lambda s: {"key": s}),
    "anyOf": (_object(key={"anyOf": [WRITTEN, {"type": "null"}]}), lambda s: {"key": s}),
    "oneOf": (
        _object(by={"oneOf": [_KEY, {"properties": {"kind": {"const": 1}}, "required": ["kind"]}]}),
        lambda s: {"by": {"key": s}},
    ),
    "one branch of two": (
        _object(by={"oneOf": [{"properties": {"k": PASSWORD}}, {"properties": {"k": {"maxLength": 2}}}]}),
        lambda s: {"by": {"k": s}},
    ),
    "then": (
        {**_object(), "if": {"required": ["key"]}, "then": {"properties": {"key": WRITTEN}}},
        lambda s: {"key": s},
    ),
    "dependent": (
        {**_object(), "dependentSchemas": {"key": {"properties": {"key": WRITTEN}}}},
        lambda s: {"key": s},
    ),
    "items": (_object(keys={"type": "array", "items": WRITTEN}), lambda s: {"keys": [s, s]}),
    "prefix items": (_object(keys={"prefixItems": [{}, WRITTEN]}), lambda s: {"keys": [1, s]}),
    "unique": (_object(keys={"items": {"writeOnly": True}, "uniqueItems": True}), lambda s: {"keys": [s, s]}),
    "contains": (
        _object(keys={"items": {"writeOnly": True}, "contains": {"const": 1}}),
        lambda s: {"keys": [s]},
    ),
    "any key": ({**_object(), "additionalProperties": WRITTEN}, lambda s: {"env": s}),
    "pattern": ({**_object(), "patternProperties": {"_key$": WRITTEN}}, lambda s: {"api_key": s}),
    "all of an object": (
        _object(vault={"type": "object", "writeOnly": True, "properties": {"pin": {"type": "integer"}}}),
        lambda s: {"vault": {"pin": s}},
    ),
    "beneath by reference": (
        {
            **_object(vault={"$ref": "#/$defs/v"}),
            "$defs": {"v": {"writeOnly": True, **_object(a=_object(b={"type": "null"}))}},
        },
        lambda s: {"vault": {"a": {"b": s}}},
    ),
    "recursive": (
        {"$defs": {"n": _object(key=WRITTEN, next={"$ref": "#/$defs/n"})}, "$ref": "#/$defs/n"},
        lambda s: {"next": {"next": {"next": {"key": s}}}},
    ),
    "recursive, above": ({**_object(key=WRITTEN, next={"$ref": "#"})}, lambda s: {"next": {"next": [s]}}),
    "wrong container": (_object(login=_KEY), lambda s: {"login": [s]}),
    "text for a container": (_object(login=_KEY), lambda s: {"login": s}),
    "JSON for a container": (_object(login=_KEY), lambda s: {"login": json.dumps({"key": s})}),
    "list for a scalar": (_object(key=WRITTEN), lambda s: {"key": [s]}),
    "object for a scalar": (_object(key=WRITTEN), lambda s: {"key": {"value": s}}),
    "unknown key": (_object(login=_KEY), lambda s: {"login": {"kee": s}}),
    "spelt otherwise": (_object(login=_KEY), lambda s: {"login": {"KEY": s}}),
    "wrong level": (
        {**_object(login=_KEY, other=_object()), "additionalProperties": False},
        lambda s: {"key": s},
    ),
    "level elsewhere": (
        _object(login=_KEY, other={**_object(), "additionalProperties": False}),
        lambda s: {"other": {"Key": s, "auth": {"key": s}}},
    ),
    "any other key": (
        {**_object(key=WRITTEN), "additionalProperties": {"type": "integer"}},
        lambda s: {"Key": s, "other": s},
    ),
    "unevaluated": (
        {"allOf": [_object(key={"writeOnly": True})], "unevaluatedProperties": False},
        lambda s: {"kee": s},
    ),
    "not": (_object(key={"writeOnly": True, "not": {"minLength": 2}}), lambda s: {"key": s}),
    "the payload": ({"type": "object", "writeOnly": True, "maxProperties": 0}, lambda s: {"a": {"b": s}}),
    "no object": ({"type": "array", "items": WRITTEN}, lambda s: [s]),
    "instead of the payload": (_object(key=WRITTEN), lambda s: [s]),
    "as the payload": (_object(key=WRITTEN), lambda s: s),
    "among others": (
        {**_object(key=WRITTEN), "required": ["name", "x"], "minProperties": 9},
        lambda s: {"key": "a", "name": 1, "more": {"key": s}},
    ),
}
NAMED: dict[str, Shape] = {
    "named": (_object(api_key={"maxLength": 1}), lambda s: {"api_key": s}),
    "named otherwise": (_object(apiKey={"maxLength": 1}), lambda s: {"apiKey": s}),
    "named in capitals": (_object(**{"API-KEY": {"type": "integer"}}), lambda s: {"API-KEY": s}),
    "named within": (_object(o=_object(api_key={"type": "null"})), lambda s: {"o": {"api_key": s}}),
    "named above": (_object(api_key=_object(x={"type": "null"})), lambda s: {"api_key": {"x": s}}),
    "named items": (_object(api_key={"items": {"type": "null"}}), lambda s: {"api_key": [s]}),
    "named, unknown": ({**_object(), "additionalProperties": False}, lambda s: {"apikey": s}),
    "named in a container": (_object(o={"type": "null"}), lambda s: {"o": {"deep": [{"apiKey": s}]}}),
    "named in JSON": (
        _object(o={"type": "object", "maxProperties": 0}),
        lambda s: {"o": json.dumps({"apiKey": s})},
    ),
    "a named tag": (
        _object(
            u={"oneOf": [{"properties": {"api_key": {"const": c}, "n": {"type": "null"}}} for c in "ab"]}
        ),
        lambda s: {"u": {"api_key": s, "n": 1}},
    ),
}
ALL = SHAPES | NAMED
NAMES = ["api_key"]


def shown(error: BaseException) -> str:
    return f"{error} {error!r} {''.join(traceback.format_exception(error))}"


def of_issues(issues: list[ValidationIssue]) -> Iterator[str]:
    yield repr(issues)
    for issue in issues:
        yield f"{issue} {issue.got} {issue.got!r} {json.dumps(issue.to_dict())} {issue.under(('a',))!r}"


def of_tool(tool: Tool[Any], payload: Any) -> Iterator[str]:
    """Whatever a tool alone says of a payload."""
    issues = tool.validate(payload)
    assert issues
    yield from of_issues(issues)
    yield from of_issues(tool.validate_json(json.dumps(payload)))
    for text in (json.dumps(payload)[:-1], json.dumps(payload) + "}", json.dumps(payload).replace('"', "'")):
        yield from of_issues(tool.validate_json(text))
    tries: list[Callable[[], object]] = [
        lambda: tool.parse(payload),
        lambda: tool.parse_json(json.dumps(payload)),
        lambda: tool.parse_json(json.dumps(payload)[:-1]),
        lambda: tool.payload_type.model_validate(payload),
        lambda: (
            tool.payload_type(**payload)
            if isinstance(payload, dict)
            else tool.payload_type.model_validate(payload)
        ),
    ]
    for attempt in tries:
        with pytest.raises((InvalidPayload, ValidationError)) as caught:
            attempt()
        yield shown(caught.value)
        if isinstance(caught.value, ValidationError):
            yield repr(caught.value.errors(include_input=False))
    yield repr(repair(tool, payload).changes)


def of_registry(registry: Registry, payload: Any, secret: Any, seen: list[str]) -> Iterator[str]:
    """Whatever a registry says of a payload; `seen` is what its hooks were given."""
    tool = registry.find("t")
    assert tool is not None
    first = registry.hint("t", tool.validate(payload), payload=payload)
    hints = [
        first,
        registry.hint("t", tool.validate(payload)),
        registry.hint("t", tool.validate(payload), payload=payload, previous=first),
        registry.hint("t", InvalidPayload("t", tool.validate(payload)), payload=payload),
        registry.hint("t", RuntimeError(f"no access with {secret}"), payload=payload),
        registry.hint("t", f"{secret!r} is not of type 'integer'", payload=payload),
        registry.hint(
            "t", json.dumps([{"loc": ["name"], "type": "missing", "input": secret}]), payload=payload
        ),
    ]
    for hint in hints:
        yield f"{hint} {hint!r} {json.dumps(hint.to_dict())} {hint.render(9_999)}"
    for arguments in (payload, json.dumps(payload), json.dumps(payload)[:-1], json.dumps(payload) + "}"):
        output = registry.call("t", arguments, lambda payload: None)
        assert not output.ok
        yield f"{output!r} {output.text(9_999)} {output.error} {output.retry_hint!r} {output.repairs!r}"
        yield json.dumps(output.redacted())
        assert output.error is not None
        assert output.error.cause is not None
        yield shown(output.error.cause)
    yield from seen


def registry_of(tool: Tool[Any], seen: list[str], **options: Any) -> Registry:
    def note(event: object) -> Any:
        seen.append(f"{event!r} {event}")
        if (issue := getattr(event, "issue", None)) is not None:
            seen.extend(of_issues([issue]))
        return note

    registry = Registry(on_call=note, on_issue=note, **options)
    registry.register(Toolset("p", {"t": "t"}, lambda _: tool))
    return registry


def new_secret(shape: str) -> tuple[Any, str]:
    if shape == "number":
        number = secrets.randbelow(10**11) + 10**11
        return number, str(number)
    text = "Zq" + secrets.token_hex(6)
    return text, text


def of_logs(caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    for record in caplog.records:
        yield f"{record.getMessage()} {record.__dict__}"
    yield caplog.text


def test_no_secret_is_in_anything_that_is_shown(
    subtests: pytest.Subtests, caplog: pytest.LogCaptureFixture
) -> None:
    for case, shape in cases_of(ALL):
        with subtests.test(case):
            caplog.set_level(logging.DEBUG)
            caplog.clear()
            schema, payload_of = ALL[shape]
            secret, text = new_secret(shape)
            tool, payload = tool_of(schema), payload_of(secret)
            said = [] if shape in NAMED else list(of_tool(tool, payload))
            for mending in (False, True):
                seen: list[str] = []
                registry = registry_of(tool, seen, repair=mending, secrets=NAMES if shape in NAMED else ())
                said += [*of_registry(registry, payload, secret, seen), *of_logs(caplog)]
            assert len(said) > 40
            assert [line for line in said if text in line] == []


def test_the_search_finds_what_is_not_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tool, payload = tool_of(_object(name={"maxLength": 3})), {"name": "visible"}
    seen: list[str] = []
    assert sum("visible" in line for line in of_tool(tool, payload)) > 3
    said = list(of_registry(registry_of(tool, seen), payload, "visible", seen))
    assert sum("visible" in line for line in said) > 8
    assert any("visible" in line for line in of_logs(caplog))


def test_secrets_change_no_verdict(subtests: pytest.Subtests) -> None:
    for case, shape in cases_of(SHAPES):
        with subtests.test(case):
            schema, payload_of = SHAPES[shape]
            plain = json.loads(
                json.dumps(schema).replace('"writeOnly": true', '"title": "x"').replace("password", "none")
            )
            payload = payload_of(999_999_999 if shape == "number" else "Zq")
            said = [(i.path, i.constraint, i.expected) for i in tool_of(schema).validate(payload)]
            assert said == [(i.path, i.constraint, i.expected) for i in tool_of(plain).validate(payload)]


def test_who_asks_for_the_value_gets_it() -> None:
    issue = tool_of(_object(pw=PASSWORD)).validate({"pw": "hunter2"})[0]
    assert isinstance(issue.got, Secret)
    assert issue.got.get_secret_value() == "hunter2"
    assert issue.to_dict()["got"] == MASK


def test_what_is_beside_a_secret_is_shown() -> None:
    tool = tool_of(_object(pw=PASSWORD, name={"maxLength": 1}, o=_object(name={"maxLength": 1})))
    issues = tool.validate({"name": "visible", "o": {"name": "visible"}, "pw": "hunter2"})
    assert [issue.got for issue in issues] == ["visible", Secret("hunter2"), "visible"]


MODELS: dict[str, tuple[Any, Callable[[str], Any], str]] = {
    "field": (_object(pw={"format": "password"}), lambda s: {"pw": s, "name": "n"}, "name='n'"),
    "alias": (_object(**{"a-key": {"writeOnly": True}}), lambda s: {"a-key": s, "name": "n"}, "name='n'"),
    "class": (_object(o=_KEY), lambda s: {"o": {"key": "k"}, "name": s[:0]}, "name=''"),
    "list": (
        _object(l={"items": {**_KEY, "title": "K"}, "type": "array"}),
        lambda s: {"l": [{"key": "k"}]},
        "",
    ),
    "object": (
        _object(v={"writeOnly": True, "type": "object", "properties": {"a": {"type": "string"}}}),
        lambda s: {"v": {"a": s}},
        "",
    ),
    "dict": ({**_object(d={"additionalProperties": {"writeOnly": True}})}, lambda s: {"d": {"x": s}}, ""),
    "extra": ({**_object(), "additionalProperties": {"format": "password"}}, lambda s: {"x": s}, ""),
    "misspelt": (_object(pw={"format": "password"}), lambda s: {"pwd": s}, ""),
    "root": ({"type": "array", "items": {"writeOnly": True}}, lambda s: [s], ""),
}


@pytest.mark.parametrize("case", MODELS)
def test_a_payload_model_shows_no_secret(case: str) -> None:
    schema, payload_of, kept = MODELS[case]
    text = "Zq" + secrets.token_hex(6)
    payload = payload_of(text)
    model = tool_of(schema).parse(payload)
    assert model.model_dump(by_alias=True, exclude_unset=True) == payload
    assert "='k'" not in repr(model)
    assert text not in f"{model!r} {model}"
    assert kept in repr(model)


def test_a_nested_model_shows_no_secret_of_its_own() -> None:
    tool = tool_of(_object(v={"writeOnly": True, **_object(pin={"type": "integer"})}, o=_object(pw=PASSWORD)))
    model: Any = tool.parse({"v": {"pin": 123_456, "name": "hidden"}, "o": {"pw": "abc", "name": "shown"}})
    assert "123456" not in repr(model.v)
    assert "hidden" not in repr(model.v)
    assert "abc" not in repr(model.o)
    assert "shown" in repr(model.o)
    with pytest.raises(ValidationError) as caught:
        type(model.o)(pw="hunter" + str(2))
    assert "hunter2" not in shown(caught.value)


def test_repairs_say_what_was_done_and_not_with_which_value() -> None:
    tool = tool_of(
        _object(
            pin={"type": "integer", "writeOnly": True}, n={"type": "integer"}, api_key={"type": "integer"}
        )
    )
    payload = {"pin": "123456", "n": "5", "api_key": "654321"}
    seen: list[str] = []
    registry = registry_of(tool, seen, repair=True, secrets=["apiKey"])
    output = registry.call("t", payload, lambda payload: None)
    assert output.payload == {"pin": 123456, "n": 5, "api_key": 654321}
    assert output.redacted() == {"pin": MASK, "n": 5, "api_key": MASK}
    assert [(c["from"], c.get("to")) for c in output.repairs] == [(MASK, MASK), ("5", 5), (MASK, MASK)]
    assert not any(secret in line for line in [*seen, repr(output)] for secret in ("123456", "654321"))


def test_what_a_handler_says_quotes_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tool = tool_of(_object(pw={"format": "password"}))
    seen: list[str] = []
    registry = registry_of(tool, seen)
    for failure in (
        ValueError("no user with password 'Zq19481948'"),
        ToolExecutionError("execution_error", "Zq19481948 is wrong"),  # type: ignore[arg-type]  # its value
        InvalidPayload("t", [ValidationIssue(("pw",), "enum", ("a",), "Zq19481948")]),
    ):

        def handler(payload: Any, failure: Exception = failure) -> None:
            raise failure

        output = registry.call("t", {"pw": "Zq19481948"}, handler)
        assert output.error is not None
        said = [output.text(), str(output.error), repr(output.retry_hint), *of_logs(caplog), *seen]
        assert not any("Zq19481948" in line for line in said)
        assert "Zq19481948" not in output.error.message


SCRUBBED: list[tuple[dict[str, Any], str, str]] = [
    # the payload, a text with its secrets, the text without
    ({"a": "Zq19", "b": "Zq19-tail"}, "not Zq19-tail, Zq19", f"not {MASK}, {MASK}"),
    ({"a": 3.14159}, "is 3.14159 right?", f"is {MASK} right?"),
    ({"a": 271828}, "is 271828 right?", f"is {MASK} right?"),
    ({"a": "abc"}, "abc is too short to be masked", "abc is too short to be masked"),
]


@pytest.mark.parametrize(("payload", "text", "wanted"), SCRUBBED)
def test_every_secret_is_masked_in_a_text(payload: dict[str, Any], text: str, wanted: str) -> None:
    found = tool_of(_object(a={"writeOnly": True}, b={"writeOnly": True})).secrets
    assert found is not None
    assert found.scrubbed(text, payload) == wanted


@pytest.mark.parametrize("names", ["password", b"x", [1], [""], ["--"]])
def test_secrets_are_a_list_of_names(names: Any) -> None:
    with pytest.raises(ValueError, match="names"):
        Registry(secrets=names)


def test_a_schema_without_secrets_has_no_table() -> None:
    assert tool_of(_object(a={"writeOnly": False}, b={"format": "date"})).secrets is None


SENT = "SECRET-12345"
FOUND: dict[str, tuple[Any, Any]] = {
    "an item that no schema allows": (
        _object(t={"type": "array", "prefixItems": [{"type": "string"}, PASSWORD], "items": False}),
        {"t": ["a", "x", SENT]},
    ),
    "a tag in the text of another field": (
        _object(user={"type": "string"}, password=PASSWORD) | {"required": ["password"]},
        {"user": f'x<parameter name="password">{SENT}</parameter>'},
    ),
    "JSON in the text of another field": (
        _object(user={"type": "string"}, password=PASSWORD) | {"required": ["password"]},
        {"user": f'{{"password": "{SENT}"}}'},
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_a_secret_in_another_place_is_in_no_log(case: str) -> None:
    schema, payload = FOUND[case]
    registry = Registry()
    registry.register({"t": tool_of(schema)})
    output = registry.call("t", payload, lambda _: None)
    assert SENT not in repr(output.redacted())
    assert SENT not in repr([issue.to_dict() for issue in tool_of(schema).validate(payload)])


def test_the_tool_that_a_registry_finds_masks_what_the_registry_masks() -> None:
    schema = {"type": "object", "properties": {"apiKey": {"type": "integer"}}}
    registry = Registry(secrets=["api_key"])
    registry.register({"t": tool_of(schema)})
    tool = registry.find("t")
    assert tool is not None
    issues = tool.validate({"apiKey": SENT})
    with pytest.raises(InvalidPayload) as failure:
        tool.parse({"apiKey": SENT})
    with pytest.raises(InvalidPayload) as of_text:
        tool.parse_json(json.dumps({"apiKey": SENT}))
    shown = [
        issues,
        [issue.to_dict() for issue in issues],
        failure.value.args,
        str(failure.value),
        of_text.value.args,
    ]
    shown += [tool.validate_json(json.dumps({"apiKey": SENT})), repair(tool, {"apiKey": "12345678"}).changes]
    assert SENT not in repr(shown)
    assert "12345678" not in repr(shown)
    assert tool.validate({"apiKey": 1}) == tool.validate_json('{"apiKey": 1}') == []
    assert tool.parse({"apiKey": 1}).model_dump(by_alias=True) == {"apiKey": 1}
