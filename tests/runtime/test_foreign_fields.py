"""Which field a service's text means, what is said of it, and that nothing is made up where it means none."""

# ruff: noqa: E501  the texts stand as they came

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import TEST_DATA, bounded

from toolgen import compile_tools
from toolgen_runtime import MISSING, Registry, RetryHint
from toolgen_runtime.hints.foreign import generic
from toolgen_runtime.hints.foreign.reading import READERS
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.spelling import fold
from toolgen_runtime.validation.embedded import parse

TEXTS = json.loads((TEST_DATA / "foreign_texts.json").read_text(encoding="utf-8"))
ROWS = TEXTS["rows"]
"""Rows of a source, its text, a schema in short, arguments that were sent, and the field that is meant or None."""
KNOWN_TO_NEED_THE_PAYLOAD = {"joi", "rails", "hubspot", "airtable", "kubernetes"}
"""Sources with a text that names an undeclared key, or one inside an object that declares none."""


def registry_of(schema: dict[str, Any], **options: Any) -> Registry:
    registry = Registry(**options)
    registry.register(compile_tools([{"name": "t", "description": "", "schema": schema}]))
    return registry


def schema_of(properties: str) -> dict[str, Any]:
    """Return the schema of a row's properties: `owner! labels:array`."""
    schemas, required = {}, []
    for word in properties.split():
        name, _, kind = word.partition(":")
        if name.endswith("!"):
            required.append(name := name[:-1])
        schemas[name] = {"type": kind or "string"}
    return {"type": "object", "properties": schemas, "required": required}


def named(hint: RetryHint) -> list[str]:
    return [*(f.field for f in hint.fields), *hint.missing_fields]


@pytest.mark.parametrize(("source", "text", "properties", "payload", "field"), ROWS)
def test_the_field_that_is_meant(
    source: str, text: str, properties: str, payload: dict[str, Any], field: str | None
) -> None:
    registry = registry_of(schema_of(properties))
    alone = named(registry.hint("t", text))
    if field is None:
        assert alone == []
    elif source not in KNOWN_TO_NEED_THE_PAYLOAD or alone:
        assert fold(field) in map(fold, alone)
    tool = registry.find("t")
    assert tool is not None
    if not tool.validate(payload):
        beside = named(registry.hint("t", text, payload=payload))
        assert field in beside if field is not None else beside == []


ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "minimum": 1, "maximum": 100},
        "title": {"type": "string", "minLength": 3, "maxLength": 20},
        "status": {"enum": ["open", "closed"]},
        "email": {"type": "string", "format": "email"},
        "due_date": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "price": {"type": "number"},
                    "sku": {"type": "string"},
                    "qty": {"type": "integer"},
                },
                "required": ["sku"],
            },
        },
        "address": {
            "type": "object",
            "properties": {
                "zip": {"type": "string"},
                "city": {"type": "string"},
                "geo": {
                    "type": "object",
                    "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
                },
            },
        },
        "user_name": {"type": "string"},
        "count": {"type": "integer"},
    },
    "required": ["amount", "title"],
    "additionalProperties": False,
}
VALID_ORDER = {
    "amount": 5,
    "title": "abcd",
    "status": "open",
    "email": "a@b.co",
    "due_date": "2024-05-01",
    "tags": ["x"],
    "items": [{"price": 1, "sku": "s", "qty": 1}],
    "address": {"zip": "1", "city": "c", "geo": {"lat": 1, "lon": 2}},
    "user_name": "u",
    "count": 3,
}
UNDECLARED = {"colour"}
"""The key that texts call unknown; the valid order has none."""
OF_ORDERS = json.loads((TEST_DATA / "foreign_order_texts.json").read_text(encoding="utf-8"))
"""Rows of a source, its text about an order, and all fields that it means."""


@pytest.fixture(scope="module")
def orders() -> Registry:
    return registry_of(ORDER)


