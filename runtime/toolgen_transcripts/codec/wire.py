"""The providers' APIs as data. The `WIRE` of each provider is returned by `wire_of`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any, Literal

from toolgen_transcripts.codec.members import text_or_none
from toolgen_transcripts.codec.shapes import MessageShape, RequestShape, ToolShape

PROVIDERS = ("anthropic", "bedrock", "gemini", "gemini_interactions", "mcp", "openai", "openai_responses")


@dataclass(frozen=True, slots=True)
class WireRule:
    """A rule for the names or ids that a provider accepts.

    `pattern` must match the whole text, which has at most `max_length` characters.

    With `exact`, an id must have exactly this length and consist of ASCII letters and digits (nine for Mistral). Texts
    that match `also` are accepted too.
    """

    pattern: str
    max_length: int
    exact: bool = False
    also: str = ""

    def legal(self, text: str) -> bool:
        """Return whether the provider accepts a text unchanged."""
        if self.also and re.fullmatch(self.also, text) is not None:
            return True
        shortest = self.max_length if self.exact else 1
        return shortest <= len(text) <= self.max_length and re.fullmatch(self.pattern, text) is not None


def paths(text: str) -> frozenset[str]:
    """Return the dotted paths in a text, where they are separated by spaces."""
    return frozenset(text.split())


@dataclass(frozen=True)
class CallShape:
    """The structure of calls and results: how a result refers to its call, and who runs a call."""

    # Where a call and its result have each of their fields.
    call_key: str = ""
    """The member of a block that contains the call; empty if the block is the call itself."""
    result_key: str = ""
    """The member of a block that contains the result; empty if the block is the result itself."""
    other_keys: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of these two; in Chat Completions, that of a call to a custom tool."""
    call_types: Mapping[str, str] = field(default_factory=dict)
    """The `type` of a call, by its kind, if calls have one."""
    id_outside: bool = False
    """Whether the id is in the block beside this member."""
    id_key: str = "id"
    """The member of a call with its id."""
    result_id_key: str = "id"
    """The member of a result with its call's id."""
    other_id_keys: Mapping[str, str] = field(default_factory=dict)
    """That member in results of certain types."""
    input_key: str = "input"
    """The member of a call with its arguments."""
    text_arguments: bool = False
    """Whether the arguments are the JSON text of an object, not the object."""

    # The ids of calls, and how a result refers to its call.
    ids_optional: bool = False
    """Whether the id may be missing."""
    published_ids: bool = False
    """Whether the API documents the format of ids."""
    unique_ids: bool = False
    """Whether a later turn must not repeat an id."""
    own_ids: str = ""
    """Matches the ids that the server itself gives to calls; it accepts them for every model."""
    by_name: bool = False
    """Whether a result has its tool's name."""
    names_optional: bool = False
    """Whether that name may be missing."""
    named_results: bool = False
    """Whether a result may have its tool's name instead of the call's id."""

    # The form of results, and their place in the messages.
    json_blocks: bool = False
    """Whether the content of a result may have JSON blocks, which must be objects."""
    object_key: str = ""
    """The member of a result that must be an object."""
    result_role: Literal["user", "tool"] = "user"
    """The role of a message with results; a `tool` message has one result."""
    results_follow: bool = False
    """Whether the results must come directly after the message with the calls."""
    results_together: bool = False
    """Whether the results of one message's calls must be in one message."""
    own_results: frozenset[str] = frozenset()
    """The kinds of calls whose results have a type of their own."""

    client_tools: frozenset[str] = frozenset()
    """The names of the tools that the API defines and the caller runs."""
    server_types: str = ""
    """Matches the `type` of a call that the server runs itself, and of its result if that has a type."""


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """The structure of a stream's events."""

    end: str = ""
    """The event that ends a message."""
    block_end: str = ""
    """The event that ends a block; empty if blocks have none."""
    index_key: str = "index"
    """The member of an event with its block's number."""
    start_key: str = ""
    """The member of a start event with the block."""
    calls: str = "content"
    """The path from a response to the list with its calls, for the places of faults."""


