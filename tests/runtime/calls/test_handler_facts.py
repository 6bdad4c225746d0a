"""What a handler takes is found once a function, and again where that can have changed."""

from __future__ import annotations

import gc
import inspect
import weakref
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import pytest
from helpers.handler_kinds import coroutine, plain
from helpers.support import JsonObject, for_each
from helpers.two_tools import TOOLS, registry

from toolgen_runtime.calls import handler_facts
from toolgen_runtime.calls.handler_facts import how_to_call

TOOL, OTHER = TOOLS["create_ticket"], TOOLS["now"]
MODEL = TOOL.payload_type


def of(annotation: Any) -> Callable[..., Any]:
    def handler(payload: Any) -> Any:
        return payload

    handler.__annotations__["payload"] = annotation
    return handler


def nothing() -> int:
    return 1


def test_a_partial_that_leaves_nothing_to_take_the_payload_is_refused() -> None:
    with pytest.raises(TypeError):
        how_to_call(partial(plain, payload=1), TOOL)


def test_partials_that_bind_otherwise_are_told_apart() -> None:
    def handler(db: Any = None, payload: Any = None, limit: Any = None) -> Any:
        return db, payload, limit

    target = registry()
    assert target.call("now", {}, partial(handler, "db")).result == ["db", {}, None]
    assert target.call("now", {}, partial(handler, "db", "p")).result == ["db", "p", {}]
    assert target.call("now", {}, partial(handler, limit=5)).result == [{}, None, 5]
    assert target.call("now", {}, partial(handler, 1, 2, 3)).result == [1, 2, 3]
    assert target.call("now", {}, handler).result == [{}, None, None]


def test_an_annotation_that_names_a_class_later_is_looked_at_again() -> None:
    space: JsonObject = {}
    exec("def handler(payload: Later): return type(payload).__name__", space | {}, space)
    handler = space["handler"]
    handler.__annotations__["payload"] = "Later"
    assert how_to_call(handler, TOOL) == (False, "plain")
    handler.__globals__["Later"] = MODEL
    assert how_to_call(handler, TOOL) == (False, "model")


@for_each([MODEL, MODEL | None, "models." + MODEL.__name__])
def test_what_a_model_is_for_depends_on_the_tool(annotation: Any) -> None:
    handler = of(annotation)
    for _ in range(2):
        assert how_to_call(handler, TOOL) == (False, "model")
        if isinstance(annotation, str):
            assert how_to_call(handler, OTHER) == (False, "plain")
        else:
            with pytest.raises(TypeError):
                how_to_call(handler, OTHER)


def test_a_function_that_was_changed_is_looked_at_again() -> None:
    """As a notebook's reloading of code does it."""
    handler = of(dict[str, Any])
    assert how_to_call(handler, TOOL) == (False, "plain")
    handler.__code__ = nothing.__code__
    assert how_to_call(handler, TOOL) == (False, "nothing")
    handler.__code__ = coroutine.__code__
    assert how_to_call(handler, TOOL) == (True, "plain")


def test_decorated_functions_take_what_they_wrap_takes() -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*arguments: Any, **named: Any) -> Any:
            return function(*arguments, **named)

        return wrapper

    for _ in range(2):
        assert how_to_call(logged(of(MODEL)), TOOL) == (False, "model")
        assert how_to_call(logged(of(dict)), TOOL) == (False, "plain")
        assert how_to_call(logged(nothing), TOOL) == (False, "nothing")


def test_signatures_that_objects_have_of_their_own_count() -> None:
    class Signed:
        def __call__(self, *arguments: Any) -> Any:
            return len(arguments)

    signed: Any = Signed()
    assert how_to_call(signed, TOOL) == (False, "plain")
    signed.__signature__ = inspect.signature(nothing)
    assert how_to_call(signed, TOOL) == (False, "nothing")
    marked: Any = partial(plain)
    marked.__signature__ = inspect.signature(nothing)
    assert how_to_call(marked, TOOL) == (False, "nothing")


def test_nothing_is_kept_of_handlers_that_are_gone() -> None:
    """Not even where an annotation holds the function, as that of a method may."""
    holder: Any = type("Holder", (dict,), {})
    method = holder.method = of(holder)
    closed = of(dict[str, Any])
    how_to_call(closed, TOOL)
    with pytest.raises(TypeError):
        how_to_call(method, TOOL)
    own = of(MODEL)
    how_to_call(own, TOOL)
    gone = [weakref.ref(one) for one in (holder, method, closed, own)]
    before = len(handler_facts._known[TOOL])
    del holder, method, closed, own
    gc.collect()
    assert [one() for one in gone] == [None] * 4
    assert len(handler_facts._known[TOOL]) < before


# -- what a valid call costs -------------------------------------------------------------------------------------


def takes_int(title: int) -> None: ...
def takes_field(title: Any) -> None: ...
def takes_field_unsaid(title): ...  # type: ignore[no-untyped-def]
def takes_a_field_more(payload, title=""): ...  # type: ignore[no-untyped-def]


@for_each(
    [
        (takes_int, "takes int"),
        (takes_field_unsaid, "'title'"),
        (takes_a_field_more, "'title'"),
        (partial(takes_field_unsaid), "'title'"),
        (lambda title, project_id: 1, "one argument"),
        (int.__add__, "one argument"),
        (takes_field, ""),
    ]
)
def test_a_function_of_fields_is_a_mistake_that_names_spread(handler: Any, named: str) -> None:
    if not named:
        assert how_to_call(handler, TOOL) == (False, "plain")  # annotated, so somebody has thought of it
        return
    with pytest.raises(TypeError, match=f"{named}.*spread"):
        how_to_call(handler, TOOL)
    with pytest.raises(TypeError, match="spread"):  # also if the first call is wrong
        registry().call("create_ticket", {}, handler)


def test_the_payload_is_nobody_elses_object() -> None:
    target = registry()
    given = {"title": "a", "project_id": 1, "labels": ["x"]}

    def greedy(payload: JsonObject) -> int:
        payload.pop("title")
        payload["labels"].append("y")
        return 1

    conversation = target.conversation()
    for output in (
        target.check("create_ticket", given),
        target.call("create_ticket", given, greedy),
        conversation.call("create_ticket", {**given, "title": 5}, greedy),
    ):
        assert output.payload["labels"] == given["labels"] == ["x"]
        assert output.payload["labels"] is not given["labels"]
        assert len(output.payload) == len(given) == 3
