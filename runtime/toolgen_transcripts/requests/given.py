"""Read the history that is given to `encode_request`: a transcript, a list of messages or a whole request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolgen_runtime.schema.raw import listed, named
from toolgen_transcripts.apis import api_of, messages_api_of
from toolgen_transcripts.codec.members import JsonObject, Native, Path, at_path, without
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.plain_values import plain
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.messages import Block, CachePoint, Opaque, Transcript
from toolgen_transcripts.requests.settings import Settings, other_members, read_settings
from toolgen_transcripts.rules.request import merged
from toolgen_transcripts.tools.choice import WORDS, Choice
from toolgen_transcripts.tools.definitions import (
    DecodedTools,
    NamedTools,
    ProviderDiagnostic,
    Tools,
    defined_in,
    named_tools,
)

_WORDS = {**WORDS, "validated": "auto"}


@dataclass(slots=True)
class Given:
    """A history and, if it was given as a whole request, the other fields of the request.

    If the original request is for the same provider as the new one, `kept` contains its other fields unchanged,
    `own_choice` its choice, and `others` the tools that the provider itself runs. Otherwise, `settings` and `choice`
    are read from it.
    """

    transcript: Transcript
    tools: NamedTools
    settings: Settings = field(default_factory=Settings)
    choice: Choice = "auto"
    own_choice: Any = None
    kept: Native = field(default_factory=dict)
    others: tuple[Native, ...] = ()
    diagnostics: list[ProviderDiagnostic] = field(default_factory=list)


def given_request(
    history: object, toolset: Tools | None, provider: str, origin: str | None, codec: Codec | None = None
) -> Given:
    """Read a history. If it is a whole request, read its tools, settings and tool choice too.

    If the history is for `provider` itself, `codec` decodes the calls.

    Raises:
        TypeError: the history is neither a transcript nor a list of messages.
        ValueError: the origin is missing.
    """
    tools = None if toolset is None else named_tools(toolset)
    if isinstance(history, Transcript):
        return Given(history, tools or {})
    if origin is None:
        raise ValueError("origin: pass the provider of the history's messages (a transcript needs no origin)")
    api = messages_api_of(origin)
    if origin != provider:
        codec = None
    request = _canonical(history, origin) if isinstance(history, Mapping) else history
    found = Given(api.decode_messages(request, codec=codec), tools or {})
    if not isinstance(request, Mapping):
        return found
    if tools is None:
        _read_tools(found, request, origin, provider)
    place = wire_of(origin).choice_place
    chosen = at_path(request, place)
    left_out: list[str] = []
    if origin == provider:
        found.kept = other_members(request, origin)
    else:
        found.settings, left_out = read_settings(request, origin)
    if origin == provider and tools is None:
        found.own_choice = chosen
    else:
        known = {**defined_tools(found.transcript), **found.tools}
        found.choice, left = read_choice(chosen, known, codec_for(origin))
        several = found.choice if isinstance(found.choice, Mapping) and "tools" in found.choice else None
        if several and "allowed" not in wire_of(provider).tools.choices:
            found.choice, left = str(several["mode"]), [()]
        left_out += [".".join((*place, *path)) for path in left]
    for path in left_out:
        why, pointer = f"{path} is not read from {origin}", f"/{path.replace('.', '/')}"
        found.diagnostics.append(ProviderDiagnostic("setting-dropped", why, "", pointer))
    return found


def defined_tools(transcript: Transcript) -> NamedTools:
    """Return the tools that are defined inside messages."""
    blocks = (block for turn in transcript for block in turn.blocks)
    return named_tools([tool for block in blocks for tool in _defined(block).definitions])


def _defined(block: Block, but: str = "") -> DecodedTools:
    """Return the caller's tools that a block inside messages defines, unless the block is from the provider `but`."""
    tools = defined_in(block)
    if not tools or not isinstance(block, Opaque) or block.provider == but:
        return DecodedTools([])
    return api_of(block.provider).read_tools({"tools": tools})


def _canonical(request: JsonObject, origin: str) -> Native:
    """Return a request in the API's own form. Its messages do not change."""
    wire = wire_of(origin)
    messages = (wire.messages.list_key, wire.messages.system_key)
    members = {key: value if key in messages else plain(value) for key, value in request.items()}
    return wire.request.normalize(merged(members, wire.request))


