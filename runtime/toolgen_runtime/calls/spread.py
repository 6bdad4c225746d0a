"""`spread`: a handler from an ordinary function, whose parameters are the keys of the payload."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from toolgen_runtime.calls.handler_facts import is_async
from toolgen_runtime.validation.issues import MISSING, InvalidPayload, ValidationIssue

R = TypeVar("R")

_NOT_A_NAME = re.compile(r"\W")


def spread(function: Callable[..., R]) -> Callable[[dict[str, Any]], R]:
    """Return a handler that calls `function` with each key of the payload as the argument of that name.

        registry.call("pay", arguments, spread(pay))       # def pay(amount, currency="EUR")

    It takes functions, bound methods, partials and callable objects, sync and async. A payload cannot change
    a value that a partial has set. A key that cannot be a parameter's name is passed under a similar name: `from` as
    `from_`, `repo-path` as `repo_path`. A key without a parameter, and a parameter without a value, are issues
    (`unknownKey`, `required`): the function is not called, and the model gets a hint.

    Raises:
        TypeError: `function` cannot be called, or its parameters are unknown.
    """
    parameters = _parameters_of(function)

    def call(payload: dict[str, Any], /) -> R:
        positional, named = parameters.arguments(payload)
        return function(*positional, **named)

    async def acall(payload: dict[str, Any], /) -> Any:
        positional, named = parameters.arguments(payload)
        return await function(*positional, **named)  # type: ignore[misc]  # it is async

    handler: Any = acall if is_async(function) else call
    name = getattr(function, "__name__", type(function).__name__)
    # No `__wrapped__`: the signature of the handler is its own.
    handler.__name__ = handler.__qualname__ = name
    handler.__doc__ = function.__doc__
    result: Callable[[dict[str, Any]], R] = handler
    return result


@dataclass(frozen=True, slots=True)
class _Parameters:
    """What a function takes: `ordered` by position alone, `named` by name, in `rest` whatever else comes."""

    ordered: tuple[inspect.Parameter, ...]
    named: frozenset[str]
    required: tuple[str, ...]
    rest: bool
    bound: frozenset[str] = field(default=frozenset())
    """Names that a key cannot reach: bound already."""

    def arguments(self, payload: Any) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments for a payload.

        Raises:
            TypeError: the payload is not an object.
            InvalidPayload: the function does not take these keys.
        """
        if not isinstance(payload, Mapping):
            raise TypeError(f"spread needs a payload that is an object, not a {type(payload).__name__}")
        given: dict[str, Any] = {}
        issues = []
        for key, value in payload.items():
            name = self._parameter(key, payload)
            if name is None or name in given:
                issues.append(ValidationIssue((key,), "unknownKey", False, value))
            else:
                given[name] = value
        issues += [
            ValidationIssue((name,), "required", name, MISSING) for name in self.required if name not in given
        ]
        if issues:
            raise InvalidPayload("", issues)
        return self._positional(given), given

    @property
    def _names(self) -> set[str]:
        return {*self.named, *(parameter.name for parameter in self.ordered)}

    def _parameter(self, key: str, payload: Mapping[str, Any]) -> str | None:
        """Return the parameter that a key goes to; None where there is none."""
        if key in self._names:
            return key
        if not key.isidentifier() or keyword.iskeyword(key):
            near = _NOT_A_NAME.sub("_", key)
            near = f"{near}_" if keyword.iskeyword(near) else near
            if near in self._names and near not in payload:
                return near
        return key if self.rest and key not in self.bound else None

    def _positional(self, given: dict[str, Any]) -> list[Any]:
        """Take the arguments by position out of `given`, up to the last that is there."""
        last = max((i for i, p in enumerate(self.ordered) if p.name in given), default=-1)
        return [given.pop(p.name, p.default) for p in self.ordered[: last + 1]]


def _parameters_of(function: Callable[..., Any]) -> _Parameters:
    if not callable(function):
        raise TypeError(f"spread takes a function, not a {type(function).__name__}")
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        raise TypeError(f"spread: {function!r} has unknown parameters (no signature)") from None
    bound = _bound_names(function)
    free = [parameter for parameter in parameters if parameter.name not in bound]
    named = [p for p in free if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    ordered = [p for p in free if p.kind is p.POSITIONAL_ONLY]
    return _Parameters(
        ordered=tuple(ordered),
        named=frozenset(p.name for p in named),
        required=tuple(p.name for p in (*ordered, *named) if p.default is p.empty),
        rest=any(p.kind is p.VAR_KEYWORD for p in free),
        bound=bound,
    )


def _bound_names(function: Any) -> frozenset[str]:
    """Return the names that are bound before a payload comes: by partials, and a method's own object."""
    names: set[str] = set()
    while isinstance(function, partial):
        names |= function.keywords.keys()
        if function.args:
            names |= {p.name for p in _by_position(function.func)[: len(function.args)]}
        function = function.func
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = getattr(function, "__call__", function)  # noqa: B004  # the method of a callable object
    own = getattr(function, "__init__" if isinstance(function, type) else "__func__", None)
    if own is not None:
        names |= {p.name for p in _by_position(own)[:1] if p.kind is p.POSITIONAL_OR_KEYWORD}
    return frozenset(names)


def _by_position(function: Any) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD or p.kind is p.POSITIONAL_ONLY]
