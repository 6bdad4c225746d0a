"""What an API says on the wire, as data: the type of each provider's `WIRE`, and the one rule for stop reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MessageShape:
    """What a request's messages are made of: objects with a role and content, which is a list of blocks.

    `roles` are the API's, None where servers that speak it have others; messages from those of `content_for`
    must have content. With `text_content` it may be a text. `calls_key` holds calls beside it, `item_key` says
    what an item is that need not be a message. `members` are the types that members
    of a block must have, `required` those that it must have; `result` leads from a block to the content of a
    tool's result, with `result_type` where the block has that type. `text_type` is the type of a text block
    in a message from a role (`""`: from any other), None where blocks have no type.
    """

    list_key: str = "messages"
    content_key: str = "content"
    roles: frozenset[str] | None = None
    role_optional: bool = False
    content_for: frozenset[str] = frozenset()
    text_content: bool = True
    text_type: Mapping[str, str] | None = None
    members: Mapping[str, type] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    result_type: str = ""
    calls_key: str = ""
    item_key: str = ""

    def text_block(self, text: str, role: str) -> dict[str, str]:
        """A block of text in a message from this role."""
        typed = {} if self.text_type is None else {"type": self.text_type.get(role, self.text_type[""])}
        return {**typed, "text": text}


@dataclass(frozen=True, slots=True)
class Wire:
    """The facts about one provider's API.

    After a stop reason of `whole_stop_reasons` all of the message is there. After any other, known or not,
    or after none, a call may be cut, and no call of the message may be run. `malformed_stop_reasons` say that
    the model's output itself was malformed, `call_stop_reasons` that the model stopped in order to call.
    """

    provider: str
    stop_key: str
    whole_stop_reasons: frozenset[str]
    malformed_stop_reasons: frozenset[str] = frozenset()
    call_stop_reasons: frozenset[str] = frozenset()
    messages: MessageShape = MessageShape()

    def is_whole(self, stop: object) -> bool:
        """Whether all of a message is there that stopped for this reason; null and unknown reasons say no."""
        return stop_reason(stop) in self.whole_stop_reasons

    def why_cut(self, stop: object) -> str:
        """Why a message that stopped for this reason may not be all there; `""` if it is whole."""
        reason = stop_reason(stop)
        if self.is_whole(reason):
            return ""
        return (
            "the message ended without a stop reason"
            if reason is None
            else f"the model stopped with {reason[:60]}"
        )


def stop_reason(stop: object) -> str | None:
    """A stop reason as text, an SDK's enum by its value; None where there is none."""
    value = getattr(stop, "value", stop)
    return value if isinstance(value, str) and value else None
