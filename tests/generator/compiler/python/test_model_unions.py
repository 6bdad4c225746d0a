"""Payload classes have the fields of unions in unions, and of objects that several schemas describe."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import tool_of
from pydantic import ValidationError

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def branch(**properties: Any) -> Any:
    return {"properties": properties, "required": list(properties)}


CAR: Any = {
    "type": "object",
    "properties": {"kind": {"const": "car"}},
    "required": ["kind"],
    "oneOf": [
        branch(fuel={"const": "petrol"}, litres=NUMBER),
        branch(fuel={"const": "electric"}, kwh=NUMBER),
    ],
}
BIKE: Any = branch(kind={"const": "bike"}, gears=NUMBER)


def test_a_union_in_a_branch_of_a_union() -> None:
    payload_type = tool_of(
        {"type": "object", "additionalProperties": True, "oneOf": [CAR, BIKE]}
    ).payload_type
    car = payload_type.model_validate({"kind": "car", "fuel": "electric", "kwh": 40.5}).root
    assert (car.kind, car.fuel, car.kwh) == ("car", "electric", 40.5)
    assert payload_type.model_validate({"kind": "bike", "gears": 7}).root.gears == 7
    with pytest.raises(ValidationError):
        type(car)(kind="car", fuel="electric")


def test_a_union_beside_another() -> None:
    schema = {
        "type": "object",
        "anyOf": [branch(id=TEXT), branch(name=TEXT)],
        "oneOf": [branch(unit={"const": "g"}, grams=NUMBER), branch(unit={"const": "l"}, litres=NUMBER)],
    }
    value = tool_of(schema).payload_type.model_validate({"name": "x", "unit": "l", "litres": 2}).root
    assert (value.name, value.litres) == ("x", 2)


def test_an_object_that_several_parts_describe() -> None:
    def part(**keys: Any) -> Any:
        return {
            "properties": {"links": {"type": "object", **branch(**keys)}, "rows": {"items": branch(**keys)}}
        }

    schema = {"type": "object", "allOf": [part(self=TEXT), part(list=TEXT)]}
    tool = tool_of(schema)
    both = {"self": "a", "list": "b"}
    payload = tool.payload_type.model_validate({"links": both, "rows": [both]})
    assert (payload.links.self_, payload.links.list_) == ("a", "b")
    assert (payload.rows[0].self_, payload.rows[0].list_) == ("a", "b")
    assert payload.model_dump(by_alias=True, exclude_unset=True) == {"links": both, "rows": [both]}
    with pytest.raises(ValidationError):
        type(payload.links)(self_="a")
    assert [issue.field for issue in tool.validate({"links": {"self": "a"}})] == ["links.list"]


def test_a_secret_in_an_object_that_several_parts_describe() -> None:
    one = {"properties": {"login": {"type": "object", **branch(user=TEXT)}}}
    other = {
        "properties": {"login": {"type": "object", **branch(password={"type": "string", "writeOnly": True})}}
    }
    payload_type = tool_of({"type": "object", "allOf": [one, other]}).payload_type
    login = payload_type.model_validate({"login": {"user": "u", "password": "p"}}).login
    with pytest.raises(ValidationError) as failure:
        type(login)(user="u", password=12345)
    assert "12345" not in str(failure.value)


def test_a_recursion_of_objects_that_several_parts_describe_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    more = {"type": "object", "properties": {"next": {"$ref": "#/$defs/more"}, "size": NUMBER}}
    schema = {
        "allOf": [{"$ref": "#/$defs/node"}, {"$ref": "#/$defs/more"}],
        "$defs": {"node": node, "more": more},
    }
    payload = tool_of(schema).payload_type.model_validate({"next": {"next": {"size": 2}}})
    assert payload.next.next.size == 2


def test_a_note_names_the_places_of_fields_that_a_class_does_not_have() -> None:
    schema = {"type": "object", "properties": {"a": TEXT}, "if": {"required": ["a"]}, "then": branch(b=TEXT)}
    doc = tool_of(schema).payload_type.__doc__
    assert "only in `model_extra`: those under #/then." in doc
