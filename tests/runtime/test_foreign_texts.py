"""Which field a library's or a service's text means, what is said of it, and that nothing is made up."""

# ruff: noqa: E501  the texts stand as they came

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import fastjsonschema
import jsonschema
import jsonschema_rs
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import TEST_DATA, bounded, maskbench, needs_maskbench

from toolgen import compile_tools
from toolgen_runtime import MISSING, InvalidPayload, Registry, RetryHint
from toolgen_runtime.hints.foreign.reading import read_problem
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
    ("data.priority must be equal to one of the allowed values", VALID, 't was not run. priority: the error says "must be equal to one of the allowed values"'),
    ("1 validation error for T\ntitle\n  Value error, no such title [type=value_error, input_value='ab', input_type=str]", VALID, 't was not run. title: the error says "Value error, no such title"'),
    ('{"detail":[{"loc":["body","title"],"msg":"field required","type":"value_error.missing"}]}', VALID, 't was not run. title: the error says "field required"'),
    # a schema's limits are told where the arguments are not known
    ("data.priority must be equal to one of the allowed values", MISSING, 't was not run. priority: the error says "must be equal to one of the allowed values" (expected: one of: low, high)'),
    ("Invalid value for 'title': too short", MISSING, 't was not run. title: the error says "Invalid value for \'title\': too short"'),
    # and what the tool's own check finds is said as ever
    ('{"detail":[{"loc":["body","title"],"msg":"field required","type":"value_error.missing"}]}', {}, "t was not run. title (missing; string)"),
    ("missing required parameter: title", {}, "t was not run. title (missing; string)"),
    ("1 validation error for T\nn\n  Input should be less than or equal to 3 [type=less_than_equal, input_value=5, input_type=int]", VALID, 't was not run. n: the error says "Input should be less than or equal to 3"'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "payload", "said"), SAID)
def test_what_is_said_of_it(text: str, payload: Any, said: str) -> None:
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


REGISTRY = registry_of(SCHEMA)
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
    REGISTRY.hint("t", "warm")
    for before, after in AROUND:
        text = before + atom * (40_000 // len(atom)) + after
        for payload in (MISSING, VALID) if before else (MISSING,):
            with bounded(SECONDS):
                REGISTRY.hint("t", text, payload=payload)


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


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(ATOMS) | st.sampled_from([row[1] for row in ROWS]) | st.text(max_size=20), max_size=8
    ),
    st.sampled_from([MISSING, VALID, {}, [], {"title": {"qty": 1}}, "text"]),
)
def test_any_mixture_of_texts_is_read_without_harm(parts: list[str], payload: Any) -> None:
    text = "".join(parts)
    for issue in read_problem(text, SchemaFacts(SCHEMA), payload):
        assert issue.to_dict()
    assert "a Missing" not in REGISTRY.hint("t", text).render() or "a Missing" in " ".join(text.split())


# -- libraries ------------------------------------------------------------------------------------------------

LIBRARY = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
        "n": {"type": "integer", "minimum": 1, "maximum": 9},
        "x": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 5},
        "p": {"enum": ["low", "high"]},
        "c": {"const": "k"},
        "rows": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {
                "type": "object",
                "properties": {"qty": {"type": "integer"}},
                "required": ["qty"],
                "additionalProperties": False,
            },
        },
        "when": {"type": "string", "format": "date-time"},
        "u": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "m": {"type": "object", "additionalProperties": {"type": "integer"}},
        "startDate": {"type": "string"},
        "odd.key": {"type": "object", "properties": {"must be": {"type": "string"}}},
    },
    "required": ["title"],
    "additionalProperties": False,
}
FACTS = SchemaFacts(LIBRARY)

