"""What becomes of a handler's result: JSON, as far as it goes."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pydantic
from helpers.hint_strategies import json_values
from helpers.support import JsonObject, for_each, for_each_at_once, table
from helpers.two_tools import both, facts, registry, run
from hypothesis import given, strategies as st

from toolgen_runtime import MalformedResponseError, ToolOutput
from toolgen_runtime.calls.results import MAX_COPIED_DEPTH, encode
from toolgen_runtime.mcp_result import recognize


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    made_at: datetime.datetime = pydantic.Field(alias="madeAt")
    extra: Any = None


@dataclass
class Point:
    x: int
    at: Any = field(default_factory=lambda: datetime.date(2024, 1, 2))


class Text(str):
    __slots__ = ()


def returning(value: Any) -> Callable[[], Any]:
    return lambda: value


def ran(result: Any) -> ToolOutput:
    return registry().call("now", {}, returning(result))


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


UUID = uuid.UUID("123e4567-e89b-42d3-a456-426614174000")
WHEN = datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)

SHARED = [1]

WHOLE: list[tuple[Any, Any]] = [
    (None, None),
    ([1, 2.5, "ü", True, None], [1, 2.5, "ü", True, None]),
    ((1, (2,)), [1, [2]]),
    (range(3), [0, 1, 2]),
    ([SHARED, SHARED], [[1], [1]]),  # twice the same is no circle
    (collections.deque([1]), [1]),
    (frozenset({"a"}), ["a"]),
    (
        {1: "a", None: "b", False: "c", 2.5: "d", Colour.RED: "e"},
        {"1": "a", "None": "b", "false": "c", "2.5": "d", "red": "e"},
    ),
    (collections.UserDict(a=1), {"a": 1}),
    ([Colour.RED, Level.LOW], ["red", 1]),
    (Text("x"), "x"),
    (b"text", "text"),
    (bytearray(b"\xff\xfe"), "//4="),
    (WHEN, "2024-01-02T03:04:05Z"),
    (datetime.date(2024, 1, 2), "2024-01-02"),
    (datetime.timedelta(hours=1), "PT1H"),
    (decimal.Decimal("1.10"), "1.10"),
    (UUID, str(UUID)),
    (pathlib.PurePosixPath("/a"), "/a"),
    (Point(1), {"x": 1, "at": "2024-01-02"}),
    (Model(madeAt=WHEN, extra={1}), {"madeAt": "2024-01-02T03:04:05Z", "extra": [1]}),
    (
        Model(madeAt=WHEN, extra=math.nan),
        {"madeAt": "2024-01-02T03:04:05Z", "extra": None},
    ),  # the model's rule
    (10**400, 10**400),
    (deep(MAX_COPIED_DEPTH), deep(MAX_COPIED_DEPTH)),
]


@for_each_at_once(WHOLE)
def test_results_that_are_whole(result: Any, value: Any) -> None:
    output = ran(result)
    assert output.ok, output
    assert output.result == value
    assert type(output.result) is type(value)
    json.dumps(output.result, allow_nan=False)


def circular() -> Any:
    ring: JsonObject = {"a": 1}
    ring["self"] = ring
    return ring


class Opaque:
    pass


class Lazy(Mapping[str, int]):
    """Rows of a database whose connection is gone."""

    def __getitem__(self, key: str) -> int:
        raise ConnectionError("the session is closed")

    def __iter__(self) -> Any:
        raise ConnectionError("the session is closed")

    def __len__(self) -> int:
        return 1


TORN: list[tuple[Any, Any, str]] = [
    ({"a": math.nan, "b": 1}, {"a": None, "b": 1}, "a"),
    ([1, math.inf], [1, None], "[1]"),
    (circular(), "<dict>", ""),
    (deep(5_000), "<list>", ""),
    ({"rows": [1, Opaque()]}, {"rows": [1, "<Opaque>"]}, "rows[1]"),
    ((i for i in range(3)), "<generator>", ""),
    ({"lazy": Lazy(), "eager": 1}, {"lazy": "<Lazy>", "eager": 1}, "lazy"),
    ({"f": len}, {"f": "<builtin_function_or_method>"}, "f"),
    ("a\ud800b", "a?b", ""),
    (Model(madeAt=WHEN, extra=Opaque()), {"madeAt": "2024-01-02T03:04:05Z", "extra": "<Opaque>"}, "extra"),
]


@both
@for_each(TORN)
def test_results_that_are_not_whole_still_come_through(
    result: Any, value: Any, place: str, *, way: str
) -> None:
    output = run(way, "now", {}, returning(result))
    assert facts(output) == ("execution_error", True, "retry")
    assert output.result == value
    assert isinstance(output.error.cause, MalformedResponseError)
    assert output.retry_hint.reason == "malformed_response"
    assert output.retry_hint.clarifying_question is None
    assert output.retry_hint.example_input is None
    assert [i.field for i in encode(result)[1]][:1] == [place]
    json.dumps(output.result, allow_nan=False)
    assert output.text().startswith(output.retry_hint.render())


@both
def test_a_handler_may_call_its_answer_malformed(way: str) -> None:
    def handler(_: Any) -> None:
        raise MalformedResponseError("the server sent HTML", {"html": "<p>", "n": math.nan})

    output = run(way, "now", {}, handler)
    assert facts(output) == ("execution_error", True, "retry")
    assert output.result == {"html": "<p>", "n": None}
    assert output.error.message == "the server sent HTML"
    assert output.retry_hint.reason == "malformed_response"


@given(json_values)
def test_json_is_encoded_as_itself(value: Any) -> None:
    assert encode(value) == (value, [])


anything = st.recursive(
    json_values
    | st.floats()
    | st.binary(max_size=5)
    | st.decimals()
    | st.datetimes()
    | st.builds(Opaque)
    | st.sampled_from(Colour)
    | st.text(st.characters(categories=["Cs", "L"]), max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.integers() | st.text() | st.none(), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.builds(Point, st.integers(), inner)
    ),
    max_leaves=8,
)


@given(anything)
def test_anything_is_encoded(value: Any) -> None:
    json.dumps(encode(value)[0], allow_nan=False).encode()


# ---- MCP results ----


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


WAITING = "The tool is not done: it needs input first."

CASES = table("provider_responses.json")["results"]
MCP_RESULTS: list[Any] = [
    *CASES["mcp"],
    ({"content": (text_block("a"), text_block("b")), "is_error": False}, True, "a\nb"),
]


@for_each_at_once(MCP_RESULTS)
@both
def test_mcp_results_are_read_as_what_they_are(result: Any, ok: Any, text: Any, *, way: str) -> None:
    output = run(way, "now", {}, returning(result))
    assert facts(output) == ((None, True, None) if ok else ("execution_error", True, "correct"))
    assert output.text() == text
    shown = {k: v for k, v in encode(result)[0].items() if k != "requestState"}
    assert output.result == shown
    assert output.request_state == result.get("requestState")
    assert output.retry_hint is None
    if output.error is not None:
        assert output.error.message.rstrip(".") in text


@for_each(CASES["not_mcp"])
def test_what_only_looks_like_an_mcp_result_is_data(result: Any) -> None:
    output = ran(result)
    assert output.ok
    assert output.text() == json.dumps(result)


class ToolResult1:
    """FastMCP's, no model and no dataclass."""

    def __init__(self, content: Any, structured_content: Any = None, **more: Any) -> None:
        self.content = content
        self.structured_content = structured_content
        self.meta = None
        self.__dict__.update(more)


