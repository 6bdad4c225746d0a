"""What an adapter says where its framework is missing, or is another version than it needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def framework(extra: str) -> Iterator[None]:
    """Import a framework in this block: where that fails, say what to install.

    Args:
        extra: the extra of toolgen that brings the framework.

    Raises:
        ImportError: the framework is not installed, or lacks what is imported; the message is one line.
    """
    try:
        yield
    except ImportError as error:
        missing = error.name or extra
        package, _, within = missing.partition(".")
        absent = isinstance(error, ModuleNotFoundError) and not within
        why = (
            f"{missing} is not installed"
            if absent
            else f"this version of {package} does not fit ({error.msg})"
        )
        raise ImportError(f"{why}; run: pip install 'toolgen[{extra}]'", name=missing) from None
