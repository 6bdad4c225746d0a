"""What a whole request says beside its messages: tools, model, system prompt, thinking, the server's own state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen_runtime.providers.shared.messages.native import plain
from toolgen_runtime.providers.shared.thinking import at_path
from toolgen_runtime.providers.shared.wire import RequestShape, Wire


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
"""The tools of the request are unknown; None means that it has none."""

Tools = Mapping[str, Any] | None | Unset

_THINKING = {"enabled": True, "disabled": False}


def merged(request: Mapping[str, Any], shape: RequestShape) -> dict[str, Any]:
    """Return a request with the members of those that count as its own (`RequestShape.merged`)."""
    members = dict(request)
    for key in shape.merged:
        more = plain(members.pop(key, None))
        if isinstance(more, dict):
            members |= more
    return members


def _tools(members: Mapping[str, Any], wire: Wire) -> Tools:
    """Return the tools block; None where the request has none, `UNSET` where the server may have them."""
    if wire.tools.block_key:
        block = members.get(wire.tools.block_key)
    else:
        names = wire.request.aliases
        block = {
            k: v for k, v in members.items() if names.get(k, k) in wire.request.tool_keys and v is not None
        }
    block = plain(block)
    if isinstance(block, dict) and "tools" in block:
        return block
    return UNSET if any(key in members for key in wire.request.state_keys) else None


def _thinking(members: Mapping[str, Any], shape: RequestShape) -> str:
    """Return the word that switches thinking on or off, `""` where there is none."""
    words = (at_path(plain(members.get(path[0])), path[1:]) for path in shape.thinking_paths)
    return next((word for word in words if isinstance(word, str)), "")


def _has_state(items: object, wire: Wire) -> bool:
    if not wire.request.state_types or not isinstance(items, list | tuple):
        return False
    listed = map(plain, items)
    kinds = [wire.messages.item_kind(item) for item in listed if isinstance(item, Mapping)]
    return any(isinstance(kind, str) and kind in wire.request.state_types for kind in kinds)


def beside_messages(request: object, wire: Wire) -> dict[str, Any]:
    """Return the fields of `history.request.Request` that a whole request says beside its messages.

    A list of messages says nothing but whether the server has a part of the history (`stateful`).
    """
    shape = wire.request
    if not isinstance(request, Mapping):
        return {"tools": UNSET, "stateful": _has_state(request, wire)}
    members = merged(request, shape)
    named = {shape.aliases.get(key, key): value for key, value in members.items() if value is not None}
    model = named.get(shape.model_key)
    thinking = _thinking(named, shape)
    stateful = any(key in named for key in shape.state_keys)
    return {
        "tools": _tools(named, wire),
        "model": model if isinstance(model, str) else None,
        "thinking": _THINKING.get(thinking),
        "system": plain(named.get(wire.messages.system_key)),
        "stateful": stateful or _has_state(named.get(wire.messages.list_key), wire),
        "cached": 1 if shape.cache_member in named else 0,
        "unstored": bool(shape.store_key) and named.get(shape.store_key) is False,
        "adaptive": thinking == "adaptive",
    }
