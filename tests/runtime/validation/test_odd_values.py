"""Payloads that are no JSON: keys and values of any Python type get a verdict and a hint, never an exception."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from helpers.support import TEXT, WHOLE, for_each, for_each_at_once, obj
from hypothesis import example, given, strategies as st
from pydantic import ValidationError

from toolgen import compile_tools
from toolgen_runtime import MISSING, InvalidPayload, Registry, Tool, ValidationIssue, repair
from toolgen_runtime.schema.facts import parse_field
from toolgen_runtime.validation.issues import field_of
from toolgen_runtime.validation.printing import plain

HUGE = 10**5_000
"""More digits than Python writes."""


class Silent:
    """What cannot even be printed."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


KEYS: list[Any] = [
    *(None, 0, 1, -1, -2, True, 1.5, float("nan"), HUGE, b"x", b"[", (1,), (), frozenset([1]), Silent(), int),
    *("a", "x", "title", "None", "", "\ud800"),
]
_OPEN = obj("title", title=TEXT)
_CLOSED = obj(
    "title",
    closed=True,
    title={"type": "string", "maxLength": 3},
    kind={"enum": ["low", "high"]},
    o=obj("x", closed=True, x=WHOLE, none={"type": "boolean"}),
    l={"type": "array", "items": {"type": "object", "additionalProperties": WHOLE}},
    t={"prefixItems": [TEXT], "items": False},
    p={"propertyNames": {"maxLength": 2}},
    u={"unevaluatedProperties": False},
    s={"patternProperties": {"^x": WHOLE}, "additionalProperties": False},
    q={"uniqueItems": True},
    d={"dependentRequired": {"a": ["b"]}, "minProperties": 3},
    e={"enum": [{"a": 1}]},
    v={"oneOf": [_OPEN, {"properties": {"kind": {"const": "a"}}, "additionalProperties": False}]},
    c={"contains": TEXT},
    f={"type": "string", "format": "date"},
)
_RECURSIVE = {
    "$defs": {"n": {"type": "object", "additionalProperties": {"$ref": "#/$defs/n"}, "maxProperties": 1}},
    "properties": {"n": {"$ref": "#/$defs/n"}},
    "additionalProperties": {"type": "array", "items": {"type": "object"}},
}
TOOLS = compile_tools(
    [
        {"name": name, "description": "", "schema": schema}
        for name, schema in {"open": _OPEN, "closed": _CLOSED, "recursive": _RECURSIVE}.items()
    ]
)
_PROPERTIES = [*_CLOSED["properties"]]  # type: ignore[misc]  # a dict, which mypy takes for any object
TEXTS = [
    "data/rows/3 must be string",
    "'b' is a required property",
    '[{"code":"invalid_type","expected":"object","path":["o"],"message":"received string"}]',
    "1 validation error for X\no.1\n  Input should be a valid string [type=string_type, input_value=1, input_type=int]",
]


def outputs(tool: Tool[Any], payload: Any) -> Iterator[str]:
    """Every text that comes of a payload."""
    quiet = Registry().with_tools(TOOLS)
    mending = Registry(repair=True, on_issue=repr, on_call=lambda call: None).with_tools(TOOLS)
    issues = tool.validate(payload)
    for issue in issues:
        yield f"{issue.field} {issue!r} {json.dumps(issue.to_dict())} {hash(issue)} {issue == issue}"
        parse_field(issue.field)
    hints = [quiet.hint(tool.name, issues, payload=payload), quiet.hint(tool.name, issues)]
    hints.append(quiet.hint(tool.name, issues, payload=payload, previous=hints[0]))
    hints += [quiet.hint(tool.name, text, payload=payload) for text in TEXTS]
    hints.append(quiet.hint(tool.name, InvalidPayload(tool.name, issues), payload=payload))
    for hint in hints:
        yield hint.render()
        yield json.dumps(hint.to_dict())
    yield "".join(field_of(change["path"]) for change in repair(tool, payload).changes)
    for registry in (quiet, mending):
        yield registry.call(tool.name, payload, lambda payload: None).text()
        yield registry.call(tool.name, payload, _with_model(tool)).text()
    try:
        tool.parse(payload)
    except InvalidPayload as error:
        yield f"{error} {error!r}"
    except ValidationError:
        assert not issues  # valid, and nothing that pydantic can hold: documented


def _with_model(tool: Tool[Any]) -> Any:
    def handler(payload: Any) -> None: ...

    handler.__annotations__["payload"] = tool.payload_type
    return handler


