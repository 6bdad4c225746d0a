"""A block under assembly: its native form, as far as it has come."""

from __future__ import annotations

from typing import Any, Literal

from toolgen_runtime.providers.shared.stream_result import Place

BlockKind = Literal["text", "reasoning", "call", "native"]
"""`native` is any content that is neither shown nor run here: it goes back as the provider has it."""


class _Pieces:
    """A text that comes in pieces. It stays in pieces until the end: joining it for each would be quadratic."""

    __slots__ = ("parts",)

    def __init__(self, first: object) -> None:
        self.parts: list[str] = [first] if isinstance(first, str) else []


class Block:
    """The block as the provider has it, and how its assembly went.

    `arguments` are the pieces of a call's arguments text, None where the API sends an object. `cut` says why
    the block cannot be whole. `id` and `name` are a call's, for deltas.
    """

    __slots__ = ("_grown", "arguments", "closed", "cut", "id", "kind", "name", "namespace", "native", "place")

    def __init__(self, place: Place, kind: BlockKind, native: dict[str, Any]) -> None:
        self.place = place
        self.kind: BlockKind = kind
        self.native = native
        self.arguments: list[str] | None = None
        self.closed = False
        self.cut = ""
        self.id: str | None = None
        self.name: str | None = None
        self.namespace: str | None = None
        self._grown: list[tuple[dict[str, Any], str]] = []

    def inside(self, *path: str) -> dict[str, Any]:
        """Return the object at a path of the native form, made if there is none."""
        here = self.native
        for step in path:
            if not isinstance(here.get(step), dict):
                here[step] = {}
            here = here[step]
        return here

    def listed(self, holder: dict[str, Any], key: str) -> list[Any]:
        """Return the list under a key, made if there is none."""
        if not isinstance(holder.get(key), list):
            holder[key] = []
        found: list[Any] = holder[key]
        return found

    def grow(self, holder: dict[str, Any], key: str, text: str) -> None:
        """Add a piece to the text of a member; `holder` is the native form or an object in it."""
        pieces = holder.get(key)
        if not isinstance(pieces, _Pieces):
            pieces = holder[key] = _Pieces(pieces)
            self._grown.append((holder, key))
        pieces.parts.append(text)

    def extend(self, holder: dict[str, Any], more: dict[str, Any]) -> None:
        """Add members of any kind: texts and lists go on, other values are replaced."""
        for key, value in more.items():
            was = holder.get(key)
            if (
                isinstance(value, str)
                and (was is None or isinstance(was, str | _Pieces))
                and key not in _ONCE
            ):
                self.grow(holder, key, value)
            elif isinstance(value, list) and isinstance(was, list):
                was.extend(value)
            elif isinstance(value, dict) and isinstance(was, dict):
                self.extend(was, value)
            elif value is not None:
                holder[key] = value

    def join(self) -> None:
        """Join the texts that came in pieces."""
        for holder, key in self._grown:
            if isinstance(pieces := holder.get(key), _Pieces):
                holder[key] = "".join(pieces.parts)
        self._grown.clear()

    def is_empty(self) -> bool:
        """Return whether it is a text or reasoning that says nothing."""
        said = (value for key, value in self.native.items() if key != "type")
        return self.kind in ("text", "reasoning") and all(value in (None, "", [], {}) for value in said)


_ONCE = frozenset({"id", "type", "index", "name", "format", "role", "language", "server_name", "search_type"})
"""Members that a piece repeats and never continues."""
