"""The structure of an API's messages, tool definitions and requests, described as data.

It includes the fields that decoders read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolgen_transcripts.codec.media import MediaForm
from toolgen_transcripts.codec.members import JsonObject, Native, Path
from toolgen_transcripts.messages import Role
from toolgen_transcripts.strict.subsets import StrictSubset


@dataclass(frozen=True)
class MessageShape:
    """The structure of an API's messages, each of which has a role and a list of blocks as content."""

    # Where a request has its messages, and which other items are in the same list.
    list_key: str = "messages"
    """The request's member with the messages."""
    system_key: str = "system"
    """The request's member with the system prompt."""
    system_text: bool = False
    """Whether the system prompt is a string."""
    system_first: bool = False
    """Whether the system prompt is the first message."""
    system_messages: bool = False
    """Whether system messages may be among the others."""
    block_places: bool = True
    """Whether the API's errors name a block's place within its message."""
    item_key: str = ""
    """The member with the type of an item, which need not be a message; empty if all items are messages."""
    item_types: frozenset[str] = frozenset()
    """All types of items; empty if servers have others."""
    reference_key: str = ""
    """An item that has only this member is a reference to an item on the server."""

    # The roles of messages.
    role_key: str = "role"
    """The member of a message with its role."""
    roles: Mapping[str, Role] = field(
        default_factory=lambda: {"user": "user", "assistant": "assistant", "system": "system"}
    )
    """The API's roles, each with the neutral one."""
    other_roles: bool = False
    """Whether compatible servers have more roles."""
    role_optional: bool = False
    """Whether a message may have no role."""

    # The content of a message, which is a list of blocks.
    content_key: str = "content"
    """The member of a message with its content."""
    content_for: frozenset[str] = frozenset()
    """The roles whose messages must have content."""
    empty_last: bool = False
    """Whether the last assistant message may have no content."""
    text_content: bool = True
    """Whether the content may be a string."""
    text_input: bool = False
    """Whether all messages together may be a string."""
    input_types: frozenset[str] = frozenset()
    """The types of blocks that may replace the list of messages."""
    text_type: Mapping[str, str] | None = None
    """The type of a text block by the role of its message (`""`: any other role); None if blocks have no type."""
    members: Mapping[str, type] = field(default_factory=lambda: {"type": str, "text": str})
    """The types that members of a block must have."""
    required: tuple[str, ...] = ("type",)
    """The members that a block must have."""
    result: tuple[str, ...] = ()
    """The path from a block to the content of a tool's result."""
    result_type: str = ""
    """The type of such a block, if it has one."""
    calls_key: str = ""
    """The member of a message with its calls, if they are not among the content."""

    # Where a message has reasoning outside its blocks.
    reasoning_key: str = ""
    """The member of a message in which some servers require it back."""
    signature_keys: tuple[str, ...] = ()
    """The spellings of the member of a block with its signature."""

    # The parts of a message that the decoder reads.
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The members that are read, as dotted paths: of each kind of block, of a message (`message`), and of a system
    prompt that is an object (`system`)."""
    media: tuple[MediaForm, ...] = ()
    """The forms of media; the first that matches is used."""
    attributes: frozenset[str] = frozenset()
    """The optional attributes of neutral blocks that this API supports: `document.context`, `cache`."""
    definitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The paths, by the type of a block or an item, to the tools that it defines among the messages."""

    @property
    def kinds(self) -> frozenset[str]:
        """The types of the blocks that toolgen reads."""
        return frozenset((*self.reads, *self.definitions, *(str(m.template.get("type")) for m in self.media)))

    def listed(self, found: object) -> object:
        """Convert a string, a content block or a list of blocks to a list of messages.

        Other values are returned unchanged.
        """
        if isinstance(found, str) and self.text_input:
            return [self.text_message(found)]
        blocks = found
        if isinstance(found, Mapping):
            blocks = [found]
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
        """Return the message that means the same as a string in place of the list of messages."""
        content: object = text
        if not self.text_content or self.role_key == self.item_key:
            content = [self.text_block(text, "user")]
        return {self.role_key: self.role_of("user"), self.content_key: content}

    def role_of(self, role: str) -> str:
        """Return the API's name for a neutral role. A role that the API does not have stays unchanged."""
        return next((own for own, neutral in self.roles.items() if neutral == role), role)

    def is_message(self, item: Mapping[str, object]) -> bool:
        """Return whether an item is a message. In an API without other items, every item is one."""
        kind = self.item_kind(item)
        named = self.role_key == self.item_key and isinstance(kind, str) and kind in self.roles
        return kind == "message" or named

    def item_kind(self, item: Mapping[str, object]) -> object:
        """Return the type of an item. If it has none, the item is a reference (`item_reference`) or a
        `message`.
        """
        kind = item.get(self.item_key)
        if self.item_key and kind is not None:
            return kind
        said = [key for key, value in item.items() if value is not None]
        if self.reference_key and said == [self.reference_key]:
            return "item_reference"
        return "message"

    def text_block(self, text: str, role: str) -> dict[str, str]:
        """Return a text block for a message with this role."""
        if self.text_type is None:
            return {"text": text}
        return {"type": self.text_type.get(role, self.text_type[""]), "text": text}


