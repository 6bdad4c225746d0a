"""JSON pointers (RFC 6901): convert them to steps and back, and find the value that they lead to.

A step is the unescaped text of one reference token: the name of a member of an object, or an index of an array.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote


class PointerError(ValueError):
    """An error for a text that is not a JSON pointer, or for a pointer to a value that does not exist."""


def escape(step: str | int) -> str:
    """Write a key or index as a reference token (section 3): `~` as `~0`, and `/` as `~1`."""
    return str(step).replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Return the key or index that a reference token stands for (section 4).

    Raises:
        PointerError: a `~` is not followed by 0 or 1 (section 3).
    """
    if token.count("~") != token.count("~0") + token.count("~1"):
        raise PointerError(f"~ is followed by something other than 0 or 1 in {token[:60]!r}")
    return token.replace("~1", "/").replace("~0", "~")


def join(*steps: str | int) -> str:
    """Return the pointer with these keys and indexes; `""` if there are none."""
    return "".join(["/" + escape(step) for step in steps])


def parse(pointer: str) -> list[str]:
    """Return the steps of a pointer (section 5).

    Raises:
        PointerError: the text is not empty and does not begin with `/`, or contains an invalid escape.
    """
    if pointer and not pointer.startswith("/"):
        raise PointerError(f"a pointer begins with /, not as {pointer[:60]!r} does")
    return [unescape(token) for token in pointer.split("/")[1:]]


def parse_fragment(fragment: str) -> list[str]:
    """Return the steps of a pointer from the fragment of a URI, which is given without its `#` (section 6).

    The whole fragment is percent-decoded before it is split.

    Raises:
        PointerError: as for `parse`, or the decoded bytes are not UTF-8.
    """
    try:
        return parse(unquote(fragment, errors="strict"))
    except UnicodeDecodeError:
        raise PointerError(f"no UTF-8 is encoded in {fragment[:60]!r}") from None


def resolve(document: Any, steps: Iterable[str]) -> Any:
    """Return the value to which the steps lead.

    Raises:
        PointerError: there is no such value.
    """
    for step in steps:
        document = member(document, step)
    return document


def member(container: Any, step: str) -> Any:
    """Return the value at one key or index of a container (section 4).

    An index has ASCII digits and no leading zero; `-` never names an existing element.

    Raises:
        PointerError: there is no such value.
    """
    if isinstance(container, Mapping) and step in container:
        return container[step]
    if isinstance(container, list) and step.isascii() and step.isdigit() and len(step) < 20:
        index = int(step)
        if str(index) == step and index < len(container):
            return container[index]
    raise PointerError(f"there is no {step[:60]!r}")
