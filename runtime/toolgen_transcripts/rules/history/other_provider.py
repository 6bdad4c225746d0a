"""Find requests that are in the format of another provider.

Only features that some APIs do not have are evidence; plain text could belong to any API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from toolgen_runtime.schema.raw import listed
from toolgen_transcripts.codec.members import JsonObject
from toolgen_transcripts.codec.wire import PROVIDERS, Wire, wire_of
from toolgen_transcripts.rules.request import Request, Violation
from toolgen_transcripts.rules.rule import ALL, rule

OTHER_PROVIDER = rule(
    "other-provider",
    47,
    "messages in another provider's format, or a request without messages",
    "read them with `decode_messages` of their own provider; `repair` does not change them",
    "{place} is not a message of this API; it looks like one of {detail}",
    of=ALL,
    request="the request has no '{place}'{detail}",
    source="the schemas of the APIs, which share no message",
)


_CALLS = {"tool_use": "id", "tool_result": "tool_use_id"}
"""The blocks of other APIs that even servers with their own extensions reject, with their types and id fields."""


_SHARED = frozenset({"function_call", "file_search_call", "tool_search_call"})
"""The types of items that both OpenAI's Responses API and Gemini's Interactions have."""


@cache
def _apis() -> dict[str, Wire]:
    return {name: wire for name in PROVIDERS if (wire := wire_of(name)).has_messages}


def _having(test: Callable[[Wire], bool]) -> set[str]:
    return {name for name, wire in _apis().items() if test(wire)}


def _signs(message: JsonObject, provider: str) -> Iterator[set[str]]:
    """For each feature of a message that not every API has, yield the APIs that have it."""
    kind = message.get("type")
    if "role" in message:
        yield _having(lambda wire: wire.messages.role_key == "role")
    elif isinstance(kind, str) and kind != "message":
        yield _item_signs(message, kind)
    if isinstance(message.get("tool_calls"), list) or "tool_call_id" in message:
        yield _having(lambda wire: wire.calls.result_id_key == "tool_call_id")
    keys = {wire.messages.content_key for wire in _apis().values()} & message.keys()
    if len(keys) == 1 and message[next(iter(keys))] is not None:
        yield _having(lambda wire: wire.messages.content_key in keys)
    for key in message:
        for block in listed(message, key):
            if isinstance(block, Mapping):
                yield from _block_signs(block, provider)


def _item_signs(message: JsonObject, kind: str) -> set[str]:
    """Return the APIs to which an item may belong: those that list its type, or else those without a list of types."""
    items = {name: wire for name, wire in _apis().items() if wire.messages.item_key}
    unlisted = {name for name, wire in items.items() if not wire.messages.item_types}
    listed = {name for name, wire in items.items() if kind in wire.messages.item_types}
    if not listed or kind not in _SHARED:
        return listed or unlisted
    id_key = "call_id" if "call_id" in message else "id"
    told = kind == "function_call" and id_key in message
    return {name for name in listed | unlisted if not told or items[name].calls.id_key == id_key}


def _block_signs(block: JsonObject, provider: str) -> Iterator[set[str]]:
    if "type" not in block:
        untyped = _having(lambda wire: wire.messages.text_type is None)
        having = ({name for name in untyped if key in _apis()[name].messages.members} for key in block)
        yield from filter(None, having)
        return
    kind = block["type"]
    is_text = isinstance(kind, str)  # any other type belongs to no API
    if is_text and (_CALLS.get(kind) in block or not _apis()[provider].of_many):
        yield _having(lambda wire: kind in wire.messages.kinds) or set(_apis())


def _likely(messages: list[dict[str, Any]], provider: str) -> tuple[int, set[str]]:
    """Return the index of the first message of another API (-1 if none), and the APIs that match all messages."""
    first, likely = -1, set(_apis())
    for index, message in enumerate(messages):
        for sign in _signs(message, provider):
            if provider not in sign and first < 0:
                first = index
            likely &= sign
    return first, likely


def _elsewhere(members: JsonObject) -> Iterator[str]:
    """Yield the APIs under whose key this request has messages that match the API."""
    for name, wire in _apis().items():
        found = members.get(wire.messages.list_key)
        if isinstance(found, list) and _likely([m for m in found if isinstance(m, dict)], name)[0] < 0:
            yield name


def other_provider(request: Request) -> Violation | None:
    """Return a violation if a request is in another API's format; otherwise return None."""
    if request.without_messages is not None:
        key, detail = request.wire.messages.list_key, ""
        if others := {*_elsewhere(request.without_messages)} - {request.provider}:
            detail = f"; it looks like a request to {' or '.join(sorted(others))}"
        return request.broken(OTHER_PROVIDER, key, (), detail, wording="request")
    index, likely = _likely(request.given, request.provider)
    if index < 0 or not likely:
        return None
    return request.broken(OTHER_PROVIDER, request.place_in(index), (), " or ".join(sorted(likely)))