Finish = Literal["stop", "tool_calls", "length", "content_filter", "pause", "error", "unknown"]
"""The reason why a model stopped, in words that are the same for all providers."""


@dataclass(frozen=True, slots=True)
class StopReason:
    """What a stop reason of a provider means.

    With `whole`, the message is complete. With `malformed`, the model's output is not JSON or not a call.
    """

    finish: Finish
    whole: bool = False
    malformed: bool = False


def reasons(
    finish: Finish, names: str, *, whole: bool = False, malformed: bool = False
) -> Mapping[str, StopReason]:
    """Return a table that gives one meaning to all stop reasons in `names`, where they are separated by
    spaces.
    """
    return dict.fromkeys(names.split(), StopReason(finish, whole, malformed))


@dataclass(frozen=True, slots=True)
class Wire:
    """One provider's API as data.

    `name_rule` and `id_rule` are the rules for tool names and call ids. APIs of one `family` have the same error texts.
    With `of_many`, servers of other companies implement this API too. `reasoning_from` lists the providers whose signed
    reasoning the API accepts.

    `usage_key` is the field of a response with the token counts. For each field of `Usage`, `usage` gives the paths of
    the numbers to add up, joined by `+`.

    `stops` are the stop reasons, which are the same for responses and streams. After a reason that is not `whole`, or
    that is unknown or missing, a call may be truncated, and no call in the message may be run.
    """

    provider: str
    name_rule: WireRule
    id_rule: WireRule = WireRule(r"[!-~]+", 256)  # where none is published: a safe limit
    stop_key: str = ""
    stops: Mapping[str, StopReason] = field(default_factory=dict)
    usage_key: str = "usage"
    usage: Mapping[str, str] = field(default_factory=dict)
    has_messages: bool = True
    messages: MessageShape = field(default_factory=MessageShape)
    request: RequestShape = field(default_factory=RequestShape)
    calls: CallShape = CallShape()
    tools: ToolShape = field(default_factory=ToolShape)
    stream: StreamFormat = StreamFormat()
    reasoning_from: frozenset[str] = frozenset()
    family: str = ""
    of_many: bool = False

    def __reduce__(self) -> tuple[Callable[[str], Wire], tuple[str]]:
        """Pickle only the provider's name, because the functions cannot be pickled."""
        return wire_of, (self.provider,)

    @property
    def choice_place(self) -> tuple[str, ...]:
        """The path to the tool choice in a request."""
        return (*filter(None, (self.tools.block_key,)), *self.tools.choice_path)

    def stop_of(self, stop: object) -> StopReason:
        """Return the meaning of a stop reason. If it is null or unknown, the message may be incomplete."""
        return self.stops.get(stop_reason(stop) or "", StopReason("unknown"))

    def is_whole(self, stop: object) -> bool:
        """Return whether a message with this stop reason is complete."""
        return self.stop_of(stop).whole

    def why_cut(self, stop: object) -> str:
        """Return why a message with this stop reason may be incomplete; an empty string if it is not."""
        reason = stop_reason(stop)
        if self.is_whole(reason):
            return ""
        if reason is None:
            return "the message ended without a stop reason"
        return f"the model stopped with {reason[:60]}"


def stop_reason(stop: object) -> str | None:
    """Return a stop reason as a string; None if there is none.

    For an SDK's enum member, return its value.
    """
    return text_or_none(getattr(stop, "value", stop))


@lru_cache(maxsize=len(PROVIDERS))
def load_api(provider: str) -> Any:
    """Return a provider's API. Its package is imported when it is first needed.

    `api_of` returns the same API with its static type.

    Raises:
        KeyError: the provider is not one of `PROVIDERS`.
    """
    if provider not in PROVIDERS:
        raise KeyError(provider)
    return import_module(f"toolgen_transcripts.{provider}").API


def wire_of(provider: str) -> Wire:
    """Return the data about a provider's API.

    Raises:
        KeyError: the provider is not one of `PROVIDERS`.
    """
    wire: Wire = load_api(provider).wire
    return wire
