"""What an API's messages are made of, as data: roles, kinds of content, and what a decoder reads of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgen_runtime.transcript.messages import Role


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