def _read_tools(found: Given, request: JsonObject, origin: str, provider: str) -> None:
    key = wire_of(origin).tools.block_key
    read = api_of(origin).read_tools(request.get(key) if key else request)
    found.tools = named_tools(read.definitions)
    if origin == provider:
        found.others = read.others
    else:
        found.diagnostics += read.diagnostics


def read_choice(said: Any, tools: NamedTools, codec: Codec) -> tuple[Choice, list[Path]]:
    """Return the tool choice of a request, in the words that `encode_request` accepts.

    Also return the paths of fields that these words cannot express. The choice may have the form of any API: a word, an
    object with a `type` or a `mode`, or an object whose only key names the choice. It may name one tool, or several
    that are allowed.
    """
    if said is None:
        return "auto", []
    if not isinstance(said, Mapping):
        word = _WORDS.get(str(said).lower())
        if word:
            return word, []
        return "auto", [()]
    kind = str(said.get("type") or said.get("mode") or next(iter(said), ""))
    members = {**said, **named(said, kind)}
    left: list[Path] = [(key,) for key in without(said, "type", "mode", "name", "allowedFunctionNames", kind)]
    names = [codec.decode_name(name) for name in _names(members)]
    kind, mode = kind.lower(), str(members.get("mode"))
    if names and all(name in tools for name in names) and kind not in ("auto", "none"):
        if len(names) == 1 and kind != "validated" and mode != "auto":
            return {"tool": names[0]}, left
        found: Choice = {
            "tools": names,
            "mode": "auto" if mode.lower() in ("auto", "validated") else "required",
        }
        return found, [path for path in left if path != ("tools",)]
    if kind in _WORDS:
        return _WORDS[kind], left
    return _WORDS.get(mode, "auto"), [()]  # a tool that the provider runs


def _names(members: JsonObject) -> list[str]:
    """Return the tools that a choice names or allows."""
    found = []
    for item in listed(members, "allowedFunctionNames") or listed(members, "tools") or [members]:
        if isinstance(item, Mapping):
            item = at_path(item, ("function", "name")) or item.get("name")
        found.append(str(item))
    if found == ["None"]:
        return []
    return found


def cached(
    transcript: Transcript, tools: NamedTools, provider: str, cache: bool | str
) -> tuple[Transcript, NamedTools]:
    """Return the history and the tools with cache points after the tools, the system prompt and the last
    turn.
    """
    # The API caches automatically or not at all.
    if not cache or "cache" not in wire_of(provider).messages.attributes:
        return transcript, tools
    point = CachePoint(cache if isinstance(cache, str) else None)
    if tools:
        *_, name = tools
        tools = {**tools, name: replace(tools[name], cache=point)}
    system, turns = _marked(transcript.system, point), list(transcript.turns)
    leading = next((i for i, turn in enumerate(turns) if turn.role != "system"), len(turns))
    ends = []  # of what may be cached: the system prompt and the history
    if leading and not system:
        ends.append(leading - 1)
    if len(turns) > leading and turns[-1].role != "assistant":
        ends.append(-1)
    for index in ends:
        turns[index] = replace(turns[index], blocks=_marked(turns[index].blocks, point))
    return replace(transcript, turns=tuple(turns), system=system), tools


def _marked(blocks: tuple[Block, ...], point: CachePoint) -> tuple[Block, ...]:
    """Return the blocks with a cache point at the end, unless there are none or the last one has one."""
    if not blocks or isinstance(blocks[-1], CachePoint) or getattr(blocks[-1], "cache", None) is not None:
        return blocks
    return (*blocks, point)


def move_definitions(given: Given, provider: str) -> None:
    """Move the tools that another provider's messages define to the request's tools, and add a diagnostic for
    each.

    If the request itself has a tool with the same name, this tool is kept. The encoder leaves out the blocks.
    """
    why = f"{provider} defines no tool among the messages: moved to the tools, so it is there from the start"
    for index, turn in enumerate(given.transcript.turns):
        for ordinal, block in enumerate(turn.blocks):
            read, place = _defined(block, but=provider), f"/turns/{index}/blocks/{ordinal}"
            given.tools = {**named_tools(read.definitions), **given.tools}
            moved = [ProviderDiagnostic("tool-change-moved", why, t.name, place) for t in read.definitions]
            given.diagnostics += [*moved, *(replace(each, pointer=place) for each in read.diagnostics)]
