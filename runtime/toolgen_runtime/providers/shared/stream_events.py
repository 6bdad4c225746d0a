"""Reading what a provider's SDK hands over, without knowing the SDK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen_runtime.providers.shared.messages.native import plain


def as_mapping(event: object) -> dict[str, Any]:
    """Return a copy of an event, an SDK's object as the API has it.

    Raises:
        TypeError: it is neither a mapping nor an object with `model_dump()`.
        ValueError: it is nested too deeply or too large (see `plain`).
    """
    found = plain(event)
    if not isinstance(found, dict):
        raise TypeError(
            f"an event must be a mapping or an object with model_dump(), not {type(event).__name__}"
        )
    return found


def mapping(value: object) -> dict[str, Any]:
    """Return the value if it is a mapping, else an empty one: an event may lack any of its parts."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> Iterator[dict[str, Any]]:
    """Yield the mappings of a list; none if it is not a list."""
    if isinstance(value, list):
        yield from (row for row in value if isinstance(row, dict))


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
