"""Payload models: a superset of the payloads, faithful to each, named by places, never code of a spec's."""

from __future__ import annotations

import ast
import json
from typing import Any

from helpers.support import TEXT, WHOLE, for_each, for_each_at_once, lowered, obj, same_json, table
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from toolgen import compile_tools
from toolgen.compiler.python.identifiers import class_name
from toolgen.compiler.python.models.emission import Models, payload_models
from toolgen.compiler.schema.ir import Schema
from toolgen_runtime.calls.results import encode
from toolgen_runtime.payloads.payload import Payload, PayloadRoot


def graph(schema: Any) -> Schema:
    return lowered(json.loads(json.dumps(schema)))  # no object twice, as in a file


def models(schema: Any) -> Models:
    return payload_models(graph(schema), class_name("t"))


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


THING = obj(x=TEXT)

CASES = table("models.json")


@for_each_at_once(CASES["types"])
def test_types(member: Any, shown: Any) -> None:
    assert fields(of(member)) == {"p": shown}


@for_each_at_once(CASES["optional"])
def test_what_may_be_missing(member: Any, shown: Any) -> None:
    assert fields(obj(p=member)) == {"p": shown}


def test_names_that_fall_together_are_told_apart_by_their_places() -> None:
    one = {"a b": THING, "a-b": THING}
    names = set(models({"type": "object", "properties": one}).classes)
    assert len(names) == 3
    assert "TPayloadAB" in names
    assert not any(name.removeprefix("TPayloadAB").isdigit() for name in names)


def test_another_property_renames_no_class() -> None:
    before = models(of(THING)).classes
    after = models(obj(a={"type": "array", "items": THING}, p=THING)).classes
    assert before.keys() < after.keys()


def round_trip(tool: Any, payload: Any) -> None:
    text = json.dumps(payload)
    model = tool.parse(payload)
    assert isinstance(model, Payload)
    held = TypeAdapter(list[Any]).dump_python([model])[0]
    for dumped in (model.model_dump(), json.loads(model.model_dump_json()), held):
        assert same_json(dumped, payload), (dumped, payload)
    encoded, plain = encode(model), encode(payload)
    # A model has its declared fields first.
    assert (encoded[0], set(encoded[1])) == (plain[0], set(plain[1]))
    assert json.dumps(payload) == text
    assert tool.payload_type.model_validate(payload) == model


@for_each(CASES["round trips"])
def test_valid_payloads_round_trip(schema: Any, payloads: list[Any]) -> None:
    toolset = compile_tools([{"name": "t", "description": "", "schema": schema}])
    for payload in payloads:
        assert Draft202012Validator(schema).is_valid(payload)
        round_trip(toolset["t"], payload)


def test_a_root_that_is_no_plain_object_is_a_root_model() -> None:
    schemas = {"object": of(TEXT), "union": {"anyOf": [of(TEXT), of(WHOLE)]}, "anything": True}
    tools = compile_tools([{"name": name, "schema": schema} for name, schema in schemas.items()])
    roots = [name for name, tool in tools.items() if issubclass(tool.payload_type, PayloadRoot)]
    assert sorted(roots) == ["anything", "union"]
    assert tools["union"].parse({"p": 1}).root.p == 1


def test_many_nested_unions_stay_small() -> None:
    schema: Any = TEXT
    for _ in range(60):
        schema = {"anyOf": [{"type": "array", "items": schema}, WHOLE]}
    assert len(models(of(schema)).source.text) < 2_000
    product = {
        "type": "object",
        "allOf": [{"anyOf": [of({"const": f"{i}{j}"}) for j in range(9)]} for i in range(9)],
    }
    assert len(models(product).classes) < 20
