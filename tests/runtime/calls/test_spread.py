"""`spread`: ordinary functions as handlers, whatever the keys of a payload are called."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from helpers.support import JsonObject, for_each

from toolgen_runtime import Conversation, InvalidPayload, spread

OPEN = {"type": "object"}
TOOL = {"name": "t", "inputSchema": {**OPEN, "properties": {"amount": {}, "currency": {}}}}


def pay(amount: Any, currency: str = "EUR") -> list[Any]:
    """Pay."""
    return [amount, currency]


async def apay(amount: Any, currency: str = "EUR") -> list[Any]:
    return [amount, currency]


def by_name(*, amount: Any, currency: str = "EUR") -> list[Any]:
    return [amount, currency]


def with_rest(amount: Any = None, **rest: Any) -> list[Any]:
    return [amount, rest]


def odd(self: Any = 1, ctx: Any = 2, payload: Any = 3, from_: Any = 4, repo_path: Any = 5) -> list[Any]:
    return [self, ctx, payload, from_, repo_path]


class Service:
    def pay(self, amount: Any, currency: str = "EUR") -> list[Any]:
        return [amount, currency]

    async def apay(self, amount: Any, currency: str = "EUR") -> list[Any]:
        return [amount, currency]

    @classmethod
    def of_class(cls, amount: Any) -> list[Any]:
        return [amount, cls.__name__]

    @staticmethod
    def static(amount: Any) -> list[Any]:
        return [amount]

    def rest(self, **rest: Any) -> JsonObject:
        return rest

    def any_rest(self, /, **rest: Any) -> JsonObject:
        return rest

    def __call__(self, amount: Any) -> list[Any]:
        return [amount]


class AsyncService:
    async def __call__(self, amount: Any) -> list[Any]:
        return [amount]


SERVICE = Service()
CASES: dict[str, tuple[Callable[..., Any], JsonObject, Any]] = {
    "a function": (pay, {"amount": 5}, [5, "EUR"]),
    "all its parameters": (pay, {"currency": "USD", "amount": 5}, [5, "USD"]),
    "async": (apay, {"amount": 5}, [5, "EUR"]),
    "a method": (SERVICE.pay, {"amount": 5}, [5, "EUR"]),
    "an async method": (SERVICE.apay, {"amount": 5}, [5, "EUR"]),
    "a class method": (SERVICE.of_class, {"amount": 5}, [5, "Service"]),
    "a static method": (SERVICE.static, {"amount": 5}, [5]),
    "a callable object": (SERVICE, {"amount": 5}, [5]),
    "an async callable object": (AsyncService(), {"amount": 5}, [5]),
    "a partial": (partial(pay, currency="CHF"), {"amount": 5}, [5, "CHF"]),
    "a partial by position": (partial(pay, 7), {"currency": "CHF"}, [7, "CHF"]),
    "a partial of a method": (partial(SERVICE.pay, currency="CHF"), {"amount": 5}, [5, "CHF"]),
    "a lambda": (lambda amount: amount, {"amount": 5}, 5),
    "no parameters": (lambda: 1, {}, 1),
    "keyword only": (by_name, {"amount": 5}, [5, "EUR"]),
    "the rest": (with_rest, {"a-b": 1, "self": 2, "from": 3}, [None, {"a-b": 1, "self": 2, "from": 3}]),
    "odd names": (
        odd,
        {"self": "s", "ctx": "c", "payload": "p", "from": "f", "repo-path": "r"},
        ["s", "c", "p", "f", "r"],
    ),
    "the rest of a method": (SERVICE.rest, {"ctx": 1, "function": 2}, {"ctx": 1, "function": 2}),
    "self, where a method can take it": (SERVICE.any_rest, {"self": 1}, {"self": 1}),
    "null is a value": (pay, {"amount": None, "currency": None}, [None, None]),
}


@for_each(CASES)
def test_each_key_is_the_argument_of_that_name(
    function: Callable[..., Any], payload: JsonObject, result: Any
) -> None:
    tool = {"name": "t", "inputSchema": {**OPEN, "properties": {key: {} for key in payload}}}
    before = dict(payload)
    for _ in range(2):
        output = asyncio.run(Conversation([tool]).acall("t", payload, spread(function)))
        assert (output.error, output.result) == (None, result)
    assert Conversation([tool]).call("t", payload, spread(function)).result == result
    assert payload == before


WRONG: dict[str, tuple[Callable[..., Any], JsonObject, list[tuple[str, str]]]] = {
    "a slip": (pay, {"amount": 5, "Currency": "USD"}, [("Currency", "unknownKey")]),
    "a parameter without a default": (pay, {"currency": "USD"}, [("amount", "required")]),
    "what a partial has bound": (
        partial(pay, currency="CHF"),
        {"amount": 5, "currency": "USD"},
        [("currency", "unknownKey")],
    ),
    "what a partial has bound, beside the rest": (
        partial(with_rest, amount=1),
        {"amount": 5},
        [("amount", "unknownKey")],
    ),
    "what a partial has bound by position": (
        partial(pay, 7),
        {"amount": 5},
        [("amount", "unknownKey")],
    ),
    "the object of a method": (SERVICE.rest, {"self": 1}, [("self", "unknownKey")]),
    "two spellings of one parameter": (
        odd,
        {"repo-path": 1, "repo_path": 2},
        [("repo-path", "unknownKey")],
    ),
    "two keys of one parameter": (odd, {"repo-path": 1, "repo/path": 2}, [('["repo/path"]', "unknownKey")]),
}


@for_each(WRONG)
def test_what_a_function_cannot_take_is_an_issue_and_it_is_not_called(
    function: Callable[..., Any], payload: JsonObject, issues: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidPayload) as failure:
        spread(function)(payload)
    assert [(issue.field, issue.constraint) for issue in failure.value.issues()] == issues
    output = Conversation([{"name": "t", "inputSchema": OPEN}]).call("t", payload, spread(function))
    assert (output.kind, output.executed) == ("invalid_parameters", False)
    assert [(f.field, f.constraint) for f in output.retry_hint.fields] == issues


def test_the_hint_has_the_near_name() -> None:
    output = Conversation([TOOL]).call("t", {"amount": 5, "curency": "USD"}, spread(pay))
    assert output.retry_hint.fields[0].did_you_mean == "currency"


@for_each(["call", "acall"])
def test_what_the_function_raises_is_its_own(way: str) -> None:
    def broken(amount: int) -> int:
        return amount + "1"  # type: ignore[operator, no-any-return]

    target = Conversation([TOOL])
    if way == "call":
        output = target.call("t", {"amount": 1}, spread(broken))
    else:
        output = asyncio.run(target.acall("t", {"amount": 1}, spread(broken)))
    assert (output.kind, output.executed) == ("internal_error", True)


def test_a_handler_looks_like_its_function() -> None:
    handler = spread(pay)
    assert (handler.__name__, handler.__doc__) == ("pay", "Pay.")
    assert list(inspect.signature(handler).parameters) == ["payload"]
    assert inspect.iscoroutinefunction(spread(apay))
    assert inspect.iscoroutinefunction(spread(AsyncService()))
    assert not inspect.iscoroutinefunction(handler)


@for_each([None, 5, "pay", {"amount": 1}])
def test_what_is_not_a_function_is_said_at_once(thing: Any) -> None:
    with pytest.raises(TypeError, match="spread takes a function, not a"):
        spread(thing)


def test_a_parameter_that_has_no_name_for_callers_is_said_at_once() -> None:
    with pytest.raises(TypeError, match="'amount' by position only"):
        spread(lambda amount, /: amount)


def test_a_payload_that_is_not_an_object_has_no_keys() -> None:
    with pytest.raises(TypeError, match="a payload that is an object, not a list"):
        spread(pay)([1])  # type: ignore[arg-type]
