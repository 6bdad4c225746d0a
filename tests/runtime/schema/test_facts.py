"""Schema facts: what is known of each place of a schema, references, unions and nonsense included."""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

from helpers.support import TEXT, JsonObject, for_each, for_each_at_once, obj, table
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator

from toolgen_runtime import Tool
from toolgen_runtime.hints.expected import summary_of
from toolgen_runtime.hints.missing_fields import example
from toolgen_runtime.schema.facts import SchemaFacts, facts_of, items_field, parse_field
from toolgen_runtime.validation.issues import ANY_ITEM, field_of

CASES = table("schema_facts.json")


@for_each_at_once(CASES["phrases"])
def test_what_a_place_expects_is_said_in_few_words(schema: Any, phrase: Any) -> None:
    assert summary_of(SchemaFacts(schema).root).expects == phrase


NESTED = SchemaFacts(CASES["nested"])


@for_each(CASES["types"])
def test_dotted_fields_lead_to_their_place(field: str, kind: str) -> None:
    path = parse_field(field)
    assert path is not None
    assert " or ".join(NESTED.at(path).types) == kind


def test_facts_of_branches_and_references() -> None:
    maybe = NESTED.at(("maybe",))
    assert (maybe.first("description", str), maybe.required, maybe.nullable) == ("Outer.", {"qty"}, True)
    assert NESTED.at(("either", "k")).allowed == (1, 2)
    assert SchemaFacts({"properties": {"a": {"const": None}}}).allowed_values("a") == (None,)
    narrow, tag = NESTED.at(("either",)).narrow({"k": 2})
    assert (narrow.child("k").allowed, tag) == ((2,), "k")
    assert NESTED.at(("rows", 5, "next")) is NESTED.at(("rows", 7, "next", "next"))


def test_places_are_bounded_by_the_schema_and_not_by_what_is_asked() -> None:
    facts = SchemaFacts(
        {"properties": {"t": {"$ref": "#"}}, "anyOf": [{"$ref": "#"}, {"properties": {"u": {"$ref": "#"}}}]}
    )
    for depth in range(200):
        facts.at(("t", "u") * depth)
        facts.at((f"unknown{depth}",))
    assert len(facts._nodes) < 50


def test_facts_are_read_once_and_go_with_their_tool() -> None:
    reads = []

    class Counted(Tool[Any]):
        __slots__ = ()

        @property
        def schema(self) -> Any:
            reads.append(1)
            return super().schema

    def no_type() -> Any:
        raise AssertionError

    tool = Counted(
        name="t", description="", schema='{"type": "object"}', validate=lambda _: [], payload_type=no_type
    )
    assert facts_of(tool) is facts_of(tool)
    assert len(reads) == 1
    known = [weakref.ref(tool), weakref.ref(facts_of(tool))]
    del tool
    gc.collect()
    assert [each() for each in known] == [None, None]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(min_size=0, max_size=6) | st.integers(0, 10**6), max_size=5))
def test_a_field_leads_back_to_its_path(steps: list[str | int]) -> None:
    path = tuple(
        s if isinstance(s, int) else "".join(c for c in s if not "\ud800" <= c <= "\udfff") for s in steps
    )
    assert parse_field(field_of(path)) == path


def test_fields_of_items_are_written_as_people_write_them() -> None:
    assert parse_field("rows[].qty") == parse_field("rows[*].qty") == ("rows", ANY_ITEM, "qty")
    assert items_field(field_of(("rows", ANY_ITEM, "qty"))) == "rows[].qty"
    assert parse_field("a[") is None


PLACEHOLDER = re.compile(r"<\w+( \d)?>")


@for_each_at_once(CASES["examples"])
def test_an_example_has_the_shape_of_its_own_subschema(schema: Any) -> None:
    value = example(SchemaFacts(schema).root, "x")
    checker = Draft202012Validator.FORMAT_CHECKER
    errors = list(Draft202012Validator(schema, format_checker=checker).iter_errors(value))
    wrong = [leaf for error in errors for leaf in (*error.context, error) if not leaf.context]
    assert all(isinstance(e.instance, str) and PLACEHOLDER.fullmatch(e.instance) for e in wrong), (
        value,
        wrong,
    )


@for_each(
    [
        (TEXT, "<x>"),
        ({"type": "number"}, "<x>"),
        ({"enum": ["a", "b"]}, "<x>"),
        ({"const": "a"}, "a"),
        ({"type": "integer", "default": 5}, 5),
        ({"type": "integer", "default": "five"}, "<x>"),
        ({"type": "string", "format": "email"}, "<x>"),
        ({"type": "string", "writeOnly": True, "default": "key"}, "<x>"),
        ({"type": "array", "items": TEXT, "minItems": 2}, ["<x>", "<x 2>"]),
        (obj("b", a={}, b={}), {"b": "<b>"}),
    ],
    ids=str,
)
def test_what_nobody_knows_is_a_placeholder(schema: JsonObject, value: Any) -> None:
    assert example(SchemaFacts(schema).root, "x") == value


NONSENSE = [
    {"type": 5, "properties": [], "required": "a", "enum": {}, "anyOf": {}, "items": 3, "allOf": [1, None]},
    {"$ref": 7},
    {"$ref": "#/a/0/~1"},
    {"type": ["string", 3, None], "default": {"a": float("inf")}},
    {"properties": {"a": 5, "b": None}, "required": [1, "a"], "additionalProperties": "no"},
    {"anyOf": []},
    {"prefixItems": {}, "minItems": "x", "pattern": 5, "minimum": True},
]


@for_each(NONSENSE, ids=str)
def test_nonsense_where_keywords_belong_is_passed_over(schema: JsonObject) -> None:
    facts = SchemaFacts(schema)
    for path in ((), ("a",), (0,), ("a", 0, "b")):
        place = facts.at(path)
        summary_of(place)
        example(place, "a")
        place.narrow({"a": 1})
