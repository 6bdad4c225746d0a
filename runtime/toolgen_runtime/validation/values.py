"""The values that issues contain: `MISSING`, secrets, keys and paths.

Every generated check loads this module, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final


class Missing:
    """The type of `MISSING`, which stands for a value that the payload does not have."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""The `got` of an issue if the payload has no value at the path. Null is a value."""
ANY_ITEM: Final = -1
"""The step in a path that stands for several items of an array. A field writes it as `[]`, `[*]` or `[0-29]`."""


_MASK: Final = "**********"


class Secret:
    """A wrapper around the `got` of an issue that may be secret. Only `get_secret_value()` reveals the value."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def get_secret_value(self) -> Any:
        """Return the secret value itself."""
        return self._value

    def __repr__(self) -> str:
        return _MASK

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Secret):
            return self._value == other._value
        return NotImplemented

    def __hash__(self) -> int:
        return hash(Secret)


class SecretKey(str):
    """A key in a path that may be secret. It equals the real key, so it still finds the value, but it is
    shown masked.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(_MASK)

    def __str__(self) -> str:
        return _MASK

    def __format__(self, spec: str) -> str:
        return format(_MASK, spec)

    def __reduce__(self) -> tuple[type[SecretKey], tuple[str]]:
        return SecretKey, (str.__str__(self),)


def revealed(got: Any) -> Any:
    """Return the `got` of an issue without its `Secret` wrapper. The caller must not show the value."""
    if isinstance(got, Secret):
        return got.get_secret_value()
    return got


def key_text(key: object) -> str:
    """Return a key or index as text. In a Python dict, keys may have any type.

    A string is returned unchanged, and a `SecretKey` masked. Numbers, booleans, None and bytes are written as in
    Python, and any other key as the name of its type in `<>`. No code of the key's class runs.
    """
    if isinstance(key, str):
        return _MASK if type(key) is SecretKey else key
    if type(key) is int:
        if key.bit_length() < 80:
            return str(key)
        return "<int>"
    if key is None or type(key) in (bool, float):
        return repr(key)
    if type(key) is bytes:
        return repr(key[:40])
    return f"<{type(key).__name__}>"


def field_of(path: Sequence[str | int]) -> str:
    r"""Return a path in dotted form: `parent.child`, `rows[3].qty`, `["odd.key"]`. The root is `""`.

    A key is written as a JSON string in brackets if it is empty or contains characters other than letters, digits,
    `_`, `-` and `$`. Two paths therefore never have the same form. A key that is not a string is also written in
    brackets (`key_text`).
    """
    parts: list[str] = []
    for step in path:
        if not isinstance(step, str):
            parts.append(f"[{key_text(step)}]")
        elif type(step) is SecretKey:
            parts.append(f'["{_MASK}"]')
        elif step and all(c.isalnum() or c in "_-$" for c in step):
            parts.append(f".{step}" if parts else step)
        else:
            from json import dumps

            parts.append(f"[{dumps(step)}]")
    return "".join(parts)
