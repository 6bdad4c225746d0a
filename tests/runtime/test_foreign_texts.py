"""Other validators' words: a table of texts that they really gave, and the libraries themselves."""

# ruff: noqa: E501  the texts stand as they came

from __future__ import annotations

from typing import Annotated, Any, Literal

import fastjsonschema
import jsonschema
import jsonschema_rs
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import maskbench, needs_maskbench

from toolgen import compile_tools
from toolgen_runtime import MISSING, InvalidPayload, Registry
from toolgen_runtime.hints.foreign import read_exception, read_text
from toolgen_runtime.hints.foreign.reading import own_issues
from toolgen_runtime.schema.facts import SchemaFacts

SCHEMA = {
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
FACTS = SchemaFacts(SCHEMA)

TEXTS: dict[str, list[tuple[str, list[tuple[str, str]]]]] = {
    "jsonschema": [
        ("'title' is a required property", [("title", "required")]),
        ("'qty' is a required property\n\nFailed validating 'required' in schema['properties']['rows']['items']:\n    {}\n\nOn instance['rows'][2]:\n    {'q': 1}", [("rows[2].qty", "required")]),
        ("5 is not of type 'string'\n\nFailed validating 'type' in schema['properties']['odd.key']:\n    {}\n\nOn instance['odd.key']['must be']:\n    5", [('["odd.key"]["must be"]', "type")]),
        ("Additional properties are not allowed ('a', 'it\\'s' were unexpected)\n\nFailed validating 'additionalProperties' in schema:\n\nOn instance:\n    {}", [("a", "additionalProperties"), ('["it\'s"]', "additionalProperties")]),
        ("'b' is a dependency of 'a'\n\nFailed validating 'dependentRequired' in schema:\n    {}\n\nOn instance:\n    {}", [("b", "required")]),
        ("[] should be non-empty\n\nFailed validating 'minItems' in schema:\n    {}\n\nOn instance['rows']:\n    []", [("rows", "minItems")]),
    ],
    "jsonschema-rs": [
        ('"qty" is a required property\n\nFailed validating "required" in schema["properties"]["rows"]["items"]\n\nOn instance["rows"][0]:\n    {}', [("rows[0].qty", "required")]),
        ('null is not of type "string"\n\nFailed validating "type" in schema["properties"]["title"]\n\nOn instance["title"]:\n    null', [("title", "type")]),
    ],
    "fastjsonschema": [
        ("data must contain ['title'] properties", [("title", "required")]),
        ("data.rows[2] must contain ['qty'] properties", [("rows[2].qty", "required")]),
        ("data.odd.key.must be must be string", [('["odd.key"]["must be"]', "type")]),
        ("data must not contain {'zz'} properties", [("zz", "additionalProperties")]),
        ("data.p must be one of ['low', 'high']", [("p", "enum")]),
        ("data.n must be bigger than or equal to 1", [("n", "minimum")]),
        ("data.when must be date-time", [("when", "format")]),
        ("data.rows must contain at least 1 items", [("rows", "minItems")]),
    ],
    "mcp": [
        ("Input validation error: 'title' is a required property", [("title", "required")]),
        ("Error executing tool t: 1 validation error for tArguments\nstart_date\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit x", [("startDate", "required")]),
        ("1 validation error for call[t]\nrows.0.qty\n  Missing required argument [type=missing_argument, input_value={}, input_type=dict]", [("rows[0].qty", "required")]),
    ],
    "nobody": [("", []), ("it went wrong", []), ("[1, 2", []), ('[{"a": 1}]', [])],
}  # fmt: skip


@pytest.mark.parametrize(("text", "found"), [(t, f) for rows in TEXTS.values() for t, f in rows])
def test_texts_are_read(text: str, found: list[tuple[str, str]]) -> None:
    assert [(i.field, i.constraint) for i in read_text(text, FACTS)] == found


def test_constraints_are_looked_up_in_the_schema() -> None:
    (issue,) = read_text("data.p must be one of ['x']", FACTS)
    assert issue.expected == ("low", "high")


def test_a_message_without_a_place_is_about_the_object_that_declares_its_names() -> None:
    (issue,) = read_text("'qty' is a required property", FACTS)
    assert issue.field == "rows[0].qty"
    assert read_text("'z' is not one of ['low', 'high']", FACTS) == []


def test_of_arguments_that_are_known_the_tools_own_check_says_what_is_wrong() -> None:
    registry = Registry()
    registry.register(compile_tools([{"name": "t", "description": "", "schema": SCHEMA}]))
    payload = {"title": "ab", "rows": [{"qty": 1}, {"qty": "five"}]}
    for text in ("'five' is not of type 'integer'", "data.n must be integer", "it went wrong"):
        assert [f.field for f in registry.hint("t", text, payload=payload).fields] == ["rows[1].qty"]


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
    errors: list[Exception] = []
    for run in (
        lambda: Model.model_validate(payload),
        lambda: jsonschema.validate(payload, SCHEMA),
        lambda: jsonschema_rs.validate(SCHEMA, payload),
        lambda: fastjsonschema.compile(SCHEMA, use_default=False)(payload),
    ):
        with pytest.raises(Exception) as caught:  # noqa: PT011  four libraries, four types
            run()
        errors.append(caught.value)
    for error in errors:
        for issues in (
            read_exception(error, FACTS, payload),
            read_exception(error, FACTS),
            read_text(str(error), FACTS, payload),
            read_text(str(error), FACTS),
        ):
            assert field in [i.field for i in issues], type(error)


def test_issues_of_an_exception_are_preferred_to_its_text() -> None:
    class OddError(Exception):
        def issues(self) -> list[Any]:
            raise RuntimeError

    assert own_issues(OddError("data.n must be integer")) == []
    own = compile_tools([{"name": "t", "description": "", "schema": SCHEMA}])["t"].validate({})
    registry = Registry()
    registry.register(compile_tools([{"name": "t", "description": "", "schema": SCHEMA}]))
    hint = registry.hint("t", InvalidPayload("data.n must be integer", own))
    assert hint.missing_fields == ("title",)


def test_an_older_package_without_issues_keeps_working() -> None:
    registry = Registry()
    registry.register(compile_tools([{"name": "t", "description": "", "schema": SCHEMA}]))
    hint = registry.hint("t", ValueError('"title" is missing from body'), payload={"n": 1})
    assert hint.missing_fields == ("title",)
    assert hint.example_input == {"title": "<title>"}


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=200)
    | st.builds(
        "{}{}{}".format,
        st.sampled_from([t for rows in TEXTS.values() for t, _ in rows]),
        st.text(max_size=20),
        st.sampled_from([t for rows in TEXTS.values() for t, _ in rows]),
    ),
    st.sampled_from([MISSING, {}, [], {"rows": [{}, 5], "m": {"a": "x"}}, "text", {"title": {"qty": 1}}]),
)
def test_any_text_is_read_without_harm(text: str, payload: Any) -> None:
    for issue in read_text(text, FACTS, payload):
        assert issue.to_dict()


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
