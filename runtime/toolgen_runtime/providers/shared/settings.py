"""What a request says beside its messages and tools, and what a response says beside its message, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from toolgen_runtime.providers.shared.wire import PROVIDERS

Path = tuple[str, ...]
Thinking = bool | int | str
"""Whether to think: a number is a budget in tokens, a text an effort (`low`, `medium`, `high`)."""

BUDGETS: Mapping[str, int] = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 16384}
"""How many tokens an effort stands for, where an API wants a number."""


def effort_of(thinking: Thinking) -> str:
    """Return thinking as an effort: of a budget the least that is no less."""
    if isinstance(thinking, str):
        return thinking
    if isinstance(thinking, bool):
        return "medium"
    return next((effort for effort in ("low", "medium") if thinking <= BUDGETS[effort]), "high")


def budget_of(thinking: Thinking) -> int:
    """Return thinking as a number of tokens."""
    if isinstance(thinking, str):
        return BUDGETS.get(thinking, BUDGETS["high"])
    return BUDGETS["medium"] if isinstance(thinking, bool) else thinking


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """Where a request has its settings.

    `paths` lead to those that every API names in its own way; `read_as` are other names for them that are read.
    `think` gives the members that switch thinking on for a model, `answer` those that ask for JSON of a schema.
    `model_key` has the model's id, `""` where the address has it. `tokens_required` says that a request must
    have a limit.
    """

    paths: Mapping[str, Path]
    think: Callable[[Thinking, str], dict[str, Any]]
    answer: Callable[[dict[str, Any]], dict[str, Any]]
    read_as: Mapping[Path, str] = field(default_factory=dict)
    model_key: str = "model"
    tokens_required: bool = False


@dataclass(frozen=True, slots=True)
class ResponseSettings:
    """Where a response has its message, its stop reason and its usage.

    `message` leads to what the codec reads as the messages. `finishes` gives each stop reason its neutral word;
    `usage` leads to the counts, and with `cached_apart` those from the cache are not among the input's,
    with `reasoning_apart` those of the reasoning not among the output's.
    """

    message: Path
    stop: Path
    finishes: Mapping[str, str]
    usage: Mapping[str, Path]
    cached_apart: bool = False
    reasoning_apart: bool = False


def at_path(value: Any, path: Path) -> Any:
    """Return what stands at a path of keys, the first item of a list where it leads through one; else None."""
    for key in path:
        if isinstance(value, list):
            value = value[0] if value else None
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


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
    return import_module(f"toolgen_runtime.providers.{provider}.settings")
