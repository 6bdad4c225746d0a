"""What a handler takes, found once a function.

A handler takes one argument, as its annotation says: the payload model, or the plain JSON value (annotated
as a dict, `Mapping`, `TypedDict`, `Any`, ... or not at all). One without parameters is called without. What
else it needs, it gets by `functools.partial` or a closure; `spread` makes one of a function with parameters.

A handler that cannot be called so is a mistake in the program and raises `TypeError`: also one that takes another
kind of value than the tool's payload is, and one without annotation whose parameters are called as the tool's fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType, MethodType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict
from weakref import WeakKeyDictionary

from toolgen_runtime.validation.tool import Tool

Handler = Callable[..., Any]
View = Literal["nothing", "plain", "model"]
"""What a handler is given: no argument, the JSON value, or the payload model."""

_SPREAD = "For a function whose parameters are the payload's keys: toolgen_runtime.spread(function)"
_PLAIN = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": NoneType,
}
"""The Python type of each kind of JSON."""
_COMPOSED = (Annotated, Union, UnionType)


_Facts = tuple[CodeType, int, bool, View]
"""What is known of a handler: the code and the number of defaults that its function had then, and `facts_of` it."""
_known: WeakKeyDictionary[Tool[Any], WeakKeyDictionary[FunctionType, dict[Hashable, _Facts]]] = (
    WeakKeyDictionary()
)
"""The facts of functions, by the tool that is called, the function and how it is bound."""


def facts_of(handler: Handler, tool: Tool[Any]) -> tuple[bool, View]:
    """Return whether calling the handler gives a coroutine, as far as that is known, and what it is given.

    Methods, partials and callable objects, which may be new ones at each call, are known by their function. A
    function is looked at again where its annotation could not be evaluated, or its code has changed.

    Raises:
        TypeError: the handler takes something else than one argument, or another tool's model.
    """
    function, slot = (handler, None) if type(handler) is FunctionType else _function_of(handler)
    if function is None:
        return _found(handler, tool)[:2]
    known = _known.get(tool)
    if known is None:
        known = _known.setdefault(tool, WeakKeyDictionary())
    by_slot = known.get(function)
    if by_slot is not None and (facts := by_slot.get(slot)) is not None:
        code, defaults, asynchronous, view = facts
        if code is function.__code__ and defaults == len(function.__defaults__ or ()):
            return asynchronous, view
    asynchronous, view, is_certain = _found(handler, tool)
    if is_certain:
        facts = function.__code__, len(function.__defaults__ or ()), asynchronous, view
        known.setdefault(function, {})[slot] = facts
    return asynchronous, view


def _found(handler: Handler, tool: Tool[Any]) -> tuple[bool, View, bool]:
    """Return the facts, and whether they hold: an annotation that is a text may mean another thing later."""
    parameter = _parameter(handler, tool)
    view = _view_of(handler, parameter, tool)
    annotation = None if parameter is None else parameter.annotation
    return is_async(handler), view, not (isinstance(annotation, str) or "ForwardRef(" in repr(annotation))


def copied(payload: Any) -> Any:
    """Return a JSON value that shares no container with the original; of any depth.

    The original often is part of the message history, where a handler's `pop` must not show. A container that is
    there several times, or within itself, is so in the copy.
    """
    holder: list[Any] = [payload]
    todo: list[Any] = [holder]
    copies: dict[int, Any] = {}
    while todo:
        container = todo.pop()
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(value, (dict, list)):
                fresh = copies.get(id(value))
                if fresh is None:
                    copies[id(value)] = fresh = value.copy()
                    todo.append(fresh)
                container[key] = fresh
    return holder[0]


def is_async(handler: Handler) -> bool:
    """Return whether calling the handler gives a coroutine, as far as that is known without calling it."""
    call = type(handler).__call__  # of an object that is callable by its class
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)


def _function_of(handler: Any) -> tuple[FunctionType | None, Hashable]:
    """Return the function that a handler comes to, and how it is bound; None where its facts are not kept."""
    kind = type(handler)
    if kind is FunctionType:
        return handler, None
    bound: Hashable
    if kind is MethodType:
        function, bound = handler.__func__, "method"
    elif kind is partial and not vars(handler):
        function, inner = _function_of(handler.func)
        bound = (len(handler.args), inner, frozenset(handler.keywords))
    elif hasattr(handler, "__signature__") or hasattr(handler, "__wrapped__") or isinstance(handler, type):
        return None, None
    else:
        function, bound = getattr(kind, "__call__", None), "object"  # noqa: B004  # of the class
    return (function, bound) if type(function) is FunctionType else (None, None)


def _parameter(handler: Handler, tool: Tool[Any]) -> inspect.Parameter | None:
    what: object = repr(handler)
    if callable(handler):
        try:
            what = signature = _signature(handler)
        except ValueError:  # a builtin that does not tell
            return inspect.Parameter("payload", inspect.Parameter.POSITIONAL_ONLY)
        if not signature.parameters:
            return None
        with suppress(TypeError):
            return next(iter(signature.bind(None).signature.parameters.values()))
    raise TypeError(
        f"the handler of {tool.name!r} must be callable with one argument, the payload, but is {what}"
        + (f". {_SPREAD}" if callable(handler) else "")
    )


def _signature(handler: Handler) -> inspect.Signature:
    try:
        return inspect.signature(handler, eval_str=True)
    except Exception:  # annotations may be any code, and name what only type checkers import
        return inspect.signature(handler)


def _view_of(handler: Handler, parameter: inspect.Parameter | None, tool: Tool[Any]) -> View:
    if parameter is None:
        return "nothing"
    view = _view(parameter.annotation, tool)
    if view is None:
        wanted, given = inspect.formatannotation(parameter.annotation), "the payload's model"
        with suppress(ImportError):  # models need an extra, and dicts do not
            given = tool.payload_type.__name__
        raise TypeError(
            f"the handler of {tool.name!r} takes {wanted}; its parameter can be {given} or a dict. {_SPREAD}"
        )
    if parameter.annotation is inspect.Parameter.empty:
        _refuse_fields(handler, tool)
    return view


def _refuse_fields(handler: Handler, tool: Tool[Any]) -> None:
    """Refuse a function whose parameters are called as fields are: it hardly takes the whole payload."""
    if isinstance(handler, partial) and handler.args:  # what is called has the name of the tool, say
        return
    schema = tool.schema
    fields = schema.get("properties") if isinstance(schema, dict) else None
    with suppress(ValueError):
        shared = [name for name in _signature(handler).parameters if name in (fields or ())]
        if shared:
            raise TypeError(
                f"the handler of {tool.name!r} is given the whole payload, and its parameter {shared[0]!r} is called "
                f"as a field. {_SPREAD}; or annotate the parameter as a dict"
            )


def _view(annotation: Any, tool: Tool[Any]) -> Literal["model", "plain"] | None:
    """Return what an annotation asks for, None if it is neither."""
    if annotation is inspect.Parameter.empty or _is_plain_for_all(annotation):
        return "plain"
    if isinstance(annotation, str):
        name = annotation.rpartition(".")[2]
        # A tool whose models cannot be made, without the extra that makes them, has no class to compare with.
        return "model" if "Payload" in name and name == tool.payload_type.__name__ else "plain"
    origin = get_origin(annotation)
    if origin is Annotated:
        return _view(get_args(annotation)[0], tool)
    if origin in _COMPOSED:
        views = {_view(member, tool) for member in get_args(annotation) if member is not NoneType}
        return "model" if "model" in views else "plain" if "plain" in views else None
    kind = origin or annotation
    if any(_is_super(kind, plain) for plain in _kinds_of(tool)):
        return "plain"
    return "model" if kind not in _PLAIN.values() and issubclass(tool.payload_type, kind) else None


def _kinds_of(tool: Tool[Any]) -> list[type]:
    """Return the Python types of the payloads that a tool may have."""
    schema = tool.schema
    types = schema.get("type", list(_PLAIN)) if isinstance(schema, dict) else list(_PLAIN)
    return [_PLAIN[name] for name in ([types] if isinstance(types, str) else types) if name in _PLAIN]


def _is_plain_for_all(annotation: Any) -> bool:
    """Return whether an annotation asks for the JSON value, whatever the tool is."""
    if annotation is Any:
        return True
    origin = get_origin(annotation)
    if isinstance(annotation, str) or annotation is inspect.Parameter.empty or origin in _COMPOSED:
        return False
    kind = origin or annotation
    return not isinstance(kind, type) or is_typeddict(kind) or _is_super(kind, dict)


def _is_super(kind: type, plain: type) -> bool:
    try:
        return issubclass(plain, kind)
    except TypeError:  # a protocol that cannot be asked
        return True
