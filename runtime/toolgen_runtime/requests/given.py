"""What `encode_request` is given: a transcript, or native messages or a whole request of some provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from toolgen_runtime.history.request import merged
from toolgen_runtime.providers.shared.messages.native import plain, unread
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.shapes import Path, at_path
from toolgen_runtime.providers.shared.tools.definitions import (
    DecodedTools,
    NamedTools,
    ProviderDiagnostic,
    Tools,
    defined_in,
    named_tools,
)
from toolgen_runtime.providers.shared.wire import wire_of
from toolgen_runtime.requests.settings import Settings, read_settings, take
from toolgen_runtime.transcript.messages import Block, Opaque, Transcript, Turn

Choice = str | Mapping[str, str]
_WORDS = {"auto": "auto", "validated": "auto", "any": "required", "required": "required", "none": "none"}


@dataclass(slots=True)
class Given:
    """A history, and what a whole request says beside it.

    Of a request of the provider that is written, `kept` are the other members as they are, `own_choice` is its choice
    and `others` are its tools that the provider runs itself. Of any other, `settings` and `choice` are read.
    """

    transcript: Transcript
    tools: NamedTools
    settings: Settings = field(default_factory=Settings)
    choice: Choice = "auto"
    own_choice: Any = None
    kept: dict[str, Any] = field(default_factory=dict)
    others: tuple[dict[str, Any], ...] = ()
    diagnostics: list[ProviderDiagnostic] = field(default_factory=list)


def given_request(
    history: object, toolset: Tools | None, provider: str, origin: str | None, codec: Codec | None = None
) -> Given:
    """Return what a history says; of a whole request its tools, settings and choice, too.

    The `codec` reads the calls of a history of the provider itself.

    Raises:
        TypeError: the history is neither a transcript nor a list of messages.
        ValueError: the origin is missing.
    """
    tools = None if toolset is None else named_tools(toolset)
    if isinstance(history, Transcript):
        return Given(history, tools or {})
    if origin is None:
        raise ValueError("origin: pass the provider of the history's messages (a transcript needs no origin)")
    module = import_module(f"toolgen_runtime.providers.{wire_of(origin).provider}")
    codec = codec if origin == provider else None
    if not isinstance(history, Mapping):
        return Given(module.decode_messages(history, codec=codec), tools or {})
    request = _canonical(history, origin)
    found = Given(module.decode_messages(request, codec=codec), tools or {})
    if tools is None:
        _read_tools(found, request, origin, provider)
    wire, is_own = wire_of(origin), origin == provider
    unread: list[Path] = []
    chosen = at_path(request, wire.choice_place)
    if is_own:
        found.kept = _beside(request, provider)
    else:
        found.settings, unread = read_settings(request, origin)
    if is_own and tools is None:
        found.own_choice = chosen
    else:
        known = {**defined_tools(found.transcript), **found.tools}
        found.choice, left = read_choice(chosen, known, codec_for(origin))
        unread += [(*wire.choice_place, *path) for path in left]
    for path in unread:
        why = f"{'.'.join(path)} is not read from {origin}"
        found.diagnostics.append(ProviderDiagnostic("setting-dropped", why, "", "/" + "/".join(path)))
    return found


def defined_tools(transcript: Transcript) -> NamedTools:
    """Return the tools that are defined among the messages."""
    blocks = (block for turn in transcript for block in turn.blocks)
    return named_tools([tool for block in blocks for tool in _defined(block).definitions])


def _defined(block: Block) -> DecodedTools:
    """Return the tools of the caller's that a block among the messages defines."""
    tools = defined_in(block)
    if not tools or not isinstance(block, Opaque):
        return DecodedTools([])
    read: DecodedTools = import_module(f"toolgen_runtime.providers.{block.provider}").read_tools(
        {"tools": tools}
    )
    return read


