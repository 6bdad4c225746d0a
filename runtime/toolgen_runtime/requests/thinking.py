"""Saying in a request how much to think, and what of that the provider or the model cannot have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen_runtime.providers.shared.claude_thinking import LEAST_BUDGET
from toolgen_runtime.providers.shared.settings import RequestSettings, request_settings
from toolgen_runtime.providers.shared.thinking import (
    Thinking,
    at_path,
    budget_of,
    described,
    is_off,
    is_unknown,
)
from toolgen_runtime.providers.shared.tools.definitions import ProviderDiagnostic
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.requests.settings import merge


def thinking_members(
    thinking: Thinking, provider: str, model: str, max_tokens: int | None, given: Mapping[str, Any] | None
) -> tuple[dict[str, Any], list[ProviderDiagnostic]]:
    """Return the members of a request that say how much to think, and a diagnostic for what they do not say.

    False says nothing. `max_tokens` is the request's limit of tokens, of which a budget may be a part. `given`
    is the request of the same provider that said so: its own members stay while they are what the model takes.
    """
    if thinking is False:
        return {}, []
    shape = request_settings(provider)
    said = shape.think(thinking, model)
    if said is not None and max_tokens is not None and _over(said, shape, max_tokens):
        half = max_tokens // 2
        said = shape.think(half, model) if half >= LEAST_BUDGET else None
    if said is None:
        what = "that it is not to think" if is_off(thinking) else described(thinking)
        message = f"{model} of {provider} cannot be told {what}: left out"
        return {}, [ProviderDiagnostic("thinking-dropped", message, "", "/thinking")]
    meant, _ = shape.thinking.read(said)
    asked = None if given is None else shape.thinking.read(given)[0]
    if given is not None and (asked is True or asked == meant):
        return _own(given, shape), []
    return said, list(_changes(thinking, meant))


def _own(given: Mapping[str, Any], shape: RequestSettings) -> dict[str, Any]:
    """Return the members of a request that say how much to think, as they stand there."""
    own: dict[str, Any] = {}
    for path in shape.thinking.read(given)[1]:
        members: Any = at_path(given, path)
        for key in reversed(path):
            members = {key: members}
        merge(own, members)
    return own


def _over(said: Mapping[str, Any], shape: RequestSettings, max_tokens: int | None) -> bool:
    """Return whether a budget leaves nothing of the limit for the answer, where it is a part of the limit."""
    meant, _ = shape.thinking.read(said)
    number = isinstance(meant, int) and not isinstance(meant, bool)
    return shape.budget_within and number and max_tokens is not None and budget_of(meant or 0) >= max_tokens


def _changes(thinking: Thinking, meant: Thinking | None) -> Iterator[ProviderDiagnostic]:
    """Yield a diagnostic where a request says something near to what was wanted."""
    wanted_effort = thinking.lower() if isinstance(thinking, str) else thinking
    same = thinking is True or meant == wanted_effort or (is_off(thinking) and meant is None)
    if same and is_unknown(thinking):
        message = f"{described(thinking)} is not one that an API is known to have: sent as it is"
        yield ProviderDiagnostic("thinking-unknown", message, "", "/thinking")
    if not same and meant is not None:
        wanted = "no thinking" if is_off(thinking) else described(thinking)
        message = f"{wanted} is sent as {described(meant)}"
        yield ProviderDiagnostic("thinking-changed", message, "", "/thinking")


def switch_of(members: Mapping[str, Any], provider: str) -> object:
    """Return the word of a request that switches thinking on or off (`enabled`, `adaptive`), None for no such word."""
    words = (at_path(members, path) for path in wire_of(provider).request.thinking_paths)
    return next((word for word in words if word is not None), None)
