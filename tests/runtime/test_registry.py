"""`Registry`: names, schema helpers, and hints from any kind of problem."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.support import for_each, obj

from toolgen import compile_tools
from toolgen_runtime import (
    InvalidPayload,
    MalformedResponseError,
    Registry,
    Tool,
    ToolExecutionError,
    Toolset,
)

SCHEMA = obj(
    "startDate",
    "title",
    title={"type": "string", "description": "One line."},
    startDate={"type": "string", "format": "date"},
    priority={"enum": ["low", "high", None]},
    parent=obj(childKey={"type": "string", "description": "Nested."}),
    rows={
        "type": "array",
        "items": obj(unit={"enum": ["kg", "pcs"]}),
    },
    a_b={},
    aB={},
)
TOOLS = compile_tools(
    [
        {"name": "create_ticket", "description": "", "schema": SCHEMA},
        {"name": "list-users", "description": "", "schema": {}},
    ]
)


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    registry.register(TOOLS)
    return registry


def test_schema_helpers(registry: Registry) -> None:
    assert registry.required_property_keys("create_ticket") == ("title", "startDate")
    assert registry.property_description("create_ticket", "title") == "One line."
    assert registry.property_description("create_ticket", "parent.childKey") == "Nested."
    assert registry.property_description("create_ticket", "nothing") is None
    assert registry.allowed_enum_values("create_ticket", "rows[3].unit") == ("kg", "pcs")
    assert registry.allowed_enum_values("create_ticket", "rows[].unit") == ("kg", "pcs")
    assert registry.allowed_enum_values("create_ticket", "priority") == ("low", "high", None)
    assert registry.allowed_enum_values("create_ticket", "title") == ()
    assert registry.format_for("create_ticket", "startDate") == "date"
    assert registry.format_for("create_ticket", "title") is None
    with pytest.raises(KeyError, match="no tool 'nope'"):
        registry.required_property_keys("nope")


@for_each(
    [
        ("startDate", "startDate"),
        ("start-date", "startDate"),
        ("START_DATE", "startDate"),
        ("parent.child_key", "parent.childKey"),
        ("Parent.ChildKey", "parent.childKey"),
        ("rows[3].Unit", "rows[3].unit"),
        ("rows[].UNIT", "rows[].unit"),
        ("a_b", "a_b"),
        ("AB", None),  # a_b and aB
        ("nothing", None),
        ("startDat", None),
        ("a[", None),
    ]
)
def test_canonical_key(key: str, canonical: str | None, *, registry: Registry) -> None:
    assert registry.canonical_key("create_ticket", key) == canonical


def test_a_name_that_is_taken_is_refused_and_nothing_is_added(registry: Registry) -> None:
    with pytest.raises(ValueError, match="already registered: 'create_ticket'"):
        registry.register({"fresh": TOOLS["list-users"], "create_ticket": TOOLS["create_ticket"]})
    assert registry.names() == ["create_ticket", "list-users"]
    registry.register(TOOLS, prefix="jira_")
    assert registry.required_property_keys("jira_create_ticket") == ("title", "startDate")
    assert registry.find("jira_create_ticket") is TOOLS["create_ticket"]
    assert registry.find("nope") is None


def test_a_tool_that_there_is_not_gets_the_nearest_names(registry: Registry) -> None:
    hint = registry.hint("createTicket", [])
    assert (hint.reason, hint.recovery, hint.suggestions) == ("unknown_tool", "correct", ("create_ticket",))
    assert hint.render() == 'createTicket was not run: there is no such tool; did you mean "create_ticket"?'
    far = registry.hint("x\nrm -rf", [])
    assert (
        far.render() == 'x\\nrm -rf was not run: there is no such tool; tools: "create_ticket", "list-users".'
    )
    assert Registry().hint("x", []).recovery == "give_up"
    unnamed = 'the call was not run: it names no tool; tools: "create_ticket", "list-users".'
    assert registry.hint("", []).render() == unnamed
    assert registry.hint("create_ticket", "").render() == "create_ticket was not run."


def test_every_kind_of_problem_gives_the_same_hint(registry: Registry) -> None:
    payload = {"startDate": "x", "priority": "LOW"}
    issues = TOOLS["create_ticket"].validate(payload)
    expected = registry.hint("create_ticket", issues, payload=payload)
    assert [f.field for f in expected.fields] == ["title", "startDate", "priority"]
    assert (
        registry.hint("create_ticket", InvalidPayload("create_ticket", issues), payload=payload) == expected
    )
    wrapped = RuntimeError("the tool failed")
    wrapped.__cause__ = InvalidPayload("create_ticket", issues)
    assert registry.hint("create_ticket", wrapped, payload=payload) == expected
    assert registry.hint("create_ticket", "it went wrong", payload=payload) == expected
    assert (
        registry.hint("create_ticket", tuple(issues), payload=json.dumps(payload)).fields == expected.fields
    )
    assert (
        registry.hint("create_ticket", "it went wrong", payload=json.dumps(payload)).fields == expected.fields
    )


def test_words_that_nobody_knows_are_passed_on_in_one_line(registry: Registry) -> None:
    hint = registry.hint("create_ticket", "disk\nfull\x1b[31m" + "!" * 500)
    assert hint.fields == ()
    assert hint.render().startswith("create_ticket was not run: disk full[31m!!")
    assert len(hint.render()) < 300
    failed = ToolExecutionError("execution_error", "no such project")  # type: ignore[arg-type]
    assert registry.hint("create_ticket", failed).detail == "no such project"


def test_a_malformed_response_is_not_about_the_arguments(registry: Registry) -> None:
    hint = registry.hint("create_ticket", MalformedResponseError("no id in it", {}), payload={})
    assert (hint.reason, hint.fields, hint.clarifying_question, hint.example_input) == (
        "malformed_response",
        (),
        None,
        None,
    )
    assert hint.render() == "create_ticket ran, but its result is malformed: no id in it"


def test_registering_loads_no_tool() -> None:
    def never(module: str) -> Tool[Any]:
        raise AssertionError(module)

    registry = Registry()
    registry.register(Toolset("package", {f"tool{i}": f"m{i}" for i in range(1000)}, never))
    assert len(registry.names()) == 1000
