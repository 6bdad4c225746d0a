"""Reading what a provider's SDK hands over, without knowing the SDK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen_runtime.providers.shared.sdk_objects import dumped, is_dumpable


def as_mapping(event: object) -> Mapping[str, Any]:
    """Return an event as a mapping: itself, or an SDK's pydantic object dumped.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(event, Mapping):
        return event
    found = dumped(event) if is_dumpable(event) else None
    if not isinstance(found, Mapping):
        raise TypeError(f"an event is a mapping or an object with model_dump(), not {type(event).__name__}")
    return found


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is a mapping, else an empty one: an event may lack any of its parts."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of a list; nothing where it is not a list."""
    if isinstance(value, (list, tuple)):
        yield from (row for row in value if isinstance(row, Mapping))


def words(part: Mapping[str, Any], key: str) -> str:
    """Return the text under a key; `""` where there is none."""
    value = part.get(key)
    return value if isinstance(value, str) else ""


def number(part: Mapping[str, Any], key: str) -> int | None:
    """Return the whole number under a key, None where there is none."""
    value = part.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def describe(error: Exception) -> str:
    """Return the error's class and, where it has one, its code; never its text, which may quote the response."""
    code = getattr(error, "code", None)
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore's ClientError and its kin
        code = mapping(response.get("Error")).get("Code", code)
    name = type(error).__name__
    return f"{name} ({code[:60]})" if isinstance(code, str) and code else name
