"""Every fact about a provider's API as data: the types of each provider's `WIRE`, and `wire_of`, which finds it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Literal

from toolgen_runtime.transcript.messages import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.providers.shared.strict import StrictSubset

PROVIDERS = ("anthropic", "bedrock", "gemini", "mcp", "openai", "openai_responses")


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
class MessageShape:
    """What a request's messages are made of: objects with a role and content, which is a list of blocks.

    Where: `list_key` and `system_key` lead from a request to its messages and its system prompt; with
    `system_messages` system messages may stand among the others. Errors name a block's place within its message if
    `block_places`.

    Roles: `roles` are the API's, each with the neutral one; with `other_roles` servers that speak it have more.
    A message from one of `content_for` must have content; the last one from the assistant may have none if
    `empty_last`.

    Content: it may be a text if `text_content`, and so may the messages as a whole if `text_input`.
    `calls_key` holds calls beside it, `item_key` says what an item is that need not be a message. `members`
    are the types that members of a block must have, `required` those that it must have; `result` leads from a
    block to the content of a tool's result, with `result_type` where the block has that type. `text_type` is
    the type of a text block in a message from a role (`""`: from any other), None where blocks have no type.

    What is read: `reads` are the members, as dotted paths, that the decoder reads of a kind of block, of a
    message (`message`) and of a system prompt that is an object (`system`). `attributes` are those of neutral
    blocks that not every provider has and this one does: `document.context`, `cache`.

    With `reference_key` an item that has this member and no other refers to one that the server has.

    Reasoning: `reasoning_key` is the member of a message that some servers want it back in, `signature_keys` the
    spellings of the member of a block that has its signature.
    """

    list_key: str = "messages"
    system_key: str = "system"
    system_messages: bool = False
    content_key: str = "content"
    block_places: bool = True
    roles: Mapping[str, Role] = field(default_factory=dict)
    other_roles: bool = False
    role_optional: bool = False
    content_for: frozenset[str] = frozenset()
    empty_last: bool = False
    text_content: bool = True
    text_input: bool = False
    text_type: Mapping[str, str] | None = None
    members: Mapping[str, type] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    result_type: str = ""
    calls_key: str = ""
    reasoning_key: str = ""
    signature_keys: tuple[str, ...] = ()
    item_key: str = ""
    reference_key: str = ""
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()

    def text_message(self, text: str) -> dict[str, object]:
        """Return the message that a text stands for where there is no list of messages."""
        content = text if self.text_content else [self.text_block(text, "user")]
        return {"role": "user", self.content_key: content}

    def item_kind(self, item: Mapping[str, object]) -> object:
        """Return what an item is: a message where it does not say, or a reference."""
        kind = item.get(self.item_key) if self.item_key else None
        if kind is not None:
            return kind
        said = [key for key, value in item.items() if value is not None]
        return "item_reference" if self.reference_key and said == [self.reference_key] else "message"

    def text_block(self, text: str, role: str) -> dict[str, str]:
        """Return a block of text for a message from this role."""
        typed = {} if self.text_type is None else {"type": self.text_type.get(role, self.text_type[""])}
        return {**typed, "text": text}


@dataclass(frozen=True, slots=True)
class RequestShape:
    """What a whole request says beside its messages, by the names of its members.

    `merged` are members whose own members count as the request's (google-genai's `config`); `aliases` are other
    spellings of names. `model_key` has the model's id. `tool_keys` are the members that make up the tools block
    where the block has no member of its own. `thinking_paths` lead to the word that switches thinking on or off.

    A cache point is a block with `cache_block`, or any block, tool or request with `cache_member`.

    With one of `state_keys`, or an item of one of `state_types`, the server has a part of the history itself.
    """

    merged: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    model_key: str = "model"
    tool_keys: tuple[str, ...] = ("tools", "tool_choice")
    thinking_paths: tuple[tuple[str, ...], ...] = (("thinking", "type"),)
    cache_block: str = ""
    cache_member: str = ""
    state_keys: tuple[str, ...] = ()
    state_types: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CallShape:
    """How calls and their results are written, and how they belong together.

    `call_key` and `result_key` are the member of a block that has their own members, `""` where the block has
    them itself; `other_keys` are other spellings of the two. `id_key` and `result_id_key` name the call's id in
    each; with `ids_optional` it may be missing, with `unique_ids` it may not come again in a later turn. With
    `by_name` a result bears its tool's name.

    Arguments (`input_key`) are an object, or the JSON text of one if `text_arguments`. The content of a result
    may have JSON blocks, objects all, if `json_blocks`; `object_key` is the member of a result that must be an
    object.

    A message with results is from `result_role`: `tool` has one result a message. With `results_follow` nothing
    may stand between the message with the calls and its results.

    With `named_results` a result may have its tool's name instead of the call's id.

    `own_ids` matches the ids that the server itself gives to calls, and takes back whatever the model takes.
    `own_results` are the kinds of calls whose results are of a type of their own. `server_types` matches the
    `type` of a call that the server runs itself, and of its result where that has one. `function_key` and
    `function_role` are the older form of a call and its result, which have no id.
    """

    call_key: str = ""
    result_key: str = ""
    other_keys: Mapping[str, str] = field(default_factory=dict)
    id_key: str = "id"
    result_id_key: str = "id"
    ids_optional: bool = False
    unique_ids: bool = False
    by_name: bool = False
    input_key: str = "input"
    text_arguments: bool = False
    json_blocks: bool = False
    object_key: str = ""
    result_role: Literal["user", "tool"] = "user"
    results_follow: bool = False
    named_results: bool = False
    own_ids: str = ""
    own_results: frozenset[str] = frozenset()
    server_types: str = ""
    function_key: str = ""
    function_role: str = ""


@dataclass(frozen=True, slots=True)
class ToolShape:
    """How a request defines tools, and what it takes as a definition.

    Where: `block_key` is the request's member with the tools block, `""` where the request is the block. In
    the block's `tools`, `group_keys` are the members of an entry that may have the definitions, `definition_key`
    the one that has the definition, `""` where it is the entry; `schema_path` leads from there to the schema,
    and so may `other_schema_paths`, of which `openapi_keys` lead to one in OpenAPI's terms. With
    `schema_optional` a definition may have no schema, with `untyped_root` one whose root names no type. `types`
    are the values of an entry's `type` that define a tool of the caller's; any other is a tool of the server's.
    `choice_key` is the block's member with the choice, `choice_type_key` the member that says which one it is,
    `""` where the name of its only member says so.

    `async_key` is the member of a definition that says that the conversation goes on before there is a result.

    What: `refused_at_root` are the keywords that a schema's root may not have (`model_roots`: only with some
    of the models that it serves), `flat_root` says whether encoding merges them. `property_names` is what the
    names of properties must match, `strict` the subset for strict tools, None where there are none. `no_choice`
    are the choices that the API lacks. `reads` are the members, as dotted paths, that are read of a definition.

    Limits of a request, None for no known one: `max_strict` strict tools, with `max_unions` parameters of union
    type and `max_optional` optional ones in all; `max_tools` tools; `max_description` characters of a tool's
    description.
    """

    block_key: str = ""
    group_keys: tuple[str, ...] = ()
    definition_key: str = ""
    schema_path: tuple[str, ...] = ("parameters",)
    other_schema_paths: tuple[tuple[str, ...], ...] = ()
    openapi_keys: frozenset[str] = frozenset()
    schema_optional: bool = False
    untyped_root: bool = False
    types: frozenset[str] = frozenset()
    choice_key: str = ""
    choice_type_key: str = ""
    async_key: str = ""
    refused_at_root: tuple[str, ...] = ()
    model_roots: bool = False
    flat_root: bool = False
    property_names: str | None = None
    strict: StrictSubset | None = None
    max_unions: int | None = None
    max_strict: int | None = None
    max_optional: int | None = None
    max_tools: int | None = None
    max_description: int | None = None
    no_choice: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()

    def place(self, *keys: str | int) -> str:
        """Return the place of something in the tools block, dotted: `toolConfig.tools`."""
        return ".".join(map(str, (self.block_key, *keys) if self.block_key else keys))


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """What ends a streamed message and a block of it, by the API's names; `block_end` is `""` where blocks
    have no end. With `published_ids` the API says what an id looks like, and any other is a problem.
    """

    end: str = ""
    block_end: str = ""
    published_ids: bool = False


@dataclass(frozen=True, slots=True)
class Wire:
    """The facts about one provider's API.

    `name_rule` and `id_rule` are what it takes as a tool's name and a call's id. APIs of one `family` word
    their errors alike; with `of_many` servers of others speak this one, too. `reasoning_from` are the providers
    whose signed reasoning it takes back.

    After a stop reason of `whole_stop_reasons` all of the message is there. After any other, known or not,
    or after none, a call may be cut, and no call of the message may be run. `malformed_stop_reasons` say that
    the model's output itself was malformed, `call_stop_reasons` that the model stopped in order to call.
    """

    provider: str
    name_rule: WireRule
    id_rule: WireRule
    stop_key: str = ""
    whole_stop_reasons: frozenset[str] = frozenset()
    malformed_stop_reasons: frozenset[str] = frozenset()
    call_stop_reasons: frozenset[str] = frozenset()
    has_messages: bool = True
    messages: MessageShape = MessageShape()
    request: RequestShape = RequestShape()
    calls: CallShape = CallShape()
    tools: ToolShape = ToolShape()
    stream: StreamFormat = StreamFormat()
    reasoning_from: frozenset[str] = frozenset()
    family: str = ""
    of_many: bool = False

    def is_whole(self, stop: object) -> bool:
        """Return whether all of a message is there that stopped for this reason; null and unknown ones say no."""
        return stop_reason(stop) in self.whole_stop_reasons

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


def wire_of(provider: str) -> Wire:
    """Return the facts about a provider; its package is imported when it is first asked for.

    Raises:
        KeyError: the provider is not one of `PROVIDERS`.
    """
    if provider not in PROVIDERS:
        raise KeyError(provider)
    wire: Wire = import_module(f"toolgen_runtime.providers.{provider}.wire").WIRE
    return wire
