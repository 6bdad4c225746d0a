"""Collect the details of another library's error: its codes, HTTP status, class names and text.

Nothing is classified here.

The facts come from the attributes that SDKs give their exceptions, so no SDK is imported.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MAX_MESSAGE_READ = 4_000
"""The number of characters of a message to read, because some errors quote whole responses."""

_MAX_LINKS = 8
_CODE_KEYS = ("error_code", "code", "Code", "reason", "type", "status")
_STATUS_KEYS = ("status_code", "HTTPStatusCode", "status", "code")
_NOT_NAMES = {"object", "BaseException", "Exception", "OSError", "RuntimeError", "ValueError"}

ForeignError = BaseException | Mapping[str, object] | str
"""An exception, a JSON-RPC error object (or its envelope), or an error text."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The text of one error and the details that could be read from it.

    `codes` are strings as found, the most specific first. `rpc_code` is a JSON-RPC error code. `names` are the names of
    the exception's class and its base classes, the nearest first.
    """

    codes: tuple[str, ...] = ()
    rpc_code: int | None = None
    status: int | None = None
    names: tuple[str, ...] = ()
    text: str = ""


def facts_of(error: ForeignError) -> list[Facts]:
    """Return the details of an error and of its causes, the outermost first. An exception group adds its exceptions."""
    if isinstance(error, str):
        return [Facts(text=error[:MAX_MESSAGE_READ])]
    return list(map(_facts, _links(error) if isinstance(error, BaseException) else [error]))


def _links(error: BaseException) -> Iterator[BaseException]:
    todo = [error]
    seen: set[int] = set()
    while todo and len(seen) < _MAX_LINKS:
        link = todo.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        if isinstance(link, BaseExceptionGroup):
            todo += link.exceptions
        if link.__cause__ is not None:
            todo.append(link.__cause__)


def _facts(error: BaseException | Mapping[str, object]) -> Facts:
    # The fields that the SDK has parsed come before the raw response.
    response = _get(error, "response")
    told = (error, _get(error, "body"), _get(error, "details"), response)
    holders = [each for holder in told for each in (holder, *_nested(holder))]
    numbers = [error, _get(error, "error"), response, _get(response, "ResponseMetadata")]
    found = (_get(holder, key) for holder in holders if holder is not None for key in _CODE_KEYS)
    codes = [value for value in found if isinstance(value, str) and value]
    if type(error) is OSError and error.errno is not None:
        codes.append(errno.errorcode.get(error.errno, ""))
    if isinstance(error, BaseException):
        names, text = (
            tuple(c.__name__ for c in type(error).__mro__ if c.__name__ not in _NOT_NAMES),
            _text(error),
        )
    else:
        names, text = (), next((t for h in holders if isinstance(t := _get(h, "message"), str)), "")
    rpc_code = next((n for n in _numbers(numbers, ("code",)) if -32_899 <= n <= -32_000), None)
    status = next((n for n in _numbers(numbers, _STATUS_KEYS) if 400 <= n <= 599), None)
    return Facts(tuple(codes), rpc_code, status, names, text[:MAX_MESSAGE_READ])


def _nested(holder: object) -> list[object]:
    """Return the object under `error` (botocore: `Error`), and before it its `details`, which may say more."""
    inner = _get(holder, "error") or _get(holder, "Error")
    details = _get(inner, "details")
    if isinstance(details, list):
        return [*details, inner]
    return [details, inner]


def _get(holder: object, key: str) -> object:
    """Return a mapping's value or an object's attribute; None if it is missing or cannot be read."""
    if isinstance(holder, Mapping):
        return holder.get(key)
    try:
        return getattr(holder, key, None)
    except Exception:  # a property of a foreign class may raise any exception
        return None


def _numbers(holders: list[object], keys: tuple[str, ...]) -> Iterator[int]:
    for holder in holders:
        for key in keys if holder is not None else ():
            value = _get(holder, key)
            if isinstance(value, int) and not isinstance(value, bool):
                yield int(value)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a foreign __str__ may fail
        return ""