@dataclass
class Block:
    text: str
    type: str = "text"


class CallToolResult1(pydantic.BaseModel):
    """The SDK's, of its version 1."""

    model_config = pydantic.ConfigDict(extra="allow")
    meta: JsonObject | None = pydantic.Field(alias="_meta", default=None)
    content: list[Any]
    structuredContent: JsonObject | None = None  # noqa: N815
    isError: bool = False  # noqa: N815


class Unread:
    """A response whose body is asked for too early."""

    @property
    def content(self) -> Any:
        raise RuntimeError("not read yet")


def test_an_object_that_cannot_be_asked_is_an_unknown_one() -> None:
    assert registry().call("now", {}, Unread).result == "<Unread>"


def objects() -> list[tuple[Any, bool, str]]:
    import mcp_types

    boom = [mcp_types.TextContent(text="boom")]
    meta: Any = {"_meta": {"id": "hunter2"}}
    return [
        (mcp_types.CallToolResult(content=boom, is_error=True, **meta), False, "boom"),
        (mcp_types.CallToolResult(content=boom, structured_content={"t": 1}), True, "boom"),
        (mcp_types.CallToolResult(content=[], structured_content={"t": 1}), True, '{"t": 1}'),
        (mcp_types.InputRequiredResult(request_state="hunter2"), True, WAITING),
        (CallToolResult1(content=boom, isError=True), False, "boom"),
        (CallToolResult1(content=[text_block("12:00")], structuredContent={"t": 1}), True, "12:00"),
        (ToolResult1([Block("12:00")]), True, "12:00"),
        (ToolResult1([], {"t": 1}), True, '{"t": 1}'),
        (ToolResult1([Block("boom")], is_error=True, data=Opaque()), False, "boom"),
    ]  # fmt: skip


@for_each(range(9))
def test_mcp_results_that_are_objects(index: int) -> None:
    result, ok, text = objects()[index]
    output = ran(result)
    assert facts(output) == ((None, True, None) if ok else ("execution_error", True, "correct"))
    assert output.text() == text
    assert recognize(output.result) is not None
