"""Every fact about a provider's API as data: the types of each provider's `WIRE`, and `wire_of`, which finds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Literal

from toolgen_runtime.providers.shared.shapes import MessageShape, RequestShape, ToolShape

PROVIDERS = ("anthropic", "bedrock", "gemini", "gemini_interactions", "mcp", "openai", "openai_responses")


@dataclass(frozen=True, slots=True)
class WireRule:
    """What a provider takes as a name or an id: `pattern` for the whole text, `max_length` characters.

    `exact` is for ids that must have just that length in ASCII letters and digits (Mistral's nine). What
    matches `also` is taken, too.
    """

    pattern: str
    max_length: int
    exact: bool = False
    also: str = ""

    def legal(self, text: str) -> bool:
        """Return whether the provider takes the text as it is."""
        if self.also and re.fullmatch(self.also, text) is not None:
            return True
        right_length = len(text) == self.max_length if self.exact else 0 < len(text) <= self.max_length
        return right_length and re.fullmatch(self.pattern, text) is not None


def paths(text: str) -> frozenset[str]:
    """Return the dotted paths in a text, which are parted by spaces."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class CallShape:
    """How calls and their results are written, and how they belong together.

    `call_key` and `result_key` are the member of a block that has their own members, `""` where the block has
    them itself; `other_keys` are other spellings of the two. `id_key` and `result_id_key` name the call's id in
    each. With `ids_optional` it may be missing, with `published_ids` the API says what it looks like, with
    `unique_ids` it may not come again in a later turn. With `by_name` a result bears its tool's name, which may be
    missing if `names_optional`.

    Arguments (`input_key`) are an object, or the JSON text of one if `text_arguments`. The content of a result
    may have JSON blocks, objects all, if `json_blocks`; `object_key` is the member of a result that must be an
    object.

    A message with results is from `result_role`: `tool` has one result a message. With `results_follow` nothing
    may stand between the message with the calls and its results.

    With `named_results` a result may have its tool's name instead of the call's id.

    `own_ids` matches the ids that the server itself gives to calls, and takes back whatever the model takes.
    `own_results` are the kinds of calls whose results are of a type of their own. `client_tools` are the names of
    the tools that the API defines and the caller runs. `server_types` matches the
    `type` of a call that the server runs itself, and of its result where that has one.
    """

    call_key: str = ""
    result_key: str = ""
    other_keys: Mapping[str, str] = field(default_factory=dict)
    id_key: str = "id"
    result_id_key: str = "id"
    ids_optional: bool = False
    published_ids: bool = False
    unique_ids: bool = False
    by_name: bool = False
    names_optional: bool = False
    input_key: str = "input"
    text_arguments: bool = False
    json_blocks: bool = False
    object_key: str = ""
    result_role: Literal["user", "tool"] = "user"
    results_follow: bool = False
    named_results: bool = False
    own_ids: str = ""
    own_results: frozenset[str] = frozenset()
    client_tools: frozenset[str] = frozenset()
    server_types: str = ""


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """What ends a streamed message and a block of it, by the API's names; `block_end` is `""` if blocks
    have no end.

    An event about a block has its number in `index_key`, and at the start the block in `start_key`. `calls` leads
    from a response to the list with its calls; a number is an index.
    """

    end: str = ""
    block_end: str = ""
    index_key: str = "index"
    start_key: str = ""
    calls: tuple[str | int, ...] = ("content",)


Finish = Literal["stop", "tool_calls", "length", "content_filter", "pause", "error", "unknown"]
"""Why a model stopped, in the same word for all providers."""


@dataclass(frozen=True, slots=True)
class StopReason:
    """A stop reason in its neutral word; if `whole`, all of the message is there, if `malformed`, it is not JSON
    or not a call.
    """

    finish: Finish
    whole: bool = False
    malformed: bool = False


def reasons(
    finish: Finish, names: str, *, whole: bool = False, malformed: bool = False
) -> Mapping[str, StopReason]:
    """Return the rows of some stop reasons, which are parted by spaces."""
    return dict.fromkeys(names.split(), StopReason(finish, whole, malformed))


@dataclass(frozen=True, slots=True)
class Wire:
    """The facts about one provider's API.

    `name_rule` and `id_rule` are what it takes as a tool's name and a call's id. APIs of one `family` word
    their errors alike; with `of_many` servers of others speak this one, too. `reasoning_from` are the providers
    whose signed reasoning it takes back.

    `usage_key` is the member of a response with the numbers of tokens; `usage` has for each that `Usage` has the
    paths whose numbers make it up, joined by `+`.

    `stops` are the stop reasons, for responses and streams alike. After one that is not `whole`, known or not, or
    after none, a call may be cut, and no call of the message may be run.
    """

    provider: str
    name_rule: WireRule
    id_rule: WireRule
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
        """Copy it as the one that the provider has: its functions cannot be pickled."""
        return wire_of, (self.provider,)

    @property
    def choice_place(self) -> tuple[str, ...]:
        """The place of the choice of a tool in a request."""
        return (*filter(None, (self.tools.block_key,)), *self.tools.choice_path)

    def stop_of(self, stop: object) -> StopReason:
        """Return what a stop reason means; null and unknown ones leave no message whole."""
        return self.stops.get(stop_reason(stop) or "", StopReason("unknown"))

    def is_whole(self, stop: object) -> bool:
        """Return whether all of a message is there that stopped for this reason."""
        return self.stop_of(stop).whole

    def why_cut(self, stop: object) -> str:
        """Return why a message that stopped for this reason may not be all there; `""` if it is whole."""
        reason = stop_reason(stop)
        if self.is_whole(reason):
            return ""
        return (
            "the message ended without a stop reason"
            if reason is None
            else f"the model stopped with {reason[:60]}"
        )


def stop_reason(stop: object) -> str | None:
    """Return a stop reason as text, an SDK's enum by its value; None where there is none."""
    value = getattr(stop, "value", stop)
    return value if isinstance(value, str) and value else None


@lru_cache(maxsize=len(PROVIDERS))
def wire_of(provider: str) -> Wire:
    """Return the facts about a provider; its package is imported when it is first asked for.

    Raises:
        KeyError: the provider is not one of `PROVIDERS`.
    """
    if provider not in PROVIDERS:
        raise KeyError(provider)
    wire: Wire = import_module(f"toolgen_runtime.providers.{provider}").API.wire
    return wire
