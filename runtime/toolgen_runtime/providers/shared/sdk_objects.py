"""Objects of the providers' SDKs, read without knowing the SDKs: whatever has `model_dump()`."""

from __future__ import annotations

from typing import Any


def is_dumpable(value: object) -> bool:
    """Return whether a value is an object that can be dumped, and not a class of such."""
    return not isinstance(value, type) and callable(getattr(value, "model_dump", None))


def dumped(value: object, **options: Any) -> Any:
    """Return what the object dumps, with pydantic's options where it knows them."""
    dump: Any = getattr(value, "model_dump")  # noqa: B009  any object may have it
    try:
        return dump(warnings=False, **options)
    except TypeError:  # not pydantic's
        return dump()
