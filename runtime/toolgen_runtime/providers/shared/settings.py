"""What a request says beside its messages and tools, and what a response says beside its message, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from toolgen_runtime.providers.shared.thinking import Path, Thinking, ThinkingPlaces
from toolgen_runtime.providers.shared.wire import PROVIDERS

Native = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """Where a request has its settings.

    `paths` lead to those that every API names in its own way; `read_as` are other names for them that are read.
    `think` gives the members that say to a model how much to think, None where it cannot be told; `thinking` is
    where they are read. `efforts` are the levels that the API has, as its SDK's types list them; not every model
    takes each. `answer` gives those that ask for JSON of a schema. `model_key` has the model's id, `""`
    where the address has it. `tokens_required` says that a request must have a limit. `choice` leads to the choice
    of a tool. `normalize` gives a request as the API itself has it, from whatever form the SDK takes.

    `service_tiers` are those that a request may ask for, as the SDK's types list them.

    With `budget_within` a budget for thinking is less than the limit of tokens, and where one is said
    `not_while_thinking` are settings that are refused.
    """

    paths: Mapping[str, Path]
    think: Callable[[Thinking, str], Native | None]
    answer: Callable[[Native], Native]
    thinking: ThinkingPlaces
    choice: Path
    read_as: Mapping[Path, str] = field(default_factory=dict)
    model_key: str = "model"
    tokens_required: bool = False
    normalize: Callable[[Native], Native] = dict
    budget_within: bool = False
    not_while_thinking: frozenset[str] = frozenset()
    efforts: tuple[str, ...] = ()
    service_tiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResponseSettings:
    """Where a response has its message, its stop reason and its usage.

    `blocked` leads to the reason why there is no answer at all.

    `message` leads to what the codec reads as the messages. `usage` leads to the counts: with `cached_apart` those
    from the cache are not among the input's, with `reasoning_apart` those of the reasoning not among the output's.
    `normalize` gives a response as the API itself has it, from whatever form the SDK gives.
    """

    message: Path
    stop: Path
    usage: Mapping[str, Path]
    blocked: Path = ()
    cached_apart: bool = False
    reasoning_apart: bool = False
    normalize: Callable[[Native], Native] = dict


def under(*holder: str, same: str = "", **named: str) -> dict[str, Path]:
    """Return the paths of settings in an object of the request, those of one name (`same`) and those of others."""
    return {key: (*holder, name) for key, name in ({word: word for word in same.split()} | named).items()}


def request_settings(provider: str) -> RequestSettings:
    """Return where a provider's requests have their settings."""
    found: RequestSettings = _settings(provider).REQUEST
    return found


def response_settings(provider: str) -> ResponseSettings:
    """Return where a provider's responses have what they say."""
    found: ResponseSettings = _settings(provider).RESPONSE
    return found


def _settings(provider: str) -> Any:
    if provider not in PROVIDERS:
        raise KeyError(provider)
    return import_module(f"toolgen_runtime.providers.{provider}").wire


OPENAI_SERVICE_TIERS = ("auto", "default", "flex", "scale", "priority", "fast")
"""Of both APIs: `service_tier` of `openai.types.chat.CompletionCreateParams` and `openai.types.responses.Response`."""
