"""Which branch of a union was meant: what was sent decides, not what counts fewest issues."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from helpers.support import bounded, cases_of, table, tool_of
from pydantic import Field, create_model

from toolgen_runtime import Registry, ValidationIssue
from toolgen_runtime.validation.branches import choose, meant


def made(name: str, **fields: Any) -> Any:
    return create_model(name, **fields)


KINDS = ("get", "delete")
Get = made("Get", kind=(Literal["get"], "get"), id=(str, ...))
Delete = made("Delete", kind=(Literal["delete"], "delete"), id=(str, ...))
Copy = made("Copy", kind=(Literal["copy"], "copy"), src=(str, ...), dst=(str, ...))
First = made("First", version=(Literal[1], 1), a=(str, ...))
Second = made("Second", version=(Literal[2], 2), b=(str, ...))
Sized = made("Sized", width=(int, ...), height=(int, ...))
Shaped = made("Shaped", ratio=(Literal["16:9", "4:3"], ...), resolution=(Literal["1K", "2K"] | None, None))
Declared: Any = Annotated[Get | Delete, Field(discriminator="kind")]
UNIONS: dict[str, Any] = {
    "Plain": Get | Delete,
    "Discriminated": Declared,
    "Nested": Copy | Declared,
    "Nullable": Get | Delete | None,
    "OrText": str | Get | Delete,
    "Versions": First | Second,
    "Size": Sized | Shaped,
    "Many": list[Get | Delete],
}
MADE = {
    name: made(name, x=(union, None if name == "Nullable" else ...)).model_json_schema()
    for name, union in UNIONS.items()
}


def closed(**properties: Any) -> dict[str, Any]:
    """An object of which every property is required, and no other allowed."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def open_form(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required]}


INTEGER, STRING = {"type": "integer"}, {"type": "string"}
SOURCES = {"oneOf": [closed(url=STRING), closed(asset_id=STRING), closed(text=STRING)]}
SOME_TAGGED = {
    "anyOf": [
        open_form("kind", "n", kind={"const": "a"}, n=INTEGER),
        open_form("kind", "m", kind={"const": "b"}, m=INTEGER),
        open_form("raw", raw=STRING),
    ]
}
OVERLAPPING = {
    "anyOf": [
        open_form("path", mode={"enum": ["r", "w"]}, path=STRING),
        open_form("url", mode={"enum": ["r", "x"]}, url=STRING),
    ]
}
UNITS = {
    "anyOf": [
        open_form("mass", mass=INTEGER, unit={"enum": ["kg", "lb"]}),
        open_form("length", length=INTEGER, unit={"enum": ["m", "ft"]}),
    ]
}
INCLUDED = {
    "anyOf": [
        {
            "allOf": [
                open_form(op={"const": "put"}, to=STRING),
                open_form("to"),
            ]
        },
        {"anyOf": [open_form("at", op={"const": "cut"}, at=STRING), open_form("to", op={"const": "cat"})]},
    ]
}
EITHER = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": STRING, "b": STRING}}
AREAS = {"oneOf": [open_form("w", "h", w=INTEGER, h=INTEGER), open_form("x", "y", x=INTEGER, y=INTEGER)]}
DATES = {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]}

AB = ({"required": ["a"]}, {"required": ["b"]})
CLOSED_TEXT = [("text", "required", True), ("Text", "additionalProperties", False)]


def within(schema: Any) -> Any:
    return {"type": "object", "properties": {"x": schema}}