LIBRARY_TEXTS: list[tuple[str, list[tuple[str, str]]]] = [
    ("'title' is a required property", [("title", "required")]),
    ("'qty' is a required property\n\nFailed validating 'required' in schema['properties']['rows']['items']:\n    {}\n\nOn instance['rows'][2]:\n    {'q': 1}", [("rows[2].qty", "required")]),
    ("5 is not of type 'string'\n\nFailed validating 'type' in schema['properties']['odd.key']:\n    {}\n\nOn instance['odd.key']['must be']:\n    5", [('["odd.key"]["must be"]', "reported")]),
    ("Additional properties are not allowed ('a', 'it\\'s' were unexpected)\n\nFailed validating 'additionalProperties' in schema:\n\nOn instance:\n    {}", [("a", "additionalProperties"), ('["it\'s"]', "additionalProperties")]),
    ("'b' is a dependency of 'a'\n\nFailed validating 'dependentRequired' in schema:\n    {}\n\nOn instance:\n    {}", [("b", "required")]),
    ("[] should be non-empty\n\nFailed validating 'minItems' in schema:\n    {}\n\nOn instance['rows']:\n    []", [("rows", "reported")]),
    ('"qty" is a required property\n\nFailed validating "required" in schema["properties"]["rows"]["items"]\n\nOn instance["rows"][0]:\n    {}', [("rows[0].qty", "required")]),
    ('null is not of type "string"\n\nFailed validating "type" in schema["properties"]["title"]\n\nOn instance["title"]:\n    null', [("title", "reported")]),
    ("data must contain ['title'] properties", [("title", "required")]),
    ("data.rows[2] must contain ['qty'] properties", [("rows[2].qty", "required")]),
    ("data must not contain {'zz'} properties", [("zz", "additionalProperties")]),
    ("data.p must be one of ['low', 'high']", [("p", "reported")]),
    ("data.n must be bigger than or equal to 1", [("n", "reported")]),
    ("data.when must be date-time", [("when", "reported")]),
    ("data.rows must contain at least 1 items", [("rows", "reported")]),
    ("Input validation error: 'title' is a required property", [("title", "required")]),
    ("Error executing tool t: 1 validation error for tArguments\nstart_date\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit x", [("startDate", "required")]),
    ("1 validation error for call[t]\nrows.0.qty\n  Missing required argument [type=missing_argument, input_value={}, input_type=dict]", [("rows[0].qty", "required")]),
    *((text, []) for text in ("", "it went wrong", "[1, 2", '[{"a": 1}]', "'z' is not one of ['low', 'high']")),
    ("'qty' is a required property", [("rows[0].qty", "required")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), LIBRARY_TEXTS)
def test_texts_of_libraries_are_read(text: str, found: list[tuple[str, str]]) -> None:
    assert [(i.field, i.constraint) for i in read_problem(text, FACTS)] == found


class Row(pydantic.BaseModel, extra="forbid"):
    qty: int


class Model(pydantic.BaseModel, extra="forbid"):
    title: Annotated[str, pydantic.Field(min_length=2, max_length=5, pattern="^[a-z]+$")]
    n: Annotated[int, pydantic.Field(ge=1, le=9)] = 1
    x: Annotated[float, pydantic.Field(gt=0, multiple_of=5)] = 5
    p: Literal["low", "high"] = "low"
    rows: Annotated[list[Row], pydantic.Field(min_length=1, max_length=2)] = []
    u: str | int = "a"


WRONG = [
    ({}, "title"),
    ({"title": "A"}, "title"),
    ({"title": "ab", "n": 0}, "n"),
    ({"title": "ab", "n": "five"}, "n"),
    ({"title": "ab", "x": 7}, "x"),
    ({"title": "ab", "p": "LOW"}, "p"),
    ({"title": "ab", "rows": []}, "rows"),
    ({"title": "ab", "rows": [{}]}, "rows[0].qty"),
    ({"title": "ab", "rows": [{"qty": 1, "z": 2}]}, "rows[0].z"),
    ({"title": "ab", "u": []}, "u"),
    ({"title": "ab", "zz": 1}, "zz"),
]


@pytest.mark.parametrize(("payload", "field"), WRONG)
def test_exceptions_and_their_texts_lead_to_the_same_field(payload: Any, field: str) -> None:
    for run in (
        lambda: Model.model_validate(payload),
        lambda: jsonschema.validate(payload, LIBRARY),
        lambda: jsonschema_rs.validate(LIBRARY, payload),
        lambda: fastjsonschema.compile(LIBRARY, use_default=False)(payload),
    ):
        with pytest.raises(Exception) as caught:  # noqa: PT011  four libraries, four types
            run()
        wrapper = RuntimeError("it went wrong")
        wrapper.__cause__ = caught.value
        for problem in (caught.value, str(caught.value), wrapper):
            for known in (payload, MISSING):
                assert field in [i.field for i in read_problem(problem, FACTS, known)], (
                    type(caught.value),
                    problem,
                )


def test_of_arguments_that_are_known_the_tools_own_check_says_what_is_wrong() -> None:
    registry = registry_of(LIBRARY)
    payload = {"title": "ab", "rows": [{"qty": 1}, {"qty": "five"}]}
    for text in ("'five' is not of type 'integer'", "data.n must be integer", "it went wrong"):
        assert named(registry.hint("t", text, payload=payload)) == ["rows[1].qty"]
    hint = registry.hint("t", ValueError('"title" is missing from body'), payload={"n": 1})
    assert hint.missing_fields == ("title",)
    assert hint.example_input == {"title": "<title>"}


def test_issues_of_an_exception_are_preferred_to_its_text() -> None:
    class OddError(Exception):
        def issues(self) -> list[Any]:
            raise RuntimeError

    registry = registry_of(LIBRARY)
    assert named(registry.hint("t", OddError("data.n must be integer"))) == ["n"]
    own = compile_tools([{"name": "t", "description": "", "schema": LIBRARY}])["t"].validate({})
    hint = registry.hint("t", InvalidPayload("data.n must be integer", own))
    assert hint.missing_fields == ("title",)


@needs_maskbench
def test_texts_alone_lead_to_the_same_first_field() -> None:
    rows = [
        r for r in maskbench() if isinstance(r["schema"], dict) and not all(t["valid"] for t in r["tests"])
    ][:120]
    tools = compile_tools(
        [{"name": f"t{i}", "description": "", "schema": r["schema"]} for i, r in enumerate(rows)]
    )
    registry = Registry()
    registry.register(tools)
    right: dict[str, list[bool]] = {}
    for index, row in enumerate(rows):
        for test in row["tests"]:
            wanted = {i.field for i in tools[f"t{index}"].validate(test["data"])}
            for library, errors in _first_errors(row["schema"], test["data"]).items() if wanted else ():
                hint = registry.hint(f"t{index}", errors)
                right.setdefault(library, []).append(bool(hint.fields) and hint.fields[0].field in wanted)
    assert set(right) == {"jsonschema", "jsonschema-rs", "fastjsonschema"}
    assert {library: sum(ok) / len(ok) for library, ok in right.items() if sum(ok) / len(ok) < 0.95} == {}


def _first_errors(schema: Any, payload: Any) -> dict[str, str]:
    checker = jsonschema.Draft202012Validator
    found = {
        "jsonschema": next(checker(schema, format_checker=checker.FORMAT_CHECKER).iter_errors(payload), None),
        "jsonschema-rs": next(
            iter(jsonschema_rs.validator_for(schema, validate_formats=True).iter_errors(payload)), None
        ),
    }
    texts = {library: str(error) for library, error in found.items() if error is not None}
    try:
        fastjsonschema.compile(schema, use_default=False)(payload)
    except fastjsonschema.JsonSchemaValueException as error:
        texts["fastjsonschema"] = str(error)
    return texts
