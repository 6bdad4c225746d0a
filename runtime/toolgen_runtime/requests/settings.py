"""The settings of a request, and how much to think, in a form for all providers; read from any provider's request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from toolgen_runtime.providers.shared.shapes import nested
from toolgen_runtime.providers.shared.thinking import (
    LEAST_BUDGET,
    Path,
    Thinking,
    at_path,
    budget_of,
    described,
    is_off,
    is_unknown,
)
from toolgen_runtime.providers.shared.tools.definitions import ProviderDiagnostic
from toolgen_runtime.providers.shared.wire import wire_of

MAX_TOKENS = 4096
"""The limit where an API must have one and none is given; what is thought comes on top."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the answer. None means the provider's default; `answer_schema` asks for JSON of a schema."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    stop: tuple[str, ...] | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    service_tier: str | None = None
    metadata: Mapping[str, str] | None = None
    answer_schema: dict[str, Any] | None = None


def put(request: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    """Put a value at a path of a request."""
    for key in path[:-1]:
        request = request.setdefault(key, {})
    request[path[-1]] = value


def merge(request: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Put members into a request; objects are merged."""
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(request.get(key), dict):
            merge(request[key], value)
        else:
            request[key] = value


def dropped_setting(name: str, why: str) -> ProviderDiagnostic:
    """Return the diagnostic for a setting that is left out."""
    return ProviderDiagnostic("setting-dropped", f"{why}: left out", "", f"/settings/{name}")


def put_settings(request: dict[str, Any], settings: Settings, provider: str) -> Iterator[ProviderDiagnostic]:
    """Put settings into a request; yield a diagnostic for each that the API does not have."""
    shape = wire_of(provider).request
    for each in fields(settings):
        value = getattr(settings, each.name)
        if value is None or each.name == "answer_schema":
            continue
        path = shape.paths.get(each.name)
        if path is None:
            yield dropped_setting(each.name, f"{provider} has no form for {each.name}")
        else:
            put(request, path, list(value) if isinstance(value, tuple) else value)
    if settings.answer_schema is not None:
        merge(request, shape.answer(settings.answer_schema))
    if shape.tokens_required and settings.max_tokens is None:
        thinking, _ = shape.thinking.read(request)
        thought = 0 if thinking is None or is_off(thinking) else budget_of(thinking)
        put(request, shape.paths["max_tokens"], MAX_TOKENS + thought)


def read_settings(request: Mapping[str, Any], provider: str) -> tuple[Settings, dict[Path, Any]]:
    """Return the settings of a native request, and what stands at each place of it that is not read.

    What it says of thinking and of the choice of a tool is read elsewhere (`requests/given.py`).
    """
    shape = wire_of(provider).request
    places = {**{path: name for name, path in shape.paths.items()}, **shape.read_as}
    found: dict[str, Any] = {}
    for path, name in places.items():
        value = at_path(request, path)
        if value is not None:
            found.setdefault(name, value)
    if "stop" in found:
        found["stop"] = (found["stop"],) if isinstance(found["stop"], str) else tuple(found["stop"])
    _, thought = shape.thinking.read(request)
    wire = wire_of(provider)
    others = {wire.messages.list_key, wire.messages.system_key, wire.tools.block_key or "tools"}
    others |= {shape.model_key, "stream"}
    unread = _unread(request, {*places, *thought, wire_of(provider).choice_place}, ())
    return Settings(**found), {path: value for path, value in unread if path[0] not in others}


def _unread(value: Mapping[str, Any], read: set[Path], at: Path) -> Iterator[tuple[Path, Any]]:
    for key, member in value.items():
        path = (*at, key)
        if path in read or member in (None, "", [], {}):
            continue
        if isinstance(member, Mapping) and any(place[: len(path)] == path for place in read):
            yield from _unread(member, read, path)
        else:
            yield path, member


# ---- thinking --------------------------------------------------------------------------------------------


def thinking_members(
    thinking: Thinking, provider: str, model: str, max_tokens: int | None, given: Mapping[str, Any] | None
) -> tuple[dict[str, Any], list[ProviderDiagnostic]]:
    """Return the members of a request that say how much to think, and a diagnostic for what they do not say.

    False says nothing. `max_tokens` is the request's limit of tokens, of which a budget may be a part. `given`
    is the request of the same provider that said so: its own members stay while they are what the model takes.
    """
    if thinking is False:
        return {}, []
    shape = wire_of(provider).request
    said = shape.think(thinking, model)
    budget = shape.thinking.read(said or {})[0]
    if shape.budget_within and max_tokens is not None and type(budget) is int and budget >= max_tokens:
        half = max_tokens // 2
        said = shape.think(half, model) if half >= LEAST_BUDGET else None
    if said is None:
        what = "that it is not to think" if is_off(thinking) else described(thinking)
        message = f"{model} of {provider} cannot be told {what}: left out"
        return {}, [ProviderDiagnostic("thinking-dropped", message, "", "/thinking")]
    meant, _ = shape.thinking.read(said)
    asked = None if given is None else shape.thinking.read(given)[0]
    if given is None or (asked is not True and asked != meant):
        return said, list(_changes(thinking, meant))
    own: dict[str, Any] = {}
    for path in sorted(shape.thinking.read(given)[1]):
        merge(own, nested(path, at_path(given, path)))
    return own, []


def _changes(thinking: Thinking, meant: Thinking | None) -> Iterator[ProviderDiagnostic]:
    """Yield a diagnostic where a request says something near to what was wanted."""
    wanted = thinking.lower() if isinstance(thinking, str) else thinking
    same = thinking is True or meant == wanted or (is_off(thinking) and meant is None)
    if same and is_unknown(thinking):
        message = f"{described(thinking)} is not one that an API is known to have: sent as it is"
        yield ProviderDiagnostic("thinking-unknown", message, "", "/thinking")
    if not same and meant is not None:
        said = "no thinking" if is_off(thinking) else described(thinking)
        message = f"{said} is sent as {described(meant)}"
        yield ProviderDiagnostic("thinking-changed", message, "", "/thinking")
