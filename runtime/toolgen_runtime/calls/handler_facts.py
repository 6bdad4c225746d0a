"""Find out whether a handler is async and what argument it takes. Each function is inspected only once.

A handler takes one argument. Its annotation selects either the payload model or the plain JSON value (for a dict,
`Mapping`, `TypedDict` or `Any`, or without an annotation). A handler without parameters is called without arguments.
Use `functools.partial` or a closure to pass other values, and `spread` for a function with several parameters.

A handler that does not fit its tool is a bug in the program and raises `TypeError`. This happens if its annotation
cannot accept the payload, or if a parameter without an annotation has the name of one of the tool's fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import partial
from types import FunctionType, MethodType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict
from weakref import WeakKeyDictionary

from toolgen_runtime.validation.tool import Tool

Handler = Callable[..., Any]
Handlers = Mapping[str, Handler] | Callable[[str, Any], Any]
"""A handler for each tool name, or one callable that takes the tool's name and the payload (`session.call_tool`)."""
View = Literal["nothing", "plain", "model"]
"""What a handler receives: nothing, the JSON value, or the payload model."""

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
"""The Python type for each JSON type."""
_COMPOSED = (Annotated, Union, UnionType)

_Known = WeakKeyDictionary[FunctionType, dict[Hashable, tuple[bool, View]]]
_known: WeakKeyDictionary[Tool[Any], _Known] = WeakKeyDictionary()
"""The stored facts, by tool, function and the way the function is bound."""


def handler_of(handlers: Handlers, name: str, tool: Tool[Any]) -> Handler:
    """Find the handler for a tool, and check that it can take the tool's payload.

    Raises:
        KeyError: the tool has no handler.
        TypeError: the handler cannot take the tool's payload.
    """
    if not isinstance(handlers, Mapping):
        return partial(handlers, name)
    if name not in handlers:
        raise KeyError(f"no handler for the tool {name!r}; no call has run")
    how_to_call(handlers[name], tool)
    return handlers[name]


def how_to_call(handler: Handler, tool: Tool[Any]) -> tuple[bool, View]:
    """Return whether the handler seems to be async, and which argument it takes.

    Methods and partials may be new objects at each call, so their facts are stored under the function inside. The facts
    are determined again if an annotation could not be evaluated or the function's code has changed.

    Raises:
        TypeError: the handler cannot be called with one argument, or it takes another tool's model.
    """
    function, binding = (handler, None) if type(handler) is FunctionType else _function_of(handler)
    if type(function) is not FunctionType:
        return _found(handler, tool)[:2]
    binding = binding, id(function.__code__)
    known = _known.get(tool)
    if known is None:
        known = _known.setdefault(tool, WeakKeyDictionary())
    by_binding = known.get(function)
    if by_binding is not None and (facts := by_binding.get(binding)) is not None:
        return facts
    asynchronous, view, is_certain = _found(handler, tool)
    if is_certain:
        known.setdefault(function, {})[binding] = asynchronous, view
    return asynchronous, view


def _function_of(handler: Any) -> tuple[Any, Hashable]:
    """Return the function inside a method or partial, and how it is bound. Return any other handler unchanged."""
    if type(handler) is MethodType:
        return handler.__func__, "method"
    if type(handler) is partial and not vars(handler):
        function, inner = _function_of(handler.func)
        return function, (len(handler.args), inner, frozenset(handler.keywords))
    return handler, None


def _found(handler: Handler, tool: Tool[Any]) -> tuple[bool, View, bool]:
    """Return the facts and whether they may be stored, because a string annotation may change its meaning later."""
    asynchronous, parameter = is_async(handler), _parameter(handler, tool)
    if parameter is None:
        return asynchronous, "nothing", True
    annotation = parameter.annotation
    view = _view(annotation, tool)
    if view is None:
        wanted, given = inspect.formatannotation(annotation), "the payload's model"
        with suppress(ImportError):  # models need an extra, and dicts do not
            given = tool.payload_type.__name__
        raise TypeError(
            f"the handler of {tool.name!r} takes {wanted}; its parameter can be {given} or a dict. {_SPREAD}"
        )
    if annotation is inspect.Parameter.empty:
        _refuse_fields(handler, tool)
    return asynchronous, view, not (isinstance(annotation, str) or "ForwardRef(" in repr(annotation))


def is_async(handler: Handler) -> bool:
    """Return whether calling the handler seems to return a coroutine. The handler is not called to find out."""
    call = type(handler).__call__  # for a callable object
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)


def _parameter(handler: Handler, tool: Tool[Any]) -> inspect.Parameter | None:
    what: object = repr(handler)
    if callable(handler):
        try:
            what = signature = _signature(handler)
        except ValueError:  # a builtin without a signature
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
    except Exception:  # annotations may be any code, and may use names that only type checkers import
        return inspect.signature(handler)


def _refuse_fields(handler: Handler, tool: Tool[Any]) -> None:
    """Raise an error if a parameter has the name of a field. Such a function hardly expects the whole payload."""
    if isinstance(handler, partial) and handler.args:  # for example, a dispatcher with the tool's name bound
        return
    schema = tool.schema
    if isinstance(schema, dict):
        fields = schema.get("properties")
    else:
        fields = None
    with suppress(ValueError):
        shared = [name for name in _signature(handler).parameters if name in (fields or ())]
        if shared:
            raise TypeError(
                f"the handler of {tool.name!r} is given the whole payload, and its parameter {shared[0]!r} is called "
                f"as a field. {_SPREAD}; or annotate the parameter as a dict"
            )


def _view(annotation: Any, tool: Tool[Any]) -> View | None:
    """Return the kind of argument that an annotation selects; None if the annotation cannot accept the payload."""
    if isinstance(annotation, str):
        name = annotation.rpartition(".")[2]
        # The name is checked first because `payload_type` fails without the extra that makes models.
        return "model" if "Payload" in name and name == tool.payload_type.__name__ else "plain"
    kind = get_origin(annotation) or annotation
    if kind in _COMPOSED:
        if kind is Annotated:
            members = get_args(annotation)[:1]
        else:
            members = get_args(annotation)
        views = {_view(member, tool) for member in members if member is not NoneType}
        return next((view for view in ("model", "plain") if view in views), None)
    if kind in (Any, inspect.Parameter.empty) or not isinstance(kind, type) or is_typeddict(kind):
        return "plain"
    if hasattr(kind, "model_fields"):
        return "model" if issubclass(tool.payload_type, kind) else None
    schema = tool.schema
    if isinstance(schema, dict):
        types = schema.get("type", list(_PLAIN))
    else:
        types = list(_PLAIN)
    try:
        kinds = [_PLAIN.get(name, dict) for name in ([types] if isinstance(types, str) else types)]
        fits = any(issubclass(plain, kind) for plain in kinds)
    except TypeError:  # a protocol that does not support `issubclass`
        return "plain"
    return "plain" if fits else None
