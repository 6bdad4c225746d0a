"""The structure of an API's messages, tool definitions and requests as data, with the members that decoders read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen_transcripts.codec.media import MediaForm
from toolgen_transcripts.codec.members import Native, Path
from toolgen_transcripts.messages import Role
from toolgen_transcripts.strict.subsets import StrictSubset


@dataclass(frozen=True, slots=True)
class MessageShape:
    """The structure of a request's messages: objects with a role and content, which is a list of blocks.

    Place: `list_key` and `system_key` are the members of a request with its messages and its system prompt; with
    `system_messages` system messages may be among the others. With `block_places` the API's errors name a block's
    place within its message.

    Roles: `roles` maps the API's roles to the neutral ones; `role_key` is the member of a message with its role; with
    `other_roles` compatible servers have more roles.
    A message from one of `content_for` must have content; with `empty_last` the last assistant message may have none.

    Content: it may be a string if `text_content`, and so may all messages together if `text_input`; blocks of
    `input_types` may replace the list of messages, too. `calls_key` is the member of a message with its calls,
    `item_key` is the member with the type of an item, which need not be a message, and `item_types` are all its
    values (empty: servers have others). `members` are the types that members of a block must have, `required` the
    members that a block must have; `result` is the path from a block to the content of a tool's result, for blocks of
    type `result_type` if there is one. `text_type` is the type of a text block by the role of its message (`""`: any
    other role), None if blocks have no type.

    Reading: `reads` are the members, as dotted paths, that the decoder reads of each kind of block, of a
    message (`message`) and of a system prompt that is an object (`system`). `media` are the forms of media; the
    first that matches is used. `attributes` are the optional attributes of neutral blocks that this API supports:
    `document.context`, `cache`.

    `definitions` are paths, by the type of a block or an item, to the tools that it defines among the messages.
    With `reference_key` an item that has only this member is a reference to an item on the server.

    Reasoning: `reasoning_key` is the member of a message in which some servers require it back, `signature_keys` are
    the spellings of the member of a block with its signature.
    """

    list_key: str = "messages"
    system_key: str = "system"
    system_messages: bool = False
    content_key: str = "content"
    block_places: bool = True
    role_key: str = "role"
    roles: Mapping[str, Role] = field(default_factory=dict)
    other_roles: bool = False
    role_optional: bool = False
    content_for: frozenset[str] = frozenset()
    empty_last: bool = False
    text_content: bool = True
    text_input: bool = False
    input_types: frozenset[str] = frozenset()
    text_type: Mapping[str, str] | None = None
    members: Mapping[str, type] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    result_type: str = ""
    calls_key: str = ""
    reasoning_key: str = ""
    signature_keys: tuple[str, ...] = ()
    item_key: str = ""
    item_types: frozenset[str] = frozenset()
    reference_key: str = ""
    definitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    media: tuple[MediaForm, ...] = ()
    attributes: frozenset[str] = frozenset()

    @property
    def kinds(self) -> frozenset[str]:
        """The types of the blocks that the decoder reads."""
        return frozenset((*self.reads, *self.definitions, *(str(m.template.get("type")) for m in self.media)))

    def listed(self, found: object) -> object:
        """Return a string, a content block or a list of blocks as a list of messages; other values unchanged."""
        if isinstance(found, str) and self.text_input:
            return [self.text_message(found)]
        blocks = [found] if isinstance(found, Mapping) else found
        if not isinstance(blocks, list | tuple) or not blocks or not self.input_types:
            return found
        kinds = [
            block.get("type") if isinstance(block, Mapping) else getattr(block, "type", None)
            for block in blocks
        ]
        if not all(isinstance(kind, str) and kind in self.input_types for kind in kinds):
            return found
        return [{self.role_key: self.role_of("user"), self.content_key: list(blocks)}]

    def text_message(self, text: str) -> dict[str, object]:
        """Return the message for a string that replaces the list of messages."""
        plain = self.text_content and self.role_key != self.item_key
        content = text if plain else [self.text_block(text, "user")]
        return {self.role_key: self.role_of("user"), self.content_key: content}

    def role_of(self, role: str) -> str:
        """Return the API's name of a neutral role, or the role unchanged if the API does not have it."""
        return next((own for own, neutral in self.roles.items() if neutral == role), role)

    def is_message(self, item: Mapping[str, object]) -> bool:
        """Return whether an item is a message; all are if the API has no other items."""
        kind = self.item_kind(item)
        named = self.role_key == self.item_key and isinstance(kind, str) and kind in self.roles
        return kind == "message" or named

    def item_kind(self, item: Mapping[str, object]) -> object:
        """Return the type of an item; without one it is a reference (`item_reference`) or a `message`."""
        kind = item.get(self.item_key) if self.item_key else None
        if kind is not None:
            return kind
        said = [key for key, value in item.items() if value is not None]
        return "item_reference" if self.reference_key and said == [self.reference_key] else "message"

    def text_block(self, text: str, role: str) -> dict[str, str]:
        """Return a text block for a message of this role."""
        typed = {} if self.text_type is None else {"type": self.text_type.get(role, self.text_type[""])}
        return {**typed, "text": text}


