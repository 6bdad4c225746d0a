"""Read the response of any provider in one form (`decode_response`)."""

from __future__ import annotations

from dataclasses import dataclass

from toolgen_transcripts.apis import messages_api_of
from toolgen_transcripts.codec.members import JsonObject, at_path
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.codec.plain_values import plain
from toolgen_transcripts.codec.received_call import ReceivedCall
from toolgen_transcripts.codec.wire import Finish, Wire, wire_of
from toolgen_transcripts.messages import Turn, without_last_reasoning


@dataclass(frozen=True, slots=True)
class Usage:
    """How many tokens a response used. A number that the provider did not report is None.

    `input_tokens` includes tokens that were read from the cache or written to it.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class DecodedResponse:
    """A response in neutral form: its `turn` for the history, its `calls` (as `read_tool_uses` returns them),
    and why it ended.

    `finish` has the same values for all providers; `stop_reason` is the provider's own value.
    """

    turn: Turn
    calls: tuple[ReceivedCall, ...]
    finish: Finish
    stop_reason: str | None
    usage: Usage

    @property
    def text(self) -> str:
        """The text of all text blocks, joined without a separator."""
        return self.turn.text


def decode_response(response: object, provider: str, *, codec: Codec | None = None) -> DecodedResponse:
    """Read a complete response. For streams, use `StreamAssembler`.

    `codec` is the codec of the request (`EncodedRequest.codec`).

    Raises:
        KeyError: the provider is not known, or has no messages, as MCP.
        ProviderResponseError: the response does not have the API's structure. This is the provider's own exception.
    """
    wire = wire_of(provider)
    api = messages_api_of(provider)
    calls = tuple(api.read_tool_uses(response, codec=codec))
    whole = plain(response)
    message = api.message(whole)
    finish = "content_filter" if message.blocked else wire.stop_of(message.reason).finish
    if message.calls and finish == "stop":  # some APIs have one stop reason for calls and text
        finish = "tool_calls"
    turn = api.decode_said(message.native, codec)
    if message.why:
        turn = without_last_reasoning(turn)
    return DecodedResponse(turn, calls, finish, message.reason, _usage(whole, wire))


def _usage(response: JsonObject, wire: Wire) -> Usage:
    spelling, found = wire.request.spelling, dict[str, int]()
    said = next((value for key, value in response.items() if spelling(key) == wire.usage_key), None)
    counts = {}
    if isinstance(said, dict):
        counts = {spelling(key): value for key, value in said.items()}
    for name, paths in wire.usage.items():
        numbers = [at_path(counts, tuple(path.split("."))) for path in paths.split("+")]
        if isinstance(numbers[0], int):
            found[name] = sum(number for number in numbers if isinstance(number, int))
    return Usage(**found)
