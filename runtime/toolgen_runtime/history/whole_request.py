"""What a whole request says beside its messages: tools, model, system prompt, thinking, the server's own state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen_runtime.providers.shared.messages.native import plain
from toolgen_runtime.providers.shared.wire import RequestShape, Wire


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
"""The tools of the request are unknown; None means that it has none."""

Tools = Mapping[str, Any] | None | Unset

_THINKING = {"enabled": True, "disabled": False}


@dataclass(frozen=True, slots=True)
class Said:
    """What a request says: its tools block, the model's id, whether thinking is on (None: it does not say), its
    system prompt as it is, and whether the server has a part of the history itself (`stateful`).

    `unstored` says that the server stores nothing, `adaptive` that the model decides itself whether to think.
    `cached` is how many cache points there are outside the messages, the tools and the system prompt.
    """

    tools: Tools = UNSET
    model: str | None = None
    thinking: bool | None = None
    system: Any = None
    stateful: bool = False
    cached: int = 0
    unstored: bool = False
    adaptive: bool = False


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
    for path in shape.thinking_paths:
        found: Any = members
        for key in path:
            found = plain(found.get(key)) if isinstance(found, Mapping) else None
        if isinstance(found, str):
            return found
    return ""


def _has_state(items: object, wire: Wire) -> bool:
    listed = items if isinstance(items, Sequence) and not isinstance(items, str | bytes) else ()
    kinds = [wire.messages.item_kind(item) for item in listed if isinstance(item, Mapping)]
    return any(isinstance(kind, str) and kind in wire.request.state_types for kind in kinds)


def said(request: object, wire: Wire) -> Said:
    """Return what a request says beside its messages; a list of messages says nothing but its own items."""
    shape = wire.request
    if not isinstance(request, Mapping):
        return Said(stateful=_has_state(plain_items(request), wire))
    members = merged(request, shape)
    named = {shape.aliases.get(key, key): value for key, value in members.items() if value is not None}
    model = named.get(shape.model_key)
    thinking = _thinking(named, shape)
    items = plain_items(named.get(wire.messages.list_key))
    return Said(
        tools=_tools(named, wire),
        model=model if isinstance(model, str) else None,
        thinking=_THINKING.get(thinking),
        system=plain(named.get(wire.messages.system_key)),
        stateful=any(key in named for key in shape.state_keys) or _has_state(items, wire),
        cached=1 if shape.cache_member in named else 0,
        unstored=bool(shape.store_key) and named.get(shape.store_key) is False,
        adaptive=thinking == "adaptive",
    )


def plain_items(items: object) -> object:
    """Return a list of items with the SDKs' objects in it as dicts; anything else as it is."""
    return [plain(item) for item in items] if isinstance(items, list | tuple) else items
