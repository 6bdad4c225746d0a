"""Ask the user questions through the client, with MCP's elicitation in both versions of the protocol.

A client with a session gets the request `elicitation/create` (MCP 2025-06-18 and 2025-11-25, client/elicitation). A
client without a session gets `input_required` in response to its call, and calls again (MCP 2026-07-28).
"""

from __future__ import annotations

import secrets
from typing import Any, Final, NamedTuple

from toolgen.commands.servers.messages import PROTOCOL, Message, message_of, object_of
from toolgen_runtime import UserQuestion
from toolgen_runtime.calls.recent import Recent

METHOD: Final = "elicitation/create"
_KEY: Final = "toolgen"
"""The key of the proxy's question among the `inputRequests` of a response."""


class Answer(NamedTuple):
    """What the user said in response to a question.

    It says what the user did, and has the call that continues (None if it was canceled in the meantime).
    """

    call: Message | None
    question: UserQuestion
    action: Any
    content: Any


class _Asked(NamedTuple):
    call: Message | None
    question: UserQuestion


class Asking:
    """The questions to which a client has not responded yet."""

    def __init__(self) -> None:
        self._can_ask = False
        """Whether the client of this session has declared that it can ask the user with a form."""
        self._asked: Recent[str, _Asked] = Recent()
        """The questions by the key of the request, or by the state of the call."""

    def saw(self, message: Message) -> None:
        """Record what a client can do, as it declares at the beginning of a session."""
        if message.method == "initialize":
            self._can_ask = _has_forms(message.params.get("capabilities"))

    def can_ask(self, call: Message) -> bool:
        """Return whether the client that made a call can ask its user."""
        if "task" in call.params:
            return False
        if call.protocol:
            return _has_forms(call.protocol.get(f"{PROTOCOL}clientCapabilities"))
        return self._can_ask

    def ask(self, call: Message, question: UserQuestion) -> Message:
        """Return the message that asks the client to ask its user."""
        token = f"toolgen-{secrets.token_hex(16)}"
        params = {"message": question.message, "requestedSchema": question.schema}
        request = {"method": METHOD, "params": params}
        if call.protocol:
            self._asked[token] = _Asked(call, question)
            needed = {"resultType": "input_required", "inputRequests": {_KEY: request}, "requestState": token}
            return call.respond(result=needed)
        asked = message_of({"jsonrpc": "2.0", "id": token, **request})
        self._asked[asked.asks] = _Asked(call, question)
        return asked

    def is_answer(self, message: Message) -> bool:
        """Return whether a message from the client responds to a request of the proxy."""
        return message.answers in self._asked

    def taken(self, message: Message) -> Answer | None:
        """Return the user's response if a message contains one. Each question gets only one response."""
        if message.answers:
            asked = self._asked.pop(message.answers, None)
            given = message.result
        elif message.is_call:
            asked = self._asked.pop(str(message.params.get("requestState")), None)
            given = object_of(message.params.get("inputResponses")).get(_KEY)
            kept = {k: v for k, v in message.params.items() if k not in ("requestState", "inputResponses")}
            # The answer completes the call that was asked about; one of another tool has not been checked.
            if asked is None or asked.call is None:
                return None
            if any(kept.get(part) != asked.call.params.get(part) for part in ("name", "arguments")):
                return None
            asked = asked._replace(call=message.changed(params=kept))
        else:
            return None
        if asked is None:
            return None
        said = object_of(given)
        return Answer(*asked, said.get("action", "cancel"), said.get("content"))

    def canceled(self, call_id: str) -> None:
        """Forget a call that was canceled, so that a later response does not run it."""
        for key, asked in [*self._asked.items()]:
            if asked.call is not None and asked.call.asks == call_id:
                self._asked[key] = asked._replace(call=None)


def _has_forms(capabilities: Any) -> bool:
    """Return whether a client supports elicitation with a form, which is the default mode."""
    declared = object_of(capabilities).get("elicitation")
    return isinstance(declared, dict) and (not declared or "form" in declared)
