"""Secret values: none is in anything that is shown, logged or handed to a hook as text."""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from helpers.support import TEXT, WHOLE, JsonObject, for_each, obj, tool_of
from pydantic import ValidationError

from toolgen_runtime import (
    InvalidPayload,
    Registry,
    ToolExecutionError,
    ValidationIssue,
)
from toolgen_runtime.validation.issues import Secret
from toolgen_runtime.validation.redaction import MASK, looks_like_name

PASSWORD = {"type": "string", "format": "password", "maxLength": 3}
WRITTEN = {"type": "string", "writeOnly": True, "pattern": "^[a-z]$"}
_KEY = obj(closed=True, key=WRITTEN)


def _object(**properties: Any) -> JsonObject:
    return {"type": "object", "properties": {"name": TEXT, **properties}}


def test_what_is_beside_a_secret_is_shown() -> None:
    tool = tool_of(_object(pw=PASSWORD, name={"maxLength": 1}, o=_object(name={"maxLength": 1})))
    issues = tool.validate({"name": "visible", "o": {"name": "visible"}, "pw": "hunter2"})
    assert [issue.got for issue in issues] == ["visible", Secret("hunter2"), "visible"]
    secret = issues[1]
    assert secret.got.get_secret_value() == "hunter2", "who asks for the value gets it"
    assert secret.to_dict()["got"] == MASK


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
        _object(v={"writeOnly": True, "type": "object", "properties": {"a": TEXT}}),
        lambda s: {"v": {"a": s}},
        "",
    ),
    "dict": ({**_object(d={"additionalProperties": {"writeOnly": True}})}, lambda s: {"d": {"x": s}}, ""),
    "extra": ({**_object(), "additionalProperties": {"format": "password"}}, lambda s: {"x": s}, ""),
    "misspelt": (_object(pw={"format": "password"}), lambda s: {"pwd": s}, ""),
    "root": ({"type": "array", "items": {"writeOnly": True}}, lambda s: [s], ""),
}


@for_each(MODELS)
def test_a_payload_model_shows_no_secret(schema: Any, payload_of: Any, kept: Any) -> None:
    text = "Zq" + secrets.token_hex(6)
    payload = payload_of(text)
    model = tool_of(schema).parse(payload)
    assert model.model_dump(by_alias=True, exclude_unset=True) == payload
    assert "='k'" not in repr(model)
    assert text not in f"{model!r} {model}"
    assert kept in repr(model)


def test_a_nested_model_shows_no_secret_of_its_own() -> None:
    tool = tool_of(_object(v={"writeOnly": True, **_object(pin=WHOLE)}, o=_object(pw=PASSWORD)))
    model: Any = tool.parse({"v": {"pin": 123_456, "name": "hidden"}, "o": {"pw": "abc", "name": "shown"}})
    assert "123456" not in repr(model.v)
    assert "hidden" not in repr(model.v)
    assert "abc" not in repr(model.o)
    assert "shown" in repr(model.o)
    with pytest.raises(ValidationError) as caught:
        type(model.o)(pw="hunter" + str(2))
    error = caught.value
    assert "hunter2" not in f"{error} {error!r} {traceback.format_exception(error)}"


def test_repairs_say_what_was_done_and_not_with_which_value() -> None:
    tool = tool_of(_object(pin={"type": "integer", "writeOnly": True}, n=WHOLE, api_key=WHOLE))
    payload = {"pin": "123456", "n": "5", "api_key": "654321"}
    registry = Registry(repair=True, secrets=["apiKey"]).with_tools({"t": tool})
    output = registry.call("t", payload, lambda payload: None)
    assert output.payload == {"pin": 123456, "n": 5, "api_key": 654321}
    assert output.redacted() == {"pin": MASK, "n": 5, "api_key": MASK}
    assert [(c["from"], c.get("to")) for c in output.repairs] == [(MASK, MASK), ("5", 5), (MASK, MASK)]
    assert not any(secret in repr(output) for secret in ("123456", "654321"))


def test_what_a_handler_says_quotes_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tool = tool_of(_object(pw={"format": "password"}))
    registry = Registry().with_tools({"t": tool})
    for failure in (
        ToolExecutionError("execution_error", "Zq19481948 is wrong"),  # type: ignore[arg-type]  # its value
        InvalidPayload("t", [ValidationIssue(("pw",), "enum", ("a",), "Zq19481948")]),
    ):

        def handler(payload: Any, failure: Exception = failure) -> None:
            raise failure

        output = registry.call("t", {"pw": "Zq19481948"}, handler)
        said = f"{output.text()} {output.error} {output.retry_hint!r} {caplog.text}"
        assert "Zq19481948" not in said


SCRUBBED: list[tuple[JsonObject, str, str]] = [
    # the payload, a text with its secrets, the text without
    ({"a": "Zq19", "b": "Zq19-tail"}, "not Zq19-tail, Zq19", f"not {MASK}, {MASK}"),
    ({"a": 3.14159}, "is 3.14159 right?", f"is {MASK} right?"),
    ({"a": 271828}, "is 271828 right?", f"is {MASK} right?"),
    ({"a": "abc"}, "abc is too short to be masked", "abc is too short to be masked"),
]


@for_each(SCRUBBED)
def test_every_secret_is_masked_in_a_text(payload: JsonObject, text: str, wanted: str) -> None:
    found = tool_of(_object(a={"writeOnly": True}, b={"writeOnly": True})).secrets
    assert found.scrubbed(text, payload) == wanted


@for_each(["password", b"x", [1], [""], ["--"]])
def test_secrets_are_a_list_of_names(names: Any) -> None:
    with pytest.raises(ValueError, match="names"):
        Registry(secrets=names)


def test_a_schema_without_secrets_has_no_table() -> None:
    assert tool_of(_object(a={"writeOnly": False}, b={"format": "date"})).secrets is None


def test_digits_alone_are_no_name() -> None:
    assert looks_like_name("user_id2")
    assert not looks_like_name("123")


def test_of_secrets_that_begin_alike_nothing_is_left_in_other_texts() -> None:
    pins = ["hunter2Zq9x"[:length] for length in range(4, 12)]
    tool = tool_of(_object(pins={"type": "array", "items": {"type": "string", "writeOnly": True}}))
    output = (
        Registry()
        .with_tools({"t": tool})
        .call("t", {"pins": pins, "name": " ".join(pins)}, lambda payload: "ok")
    )
    assert output.redacted()["name"] == " ".join([MASK] * len(pins))
