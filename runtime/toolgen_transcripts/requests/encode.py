"""Convert any history to a request that the provider's server accepts (`encode_request`)."""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from toolgen_transcripts.apis import messages_api_of
from toolgen_transcripts.codec.encoding import Fetch
from toolgen_transcripts.codec.members import JsonObject, Native, at_path, renamed
from toolgen_transcripts.codec.models import refuses_forced
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.messages import Transcript
from toolgen_transcripts.requests.given import (
    cached,
    defined_tools,
    given_request,
    move_definitions,
)
from toolgen_transcripts.requests.settings import (
    MAX_TOKENS,
    Settings,
    merge,
    put,
    put_settings,
    take,
)
from toolgen_transcripts.rules.check import repair
from toolgen_transcripts.rules.draft import Change
from toolgen_transcripts.rules.request import Violation, thinking_word
from toolgen_transcripts.rules.tools.definitions import CHOICE_WITHOUT_TOOLS, PARALLEL
from toolgen_transcripts.tools.choice import Choice
from toolgen_transcripts.tools.definitions import ProviderDiagnostic, Tools
from toolgen_transcripts.tools.lowering import Strict


@dataclass(frozen=True, slots=True)
class EncodedRequest:
    """A request in a provider's format. Pass it to the provider's client as keyword arguments, or send it as
    the body.

    `diagnostics` are the losses, `changes` are the changes made by `repair`, and `remaining` are the violations that
    only the caller can fix. Read the response with the same `codec`.
    """

    request: Native
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
    choice: Choice | None = None,
    strict: Strict = False,
    prefer: Collection[str] = (),
    cache: bool | str = False,
    settings: Settings | None = None,
    extra: JsonObject | None = None,
    streaming: bool = False,
    moved: bool = False,
    codec: Codec | None = None,
    fetch: Fetch | None = None,
) -> EncodedRequest:
    """Return a native request with the system prompt, tools, messages and settings. It is repaired so that
    the model accepts it.

    Args:
        history: a transcript, or native messages or a whole request for the provider `origin`. The tools, the choice
            and the settings of a whole request are used unless they are passed here. If the provider is the same, other
            fields (thinking, the schema of the output) stay in the request.
        toolset: a toolset, or definitions that were read from any provider's request; None if there are none.
        provider: the provider of the new request.
        model: the model's id, on which some repairs depend.
        origin: the provider of the history's messages, if the history is not a transcript.
        choice: `auto`, `required`, `none`, or the name of a tool or several (see `encode_tools`). None means the choice
            in the original request.
        strict: whether to send strict tools. `auto` rewrites their schemas, and the codec converts their calls back.
        prefer: the tools to send as strict tools first, if not all of them can be strict (see `encode_tools`).
        cache: whether to put cache points after the tools, the system prompt and the last message; `5m` or `1h` sets
            their lifetime.
        settings: limits and sampling, which replace those of the original request.
        extra: native fields of the request that only this provider has (`guardrailConfig`, `thinking`).
        streaming: whether the response will be streamed; some models do not support tools then.
        moved: whether the history comes from another host of the same API (see `repair`).
        codec: the codec for names and ids; by default a new one, which is returned.
        fetch: loads media that the provider cannot read at their location (see `encode_messages`).

    Raises:
        KeyError: a provider is not known.
        TypeError: the history is neither a transcript nor a list of messages.
        ValueError: `choice` does not name a tool, or `origin` is missing.
    """
    given = given_request(history, toolset, provider, origin, codec)
    move_definitions(given, provider)
    wire = wire_of(provider)
    if settings is not None:  # they replace the request's
        for path in (*wire.request.paths.values(), *wire.request.read_as):
            take(given.kept, path)
        given.settings = settings
    members, limit = given.kept, wire.request.paths.get("max_tokens", ())
    notes = [*given.diagnostics, *put_settings(members, given.settings, provider)]
    merge(members, deepcopy(dict(extra or {})))
    if wire.request.tokens_required and at_path(members, limit) is None:
        put(members, limit, MAX_TOKENS)
    switch = thinking_word(members, wire.request)
    codec = codec or codec_for(provider, given.tools, model=model)
    codec.reserve(given.tools)
    sent_as = {name: codec.encode_name(name) for name in given.tools}
    own, chosen = renamed(given.own_choice, sent_as), given.choice
    if choice is not None:
        own, chosen = None, choice
    transcript, tools = cached(given.transcript, given.tools, provider, cache)
    api = messages_api_of(provider)
    lowered = api.lower_tools(
        tools,
        choice=chosen,
        thinking=switch == "enabled" or (switch == "adaptive" and refuses_forced(model, wire)),
        strict=strict,
        prefer=prefer,
        model=model,
        codec=codec,
    )
    block = lowered.block
    if given.others:  # the tools that the provider runs itself
        block = {**(block or {}), "tools": [*(block or {}).get("tools", ()), *given.others]}
    if block and own is not None:
        put(block, wire.tools.choice_path, own)
    if (
        block is None
        and provider in CHOICE_WITHOUT_TOOLS.providers
        and members.pop(PARALLEL, None) is not None
    ):
        message = f"there are no tools: {PARALLEL} left out"
        notes.append(ProviderDiagnostic("setting-dropped", message, "", f"/{PARALLEL}"))
    encoded = api.encode_messages(transcript, codec=codec, fetch=fetch)
    # A repair also looks at the other members.
    whole = _request(provider, model, encoded.system, encoded.messages, None, members)
    fixed = repair(whole, provider, tools=block, model=model, streaming=streaming, moved=moved, codec=codec)
    request = _request(provider, model, fixed.system, fixed.messages, fixed.tools, members)
    if block is None and own is not None and defined_tools(transcript):
        put(request, wire.choice_place, own)  # the messages define the tools
    elif block is None and (own is not None or chosen not in ("auto", "none")):
        message = "there are no tools to choose from: left out"
        notes.append(ProviderDiagnostic("choice-dropped", message, "", "/choice"))
    losses = (*notes, *lowered.diagnostics, *encoded.diagnostics)
    return EncodedRequest(request, codec, losses, fixed.changes, fixed.remaining)


def _request(
    provider: str,
    model: str,
    system: Any,
    messages: list[Native],
    tools: Native | None,
    members: Native,
) -> Native:
    wire = wire_of(provider)
    request: Native = {wire.request.model_key: model, wire.messages.list_key: messages}
    if system is not None:
        request[wire.messages.system_key] = system
    if tools is not None:
        request |= {wire.tools.block_key: tools} if wire.tools.block_key else tools
    merge(request, members)
    return request
