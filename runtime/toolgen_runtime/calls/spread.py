"""Turn a function whose parameters are the keys of the payload into a handler."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from toolgen_runtime.calls.handler_facts import is_async
from toolgen_runtime.validation.issues import MISSING, InvalidPayload, ValidationIssue

R = TypeVar("R")

_NOT_A_NAME = re.compile(r"\W")


def spread(function: Callable[..., R]) -> Callable[[dict[str, Any]], R]:
    """Return a handler that calls `function` with the keys of the payload as keyword arguments.

        registry.call("pay", arguments, spread(pay))       # def pay(amount, currency="EUR")

    `function` may be a function, bound method, partial or callable object, sync or async. A payload cannot change a
    value that a partial has set. If a key cannot be the name of a parameter, it is passed under a similar name: `from`
    as `from_`, `repo-path` as `repo_path`. A key that matches no parameter is an `unknownKey` issue, and a parameter
    without a value is a `required` issue. The function is then not called, and the model gets a hint.

    Raises:
        TypeError: `function` cannot be called, has no signature, or has a positional-only parameter.
    """
    parameters = _Parameters(function)

    def call(payload: dict[str, Any], /) -> R:
        return function(**parameters.arguments(payload))

    async def acall(payload: dict[str, Any], /) -> Any:
        return await function(**parameters.arguments(payload))  # type: ignore[misc]  # `function` is async

    handler: Any = acall if is_async(function) else call
    name = getattr(function, "__name__", type(function).__name__)
    # No `__wrapped__`: the handler's signature differs from the function's.
    handler.__name__ = handler.__qualname__ = name
    handler.__doc__ = function.__doc__
    result: Callable[[dict[str, Any]], R] = handler
    return result


class _Parameters:
    """The parameters of a function: all names, the required ones, the bound ones, and whether it takes any others."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"spread takes a function, not a {type(function).__name__}")
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:
            raise TypeError(f"spread: {function!r} has unknown parameters (no signature)") from None
        self.bound = _bound_names(function)
        free = [parameter for parameter in parameters if parameter.name not in self.bound]
        if nameless := [p.name for p in free if p.kind is p.POSITIONAL_ONLY]:
            raise TypeError(f"spread: {function!r} takes {nameless[0]!r} by position only, not by name")
        named = [p for p in free if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        self.names = frozenset(p.name for p in named)
        self.required = [p.name for p in named if p.default is p.empty]
        self.rest = any(p.kind is p.VAR_KEYWORD for p in free)

    def arguments(self, payload: Any) -> dict[str, Any]:
        """Return the arguments with which to call the function for a payload.

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
        return given

    def _parameter(self, key: str, payload: Mapping[str, Any]) -> str | None:
        """Return the parameter that receives a key; None if there is none."""
        if key in self.names:
            return key
        if not key.isidentifier() or keyword.iskeyword(key):
            near = _NOT_A_NAME.sub("_", key)
            if keyword.iskeyword(near):
                near = f"{near}_"
            if near in self.names and near not in payload:
                return near
        return key if self.rest and key not in self.bound else None


def _bound_names(function: Any) -> frozenset[str]:
    """Return the parameters that already have a value: those set by partials, and the first parameter of a method."""
    names: set[str] = set()
    while isinstance(function, partial):
        by_position = [*inspect.signature(function.func).parameters][: len(function.args)]
        names.update(function.keywords, by_position)
        function = function.func
    if isinstance(function, type):
        own: Any = function.__init__  # type: ignore[misc]  # exactly this class is called
    else:
        own = getattr(function if inspect.isroutine(function) else function.__call__, "__func__", None)
    if own is not None:
        first = next(iter(inspect.signature(own).parameters.values()), None)
        if first is not None and first.kind is first.POSITIONAL_OR_KEYWORD:
            names.add(first.name)
    return frozenset(names)
