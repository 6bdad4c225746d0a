"""Every keyword of every dialect is enforced: in the issues, in the verdict, and in the payload model."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

import pytest
from helpers.support import cases_of, same_json, shown, tool_of

from toolgen import SpecError
from toolgen.compiler.keywords import VOCABULARY, check_complete
from toolgen.compiler.schema.dialects import DIALECTS
from toolgen_runtime import MISSING, InvalidPayload, ValidationIssue
from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.keywords import CONSTRAINTS, GRAPH
from toolgen_runtime.schema.shapes import Shape

D4 = "http://json-schema.org/draft-04/schema"
D7 = "http://json-schema.org/draft-07/schema"
STRING = {"type": "string"}

EACH: list[tuple[Any, Any, Any, tuple[str | int, ...], str, Any, Any]] = [
    ({"type": "string"}, "a", 5, (), "type", "string", 5),
    ({"type": ["string", "null"]}, None, 5, (), "type", ("string", "null"), 5),
    ({"enum": ["a", 1]}, 1, 5, (), "enum", ("a", 1), 5),
    ({"const": [1]}, [1.0], [2], (), "const", [1], [2]),
    *(({k: 3}, 3, v, (), k, 3, v) for k, v in (("minimum", 2), ("maximum", 4), ("multipleOf", 4))),
    *(({k: 3}, v, 3, (), k, 3, 3) for k, v in (("exclusiveMinimum", 4), ("exclusiveMaximum", 2))),
    ({"minLength": 3}, "abc", "ab", (), "minLength", 3, "ab"),
    ({"maxLength": 1}, "a", "ab", (), "maxLength", 1, "ab"),
    ({"pattern": "^x"}, "xa", "ab", (), "pattern", "^x", "ab"),
    ({"format": "date"}, "2020-02-29", "2021-02-29", (), "format", "date", "2021-02-29"),
    ({"required": ["a"]}, {"a": 1}, {}, ("a",), "required", True, MISSING),
    ({"additionalProperties": False}, {}, {"b": 1}, ("b",), "additionalProperties", False, 1),
    (
        {"propertyNames": {"maxLength": 1}},
        *({"a": 1}, {"ab": 1}, ("ab",), "propertyNames", {"maxLength": 1}, "ab"),
    ),
    ({"minProperties": 1}, {"a": 1}, {}, (), "minProperties", 1, {}),
    ({"maxProperties": 0}, {}, {"a": 1}, (), "maxProperties", 0, {"a": 1}),
    ({"dependentRequired": {"a": ["b"]}}, {"b": 1}, {"a": 1}, (), "dependentRequired", "b", MISSING),
    ({"unevaluatedProperties": False}, {}, {"a": 1}, ("a",), "unevaluatedProperties", False, 1),
    ({"prefixItems": [True], "items": False}, [1], [1, 2], (), "items", 1, [1, 2]),
    ({"unevaluatedItems": False}, [], [1], (0,), "unevaluatedItems", False, 1),
    ({"minItems": 1}, [1], [], (), "minItems", 1, []),
    ({"maxItems": 0}, [], [1], (), "maxItems", 0, [1]),
    ({"uniqueItems": True}, [1, True], [1, 2, 1.0], (), "uniqueItems", True, 1.0),
    ({"contains": {"const": 1}}, [2, 1], [2], (), "contains", 1, [2]),
    ({"contains": {"const": 1}, "minContains": 2}, [1, 1], [1], (), "minContains", 2, [1]),
    ({"contains": {"const": 1}, "maxContains": 1}, [1, 2], [1, 1], (), "maxContains", 1, [1, 1]),
    ({"anyOf": [False, False]}, None, 5, (), "anyOf", (0, 1), 5),
    ({"oneOf": [{"type": "integer"}, {"minimum": 5}]}, 1, 5, (), "oneOf", (0, 1), 5),
    ({"not": {"type": "string"}}, 1, "a", (), "not", {"type": "string"}, "a"),
    (
        {"$schema": D7, "dependencies": {"a": ["b"], "c": {"maxProperties": 1}}},
        *({"a": 1, "b": 1}, {"a": 1}, (), "dependencies", "b", MISSING),
    ),
    (
        {"$schema": D7, "items": [True], "additionalItems": False},
        *([1], [1, 2], (), "additionalItems", 1, [1, 2]),
    ),
]
"""A schema, a payload that it allows and one that it forbids, and the issue of the latter."""
ENFORCED: dict[str, tuple[dict[str, Any], Any, Any]] = {
    **{constraint: (schema, valid, invalid) for schema, valid, invalid, _, constraint, *_ in EACH},
    "items": ({"items": STRING}, ["a"], ["a", 1]),
    "prefixItems": ({"prefixItems": [STRING]}, ["a", 1], [1]),
    "properties": ({"properties": {"a": STRING}}, {"a": "a"}, {"a": 1}),
    "patternProperties": ({"patternProperties": {"^a": STRING}}, {"ab": "a", "b": 1}, {"ab": 1}),
    "dependentSchemas": ({"dependentSchemas": {"a": {"maxProperties": 1}}}, {"a": 1}, {"a": 1, "b": 1}),
    "allOf": ({"allOf": [STRING, {"maxLength": 1}]}, "a", "ab"),
    "anyOf": ({"anyOf": [STRING, {"minimum": 5}]}, "a", 1),
    "if": ({"if": STRING, "then": {"maxLength": 1}}, "a", "ab"),
    "then": ({"if": STRING, "then": {"maxLength": 1}}, 12, "ab"),
    "else": ({"if": STRING, "else": {"maximum": 5}}, "ab", 6),
    "$ref": ({"items": {"$ref": "#/definitions/a"}, "definitions": {"a": STRING}}, ["a"], [1]),
    "$dynamicRef": ({"$dynamicAnchor": "n", "type": "array", "items": {"$dynamicRef": "#n"}}, [[]], [1]),
    "$recursiveRef": ({"type": "array", "items": {"$recursiveRef": "#"}}, [[]], [1]),
}
IN_DRAFT_04: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "exclusiveMaximum": ({"maximum": 2, "exclusiveMaximum": True}, 1, 2),
    "exclusiveMinimum": ({"minimum": 2, "exclusiveMinimum": True}, 3, 2),
}
CASES = [(uri, keyword) for uri, dialect in DIALECTS.items() for keyword in dialect.keywords]


def test_every_keyword_of_every_dialect_is_enforced(subtests: pytest.Subtests) -> None:
    for case, (uri, keyword) in cases_of(CASES):
        with subtests.test(case):
            table = {**ENFORCED, **IN_DRAFT_04} if uri == D4 else ENFORCED
            schema, valid, invalid = table[keyword]
            assert keyword in str(schema)
            tool = tool_of({**schema, "$schema": uri})
            assert tool.validate(valid) == []
            issues = tool.validate(invalid)
            assert issues
            assert same_json(shown(tool, valid), valid)
            with pytest.raises(InvalidPayload) as failure:
                tool.parse(invalid)
            assert failure.value.issues() == issues


def test_each_constraint(subtests: pytest.Subtests) -> None:
    for case, (schema, payload, issue) in cases_of([(row[0], row[2], row[3:]) for row in EACH]):
        with subtests.test(case):
            assert tool_of(schema).validate(payload) == [ValidationIssue(*issue)]


def test_the_table_has_every_constraint() -> None:
    assert {row[4] for row in EACH} | {"json", "truncated", "duplicate_key"} == CONSTRAINTS


def test_a_row_without_a_keyword_is_named(subtests: pytest.Subtests) -> None:
    for case, name in cases_of(sorted(GRAPH)):
        with subtests.test(case):
            check_complete(VOCABULARY.rows)
            with pytest.raises(
                NotImplementedError, match=rf"(^|, ){re.escape(name)}(, .*)?: each keyword has one row"
            ):
                check_complete(keyword for keyword in VOCABULARY.rows if keyword.name != name)
    with pytest.raises(NotImplementedError, match=r"each keyword has one row"):
        check_complete([*VOCABULARY.rows, VOCABULARY.rows[0]])


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (shapes.NUMBER, 3),
        (shapes.ANY, None),
        (shapes.SCHEMA, {}),
        (shapes.SCHEMAS, [{}]),
        (shapes.SCHEMA_MAP, {"a": {}}),
    ],
)
def test_a_keyword_that_a_dialect_has_and_nothing_enforces_is_named(
    shape: Shape, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for uri, dialect in DIALECTS.items():
        monkeypatch.setitem(dialect.keywords, "formatMinimum", shape)  # type: ignore[arg-type]
        with pytest.raises(SpecError) as failure:
            tool_of({"$schema": uri, "properties": {"a": {"formatMinimum": value}}})
        (diagnostic,) = failure.value.diagnostics
        assert diagnostic.code == "unsupported-keyword"
        assert diagnostic.place.pointer.endswith("/properties/a/formatMinimum")


def test_keywords_of_objects_evaluate_nothing_in_an_array() -> None:
    """2020-12 core, section 10.2.2.4: `dependentSchemas` says nothing of a value that is not an object."""
    tool = tool_of({"unevaluatedItems": False, "dependentSchemas": {"a": {"items": True}}})
    assert [issue.constraint for issue in tool.validate(["a"])] == ["unevaluatedItems"]
    assert tool.validate([]) == []
    assert tool.validate({"a": 1}) == []


CONSTANTS: list[Any] = [
    {"a": True},
    {"a": 1},
    {"a": 0, "b": []},
    {"a": False, "b": {}},
    {"a": {"b": 1}},
    {"a": 1, "b": 0, "c": True, "d": False},
    {"a": 1, "b": 0, "c": True, "d": False, "e": 1},
    [1],
    [True],
]
LIKE_CONSTANTS: list[Any] = [
    *({"a": a} for a in (1.0, "1", None)),
    *({"a": a, "b": b} for a in (0, 0.0, False) for b in ([], {})),
    *({"a": {"b": b}} for b in (True, 1.0)),
    *({"a": 1.0, "b": b, "c": c, "d": 0} for b in (0, False) for c in (1, True)),
    {"a": 1, "b": 0, "c": True, "d": False, "e": True},
    OrderedDict(a=True),
    OrderedDict(a=1),
    [1.0],
    [False],
    True,
    1,
    "a",
    None,
]


@pytest.mark.parametrize("constant", CONSTANTS, ids=repr)
def test_constants_are_compared_as_json(constant: Any) -> None:
    """2020-12 core, section 4.2.2: true is not 1 and false is not 0, at any depth."""
    const = {"const": constant}
    alone, member, unless = tool_of(const), tool_of({"properties": {"p": const}}), tool_of({"not": const})
    for value in (*CONSTANTS, *LIKE_CONSTANTS):
        wanted = same_json(value, constant)
        assert (alone.validate(value) == []) is wanted, value
        assert (member.validate({"p": value}) == []) is wanted, value
        assert (unless.validate(value) != []) is wanted, value
