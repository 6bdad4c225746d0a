"""Read and write the settings of a request, such as limits and sampling, in the format of each API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from toolgen_transcripts.codec.members import JsonObject, Native, Path, as_list, at_path, unread
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.tools.definitions import ProviderDiagnostic

MAX_TOKENS = 4096
"""The limit that is sent to APIs that require one, if none is given (`RequestShape.tokens_required`)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a request. None means the provider's default."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop: tuple[str, ...] | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None


def put(request: Native, path: tuple[str, ...], value: Any) -> None:
    """Put a value at a path of a request."""
    for key in path[:-1]:
        request = request.setdefault(key, {})
    request[path[-1]] = value


def take(request: Native, path: Path) -> Any:
    """Remove and return the value at a path of a request, or return None. Objects that become empty are
    removed too.
    """
    *outer, key = path
    holder = at_path(request, tuple(outer))
    if not isinstance(holder, dict):
        return None
    found = holder.pop(key, None)
    if outer and not holder:
        take(request, tuple(outer))
    return found


def merge(request: Native, more: JsonObject) -> None:
    """Add fields to a request. If a field is an object in both, merge the two objects."""
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(request.get(key), dict):
            merge(request[key], value)
        else:
            request[key] = value


def put_settings(request: Native, settings: Settings, provider: str) -> Iterator[ProviderDiagnostic]:
    """Add settings to a request, and yield a diagnostic for each one that the API does not have."""
    shape = wire_of(provider).request
    for each in fields(settings):
        value = getattr(settings, each.name)
        if value is None:
            continue
        if path := shape.paths.get(each.name):
            put(request, path, list(value) if isinstance(value, tuple) else value)
        else:
            why = f"{provider} has no form for {each.name}: left out"
            yield ProviderDiagnostic("setting-dropped", why, "", f"/settings/{each.name}")


def other_members(request: JsonObject, provider: str) -> Native:
    """Return the fields of a request, without its messages, tools, tool choice and model."""
    wire = wire_of(provider)
    read = {wire.messages.list_key, wire.messages.system_key, wire.tools.block_key or "tools"}
    read.add(wire.request.model_key)
    kept = {key: value for key, value in request.items() if key not in read and value is not None}
    take(kept, wire.choice_place)
    return kept


def read_settings(request: JsonObject, provider: str) -> tuple[Settings, list[str]]:
    """Return the settings of a native request, and the dotted paths of all other fields."""
    shape = wire_of(provider).request
    places = {**{path: name for name, path in shape.paths.items()}, **shape.read_as}
    found: Native = {}
    for path, name in places.items():
        value = at_path(request, path)
        if value is not None:
            found.setdefault(name, value)
    if "stop" in found:
        found["stop"] = tuple(as_list(found["stop"]))
    read = {"stream", *(".".join(path) for path in (*places, wire_of(provider).choice_place))}
    return Settings(**found), [*unread(other_members(request, provider), read)]
