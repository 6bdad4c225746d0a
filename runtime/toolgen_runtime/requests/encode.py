"""`encode_request`: one call from any history to a request that the provider's server takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from toolgen_runtime.history.draft import Change
from toolgen_runtime.history.repair import repair
from toolgen_runtime.history.request import Violation
from toolgen_runtime.providers.shared.encoding import Fetch
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.settings import Thinking, request_settings
from toolgen_runtime.providers.shared.tools import (
    NamedTools,
    ProviderDiagnostic,
    ToolDefinition,
    Tools,
    named_tools,
)
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.requests.settings import Settings, merge, put_settings, read_settings
from toolgen_runtime.transcript.messages import CachePoint, Transcript, Turn


@dataclass(frozen=True, slots=True)
class EncodedRequest:
    """A request in a provider's form, to be passed to its client as keywords or as the body.

    `diagnostics` is what could not be said, `changes` what `repair` did, `remaining` what only the caller can
    fix. The response must be read with the same `codec`.
    """

    request: dict[str, Any]
    codec: Codec
    diagnostics: tuple[ProviderDiagnostic, ...] = ()
    changes: tuple[Change, ...] = ()
    remaining: tuple[Violation, ...] = ()


def encode_request(
    history: Transcript | object,
    toolset: Tools | None,
    provider: str,
    *,
    model: str,
    origin: str | None = None,
    choice: str | Mapping[str, str] = "auto",
    strict: bool = False,
    thinking: Thinking = False,
    cache: bool | str = False,
    settings: Settings | None = None,
    extra: Mapping[str, Any] | None = None,
    streaming: bool = False,
    codec: Codec | None = None,
    fetch: Fetch | None = None,
) -> EncodedRequest:
    """Return a native request: system prompt, tools, messages and settings, repaired for the model.

    Args:
        history: a transcript, or native messages or a whole request of the provider `origin`. Of a whole
            request the tools and the settings are taken, too, where none are given.
        toolset: a toolset, or definitions that were read from any provider's block; None for none.
        provider: whose request it is to be.
        model: the model's id; it decides what a repair has to do.
        origin: whose messages the history has, if it is not a transcript.
        choice: `auto`, `required`, `none` or a tool's name (`encode_tools`).
        strict: whether to ask for strict tools.
        thinking: whether to think; a number is a budget in tokens, a text an effort.
        cache: whether to put cache points after the tools, the system prompt and the last message; `5m` or
            `1h` says for how long.
        settings: limits, sampling, service tier, the schema of the answer.
        extra: native members of the request, for what only this provider has (`guardrailConfig`).
        streaming: whether the answer is to be streamed, which some models cannot with tools.
        codec: the names and ids of the request; a fresh one otherwise, which is returned.
        fetch: gets media that the provider cannot read where they are (`encode_messages`).

    Raises:
        KeyError: a provider is not known.
        TypeError: the history is neither a transcript nor a list of messages.
        ValueError: `choice` names no tool, or `origin` is missing.
    """
    module = import_module(f"toolgen_runtime.providers.{wire_of(provider).provider}")
    transcript, tools, given, notes = _opened(history, toolset, settings, origin)
    codec = codec or codec_for(provider, tools, model=model)
    codec.reserve(tools)
    marked = _cached(transcript, tools, provider, cache) if cache else (transcript, tools)
    lowered = module.lower_tools(
        marked[1], choice=choice, thinking=bool(thinking), strict=strict, codec=codec
    )
    encoded = module.encode_messages(marked[0], codec=codec, fetch=fetch)
    fixed = repair(
        encoded.messages,
        provider,
        tools=lowered.block,
        model=model,
        thinking=bool(thinking),
        streaming=streaming,
        codec=codec,
    )
    request = _request(provider, model, encoded.system, fixed.messages, fixed.tools)
    notes += put_settings(request, given, thinking, provider, model)
    merge(request, extra or {})
    losses = (*notes, *lowered.diagnostics, *encoded.diagnostics)
    return EncodedRequest(request, codec, losses, fixed.changes, fixed.remaining)


def _opened(
    history: object, toolset: Tools | None, settings: Settings | None, origin: str | None
) -> tuple[Transcript, NamedTools, Settings, list[ProviderDiagnostic]]:
    """Return the transcript, the tools and the settings, from whatever form the history has."""
    tools = None if toolset is None else named_tools(toolset)
    if isinstance(history, Transcript):
        return history, tools or {}, settings or Settings(), []
    if origin is None:
        raise ValueError("origin: whose messages the history has; a transcript needs none")
    module = import_module(f"toolgen_runtime.providers.{wire_of(origin).provider}")
    transcript: Transcript = module.decode_messages(history)
    notes: list[ProviderDiagnostic] = []
    if isinstance(history, Mapping):
        if tools is None:
            key = wire_of(origin).tools.block_key
            read = module.read_tools(history.get(key) if key else history)
            tools = named_tools(read.definitions)
            notes += read.diagnostics
        if settings is None:
            settings, unread = read_settings(history, origin)
            notes += unread
    return transcript, tools or {}, settings or Settings(), notes


def _cached(
    transcript: Transcript, tools: NamedTools, provider: str, cache: bool | str
) -> tuple[Transcript, NamedTools]:
    """Return the history and the tools with a cache point after the tools, the system prompt and the last turn."""
    if "cache" not in wire_of(provider).messages.attributes:  # such APIs cache by themselves, or not at all
        return transcript, tools
    point = CachePoint(cache if isinstance(cache, str) else None)
    if tools:
        *_, name = tools
        last = tools[name]
        if not isinstance(last, ToolDefinition):
            last = ToolDefinition(last.name, last.description, last.schema)
        tools = {**tools, name: replace(last, cache=point)}
    system = (*transcript.system, point) if transcript.system else ()
    turns = list(transcript.turns)
    leading = next((i for i, turn in enumerate(turns) if turn.role != "system"), len(turns))
    if leading and not system:
        turns[leading - 1] = _marked(turns[leading - 1], point)
    if len(turns) > leading and turns[-1].blocks and turns[-1].role != "assistant":
        turns[-1] = _marked(turns[-1], point)
    return replace(transcript, turns=tuple(turns), system=system), tools


def _marked(turn: Turn, point: CachePoint) -> Turn:
    return replace(turn, blocks=(*turn.blocks, point))


def _request(
    provider: str, model: str, system: Any, messages: list[dict[str, Any]], tools: dict[str, Any] | None
) -> dict[str, Any]:
    wire = wire_of(provider)
    request: dict[str, Any] = {request_settings(provider).model_key: model, wire.messages.list_key: messages}
    if system is not None:
        request[wire.messages.system_key] = system
    if tools is not None:
        request |= {wire.tools.block_key: tools} if wire.tools.block_key else tools
    return request
