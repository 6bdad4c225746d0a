"""Which field a library's or a service's text means, what is said of it, and that nothing is made up."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import fastjsonschema
import jsonschema
import jsonschema_rs
import pydantic
import pytest
from helpers.support import JsonObject, for_each, for_each_at_once, table, tool_of
from hypothesis import given, settings, strategies as st

from toolgen import compile_tools
from toolgen_runtime import MISSING, InvalidPayload, Registry, RetryHint
from toolgen_runtime.hints.foreign.report import read_problem
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.spelling import fold
from toolgen_runtime.validation.embedded import parse

TEXTS = table("foreign_texts.json")
ROWS = TEXTS["rows"]
"""Rows of a source, its text, a schema in short, arguments that were sent, and the field that is meant or None."""
KNOWN_TO_NEED_THE_PAYLOAD = {"joi", "rails", "hubspot", "airtable", "kubernetes"}
"""Sources with a text that names an undeclared key, or one inside an object that declares none."""


def registry_of(schema: JsonObject, **options: Any) -> Registry:
    registry = Registry(**options)
    registry.register(compile_tools([{"name": "t", "description": "", "schema": schema}]))
    return registry


def schema_of(properties: str) -> JsonObject:
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


@for_each_at_once(ROWS)
def test_the_field_that_is_meant(source: Any, text: Any, properties: Any, payload: Any, field: Any) -> None:
    registry = registry_of(schema_of(properties))
    alone = named(registry.hint("t", text))
    if field is None:
        assert alone == []
    elif source not in KNOWN_TO_NEED_THE_PAYLOAD or alone:
        assert fold(field) in map(fold, alone)
    tool = registry.find("t")
    if not tool.validate(payload):
        beside = named(registry.hint("t", text, payload=payload))
        assert field in beside if field is not None else beside == []


ORDER, VALID_ORDER = TEXTS["order"]["schema"], TEXTS["order"]["valid"]
UNDECLARED = {"colour"}
"""The key that texts call unknown; the valid order has none."""
OF_ORDERS = table("foreign_order_texts.json")
"""Rows of a source, its text about an order, and all fields that it means."""
ORDERS = registry_of(ORDER)


@for_each_at_once(OF_ORDERS)
def test_all_fields_that_are_meant_and_no_others(source: Any, text: Any, fields: Any) -> None:
    assert set(named(ORDERS.hint("t", text))) == set(fields), source
    beside = ORDERS.hint("t", text, payload=VALID_ORDER)
    assert set(named(beside)) == set(fields) - UNDECLARED, source


@for_each(
    [
        (
            'Parameter validation failed:\nUnknown parameter in input: "Title", must be one of: title, amount',
            "Title",
        ),
        ('unknown field "Amount", expected one of: title, amount', "Amount"),
        ("Unexpected keyword argument 'TITLE'", "TITLE"),
    ]
)
def test_an_unknown_key_is_not_the_field_that_it_is_written_like(text: str, key: str) -> None:
    assert list(named(ORDERS.hint("t", text))) == [key]


@for_each(TEXTS["maps"])
def test_what_programs_print_of_maps(text: str, value: Any) -> None:
    assert parse(text) == value


SCHEMA = schema_of("title! n:integer labels:array secret")
SCHEMA["properties"]["priority"] = {"enum": ["low", "high"]}
VALID = {"title": "ab", "n": 5, "labels": ["x"], "priority": "high"}


@for_each(TEXTS["said"])
def test_what_is_said_of_it(text: str, payload: Any, said: str) -> None:
    """The tool's own check says more than the text, the schema's limits stand in for unknown arguments."""
    sent = (
        {None: MISSING, "valid": VALID}.get(payload, payload) if isinstance(payload, str | None) else payload
    )
    assert registry_of(SCHEMA).hint("t", text, payload=sent).render() == said


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


@settings(max_examples=50, deadline=None)
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

LIBRARY = TEXTS["library"]["schema"]
FACTS = SchemaFacts(LIBRARY)


@for_each_at_once(TEXTS["library"]["texts"])
def test_texts_of_libraries_are_read(text: Any, found: Any) -> None:
    assert [[i.field, i.constraint] for i in read_problem(text, FACTS)] == found


class Row(pydantic.BaseModel, extra="forbid"):
    qty: int


class Model(pydantic.BaseModel, extra="forbid"):
    title: Annotated[str, pydantic.Field(min_length=2, max_length=5, pattern="^[a-z]+$")]
    n: Annotated[int, pydantic.Field(ge=1, le=9)] = 1
    x: Annotated[float, pydantic.Field(gt=0, multiple_of=5)] = 5
    p: Literal["low", "high"] = "low"
    rows: Annotated[list[Row], pydantic.Field(min_length=1, max_length=2)] = []
    u: str | int = "a"


@for_each(TEXTS["library"]["wrong"])
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
    own = tool_of(LIBRARY).validate({})
    hint = registry.hint("t", InvalidPayload("data.n must be integer", own))
    assert hint.missing_fields == ("title",)
