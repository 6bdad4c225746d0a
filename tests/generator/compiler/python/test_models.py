"""Payload models: a superset of the payloads, faithful to each, named by places, never code of a spec's."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from helpers.support import cases_of, lowered, same_json
from hypothesis import HealthCheck, assume, example, given, settings, strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from toolgen import compile_tools
from toolgen.compiler.codegen.foreign_source import Imports
from toolgen.compiler.diagnostics import SpecError
from toolgen.compiler.python.identifiers import class_name
from toolgen.compiler.python.models.emission import Models, payload_models
from toolgen.compiler.schema.ir import Schema
from toolgen_runtime.calls.results import encode
from toolgen_runtime.payloads.payload import Payload, PayloadRoot


def graph(schema: Any) -> Schema:
    return lowered(json.loads(json.dumps(schema)))  # no object twice, as in a file


def models(schema: Any) -> Models:
    return payload_models(graph(schema), class_name("t"))


def lines_of(imports: Imports) -> str:
    """Import lines as text."""
    return "\n".join(
        f"from {module.text} import {', '.join(n.text for n in names)}" for module, names in imports
    )


def fields(schema: Any, cls: str = "TPayload") -> dict[str, str]:
    """The annotation, and the default if it says anything, of each field of a generated class."""
    found: dict[str, str] = {}
    for node in ast.parse(models(schema).source.text).body:
        assert isinstance(node, ast.ClassDef)
        for line in node.body if node.name == cls else ():
            if isinstance(line, ast.AnnAssign):
                default = "" if line.value is None or ast.unparse(line.value) == "None" else line.value
                shown = ast.unparse(line.annotation)
                found[ast.unparse(line.target)] = f"{shown} = {ast.unparse(default)}" if default else shown
    return found


def of(member: Any, **keywords: Any) -> dict[str, Any]:
    """An object schema with the required property `p`."""
    return {"type": "object", "properties": {"p": member}, "required": ["p"], **keywords}


STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
THING = {"type": "object", "properties": {"x": STRING}}
TREE = {"$ref": "#/$defs/tree"}
JSON_VALUE = {"anyOf": [STRING, {"type": "array", "items": {"$ref": "#/$defs/v"}}]}


def test_types(subtests: pytest.Subtests) -> None:
    for case, (member, shown) in cases_of(
        [
            (STRING, "str"),
            (INTEGER, "JsonInteger"),
            ({"type": "number"}, "JsonNumber"),
            ({"type": ["integer", "number"]}, "JsonNumber"),
            ({"type": "boolean"}, "bool"),
            (NULL, "None"),
            ({"type": ["string", "null"]}, "str | None"),
            ({"type": ["null", "boolean", "integer"]}, "bool | JsonInteger | None"),
            (True, "Any"),
            ({"minLength": 1}, "Any"),
            ({"enum": ["a", "b", None]}, "Literal['a', 'b'] | None"),
            ({"const": "a"}, "Literal['a']"),
            ({"enum": [1, 2.0]}, "JsonInteger"),
            ({"enum": [1, 2.5, True, [], {}]}, "bool | JsonNumber | list[Any] | dict[str, Any]"),
            ({"type": "string", "enum": ["a", 1]}, "Literal['a']"),
            ({"type": "array"}, "list[Any]"),
            ({"type": "array", "items": INTEGER}, "list[JsonInteger]"),
            ({"type": "array", "prefixItems": [STRING, NULL], "items": False}, "list[str | None]"),
            ({"type": "array", "prefixItems": [STRING]}, "list[Any]"),
            ({"type": "object"}, "dict[str, Any]"),
            ({"type": "object", "additionalProperties": INTEGER}, "dict[str, JsonInteger]"),
            (
                {"type": "object", "patternProperties": {"^a": STRING}, "additionalProperties": False},
                "dict[str, str]",
            ),
            ({"type": "object", "patternProperties": {"^a": STRING}}, "dict[str, Any]"),
            (THING, "TPayloadP"),
            ({"anyOf": [THING, NULL]}, "TPayloadP | None"),
            ({"properties": {"x": STRING}}, "str | bool | JsonNumber | list[Any] | TPayloadP | None"),
            ({"anyOf": [STRING, {"type": "array", "items": STRING}]}, "str | list[str]"),
            ({"anyOf": [STRING, True]}, "Any"),
            ({"type": "string", "anyOf": [{"minLength": 1}, {"pattern": "a"}]}, "str"),
            ({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, "dict[str, Any]"),
            ({"allOf": [THING], "description": "d"}, "TPayloadP"),
            ({"allOf": [{"type": ["string", "null"]}, {"type": ["null", "integer"]}]}, "None"),
            ({"not": STRING}, "Any"),
            ({"if": STRING, "then": {"minLength": 1}, "else": INTEGER}, "Any"),
            (
                {"type": "object", "oneOf": [{"properties": {"k": {"const": k}}} for k in "ab"]},
                "TPayloadPA | TPayloadPB",
            ),
        ]
    ):
        with subtests.test(case):
            assert fields(of(member)) == {"p": shown}


def test_what_may_be_missing(subtests: pytest.Subtests) -> None:
    for case, (member, shown) in cases_of(
        [
            (STRING, "str | None"),
            ({**STRING, "default": "it's"}, 'str = "it\'s"'),
            ({**INTEGER, "default": 10}, "JsonInteger = 10"),
            ({**INTEGER, "default": True}, "JsonInteger | None"),
            ({**INTEGER, "default": "10"}, "JsonInteger | None"),
            ({**INTEGER, "default": 2**80}, "JsonInteger | None"),
            ({"type": "number", "default": 0.5}, "JsonNumber = 0.5"),
            ({"type": "number", "default": 0.0}, "JsonNumber = 0.0"),
            ({"type": "number", "default": -0.0}, "JsonNumber = -0.0"),
            ({"type": "number", "default": 0}, "JsonNumber = 0"),
            ({"type": ["number", "boolean"], "default": 0}, "bool | JsonNumber = 0"),
            ({"type": ["number", "boolean"], "default": False}, "bool | JsonNumber = False"),
            ({**INTEGER, "default": 1}, "JsonInteger = 1"),
            ({"type": "boolean", "default": True}, "bool = True"),
            ({"type": "boolean", "default": False}, "bool = False"),
            ({"enum": ["a", "b"], "default": "b"}, "Literal['a', 'b'] = 'b'"),
            ({"enum": ["a", "b"], "default": "c"}, "Literal['a', 'b'] | None"),
            ({"type": ["string", "null"], "default": "x"}, "str | None = 'x'"),
            ({"type": "array", "default": []}, "list[Any] | None"),
            (True, "Any"),
        ]
    ):
        with subtests.test(case):
            assert fields({"type": "object", "properties": {"p": member}}) == {"p": shown}


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        (of(THING), ["TPayloadP", "TPayload"]),
        (of({"type": "array", "items": THING}), ["TPayloadPItem", "TPayload"]),
        (of({"type": "object", "additionalProperties": THING}), ["TPayloadPValue", "TPayload"]),
        (of({"anyOf": [STRING, THING]}), ["TPayloadP", "TPayload"]),
        (
            of({"anyOf": [of({"const": "slack"}), of({"enum": ["e mail"]}), NULL]}),
            ["TPayloadPSlack", "TPayloadPEMail", "TPayload"],
        ),
        (
            of({"oneOf": [{**THING, "title": "One way"}, THING]}),
            ["TPayloadPOneWay", "TPayloadPOneOf1", "TPayload"],
        ),
        (of({"$ref": "#/$defs/T"}, **{"$defs": {"T": THING}}), ["TPayloadT", "TPayload"]),
        (
            of(
                {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
                **{"$defs": {"A": THING, "B": THING}},
            ),
            ["TPayloadA", "TPayloadB", "TPayload"],
        ),
        (of({"$ref": "#"}), ["TPayload"]),
        (TREE | {"$defs": {"tree": of(TREE)}}, ["TPayloadTree", "TPayload"]),
        (of({"type": "array", "prefixItems": [THING, THING]}), ["TPayload"]),
        ({"type": "array", "items": THING}, ["TPayloadItem", "TPayload"]),
        (True, ["TPayload"]),
    ],
)
def test_names_of_classes_come_from_their_places(schema: Any, names: list[str]) -> None:
    made = models(schema)
    assert list(made.classes) == names
    assert [node.name for node in ast.parse(made.source.text).body if isinstance(node, ast.ClassDef)] == names


def test_names_that_fall_together_are_told_apart_by_their_places() -> None:
    one = {"a b": THING, "a-b": THING}
    names = set(models({"type": "object", "properties": one}).classes)
    assert len(names) == 3
    assert "TPayloadAB" in names
    assert not any(name.removeprefix("TPayloadAB").isdigit() for name in names)


def test_another_property_renames_no_class() -> None:
    before = models(of(THING)).classes
    after = models(
        {"type": "object", "properties": {"a": {"type": "array", "items": THING}, "p": THING}}
    ).classes
    assert before.keys() < after.keys()


def test_every_class_names_the_schema_that_it_shows() -> None:
    root = graph(of({"type": "array", "items": THING}))
    made = payload_models(root, class_name("t")).classes
    assert made == {
        "TPayload": root,
        "TPayloadPItem": root.named["properties"]["p"].single["items"],
    }


@pytest.mark.parametrize(
    ("keyword", "extra"), [(None, "allow"), (True, "allow"), (STRING, "allow"), (False, "forbid")]
)
def test_unknown_keys(keyword: Any, extra: str) -> None:
    schema = of(STRING) if keyword is None else of(STRING, additionalProperties=keyword)
    assert f'extra="{extra}"' in models(schema).source.text


ROUND_TRIPS: list[tuple[Any, list[Any]]] = [
    (of(INTEGER), [{"p": 1}, {"p": 1.0}, {"p": 2**70}, {"p": 1, "other": None}]),
    (of({"type": "number"}), [{"p": 1}, {"p": 0.1}, {"p": -(2**70)}, {"p": 1e300}]),
    (
        of({"anyOf": [{"enum": [1, 0]}, {"enum": [True, False]}]}),
        [{"p": v} for v in (True, 1, 1.0, False, 0)],
    ),
    (
        of({"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "array"}]}),
        [{"p": [True, 1, 1.0]}],
    ),
    (of(True), [{"p": v} for v in (None, 1, "x", [], {}, [{"a": True}])]),
    (
        {"type": "object", "properties": {"class": INTEGER, "class_": STRING}},
        [{"class": 1, "class_": "a"}, {"class_": "a"}],
    ),
    ({"type": "object", "properties": {"x-y": INTEGER}}, [{"x-y": 1, "x_y": "extra"}, {"x_y": None}]),
    (
        {"type": "object", "properties": dict.fromkeys(("function", "type", "schema", "ref"), STRING)},
        [{"function": "f"}, {"type": "function-wrap", "schema": "s", "ref": "r"}],
    ),
    ({"type": "object", "properties": {"p": {**STRING, "default": "d"}}}, [{}, {"p": "d"}, {"p": "e"}]),
    (
        of({"anyOf": [of(STRING, additionalProperties=False), of(INTEGER), {"type": "object"}]}),
        [
            {"p": {"p": "a"}},
            {"p": {"p": 1, "q": 2}},
            {"p": {"p": 1.0}},
            {"p": {"q": None}},
            {"p": {"p": "a", "q": 1}},
        ],
    ),
    (
        {
            "type": "object",
            "properties": {"a": STRING},
            "anyOf": [of(INTEGER), of({"type": "array"}, required=["q"])],
        },
        [{"a": "x", "p": 1}, {"q": 1}, {"q": 1, "p": ["x"]}],
    ),
    (
        of(
            TREE,
            **{
                "$defs": {
                    "tree": {"type": "object", "properties": {"kids": {"type": "array", "items": TREE}}}
                }
            },
        ),
        [{"p": {"kids": [{"kids": []}, {"n": 1}]}}],
    ),
    (of({"$ref": "#/$defs/v"}, **{"$defs": {"v": JSON_VALUE}}), [{"p": "x"}, {"p": [["x"], [], "y"]}]),
    ({"enum": ["a", 1, True, None, [1], {"a": 1}]}, ["a", 1, True, None, [1], {"a": 1}]),
    (True, [None, True, 1, 1.5, "x", [1], {"a": {}}]),
    ({"type": "object"}, [{}, {"a": 1, "model_dump": 2, "from_checked": 3}]),
    (
        {
            "allOf": [{"$ref": "#/$defs/a"}, {"properties": {"b": INTEGER}}],
            "unevaluatedProperties": False,
            "type": "object",
            "$defs": {"a": {"properties": {"a": STRING}}},
        },
        [{"a": "x", "b": 1}, {}],
    ),
    (
        {
            "type": "object",
            "properties": {"k": STRING},
            "if": {"properties": {"k": {"const": "a"}}},
            "then": {"properties": {"x": INTEGER}},
            "else": {"properties": {"x": STRING}},
        },
        [{"k": "a", "x": 1}, {"k": "b", "x": "1"}],
    ),
]


def round_trip(tool: Any, payload: Any) -> None:
    text = json.dumps(payload)
    model = tool.parse(payload)
    assert isinstance(model, Payload)
    dumps = (model.model_dump(), model.model_dump(mode="json"), json.loads(model.model_dump_json()))
    held = (TypeAdapter(list[Any]).dump_python([model])[0], TypeAdapter(type(model)).dump_python(model))
    for dumped in (*dumps, *held):
        assert same_json(dumped, payload), (dumped, payload)
    encoded, plain = encode(model), encode(payload)
    # A model has its declared fields first.
    assert (encoded[0], set(encoded[1])) == (plain[0], set(plain[1]))
    assert encoded[1] or same_json(encoded[0], payload)
    assert json.dumps(payload) == text
    assert tool.payload_type.model_validate(payload) == model


@pytest.mark.parametrize(("schema", "payloads"), ROUND_TRIPS)
def test_valid_payloads_round_trip(schema: Any, payloads: list[Any]) -> None:
    toolset = compile_tools([{"name": "t", "description": "", "schema": schema}])
    for payload in payloads:
        assert Draft202012Validator(schema).is_valid(payload)
        round_trip(toolset["t"], payload)


def test_a_root_that_is_no_plain_object_is_a_root_model() -> None:
    toolset = compile_tools(
        [
            {"name": "object", "description": "", "schema": of(STRING)},
            {"name": "union", "description": "", "schema": {"anyOf": [of(STRING), of(INTEGER)]}},
            {"name": "anything", "description": "", "schema": True},
        ]
    )
    assert not issubclass(toolset["object"].payload_type, PayloadRoot)
    assert issubclass(toolset["union"].payload_type, PayloadRoot)
    assert issubclass(toolset["anything"].payload_type, PayloadRoot)
    assert toolset["union"].parse({"p": 1}).root.p == 1


# -- schemas and payloads of one small world, so that many payloads are valid

KEYS = ("a", "b", "x-y", "class")
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, -1, 2**70, "", "a", "b", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*KEYS, "z", "x_y"]), inner, max_size=3)
    ),
    max_leaves=6,
)
LEAVES = st.sampled_from(
    [
        *({"type": name} for name in ("string", "integer", "number", "boolean", "null", "object", "array")),
        *({"enum": values} for values in (["a", "b"], [1, "a"], [True, 0], [None, 1.5])),
        *({"const": value} for value in ("a", 1, False, [1])),
        *(True, {}, {"$ref": "#"}, {"$ref": "#/$defs/d"}, {"type": ["string", "null"]}, {"minimum": 1}),
    ]
)


def compound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    required = st.lists(st.sampled_from(KEYS), unique=True, max_size=2)
    lists = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": members},
            optional={"required": required, "additionalProperties": inner | st.booleans(), "anyOf": lists},
        ),
        st.fixed_dictionaries(
            {"properties": members}, optional={"allOf": lists, "oneOf": lists, "required": required}
        ),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"prefixItems": lists}),
        st.fixed_dictionaries(
            {"patternProperties": st.fixed_dictionaries({"^a": inner})}, optional={"properties": members}
        ),
        *(st.fixed_dictionaries({keyword: lists}) for keyword in ("anyOf", "oneOf", "allOf")),
        st.fixed_dictionaries({"if": inner, "then": inner, "else": inner, "properties": members}),
        st.fixed_dictionaries({"not": inner, "dependentSchemas": members}),
    )


SCHEMAS = st.recursive(LEAVES, compound, max_leaves=8)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=12, max_size=12))
@example({"type": "object", "properties": {"a": {"type": "string"}}}, True, [{"b": "\ud800", "a": "\ud800"}])
def test_whatever_the_schema_allows_round_trips(schema: Any, shared: Any, payloads: list[Any]) -> None:
    whole = (
        {"allOf": [schema], "$defs": {"d": shared}}
        if isinstance(schema, bool)
        else {**schema, "$defs": {"d": shared}}
    )
    try:
        toolset = compile_tools([{"name": "t", "description": "", "schema": whole}])
    except SpecError as error:
        assume("endless-reference" not in str(error))
        raise
    validator = Draft202012Validator(whole)
    valid = [payload for payload in payloads if validator.is_valid(payload)]
    for payload in valid:
        if not any("\ud800" in key for key in _keys(payload)):
            round_trip(toolset["t"], payload)


def _keys(payload: Any) -> list[str]:
    if isinstance(payload, dict):
        return [*payload, *(key for value in payload.values() for key in _keys(value))]
    return [key for item in payload for key in _keys(item)] if isinstance(payload, list) else []


def test_many_nested_unions_stay_small() -> None:
    schema: Any = STRING
    for _ in range(60):
        schema = {"anyOf": [{"type": "array", "items": schema}, INTEGER]}
    assert len(models(of(schema)).source.text) < 2_000
    product = {
        "type": "object",
        "allOf": [{"anyOf": [of({"const": f"{i}{j}"}) for j in range(9)]} for i in range(9)],
    }
    assert len(models(product).classes) < 20