def _canonical(request: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """Return a request as the API itself has it, its messages as they were given."""
    wire = wire_of(origin)
    messages = (wire.messages.list_key, wire.messages.system_key)
    members = {key: value if key in messages else plain(value) for key, value in request.items()}
    return wire.request.normalize(merged(members, wire.request))


def _read_tools(found: Given, request: Mapping[str, Any], origin: str, provider: str) -> None:
    key = wire_of(origin).tools.block_key
    module = import_module(f"toolgen_runtime.providers.{wire_of(origin).provider}")
    read = module.read_tools(request.get(key) if key else request)
    found.tools = named_tools(read.definitions)
    if origin == provider:
        found.others = read.others
    else:
        found.diagnostics += read.diagnostics


def _beside(request: Mapping[str, Any], provider: str) -> dict[str, Any]:
    """Return what a request says beside its messages, its tools, its choice and its model."""
    wire = wire_of(provider)
    read = {wire.messages.list_key, wire.messages.system_key, wire.tools.block_key or "tools"}
    read |= {wire.request.model_key, "stream"}
    kept = {key: value for key, value in request.items() if key not in read and value is not None}
    take(kept, wire.choice_place)
    return kept


def read_choice(said: Any, tools: NamedTools, codec: Codec) -> tuple[Choice, list[Path]]:
    """Return the choice of a request in `encode_request`'s words, and the places of what these do not say.

    It reads the forms of all APIs: a word, an object with a `type` or a `mode`, or one whose only member says
    which choice it is.
    """
    if said is None:
        return "auto", []
    if not isinstance(said, Mapping):
        word = _WORDS.get(str(said).lower())
        return (word, []) if word else ("auto", [()])
    kind = str(said.get("type") or said.get("mode") or next(iter(said), ""))
    inner = said.get(kind)
    members: Mapping[str, Any] = {**said, **inner} if isinstance(inner, Mapping) else said
    names = members.get("allowedFunctionNames")
    if kind == "allowed_tools" and members.get("mode") == "any":  # Gemini's Interactions
        names = members.get("tools")
    name = codec.decode_name(
        str(names[0] if isinstance(names, list) and len(names) == 1 else members.get("name"))
    )
    left: list[Path] = [(key,) for key in said if key not in ("type", "mode", "name", kind)]
    if name in tools and kind.lower() not in ("auto", "none"):
        return {"tool": name}, [path for path in left if path != ("allowedFunctionNames",)]
    word = _WORDS.get(kind.lower())
    if word is not None:
        return word, left
    # a tool of the provider's own, or a part of the tools (`allowed_tools`), to choose from as its mode says
    return _WORDS.get(str(members.get("mode")), "auto"), [()]


def move_definitions(given: Given, provider: str) -> None:
    """Move tools that another provider's messages define to the request's tools, with a diagnostic for each.

    A tool that the request itself defines by that name stays.
    """
    turns: list[Turn] = []
    for index, turn in enumerate(given.transcript.turns):
        kept: list[Block] = []
        for ordinal, block in enumerate(turn.blocks):
            read = _defined(block)
            if isinstance(block, Opaque) and block.provider != provider and read.definitions:
                given.tools = {**named_tools(read.definitions), **given.tools}
                given.diagnostics += _notes(block, read, f"/turns/{index}/blocks/{ordinal}", provider)
            else:
                kept.append(block)
        if kept or not turn.blocks:
            turns.append(turn if len(kept) == len(turn.blocks) else replace(turn, blocks=tuple(kept)))
    given.transcript = replace(given.transcript, turns=tuple(turns))


def _notes(block: Opaque, read: DecodedTools, place: str, provider: str) -> list[ProviderDiagnostic]:
    """Return what is said of definitions that were moved, and of what stood beside them."""
    why = f"{provider} defines no tool among the messages: moved to the tools, so it is there from the start"
    notes = [ProviderDiagnostic("tool-change-moved", why, tool.name, place) for tool in read.definitions]
    shape = wire_of(block.provider).messages
    left = unread(
        block.value, {"type", "role", ".".join(shape.definitions[block.value["type"]]), "tool.type"}
    )
    if left:
        message = f"{provider} has no form for {', '.join(left)}: left out"
        notes.append(ProviderDiagnostic("field-dropped", message, "", place))
    return [*notes, *(replace(each, pointer=place) for each in read.diagnostics)]