NAME: Final = "<name>"
NAMES: Final = "<names>"
TOOLS: Final = "<tools>"
"""The placeholders in `ToolShape.choices`: a tool's name, a list of names, and a list of the choices of one tool."""


@dataclass(frozen=True, slots=True)
class ToolShape:
    """The structure of tool definitions in a request, and the definitions that the API accepts.

    Place: `block_key` is the request's member with the tools block, `""` if the request is the block. In the
    block's `tools`, `group_keys` are the members of an entry that may have definitions, `definition_key` is the
    member with the definition, `""` if the entry is the definition. `schema_path` is the path from a definition to
    its schema; `other_schema_paths` are other paths to it; at the keys `openapi_keys` it is an OpenAPI schema. With
    `schema_optional` a definition may have no schema, with `untyped_root` a schema's root may have no type. `types`
    are the values of an entry's `type` that define a tool of the caller; any other is a tool of the server.
    `choice_key` is the block's member with the choice, `choice_type_key` the choice's member with its kind, `""` if
    the name of its only member is the kind.

    `async_key` is the member of a definition that lets the conversation continue before there is a result.

    Limits: `refused_at_root` are the keywords that a schema's root must not have (`model_roots`: only for some of the
    API's models); encoding merges them. `property_names` is the pattern for the names of properties, `strict` the
    subset for strict tools, None if there are none. `no_choice` are the choices that the API lacks. `reads` are the
    members of a definition that the decoder reads, as dotted paths.

    Writing: `always` are the members that a definition (`description`, `strict`) or its schema (`properties`) has
    even if they are empty. `choices` are the native forms of each choice, with placeholders: `custom` is the choice
    of a custom tool, `allowed` of several tools of which one must be called, `allowed_auto` of several that may be;
    `choice_path` is the path from the block to the choice.

    `max_tools` is the highest number of tools in a request, None if no limit is known.
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
    property_names: str | None = None
    strict: StrictSubset | None = None
    max_tools: int | None = None
    no_choice: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    choice_path: tuple[str, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)

    @property
    def typed(self) -> bool:
        """Whether each definition has a type."""
        return "function" in self.types

    @property
    def schema_paths(self) -> tuple[tuple[str, ...], ...]:
        """The possible paths to a schema; the first that exists is used."""
        return (self.schema_path, *self.other_schema_paths)

    def place(self, *keys: str | int) -> str:
        """Return the dotted path in the request of a place in the tools block: `toolConfig.tools`."""
        return ".".join(map(str, (self.block_key, *keys) if self.block_key else keys))


@dataclass(frozen=True, slots=True)
class RequestShape:
    """The members of a whole request other than its messages and tools.

    `merged` are members whose members count as the request's (google-genai's `config`); `spelling` returns the API's
    spelling of a member's name. `model_key` is the member with the model's id. `tool_keys` are the members that make
    up the tools block if the block has no separate member. `thinking_paths` are the paths to the value that switches
    thinking on or off.

    A cache point is a block with `cache_block`, or a `cache_member` of any block, tool or request.

    A request with one of `state_keys`, or an item of one of `state_types`, refers to a history that is on the server.
    `store_key` is the member that tells the server whether to store the answer.

    `paths` are the paths to the settings, which every API names differently; `read_as` are other paths that are read.
    With `tokens_required` a request must have a limit of tokens. `normalize` converts a request from any form that
    the SDK accepts to the API's form.
    """

    merged: tuple[str, ...] = ()
    spelling: Callable[[object], str] = str
    model_key: str = "model"
    tool_keys: tuple[str, ...] = ("tools", "tool_choice")
    thinking_paths: tuple[Path, ...] = (("thinking", "type"),)
    cache_block: str = ""
    cache_member: str = ""
    state_keys: tuple[str, ...] = ()
    state_types: frozenset[str] = frozenset()
    store_key: str = ""
    paths: Mapping[str, Path] = field(default_factory=dict)
    read_as: Mapping[Path, str] = field(default_factory=dict)
    tokens_required: bool = False
    normalize: Callable[[Native], Native] = dict


def under(*holder: str, same: str = "", **named: str) -> dict[str, Path]:
    """Return the paths of settings in an object of the request; `same` are those with the name of the setting."""
    return {key: (*holder, name) for key, name in ({word: word for word in same.split()} | named).items()}
