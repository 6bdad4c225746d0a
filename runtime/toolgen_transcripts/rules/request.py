"""A request in the form in which it is checked and repaired.

It has the history as turns, the tools, the model and other facts.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any, Final

from toolgen_transcripts.apis import api_of
from toolgen_transcripts.codec import models
from toolgen_transcripts.codec.decoding import native_messages
from toolgen_transcripts.codec.encoding import Encoding
from toolgen_transcripts.codec.members import JsonObject, Native, at_path
from toolgen_transcripts.codec.names import RawCodec, id_rule_of
from toolgen_transcripts.codec.plain_values import plain
from toolgen_transcripts.codec.shapes import RequestShape
from toolgen_transcripts.codec.wire import PROVIDERS, Wire, WireRule, wire_of
from toolgen_transcripts.messages import Turn
from toolgen_transcripts.rules.matching import judged, writable
from toolgen_transcripts.rules.native_tools import native_tools
from toolgen_transcripts.rules.rule import Rule
from toolgen_transcripts.rules.well_formed import ShapeFault, well_formed


class Unset:
    """The type of `UNSET`, which stands for an argument that was not given."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
"""Means that the tools of a request are unknown. None means that the request has no tools."""

Tools = JsonObject | None | Unset


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that a request breaks.

    It has the rule's number and name, the place in the server's notation, the ids, and the server's message.
    """

    rule: int
    place: str
    ids: tuple[str, ...]
    message: str
    slug: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One request: its turns, with all names and ids unchanged, and everything else that rules depend on.

    `given` are the original messages, with SDK objects as dicts. `starts` contains the index of each turn's first
    message, and the end. `malformed` are the faults that were fixed before the messages could be read. `system` is the
    system prompt of a whole request. `cached` is the number of cache points outside the prompt, the tools and the
    messages. With `stateful`, the server stores a part of the history; with `moved`, the history comes from another
    host of the same API. `host` is where the request goes, if this is known. With `unstored`, the server stores no
    responses; with `adaptive`, the model decides whether to think. `without_messages` is a whole request without
    messages under the API's key for them. `members` are the fields of a whole request.
    """

    provider: str
    turns: tuple[Turn, ...]
    tools: Tools = UNSET
    model: str | None = None
    thinking: bool | None = None
    streaming: bool = False
    starts: tuple[int, ...] = ()
    malformed: tuple[ShapeFault, ...] = ()
    given: Any = ()
    system: Any = None
    stateful: bool = False
    cached: int = 0
    moved: bool = False
    unstored: bool = False
    adaptive: bool = False
    without_messages: JsonObject | None = None
    members: JsonObject = field(default_factory=dict)
    host: str | None = None

    @classmethod
    def of(
        cls,
        messages: object,
        provider: str,
        tools: Tools = UNSET,
        model: str | None = None,
        thinking: bool | None = None,
        streaming: bool = False,
        moved: bool = False,
        host: str | None = None,
    ) -> Request:
        """Create a request from native messages. Arguments have priority over the fields of a whole request.

        Raises:
            ValueError: the provider is unknown or has no messages.
            TypeError: an element is neither a mapping nor an object with `model_dump()`.
        """
        wire = _wire(provider)
        shape, members = wire.request, Native()
        given = native_messages(messages, wire.messages)
        if isinstance(messages, Mapping):
            whole = merged(messages, shape)
            members = {shape.spelling(key): value for key, value in whole.items() if value is not None}
            if isinstance(tools, Unset):
                tools = _tools(members, wire)
        word, named = thinking_word(members, shape), members.get(shape.model_key)
        if thinking is None:
            thinking = {"enabled": True, "disabled": False}.get(word)
        if model is None and isinstance(named, str):
            model = named
        kinds = {str(wire.messages.item_kind(item)) for item in given}
        stateful = not (members.keys().isdisjoint(shape.state_keys) and kinds.isdisjoint(shape.state_types))
        absent = None
        if isinstance(messages, Mapping) and wire.messages.list_key not in messages and not stateful:
            absent = messages
        return cls(
            provider,
            tools=tools,
            model=model,
            thinking=thinking,
            streaming=streaming,
            system=plain(members.get(wire.messages.system_key)),
            stateful=stateful,
            cached=int(shape.cache_member in members),
            moved=moved,
            unstored=bool(shape.store_key) and members.get(shape.store_key) is False,
            adaptive=word == "adaptive",
            without_messages=absent,
            members=members,
            host=host,
            **_read(given, wire, tools),
        )

    def read_again(self) -> Request:
        """Read a request again after its messages, tools or system prompt were changed in place."""
        return replace(self, **_read(self.given, self.wire, self.tools))

    @property
    def wire(self) -> Wire:
        """The data about the provider's API."""
        return wire_of(self.provider)

    @property
    def id_rule(self) -> WireRule:
        """The rule for call ids. Ids that the server itself assigns are valid too."""
        rule = id_rule_of(self.wire, self.model)
        return replace(
            rule, also=r"\S+" if self.is_compatible and not rule.exact else self.wire.calls.own_ids
        )

    @property
    def is_openai(self) -> bool:
        """Whether the request goes, or may go, to OpenAI's own server.

        Servers that only implement OpenAI's API do not have its limits.
        """
        return models.is_openai(self.model, self.host)

    @property
    def is_compatible(self) -> bool:
        """Whether the server is another company's that implements OpenAI's API."""
        return self.wire.of_many and not self.is_openai and not models.is_claude(self.model)

    @property
    def is_deepseek(self) -> bool:
        """Whether the request goes to DeepSeek's own server."""
        return models.is_deepseek(self.model, self.host)

    @property
    def wants_reasoning(self) -> bool:
        """Whether the server requires `reasoning_content` to be sent back with calls."""
        return models.wants_reasoning(self.model, self.thinking, self.host)

    def place(self, turn: int, block: int | None = None) -> str:
        """Return the path of a turn, or of one of its blocks, in the provider's messages.

        OpenAI has no places for blocks.
        """
        place = self.place_in(self.starts[turn] if turn < len(self.starts) else turn)
        if block is None or not self.wire.messages.block_places:
            return place
        return f"{place}.{self.wire.messages.content_key}.{block}"

    def inside(self, place: str, key: str) -> str:
        """Return the path of a block's fields, which are under `key`."""
        if key and self.wire.messages.block_places:
            return f"{place}.{key}"
        return place

    def below(self, place: str, index: int) -> str:
        """Return the path of a block in the content of the result at `place`."""
        return f"{self.inside(place, self.wire.calls.result_key)}.content.{index}"

    def place_in(self, *path: str | int) -> str:
        """Return the path that starts at the list of messages and continues with these indexes and keys."""
        return ".".join(map(str, (self.wire.messages.list_key, *path)))

    def broken(
        self, rule: Rule, place: str, ids: Iterable[str | None], detail: str, *, wording: str = ""
    ) -> Violation:
        """Return a violation of a rule, with the message that this provider sends."""
        known = known_ids(ids)
        message = rule.message(wording or self.provider, place=place, ids=known, detail=detail)
        return Violation(rule.number, place, known, message, rule.slug)

    def tests(self, rule: Rule) -> bool:
        """Return whether this provider has the rule."""
        return self.provider in rule.providers


