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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pydantic
import pytest
from boundary_support import both, facts, registry, run
from hypothesis import given
from hypothesis import strategies as st

from toolgen_runtime.encoding import MAX_DEPTH, encode
from toolgen_runtime.errors import (
    MalformedResponseError,
)


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
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", "a"}), ["a", "b"]),
    (
        {1: "a", None: "b", False: "c", 2.5: "d", Colour.RED: "e"},
        {"1": "a", "null": "b", "false": "c", "2.5": "d", "red": "e"},
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
]


@pytest.mark.parametrize(("result", "value"), WHOLE, ids=range(len(WHOLE)))
def test_results_that_are_whole(result: Any, value: Any) -> None:
    output = registry().call("now", {}, lambda: result)
    assert output.ok, output
    assert output.result == value
    assert type(output.result) is type(value)
    json.dumps(output.result, allow_nan=False)


def circular() -> Any:
    ring: dict[str, Any] = {"a": 1}
    ring["self"] = ring
    return ring


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


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
    (circular(), {"a": 1, "self": None}, "self"),
    ({"rows": [1, Opaque()]}, {"rows": [1, "<Opaque>"]}, "rows[1]"),
    ((i for i in range(3)), "<generator>", ""),
    ({"lazy": Lazy(), "eager": 1}, {"lazy": "<Lazy>", "eager": 1}, "lazy"),
    ({"f": len}, {"f": "<builtin_function_or_method>"}, "f"),
    ({1: "a", "1": "b"}, {"1": "a"}, "1"),
    ("a\ud800b", "a?b", ""),
    (Model(madeAt=WHEN, extra=Opaque()), {"made_at": "2024-01-02T03:04:05Z", "extra": "<Opaque>"}, "extra"),
]


@both
@pytest.mark.parametrize(("result", "value", "place"), TORN, ids=range(len(TORN)))
def test_results_that_are_not_whole_still_come_through(way: str, result: Any, value: Any, place: str) -> None:
    output = run(way, "now", {}, lambda: result)
    assert facts(output) == ("execution_error", True, "retry")
    assert output.result == value
    assert output.error is not None
    assert isinstance(output.error.cause, MalformedResponseError)
    assert output.retry_hint is not None
    assert output.retry_hint.reason == "malformed_response"
    assert output.retry_hint.clarifying_question is None
    assert output.retry_hint.example_input is None
    assert [i.field for i in encode(result).issues][:1] == [place]
    json.dumps(output.result, allow_nan=False)
    assert output.text().startswith(output.retry_hint.render())


def test_a_result_of_any_depth() -> None:
    sets: Any = 1
    for _ in range(5_000):
        sets = frozenset([sets])
    output = registry().call("now", {}, lambda: sets)
    assert output.kind == "execution_error"
    assert json.dumps(output.result).count("[") == MAX_DEPTH
    assert registry().call("now", {}, lambda: deep(MAX_DEPTH)).ok
    output = registry().call("now", {}, lambda: deep(5_000))
    assert output.kind == "execution_error"
    assert json.dumps(output.result).count("[") == MAX_DEPTH


@both
def test_a_handler_may_call_its_answer_malformed(way: str) -> None:
    def handler(_: Any) -> None:
        raise MalformedResponseError("the server sent HTML", {"html": "<p>", "n": math.nan})

    output = run(way, "now", {}, handler)
    assert facts(output) == ("execution_error", True, "retry")
    assert output.result == {"html": "<p>", "n": None}
    assert output.error is not None
    assert output.error.message == "the server sent HTML"
    assert output.retry_hint is not None
    assert output.retry_hint.reason == "malformed_response"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(json_values)
def test_json_is_encoded_as_itself(value: Any) -> None:
    encoded = encode(value)
    assert encoded.value == value
    assert not encoded.issues


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
    json.dumps(encode(value).value, allow_nan=False).encode()