@pytest.mark.parametrize(("source", "text", "fields"), OF_ORDERS)
def test_all_fields_that_are_meant_and_no_others(
    orders: Registry, source: str, text: str, fields: list[str]
) -> None:
    assert set(named(orders.hint("t", text))) == set(fields), source
    beside = orders.hint("t", text, payload=VALID_ORDER)
    assert set(named(beside)) == set(fields) - UNDECLARED, source


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (
            'Parameter validation failed:\nUnknown parameter in input: "Title", must be one of: title, amount',
            "Title",
        ),
        ('unknown field "Amount", expected one of: title, amount', "Amount"),
        ("Unexpected keyword argument 'TITLE'", "TITLE"),
    ],
)
def test_an_unknown_key_is_not_the_field_that_it_is_written_like(
    orders: Registry, text: str, key: str
) -> None:
    assert list(named(orders.hint("t", text))) == [key]


INSIDE = [
    ("{'items': {0: {'price': ['x']}}}", {"items": {"0": {"price": ["x"]}}}),
    ('{:amount=>["is missing"], :items=>{0=>{:price=>nil}}}', {"amount": ["is missing"], "items": {"0": {"price": None}}}),
    ('{"a" => "x: y", "b" => {1 => 2}}', {"a": "x: y", "b": {"1": 2}}),
    ("{ amount: [ 'is required' ], b: undefined, c: { 'd': 1 } }", {"amount": ["is required"], "b": None, "c": {"d": 1}}),
    ('{"url": "http://x:80", "n": 1.5}', {"url": "http://x:80", "n": 1.5}),
    ("{'a': True, 'b': None, 'c': (1, 2,)}", {"a": True, "b": None, "c": [1, 2]}),
    ('{ email: "e" }', None),
    ("{1.5: 2}", None),
    ("{-1: [2]}", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), INSIDE)
def test_what_programs_print_of_maps(text: str, value: Any) -> None:
    assert parse(text) == value


SCHEMA = schema_of("title! n:integer labels:array secret")
SCHEMA["properties"]["priority"] = {"enum": ["low", "high"]}
VALID = {"title": "ab", "n": 5, "labels": ["x"], "priority": "high"}
SAID = [
    ("Invalid value for 'title': too short", VALID, 't was not run. title: the error says "Invalid value for \'title\': too short"'),
    # what the tool's own check does not find is left to the service's own words
    ("'n' is a required property", VALID, "t was not run. n: the error says \"'n' is a required property\""),
    ("data.labels must be array", VALID, 't was not run. labels: the error says "must be array"'),
    ("data.priority must be equal to one of the allowed values", VALID, 't was not run. priority: the error says "data.priority must be equal to one of the allowed values"'),
    ("1 validation error for T\ntitle\n  Value error, no such title [type=value_error, input_value='ab', input_type=str]", VALID, 't was not run. title: the error says "Value error, no such title"'),
    ('{"detail":[{"loc":["body","title"],"msg":"field required","type":"value_error.missing"}]}', VALID, 't was not run. title: the error says "field required"'),
    # and what the tool's own check finds is said as ever
    ('{"detail":[{"loc":["body","title"],"msg":"field required","type":"value_error.missing"}]}', {}, "t was not run. title (missing; string)"),
    ("missing required parameter: title", {}, "t was not run. title (missing; string)"),
    ("1 validation error for T\nn\n  Input should be less than or equal to 3 [type=less_than_equal, input_value=5, input_type=int]", VALID, 't was not run. n: the error says "Input should be less than or equal to 3"'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "payload", "said"), SAID)
def test_what_is_said_of_it(text: str, payload: dict[str, Any], said: str) -> None:
    assert registry_of(SCHEMA).hint("t", text, payload=payload).render() == said


def test_whether_the_tool_ran_is_the_callers_to_say() -> None:
    registry = registry_of(SCHEMA)
    for problem in ("422: title is too short", ValueError("it broke"), registry.find("t").validate({})):  # type: ignore[union-attr]
        assert registry.hint("t", problem).render().startswith("t was not run")
        ran = registry.hint("t", problem, ran=True)
        assert ran.render().startswith("t failed")
        assert (ran.reason, ran.recovery) == ("tool_failed", "correct")
    assert registry.hint("t", "param is missing: title", ran=True).missing_fields == ("title",)
    conversation = registry.conversation()
    hints = [conversation.hint("t", "the title is too short", ran=True) for _ in range(3)]
    assert [h.recovery for h in hints] == ["correct", "correct", "give_up"]
    assert "was not run" not in "".join(h.render() for h in hints)