@for_each_at_once(product(TOOLS.values(), range(len(KEYS))))
def test_a_key_of_any_type_gets_a_verdict(tool: Any, turn: Any) -> None:
    """Each field holds one value of a key: another one in each turn."""
    key, mixed = KEYS[turn], dict.fromkeys(KEYS, 1)
    names = _PROPERTIES if tool.name == "closed" else _PROPERTIES[:2]
    values = ({key: 1}, {key: {key: None}}, {key: [{key: 1}], "zz": 2}, {"x": 1, **mixed})
    for at, value in enumerate(values[turn % 2 :: 2]):
        held = ({name: value} for name in names[(at + turn // 2) % 8 :: 8])
        for payload in (value, {"title": "x", **value}, [value], *held):
            assert all(isinstance(text, str) for text in outputs(tool, payload))
        assert all(isinstance(text, str) for text in outputs(tool, {"q": [value, dict(value), {**value}]}))


SCALARS = [None, True, 1, 2.5, HUGE, float("nan"), b"x", (1, "a"), Silent(), {1}, "low", "[1]", '{"x": "1"}']
# By their positions: hypothesis prints what it samples from, and some of these cannot be printed.
odd_scalars = st.integers(0, len(SCALARS) - 1).map(lambda at: SCALARS[at])
odd_keys = (
    st.integers(0, len(KEYS) - 1).map(lambda at: KEYS[at])
    | st.sampled_from(_PROPERTIES)
    | st.text(max_size=3)
    | st.integers()
)
odd_values = st.recursive(
    odd_scalars | st.text(max_size=5),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(odd_keys, v, max_size=4) | st.tuples(v, v),
    max_leaves=10,
)


@given(st.sampled_from(sorted(TOOLS)), st.dictionaries(odd_keys, odd_values, max_size=4) | odd_values)
@example("closed", {"title": [True, HUGE]})
def test_any_python_value_gets_a_verdict(tool: str, payload: Any) -> None:
    texts = list(outputs(TOOLS[tool], payload))
    assert not any("Missing" in text or "a MISSING" in text for text in texts)


@for_each([{"o": {None: Silent()}}, {b"x": HUGE}, [Silent()]])
def test_any_python_value_can_be_logged(payload: Any, *, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    registry = Registry().with_tools(TOOLS)
    assert not registry.call("closed", payload, lambda payload: None).ok
    assert len([record.getMessage() for record in caplog.records]) == 2


_NUMERIC: dict[str, Any] = {
    "price_cents": WHOLE,
    "even": {"type": "integer", "multipleOf": 2},
    "step": {"type": "number", "multipleOf": 0.1},
    "small": {"type": "integer", "minimum": 1, "maximum": 10},
    "level": {"enum": [1, 2, 3]},
    "one": {"const": 1},
    "at": {"type": "string", "format": "date-time"},
    "user_id": TEXT,
    "flag": {"type": "boolean"},
    "ids": {"type": "array", "items": WHOLE},
    "limit_ms": {"anyOf": [WHOLE, {"type": "null"}]},
    "o": obj(n=WHOLE),
}
NUMERIC = compile_tools([{"name": "numeric", "description": "", "schema": {"properties": _NUMERIC}}])
NUMBERS = [
    *(float("inf"), -float("inf"), float("nan"), -0.0, 5e-324, 1e22, 1e308, -1.7976931348623157e308),
    *(HUGE, -HUGE, 10**400, 2**1024, 2**63, 10**18 + 1, 1.5, 1e12),
]


@for_each(NUMBERS, ids=lambda n: type(n).__name__)
def test_a_number_of_any_size_gets_a_verdict(number: float) -> None:
    """`json.loads` makes infinity of 1e400, so it comes from programs that parse by themselves."""
    tool = NUMERIC["numeric"]
    for value in (number, [number], {"n": number}, [[number], number], (number,)):
        for payload in ({"zz": value}, dict.fromkeys(_NUMERIC, value), *({n: value} for n in _NUMERIC)):
            issues = tool.validate(payload)
            hint = Registry().with_tools(NUMERIC).hint("numeric", issues, payload=payload)
            assert hint.render()
            json.dumps(hint.to_dict())
            repaired = repair(tool, payload)
            assert not repaired.changes or tool.validate(repaired.payload) == []


def test_fields_of_odd_keys() -> None:
    odd: list[Any] = ["a", None, 1, True, 1.5, b"x", (1,), HUGE, "None"]
    assert field_of(odd) == "a[None][1][True][1.5][b'x'][<tuple>][<int>].None"


def test_to_dict_is_json_whatever_was_sent() -> None:
    cyclic: list[Any] = []
    cyclic += [cyclic, cyclic, b"x"]
    sent = {None: (1, {2}), "a": [MISSING, HUGE, Silent()], "c": cyclic}
    out = ValidationIssue((None, "a"), "type", "string", sent).to_dict()  # type: ignore[arg-type]  # on purpose
    assert out["path"] == ["None", "a"]
    assert out["got"]["None"] == [1, "<set>"]
    assert out["got"]["a"] == [None, "<int>", "<Silent>"]
    json.dumps(out)


def test_json_is_handed_on_as_it_is() -> None:
    value = {"a": [1, 2.5, None, {"b": True}]}
    assert plain(value) is value
