"""Building and checking take work in proportion to the schema, counted in calls of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from counting import calls, lines
from growing_specs import DOUBLING, REFERENCES, WIDE
from helpers.nests import closed
from helpers.support import bounded, lowered, spec_of, tool_of

from toolgen.commands.export.export import export
from toolgen.commands.samples import MAX_MEMBERS, payloads
from toolgen.compiler.python.identifiers import Identifier
from toolgen.compiler.python.models import projection
from toolgen.compiler.python.package import ToolSource
from toolgen.compiler.schema.lower import lower
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime import build_hint, repair

MOST_CALLS = 500_000
"""Calls of functions for the hints about a schema of a dozen definitions."""


def values(size: int) -> list[Any]:
    array: Any = 5
    mapping: Any = 5
    for _ in range(size):
        array, mapping = [array], {"a": mapping}
    return [5, {"a": "x"}, {"a": 1}, {}, array, mapping]


@pytest.mark.parametrize("name", DOUBLING)
def test_doubling_definitions_cost_in_proportion(name: str) -> None:
    """Checks grow with the number of definitions; what hints and repairs read of a maze is bounded."""
    tools = {size: tool_of(DOUBLING[name](size)) for size in (12, 24)}
    checked, hinted = dict[int, int](), dict[int, int]()
    for size, tool in tools.items():
        wrong = [(value, issues) for value in values(size) if (issues := tool.validate(value))]
        checked[size] = calls(lambda: [tool.validate(value) for value in values(size)])  # noqa: B023
        hints = lambda: [build_hint(tool, issues, payload=value).render() for value, issues in wrong]  # noqa: B023, E731
        if size == 12:
            hints()  # loads what is loaded at the first use
        hinted[size] = calls(hints)
    # Twice the definitions, of twice the values, of which each asks all below what they have evaluated.
    assert checked[24] < 10 * checked[12]
    assert hinted[12] < MOST_CALLS
    assert hinted[24] < 2 * MOST_CALLS
    assert calls(lambda: repair(tools[12], values(12)[4])) < 40 * checked[12] + MOST_CALLS
    for value in ({"a": "x"}, {"a": 1}, {}, 5, None):  # what is remembered gives the same verdicts
        assert bool(tools[12].validate(value)) == bool(tools[24].validate(value)), value


def source_of(spec: ToolSpec) -> ToolSource:
    return ToolSource(spec, lowered(spec.schema), Identifier("t"))


UNIONS = ("branches", "recursive branches")
"""Of fewer than 100 branches each is compared with each."""


@pytest.mark.parametrize("width", [40, pytest.param(120, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", WIDE)
def test_building_wide_schemas_grows_with_their_width(name: str, width: int) -> None:
    def work(size: int) -> int:
        spec = spec_of({"type": "object", **WIDE[name](size)})

        def build() -> None:
            source = source_of(spec)
            source.tool_text()
            source.models_text()

        return calls(build)

    width = 240 if name in UNIONS else width
    work(width)  # loads what is loaded at the first use, and what is kept of fields and texts is
    assert work(width) < 2.6 * work(width // 2)


@pytest.mark.parametrize("name", REFERENCES)
def test_reading_references_grows_with_their_number(name: str) -> None:
    def work(size: int) -> int:
        spec = spec_of(REFERENCES[name](size))
        return lines(lower, spec)

    assert work(100) < 2.6 * work(50)


def test_thousands_of_dynamic_anchors_are_read_in_time() -> None:
    """Counts do not tell: what a dynamic scope holds was hashed and copied by Python itself."""
    spec = spec_of(REFERENCES["dynamic anchors"](8_000))
    with bounded(5):
        assert lower(spec).root is not None


@pytest.mark.parametrize("name", WIDE)
def test_hints_about_wide_schemas_grow_with_their_width(name: str) -> None:
    def work(size: int) -> int:
        tool = tool_of(
            {"type": "object", **WIDE[name](size), "required": ["id"], "unevaluatedProperties": False}
        )
        payload = {"p0": [], "di": 1, "a": [1]}
        issues = tool.validate(payload)
        return calls(lambda: build_hint(tool, issues, payload=payload).render())

    work(20)
    few, many = work(60), work(120)  # beyond what is compared, opened or listed at most
    assert many < 2.5 * few + 2_500


def test_differences_of_wide_objects_grow_with_their_width() -> None:
    """Payloads that are tried have a member for each property: the wider they are, the fewer."""

    def members(size: int) -> int:
        old = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(size)}}
        new = {**old, "properties": {**old["properties"], "more": {"type": "integer"}}}
        tried = payloads(lowered(old), lowered(new))
        assert any("more" in payload for payload in tried if isinstance(payload, dict))
        return sum(len(payload) for payload in tried if isinstance(payload, dict))

    assert members(400) < 2 * MAX_MEMBERS
    assert members(1600) < 2 * MAX_MEMBERS


OBJECT = {"$ref": "#/$defs/d"}
REPEATED: dict[str, tuple[Callable[[int], Any], Any]] = {
    "strings": (lambda n: {"enum": [f"v{i}" for i in range(n)]}, OBJECT),
    "fields": (lambda n: {"properties": {f"k{i}": {} for i in range(n)}}, {"type": "object", **OBJECT}),
    "branches": (lambda n: {"anyOf": [{"properties": {f"k{i}": {}}} for i in range(n)]}, OBJECT),
}
"""Definitions of many parts, and fields that refer to them."""


@pytest.mark.parametrize("name", REPEATED)
def test_models_say_what_many_fields_refer_to_so_often_and_no_more(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "MOST_SHOWN", 400 if name in UNIONS else 200)  # as if all were larger
    definition, field = REPEATED[name]

    def work(size: int) -> int:
        fields = {f"p{i}": field for i in range(size)}
        schema = {"type": "object", "properties": fields, "$defs": {"d": definition(size)}}
        source = source_of(spec_of(schema))
        source.tool_text()  # the checks are known then
        return calls(source.models_text)

    size = 240 if name in UNIONS else 60
    work(size)
    assert work(size) < 2.6 * work(size // 2)


def chain(size: int) -> dict[str, Any]:
    """Return a schema whose fields refer to each place of a chain of definitions."""
    defs: dict[str, Any] = {
        f"d{i}": {"minLength": 1, "allOf": [{"$ref": f"#/$defs/d{i + 1}"}]} for i in range(size)
    }
    fields = {f"p{i}": {"$ref": f"#/$defs/d{i}"} for i in range(size)}
    return {"type": "object", "properties": fields, "$defs": {**defs, f"d{size}": {"type": "string"}}}


def test_models_read_what_joins_many_schemas_so_often_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "MOST_JOINED", 400)  # as if both were larger

    def work(size: int) -> int:
        return lines(lambda source: source.models_text(), source_of(spec_of(chain(size))))

    work(80)
    assert work(80) < 2.6 * work(40)
    tool = tool_of(chain(80))
    annotations = [str(field.annotation) for field in tool.payload_type.model_fields.values()]
    assert "str" in annotations[0]
    assert "Any" in annotations[79]
    assert tool.parse({"p0": "x", "p79": "x"}).model_dump() == {"p0": "x", "p79": "x"}
    assert tool.validate({"p79": 1})


def node(**more: Any) -> dict[str, Any]:
    """Return a branch of a recursive union, which has all branches' `parts` in common with the others."""
    return {"type": "object", **more, "properties": {"parts": PARTS, **more["properties"]}}