Row = tuple[str, Any, Any, list[tuple[str, str, Any]]]
TAGGED: list[Row] = [
    row
    for model in ("Plain", "Discriminated", "Nullable", "OrText")
    for row in (
        (f"{model}: case", MADE[model], {"kind": "DELETE", "id": "1"}, [("kind", "enum", KINDS)]),
        (f"{model}: unlike", MADE[model], {"kind": "drop", "id": "1"}, [("kind", "enum", KINDS)]),
        (f"{model}: null", MADE[model], {"kind": None, "id": "1"}, [("kind", "enum", KINDS)]),
        (f"{model}: known", MADE[model], {"kind": "delete"}, [("id", "required", True)]),
        (f"{model}: none", MADE[model], {"id": 5}, [("id", "type", "string")]),
    )
]
ROWS: list[Row] = [
    *TAGGED,
    ("nested", MADE["Nested"], {"kind": "De-lete", "id": "1"}, [("kind", "enum", ("copy", *KINDS))]),
    ("nested: a key", MADE["Nested"], {"src": 1, "dst": "b"}, [("src", "type", "string")]),
    ("nested: a known tag", MADE["Nested"], {"kind": "delete", "src": "b"}, [("id", "required", True)]),
    ("a tag of numbers", MADE["Versions"], {"version": "2", "b": "x"}, [("version", "enum", (1, 2))]),
    ("a tag of numbers: known", MADE["Versions"], {"version": 2.0}, [("b", "required", True)]),
    ("a tag of numbers: true is not 1", MADE["Versions"], {"version": True}, [("version", "enum", (1, 2))]),
    ("a key: its value", MADE["Size"], {"ratio": "16x9"}, [("ratio", "enum", ("16:9", "4:3"))]),
    ("a key: another", MADE["Size"], {"ratio": "4:3", "resolution": "2k"}, [("resolution", "enum", ("1K", "2K"))]),
    (
        "a key of the longer branch",
        MADE["Size"],
        {"width": "1", "height": "2"},
        [("width", "type", "integer"), ("height", "type", "integer")],
    ),
    ("a key beside null", MADE["Size"], {"width": None, "ratio": "1"}, [("ratio", "enum", ("16:9", "4:3"))]),
    ("a key in another spelling", MADE["Size"], {"Ratio": "4:3"}, [("ratio", "required", True)]),
    ("a key in another spelling: closed", SOURCES, {"Text": "a"}, CLOSED_TEXT),
    ("closed: its value", SOURCES, {"asset_id": 5}, [("asset_id", "type", "string")]),
    ("closed: null alone", SOURCES, {"text": None}, [("text", "type", "string")]),
    ("closed: null beside it", SOURCES, {"url": None, "text": "a"}, [("url", "additionalProperties", False)]),
    ("some have the tag", SOME_TAGGED, {"kind": "B", "m": 1}, [("kind", "enum", ("a", "b"))]),
    ("some have the tag: unlike", SOME_TAGGED, {"kind": "c", "m": 1}, [("kind", "enum", ("a", "b"))]),
    ("some have the tag: the other", SOME_TAGGED, {"raw": 5}, [("raw", "type", "string")]),
    ("shared values: near", OVERLAPPING, {"mode": "X", "url": "u"}, [("mode", "enum", ("r", "x"))]),
    ("shared values: a key", OVERLAPPING, {"mode": "q", "path": "p"}, [("mode", "enum", ("r", "w"))]),
    ("shared values: no key", OVERLAPPING, {"mode": "q"}, [("mode", "enum", ("r", "w", "x"))]),
    ("values of one branch", UNITS, {"unit": "ft"}, [("length", "required", True)]),
    ("values: near", UNITS, {"unit": "KG", "mass": 1}, [("unit", "enum", ("kg", "lb", "m", "ft"))]),
    ("values: a key", UNITS, {"unit": "stone", "mass": 1}, [("unit", "enum", ("kg", "lb"))]),
    ("allOf and unions in branches", INCLUDED, {"op": "CUT"}, [("op", "enum", ("put", "cut", "cat"))]),
    ("allOf and unions in branches: known", INCLUDED, {"op": "cut"}, [("at", "required", True)]),
    ("equal", EITHER, {}, [("", "anyOf", AB)]),
    ("equal: the key", EITHER, {"b": 5}, [("b", "type", "string")]),
    ("equal: oneOf", AREAS, {}, [("", "oneOf", ({"required": ["w", "h"]}, {"required": ["x", "y"]}))]),
    ("equal: what both lack", AREAS, {"w": 1, "y": 1}, [("", "oneOf", ({"required": ["h"]}, {"required": ["x"]}))]),
    ("equal: texts", DATES, "soon", [("", "anyOf", ({"format": "date"}, {"format": "date-time"}))]),
]  # fmt: skip


def test_what_was_sent_decides(subtests: pytest.Subtests) -> None:
    for case, (schema, value, issues) in cases_of([r[1:] for r in ROWS]):
        with subtests.test(case):
            made = "$defs" in schema
            tool = tool_of(schema if made else within(schema))
            found = tool.validate({"x": value})
            assert [
                (i.field.removeprefix("x").lstrip("."), i.constraint, i.expected) for i in found
            ] == issues


def test_each_item_of_an_array_has_its_own_branch() -> None:
    items = [{"kind": "get", "id": "1"}, {"kind": "Delete", "id": "1"}, {"kind": "delete"}]
    found = tool_of(MADE["Many"]).validate({"x": items})
    assert [(i.field, i.constraint) for i in found] == [("x[1].kind", "enum"), ("x[2].id", "required")]


@pytest.mark.parametrize("row", table("hint_tables.json")["forms"], ids=lambda row: row["name"])
def test_hints_say_the_branch_or_the_forms(row: dict[str, Any]) -> None:
    tool, payload = tool_of(row["schema"]), {"x": row["sent"]}
    registry = Registry().with_tools({tool.name: tool})
    assert registry.hint(tool.name, tool.validate(payload), payload=payload).headline().endswith(row["line"])


def test_a_hint_at_the_root_names_a_field() -> None:
    tool = tool_of({"type": "object", **EITHER})
    registry = Registry().with_tools({tool.name: tool})
    (field,) = registry.hint(tool.name, tool.validate({}), payload={}).fields
    assert (field.field, field.advice) == ("a", "send a or b.")
    hint = registry.hint(tool.name, tool.validate({"query": "shoe"}), payload={"query": "shoe"})
    assert hint.edits == ()
    assert hint.fields[0].advice == "send a or b; you sent query, which is not a field."


def test_the_choice_takes_time_in_proportion_to_the_keys() -> None:
    number = 2_000
    keys: list[dict[str, Any]] = [
        {"kind": (f"k{i}",), **{f"a{i}_{n}": None for n in range(50)}} for i in range(number)
    ]
    found = [[ValidationIssue(("z",), "required", True)] for _ in range(number)]
    value = {"kind": "K7", **{f"b{i}": i for i in range(100_000)}}
    with bounded(5):
        (issue,) = meant(value, found, keys, "anyOf")
    assert (issue.path, issue.constraint, len(issue.expected)) == (("kind",), "enum", number)


def test_the_choice_does_not_touch_odd_keys_and_values() -> None:
    keys: list[dict[str, Any]] = [{"a": ("x",)}, {"a": ("y",)}]
    for odd in (float("nan"), 10**5000, b"x", ["x"], {"a": 1}, "x" * 10_000):
        assert choose({1: 2, None: 3, "a": odd}, keys, [0, 1])[2] == ("x", "y")
