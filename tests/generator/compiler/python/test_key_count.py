"""The count of a payload's keys by its schema, and what `validate_json` makes of it: no repeated key gets through."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

from helpers.support import for_each, for_each_at_once, obj, table, tool_of
from hypothesis import given, settings, strategies as st

from toolgen_runtime import Tool
from toolgen_runtime.validation.json_text import read

POINT = obj("x", x={"type": "number"}, y={"type": "number"})
CASES = table("key_count.json")


@for_each(CASES["counted"])
def test_the_schema_tells_where_objects_are(schema: Any, payload: Any, keys: int) -> None:
    tool = tool_of(schema)
    assert tool.validate(payload) == []
    assert tool.count_keys(payload) == keys


@for_each_at_once(
    product(
        CASES["not counted"], ['{"n": 1e400}', '{"n": [1e400]}', '{"n": -1e400, "m": 1}', '{"n": [1e400, 2]}']
    )
)
def test_a_schema_that_infinity_could_deceive_counts_nothing(schema: Any, text: Any) -> None:
    tool = tool_of(schema)
    assert tool.count_keys is None
    assert [issue.constraint for issue in tool.validate_json(text)] == ["json"]


@for_each(
    [
        *('{"x":1e400}', '{"x":-1e309}', '{"y":{},"x":1e400}', f'{{"x":1{"0" * 400}.0}}'),
        *('{"x":NaN}', '{"x":1,"free":[Infinity]}'),
    ]
)
def test_a_number_that_json_or_a_float_lacks_is_named(text: str) -> None:
    for schema in (POINT, obj(x={"maximum": 5})):
        tool = tool_of(schema)
        for given_text in (text, text.encode()):
            assert [issue.constraint for issue in tool.validate_json(given_text)] == ["json"]


def written(value: Any, draw: st.DataObject, colon: str) -> str:
    """A JSON text of a value in which any member may stand a second time, with another value or in another spelling."""
    if isinstance(value, list):
        return "[" + ",".join(written(item, draw, colon) for item in value) + "]"
    if not isinstance(value, dict):
        return json.dumps(value)
    members = [f"{json.dumps(key)}{colon}{written(member, draw, colon)}" for key, member in value.items()]
    if value and draw.draw(st.booleans()):
        key = draw.draw(st.sampled_from(sorted(value)))
        escaped = "".join(f"\\u{ord(c):04x}" for c in key)
        spelt = draw.draw(st.sampled_from((json.dumps(key), f'"{escaped}"')))
        twin = json.dumps(draw.draw(st.sampled_from((value[key], None, 0, "a:b", {}, {"k": 1}))))
        members.insert(draw.draw(st.integers(0, len(members))), f"{spelt}{colon}{twin}")
    return "{" + ",".join(members) + "}"


def expected(tool: Tool[Any], text: str) -> list[Any]:
    value, issues = read(text)
    return issues or tool.validate(value)


TOOLS = [(tool_of(schema), payload) for schema, payload, _ in CASES["counted"]]


@given(st.sampled_from(range(len(TOOLS))), st.data(), st.sampled_from((":", ": ", " :", "\n:\t")))
@settings(max_examples=80, deadline=None)
def test_no_repeated_key_gets_through(which: int, draw: st.DataObject, colon: str) -> None:
    tool, payload = TOOLS[which]
    text = written(payload, draw, colon)
    assert tool.validate_json(text) == tool.validate_json(text.encode()) == expected(tool, text)
