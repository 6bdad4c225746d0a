"""`quick_init`: what is filled directly is otherwise an ordinary frozen dataclass."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.quick_init import quick_init


def _declared() -> type[Any]:
    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        note: str = field(default="", repr=False, compare=False)

    return Point


ORDINARY, QUICK = _declared(), quick_init(_declared())


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((1,), {}),
        ((1, 3), {"note": "n"}),
        ((), {"x": 1, "tags": ["a"]}),
        ((1, 2, ["b"], "n"), {}),
        ((), {}),
        ((1, 2, [], "", 5), {}),
        ((1,), {"x": 2}),
        ((1,), {"z": 2}),
    ],
    ids=str,
)
def test_it_is_made_as_the_ordinary_one(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    assert _told(ORDINARY, values, named) == _told(QUICK, values, named)


def _told(cls: Callable[..., Any], values: tuple[Any, ...], named: dict[str, Any]) -> object:
    try:
        made = cls(*values, **named)
    except TypeError as error:
        return str(error).rpartition(".")[2]
    assert type(made) is cls
    return repr(made), made.note


def test_it_is_frozen_and_copied_as_the_ordinary_one() -> None:
    one = QUICK(1, note="a")
    with pytest.raises(FrozenInstanceError):
        one.x = 2
    with pytest.raises(FrozenInstanceError):
        del one.x
    assert one == QUICK(1, note="b")
    assert one not in (QUICK(2), ORDINARY(1))
    for other in (copy.copy(one), copy.deepcopy(one), replace(one, note="c")):
        assert (type(other), other) == (QUICK, one)
    assert one.tags is not QUICK(1).tags, "each has a list of its own"
    assert inspect.signature(QUICK) == inspect.signature(ORDINARY)


def test_a_subclass_is_of_its_own_class() -> None:
    class Named(QUICK):  # type: ignore[valid-type, misc]  # a class that is made here
        pass

    made = Named(1, 5)
    assert (type(made), made.x, made.y) == (Named, 1, 5)


def test_outputs_are_pickled_and_made_in_threads() -> None:
    output = ToolOutput("a", "1", {"b": 2}, executed=True, max_chars=9)
    assert pickle.loads(pickle.dumps(output)) == output == copy.deepcopy(output)
    assert [f.name for f in fields(output)] == [*inspect.signature(ToolOutput).parameters]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda i: ToolOutput(str(i), result=i), range(2_000)))
    assert all(type(one) is ToolOutput and one == ToolOutput(str(i), result=i) for i, one in enumerate(made))