def known_ids(ids: Iterable[str | None]) -> tuple[str, ...]:
    """Return the ids that are not None."""
    return tuple(id for id in ids if id is not None)


def _read(given: list[Native], wire: Wire, tools: Tools) -> Native:
    """Return the fields of a `Request` that depend on its messages, without decoding names and inputs."""
    native, malformed = well_formed(given, wire.messages)
    known = {} if isinstance(tools, Unset) else tools or {}
    raw, shape = RawCodec(wire.name_rule, wire.id_rule), wire.tools
    # The results of asynchronous tools may come at any later time.
    defined = native_tools(known, shape) if shape.async_key else ()
    unawaited = {str(tool.name) for tool in defined if tool.spec.get(shape.async_key) is True}
    turns = judged(api_of(wire.provider).decode_messages(native, codec=raw).turns, wire, unawaited)
    counts = map(api_of(wire.provider).count_items, turns)  # a turn may be several items
    starts = tuple(accumulate(counts, initial=0))
    return {"turns": turns, "starts": starts, "malformed": malformed, "given": given}


def _wire(provider: str) -> Wire:
    if provider not in PROVIDERS or not wire_of(provider).has_messages:
        known = ", ".join(name for name in PROVIDERS if wire_of(name).has_messages)
        raise ValueError(f"unknown provider {provider!r}; the providers are {known}")
    return wire_of(provider)


def native_of(turn: Turn, wire: Wire, unchanged: Container[int] = ()) -> list[Native]:
    """Convert a turn to native messages with its names and ids unchanged. `unchanged` is explained at
    `Encoding`.
    """
    encoding = Encoding(wire, RawCodec(wire.name_rule, wire.id_rule))
    encoding.unchanged = unchanged
    return list(api_of(wire.provider).encode_turn(writable(turn), 0, encoding))


def encode_turns(turns: tuple[Turn, ...], given: Request) -> tuple[list[Native], tuple[int, ...]]:
    """Convert the turns to native messages.

    Also return the index of each turn's first message, and the end.

    A turn that has not changed keeps its messages, a block its native value.
    """
    unchanged = {id(block) for turn in given.turns for block in turn.blocks}
    kept: dict[int, list[Native]] = {}
    if not given.malformed:
        spans = pairwise(given.starts)
        kept = {
            id(turn): given.given[start:end] for turn, (start, end) in zip(given.turns, spans, strict=True)
        }
    parts = [kept.get(id(turn)) or native_of(turn, given.wire, unchanged) for turn in turns]
    return [message for part in parts for message in part], tuple(accumulate(map(len, parts), initial=0))


def merged(request: JsonObject, shape: RequestShape) -> Native:
    """Return a request in which fields that only group others are replaced with their contents
    (`RequestShape.merged`).
    """
    members = dict(request)
    for key in shape.merged:
        more = plain(members.pop(key, None))
        if isinstance(more, dict):
            members |= more
    return members


def _tools(members: JsonObject, wire: Wire) -> Tools:
    """Return the tools block; None if the request has none, `UNSET` if the server may have one."""
    key, keys = wire.tools.block_key, wire.request.tool_keys
    block = plain(members.get(key) if key else {k: v for k, v in members.items() if k in keys})
    if isinstance(block, dict) and "tools" in block:
        return block
    if not members.keys().isdisjoint(wire.request.state_keys):
        return UNSET
    return None


def thinking_word(members: JsonObject, shape: RequestShape) -> str:
    """Return the word in a request that switches thinking on or off, such as `enabled` or `adaptive`.

    Return an empty string if there is none.
    """
    words = (at_path(plain(members.get(path[0])), path[1:]) for path in shape.thinking_paths)
    return next((word for word in words if isinstance(word, str)), "")
