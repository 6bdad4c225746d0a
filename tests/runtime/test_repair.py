"""`repair`: what is mended, what is left alone, and that it is all or nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen import compile_tools
from toolgen_runtime import Tool, ValidationIssue, repair

PROPERTIES = {
    "s": {"type": "string"},
    "n": {"type": "integer"},
    "x": {"type": "number"},
    "b": {"type": "boolean"},
    "size": {"enum": ["small", "LARGE", "large"]},
    "mode": {"enum": ["fast", "slow"]},
    "tags": {"type": "array", "items": {"type": "string"}},
    "ids": {"type": "array", "items": {"type": "integer"}},
    "o": {
        "type": "object",
        "properties": {"k": {"type": "integer"}},
        "required": ["k"],
        "additionalProperties": False,
    },
    "startDate": {"type": "string"},
    "either": {"type": ["string", "integer"]},
    "union": {"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "integer"}]},
    "flagOrNumber": {"type": ["boolean", "integer"]},
    "listOrNumber": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "integer"}]},
    "rows": {
        "type": "array",
        "items": {"type": "object", "properties": {"qty": {"type": "integer"}}, "required": ["qty"]},
    },
}
TOOL = compile_tools(
    [
        {
            "name": "t",
            "description": "",
            "schema": {
                "type": "object",
                "properties": PROPERTIES,
                "additionalProperties": False,
                "required": ["s"],
            },
        }
    ]
)["t"]

LEFT = [
    {"n": "5.0"},  # as an amount of money is written
    {"x": "1.5e3"},  # may be a code
    {"n": None},  # may mean to clear it: the tool does not say that it only reads
    {"n": "5.5"},
    {"n": "0x10"},
    {"n": "٣"},
    {"n": 5.5},
    {"n": True},
    {"b": 1},
    {"s": 5},  # numbers are not made to strings
    {"s": None},  # required
    {"size": "Large"},  # two values it could be
    {"mode": "fsat"},  # more than the case
    {"tags": "a,b"},  # a list of its own
    {"union": "5"},  # a string is allowed there
    {"listOrNumber": "5"},  # two readings
    {"startDat": "x"},
    {"start_date": "x", "startDate": "y"},
    {"start_date": "x", "StartDate": "y"},
    {"o": '{"k": "v"}'},
    {"o": '{"k": 1, "k": 2}'},
    {"n": "5", "b": "yes"},  # all or nothing
]


@pytest.mark.parametrize("wrong", LEFT, ids=json.dumps)
def test_what_could_mean_two_things_or_is_no_slip_is_left_alone(wrong: dict[str, Any]) -> None:
    payload = {"s": "x", **wrong}
    result = repair(TOOL, payload)
    assert result.payload is payload
    assert result.changes == ()


def test_changes_say_where_from_and_to() -> None:
    (change,) = repair(TOOL, {"s": "x", "rows": [{"qty": "2"}]}).changes
    assert change == {"path": ("rows", 0, "qty"), "from": "2", "to": 2, "rule": "parsed"}


def test_a_string_is_never_read_where_the_schema_allows_a_string() -> None:
    def only_integers(payload: Any) -> list[ValidationIssue]:
        return (
            []
            if payload["either"] == 5
            else [ValidationIssue(("either",), "type", "integer", payload["either"])]
        )

    def no_type() -> Any:
        raise AssertionError

    schema = json.dumps({"properties": {"either": PROPERTIES["either"]}})
    tool: Tool[Any] = Tool(
        name="t", description="", schema=schema, validate=only_integers, payload_type=no_type
    )
    assert repair(tool, {"either": "5"}).changes == ()


def test_what_a_parsed_container_holds_is_mended_too() -> None:
    result = repair(TOOL, '{"s": "x", "o": "{\\"k\\": \\"7\\"}", "Start-Date": "d"}')
    assert result.payload == {"s": "x", "o": {"k": 7}, "startDate": "d"}
    assert [c["rule"] for c in result.changes] == ["parsed", "parsed", "key", "parsed"]


def test_an_enormous_number_of_slips_ends_soon() -> None:
    assert repair(TOOL, {"s": "x", "ids": ["1"] * 5000}).changes == ()
    assert len(repair(TOOL, {"s": "x", "ids": ["1"] * 500}).changes) == 500


slips = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["5", "true", "FAST", "fast", "a", "[1]", '["a"]', '{"k": 1}', '{"k": "1"}', "x"])
)
values = (
    slips
    | st.lists(slips, max_size=2)
    | st.dictionaries(st.sampled_from(["k", "K", "qty"]), slips, max_size=2)
)
payloads = (
    st.dictionaries(st.sampled_from([*PROPERTIES, "start_date", "N", "other"]), values, max_size=5) | values
)


@settings(max_examples=120, deadline=None)
@given(payloads)
def test_repair_keeps_its_promises(payload: Any) -> None:
    before = copy.deepcopy(payload)
    result = repair(TOOL, payload)
    assert json.dumps(payload) == json.dumps(before)
    if not TOOL.validate(payload):
        assert result.payload is payload
        assert result.changes == ()
    elif result.changes:
        assert TOOL.validate(result.payload) == []
    else:
        assert result.payload is payload
    again = repair(TOOL, result.payload)
    assert again.changes == ()
    assert again.payload is result.payload