PARTS = {"type": "array", "items": {"$ref": "#/$defs/node"}}
RECURSIVE = {
    "a tag in all branches but one": [
        *(node(properties={"kind": {"const": kind}}, required=["kind"]) for kind in "ab"),
        {"type": "object", "required": ["other"]},
    ],
    "told by keys": [
        node(properties={key: {"type": "string"}}, required=[key], additionalProperties=False) for key in "ab"
    ],
    "told by nothing": [node(properties={key: {"type": "string"}}, required=[key]) for key in "ab"],
}


@pytest.mark.parametrize("name", RECURSIVE)
@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
@pytest.mark.parametrize("level", [{}, {"a": None, "b": None}, {"a": "x"}, {"kind": "c"}])
def test_recursive_unions_look_at_each_level_once(name: str, union: str, level: dict[str, Any]) -> None:
    """Branches that are tried may all lead to the next level."""
    definition = {union: RECURSIVE[name]}
    tool = tool_of({"properties": {"root": {"$ref": "#/$defs/node"}}, "$defs": {"node": definition}})

    def work(depth: int) -> int:
        value = level
        for _ in range(depth):
            value = {**level, "parts": [value]}
        return calls(lambda: tool.validate({"root": value}))

    work(2)  # loads what is loaded at the first use
    assert work(16) < 6 * work(8)  # the issues of each level are moved up through those above


MANY: dict[str, Callable[[int], dict[str, Any]]] = {
    "allOf": lambda size: {"allOf": [{"properties": {f"p{i}": {}}} for i in range(size)]},
    "allOf of one property": lambda size: {
        "allOf": [{"properties": {"a": {"minLength": i}}} for i in range(size)]
    },
    "closed anyOf": lambda size: {"anyOf": [closed([f"p{i}"]) for i in range(size)]},
    "closed oneOf of shared keys": lambda size: {"oneOf": [closed([f"p{i}", "id"]) for i in range(size)]},
}


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("shape", ["openai", "gemini"])
def test_exporting_many_branches_grows_with_their_number(name: str, shape: str) -> None:
    def work(size: int) -> int:
        specs = [spec_of({"type": "object", **MANY[name](size)})]
        return lines(lambda given: export(given, shape), specs)

    work(2)
    assert work(80) < 2.6 * work(40)
