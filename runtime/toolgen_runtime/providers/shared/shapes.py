"""What an API's messages, tool definitions and requests are made of, and what a decoder reads of them, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen_runtime.providers.shared.messages.media import MediaForm
from toolgen_runtime.transcript.messages import Role


@dataclass(frozen=True, slots=True)
class MessageShape:
    """What a request's messages are made of: objects with a role and content, which is a list of blocks.

    Where: `list_key` and `system_key` lead from a request to its messages and its system prompt; with
    `system_messages` system messages may stand among the others. Errors name a block's place within its message if
    `block_places`.

    Roles: `roles` are the API's, each with the neutral one, in the member `role_key` of a message; with
    `other_roles` servers that speak it have more.
    A message from one of `content_for` must have content; the last one from the assistant may have none if
    `empty_last`.

    Content: it may be a text if `text_content`, and so may the messages as a whole if `text_input`; blocks of
    `input_types` may stand for them, too. `calls_key` holds calls beside it, `item_key` says what an item is that
    need not be a message, and `item_types` are all that it may say (none: servers have others). `members`
    are the types that members of a block must have, `required` those that it must have; `result` leads from a
    block to the content of a tool's result, with `result_type` where the block has that type. `text_type` is
    the type of a text block in a message from a role (`""`: from any other), None where blocks have no type.

    What is read: `reads` are the members, as dotted paths, that the decoder reads of a kind of block, of a
    message (`message`) and of a system prompt that is an object (`system`). `media` are the forms of media, the
    first that fits counts. `attributes` are those of neutral blocks that not every provider has and this one does:
    `document.context`, `cache`.

    `definitions` lead from a block or an item of a type to the tools that it defines among the messages.
    With `reference_key` an item that has this member and no other refers to one that the server has.

    Reasoning: `reasoning_key` is the member of a message that some servers want it back in, `signature_keys` the
    spellings of the member of a block that has its signature.
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
        """The types of blocks that are read."""
        return frozenset((*self.reads, *self.definitions, *(str(m.template.get("type")) for m in self.media)))

    def listed(self, found: object) -> object:
        """Return the messages that a text, a content block or a list of these stands for; others as they are."""
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
        """Return the message that a text stands for where there is no list of messages."""
        plain = self.text_content and self.role_key != self.item_key
        content = text if plain else [self.text_block(text, "user")]
        return {self.role_key: self.role_of("user"), self.content_key: content}

    def role_of(self, role: str) -> str:
        """Return the API's own word for a neutral role; one that it does not have as it is."""
        return next((own for own, neutral in self.roles.items() if neutral == role), role)

    def is_message(self, item: Mapping[str, object]) -> bool:
        """Return whether an item is a message: each is one if the API has no other items."""
        kind = self.item_kind(item)
        named = self.role_key == self.item_key and isinstance(kind, str) and kind in self.roles
        return kind == "message" or named

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


TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.providers.shared.tools.strict import StrictSubset


Native = dict[str, Any]

NAME: Final = "<name>"
"""Where a choice has the name of a tool."""


Path = tuple[str, ...]


def renamed(choice: Any, names: Mapping[str, str]) -> Any:
    """Return a copy of a native choice with other names in it."""
    if isinstance(choice, dict):
        return {key: renamed(value, names) for key, value in choice.items()}
    if isinstance(choice, list):
        return [renamed(value, names) for value in choice]
    return names.get(choice, choice) if isinstance(choice, str) else choice


def at_path(value: Any, path: Path) -> Any:
    """Return what stands at a path of keys, the first item of a list where it leads through one; else None."""
    for key in path:
        if isinstance(value, list):
            value = value[0] if value else None
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def nested(path: Path, value: Any) -> Native:
    """Return the object that has a value at a path."""
    for key in reversed(path):
        value = {key: value}
    found: Native = value
    return found


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
    of the models that it serves); encoding merges them. `property_names` is what the
    names of properties must match, `strict` the subset for strict tools, None where there are none. `no_choice`
    are the choices that the API lacks. `reads` are the members, as dotted paths, that are read of a definition.

    Written: `always` are the members that a definition has even if they say nothing (`description`, `strict`), or
    that its schema has (`properties`). `choices` are the native forms of a choice by its word (`custom`: that of a
    custom tool), with `NAME` in place of the tool's; `choice_path` leads from the block to it.

    `max_tools` is how many a request may have, None for no known limit.
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
        """Whether each definition says its type."""
        return "function" in self.types

    @property
    def schema_paths(self) -> tuple[tuple[str, ...], ...]:
        """The paths to a schema, the first that is there counts."""
        return (self.schema_path, *self.other_schema_paths)

    def place(self, *keys: str | int) -> str:
        """Return the place of something in the tools block, dotted: `toolConfig.tools`."""
        return ".".join(map(str, (self.block_key, *keys) if self.block_key else keys))


@dataclass(frozen=True, slots=True)
class RequestShape:
    """What a whole request says beside its messages and its tools, by the names of its members.

    `merged` are members whose own members count as the request's (google-genai's `config`); `spelling` gives a
    member's name as the API has it. `model_key` has the model's id. `tool_keys` are the members that make up the
    tools block where the block has no member of its own. `thinking_paths` lead to the word that switches thinking on
    or off.

    A cache point is a block with `cache_block`, or any block, tool or request with `cache_member`.

    With one of `state_keys`, or an item of one of `state_types`, the server has a part of the history itself.
    `store_key` says whether it is to store the answer.

    `paths` lead to the settings that every API names in its own way; `read_as` are other names for them that are
    read. `tokens_required` says that a request must have a limit. `normalize` gives a request as the API itself has
    it, from whatever form the SDK takes.
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
    """Return the paths of settings in an object of the request, those of one name (`same`) and those of others."""
    return {key: (*holder, name) for key, name in ({word: word for word in same.split()} | named).items()}