def test_an_output_that_does_not_fit_is_not_the_arguments_fault() -> None:
    hint = registry_of(SCHEMA).hint(
        "t", "Output validation error: 'title' is a required property", payload=VALID
    )
    assert (hint.reason, hint.fields) == ("malformed_response", ())


def test_a_sentence_is_one_bounded_printable_line() -> None:
    text = 'title is bad:\u202e\x1b[31m\u200b "quoted" ' + "very " * 100
    (field,) = registry_of(SCHEMA).hint("t", text, payload=VALID).fields
    assert field.constraint == "reported"
    assert field.advice.isprintable()
    assert field.advice.count('"') == 2
    assert len(field.advice) < 190


def test_a_sentence_quotes_no_secret() -> None:
    registry = registry_of(SCHEMA, secrets=["secret"])
    payload = {**VALID, "secret": "hunter2hunter2"}
    for text in (
        "title may not hold hunter2hunter2",
        "secret is wrong: hunter2hunter2",
        '{"errors":{"title":["hunter2hunter2 is bad"]}}',
    ):
        hint = registry.hint("t", text, payload=payload)
        assert len(hint.fields) == 1
        assert "hunter2" not in hint.render() + json.dumps(hint.to_dict(), default=str)


def test_names_that_two_places_have_are_not_guessed() -> None:
    place = {"type": "object", "properties": {"city": {"type": "string"}}}
    registry = registry_of({"type": "object", "properties": {"from": place, "to": place}})
    assert named(registry.hint("t", "city is invalid")) == []
    assert (
        named(registry.hint("t", "'city' is invalid", payload={"to": {"city": "x"}, "from": {"city": "y"}}))
        == []
    )
    assert named(registry.hint("t", "to.city is invalid")) == ["to.city"]


ATOMS: list[str] = TEXTS["atoms"]
"""Parts of the forms that are searched for; a text may repeat one of them."""
AROUND = [
    ("", ""),
    ("value '", "' is too long"),
    ("data ", " must be string"),
    ("1 validation error for x\n", ""),
]
SECONDS = 1.0
"""Far above what a linear reading takes, and far below what a quadratic one takes."""


@pytest.mark.parametrize("atom", ATOMS)
def test_texts_take_linear_time(atom: str) -> None:
    registry = registry_of(SCHEMA)
    registry.hint("t", "warm")
    for before, after in AROUND:
        text = before + atom * (100_000 // len(atom)) + after
        for payload in (MISSING, VALID):
            with bounded(SECONDS):
                registry.hint("t", text, payload=payload)
        for reader in READERS:
            with bounded(SECONDS):
                reader(text[:20_000])


def test_bodies_of_many_names_take_linear_time() -> None:
    payload = {"title": "x", "m": {f"k{i}": {f"a{j}": 1 for j in range(20)} for i in range(240)}}
    registry = registry_of(SCHEMA)
    bodies: list[Any] = [
        {"errors": [{"field": f"x{i}", "message": "bad"} for i in range(600)]},
        {"errors": {f"x{i}": ["is required"] for i in range(900)}},
        {"message": [f"x{i} must be a string" for i in range(800)]},
        {"e": [[[["missing field: q"]]]] * 900},
        [{"path": [f"p{i}", "q"], "message": "m", "code": "custom"} for i in range(400)],
    ]
    nested = "field 'q' is bad"
    for _ in range(6):
        nested = json.dumps({"a": nested, "b": nested})
    for text in (*map(json.dumps, bodies), nested):
        with bounded(SECONDS):
            registry.hint("t", text, payload=payload)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(ATOMS) | st.sampled_from([row[1] for row in ROWS]), max_size=8))
def test_any_mixture_of_texts_is_read_without_harm(parts: list[str]) -> None:
    facts = SchemaFacts(SCHEMA)
    for issue in generic.read("".join(parts), facts, VALID):
        assert issue.path[0] in (*SCHEMA["properties"], *VALID)
    text = "".join(parts)
    on_one_line = " ".join(text.split())
    assert "a Missing" not in registry_of(SCHEMA).hint("t", text).render() or "a Missing" in on_one_line