NAME: Final = "<name>"
NAMES: Final = "<names>"
TOOLS: Final = "<tools>"
"""The placeholders in `ToolShape.choices`: a tool's name, a list of names, and a list of choices for single tools."""


@dataclass(frozen=True)
class ToolShape:
    """The structure of tool definitions in a request, and which definitions the API accepts."""

    # Where a request has its tool definitions, and where a definition has its schema.
    block_key: str = ""
    """The request's member with the tools; empty if the request itself is the block."""
    group_keys: tuple[str, ...] = ()
    """The members of an entry of `tools` that may have definitions."""
    definition_key: str = ""
    """The member of an entry with the definition; empty if the entry is the definition."""
    schema_path: tuple[str, ...] = ("parameters",)
    """The path from a definition to its schema."""
    other_schema_paths: tuple[tuple[str, ...], ...] = ()
    """Other paths to the schema, which are read."""
    openapi_keys: frozenset[str] = frozenset()
    """The first keys of those paths at which the schema is an OpenAPI schema."""
    types: frozenset[str] = frozenset()
    """The values of an entry's `type` that define a tool of the caller; any other is a tool of the server."""
    async_key: str = ""
    """The member of a definition that lets the conversation continue before there is a result."""
    reads: frozenset[str] = frozenset()
    """The members of a definition that the decoder reads, as dotted paths."""
    always: frozenset[str] = frozenset()
    """The members that a definition (`description`, `strict`), its schema (`properties`) and each schema of an array
    (`items`) have even if empty."""

    # How a request says which tools may or must be called.
    choice_path: tuple[str, ...] = ()
    """The path from the block to the choice."""
    choice_key: str = ""
    """The block's member with the choice, if the rules look at it."""
    choice_type_key: str = ""
    """The choice's member with its kind; empty if the name of its only member is the kind."""
    choices: JsonObject = field(default_factory=dict)
    """The native form of each choice, with placeholders: of a word, of one tool (`tool`, `custom`), of several tools of
    which one must be called (`allowed`), and of several that may be (`allowed_auto`)."""
    no_choice: frozenset[str] = frozenset()
    """The choices that the API lacks."""

    # The limits of the API for definitions.
    schema_optional: bool = False
    """Whether a definition may have no schema."""
    untyped_root: bool = False
    """Whether a schema's root may have no type."""
    refused_at_root: tuple[str, ...] = ()
    """The keywords that a schema's root must not have; encoding merges them."""
    model_roots: bool = False
    """Whether that, and other limits, depends on the model: Bedrock serves those of many makers."""
    property_names: str | None = None
    """The pattern for the names of properties."""
    strict: StrictSubset | None = None
    """The subset for strict tools, None if there are none."""
    max_tools: int | None = None
    """The most tools in a request, None if no limit is known."""

    @property
    def typed(self) -> bool:
        """Whether each definition has a type."""
        return "function" in self.types

    @property
    def schema_paths(self) -> tuple[tuple[str, ...], ...]:
        """The paths at which a schema may be. The first one that exists is used."""
        return (self.schema_path, *self.other_schema_paths)

    def place(self, *keys: str | int) -> str:
        """Return a dotted path from the request to something in its tools block, such as `toolConfig.tools`."""
        return ".".join(str(key) for key in (self.block_key, *keys) if key != "")


@dataclass(frozen=True, slots=True)
class RequestShape:
    """The structure of a whole request, apart from its messages and tools."""

    merged: tuple[str, ...] = ()
    """Members whose members count as the request's: google-genai's `config`."""
    spelling: Callable[[object], str] = str
    """Returns the API's spelling of a member's name."""
    normalize: Callable[[Native], Native] = dict
    """Converts a request from any form that the SDK accepts to the API's form."""
    model_key: str = "model"
    """The member with the model's id."""
    tool_keys: tuple[str, ...] = ("tools", "tool_choice")
    """The members that make up the tools block, if the block has no member of its own."""
    thinking_paths: tuple[Path, ...] = (("thinking", "type"),)
    """The paths to the value that switches thinking on or off."""
    cache_block: str = ""
    """A block with this member is a cache point."""
    cache_member: str = ""
    """This member of any block, tool or request is a cache point."""
    state_keys: tuple[str, ...] = ()
    """A request with one of these members refers to a history that is on the server."""
    state_types: frozenset[str] = frozenset()
    """So does a request with an item of one of these types."""
    store_key: str = ""
    """The member that tells the server whether to store the answer."""
    paths: Mapping[str, Path] = field(default_factory=dict)
    """The paths to the settings, which every API names differently."""
    read_as: Mapping[Path, str] = field(default_factory=dict)
    """Other paths to settings, which are read."""
    tokens_required: bool = False
    """Whether a request must have a limit of tokens."""


def under(*holder: str, same: str = "", **named: str) -> dict[str, Path]:
    """Return the paths of settings that are inside an object of the request.

    `same` lists the settings that have the same name there.
    """
    return {key: (*holder, name) for key, name in ({word: word for word in same.split()} | named).items()}
