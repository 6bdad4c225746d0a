"""What a foreign error says about itself: codes, HTTP status, class names, text. Reads, never decides.

No SDK is imported: every reading is by the attributes that the SDKs give their exceptions.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MAX_TEXT = 4_000
"""Characters of a message that are looked at; errors quote whole responses at times."""

_MAX_LINKS = 8
_CODE_KEYS = ("error_code", "code", "Code", "reason", "type", "status")
_STATUS_KEYS = ("status_code", "HTTPStatusCode", "status", "code")
_NOT_NAMES = {"object", "BaseException", "Exception", "OSError", "RuntimeError", "ValueError"}

ForeignError = BaseException | Mapping[str, object] | str
"""An exception, a JSON-RPC error object (or its envelope), or only a text."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The structured facts of one error, then its text.

    `codes` are strings as found, most specific first; `rpc_code` is a JSON-RPC error code; `names` are the
    names of the exception's class and its bases, nearest first.
    """

    codes: tuple[str, ...] = ()
    rpc_code: int | None = None
    status: int | None = None
    names: tuple[str, ...] = ()
    text: str = ""


def facts_of(error: ForeignError) -> list[Facts]:
    """Return the facts of an error and of all it was raised from (causes, members of a group), outermost first."""
    if isinstance(error, BaseException):
        return [_exception_facts(link) for link in _links(error)]
    if isinstance(error, str):
        return [Facts(text=error[:MAX_TEXT])]
    return [_mapping_facts(error)]


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


def _exception_facts(error: BaseException) -> Facts:
    # The order is from the SDK's own reading of the answer to the raw answer itself.
    body = _get(error, "body")
    response = _get(error, "response")
    details = _get(error, "details")
    holders = [each for holder in (error, body, details, response) for each in (holder, *_nested(holder))]
    numbers = [error, _get(error, "error"), response, _get(response, "ResponseMetadata")]
    codes = _strings(holders)
    if type(error) is OSError and error.errno is not None:
        codes.append(errno.errorcode.get(error.errno, ""))
    names = tuple(c.__name__ for c in type(error).__mro__ if c.__name__ not in _NOT_NAMES)
    return Facts(tuple(codes), _rpc_code(numbers), _status(numbers), names, _text(error))


def _mapping_facts(error: Mapping[str, object]) -> Facts:
    holders = [error, *_nested(error)]
    text = next((t for h in holders if isinstance(t := _get(h, "message"), str)), "")
    return Facts(tuple(_strings(holders)), _rpc_code(holders), _status(holders), (), text[:MAX_TEXT])


def _nested(holder: object) -> list[object]:
    """Return the object under `error` (botocore: `Error`), after the details in it, which may be more specific."""
    inner = _get(holder, "error") or _get(holder, "Error")
    details = _get(inner, "details")
    return [*details, inner] if isinstance(details, list) else [details, inner]


def _get(holder: object, key: str) -> object:
    """Return a key of a mapping, an attribute of anything else; None where there is none or reading it fails."""
    if isinstance(holder, Mapping):
        return holder.get(key)
    try:
        return getattr(holder, key, None)
    except Exception:  # a property of a foreign class may raise whatever it likes
        return None


def _strings(holders: list[object]) -> list[str]:
    found = (_get(holder, key) for holder in holders if holder is not None for key in _CODE_KEYS)
    return [value for value in found if isinstance(value, str) and value]


def _numbers(holders: list[object], keys: tuple[str, ...]) -> Iterator[int]:
    for holder in holders:
        for key in keys if holder is not None else ():
            value = _get(holder, key)
            if isinstance(value, int) and not isinstance(value, bool):
                yield int(value)


def _rpc_code(holders: list[object]) -> int | None:
    return next((n for n in _numbers(holders, ("code",)) if -32_899 <= n <= -32_000), None)


def _status(holders: list[object]) -> int | None:
    return next((n for n in _numbers(holders, _STATUS_KEYS) if 400 <= n <= 599), None)


def _text(error: BaseException) -> str:
    try:
        return str(error)[:MAX_TEXT]
    except Exception:  # a foreign __str__ may fail too
        return ""
