"""`decode_response`: what any provider's response says, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from toolgen_runtime.providers.shared.messages.native import plain
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.received_call import ReceivedCall
from toolgen_runtime.providers.shared.settings import ResponseShape
from toolgen_runtime.providers.shared.shapes import at_path
from toolgen_runtime.providers.shared.wire import Finish, stop_reason, wire_of
from toolgen_runtime.transcript.messages import Turn


@dataclass(frozen=True, slots=True)
class Usage:
    """Numbers of tokens. `input_tokens` include tokens read from and written to the cache. None: not reported."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None

    @property
    def total_tokens(self) -> int | None:
        """Input and output together."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class DecodedResponse:
    """A response: the `turn` for the history, its `calls` as `read_tool_uses` returns them, and how it ended.

    `finish` is the same for all providers, `stop_reason` is the provider's own value. `metadata` has the other
    members of the response, by the provider's names (metrics, trace, service tier).
    """

    turn: Turn
    calls: tuple[ReceivedCall, ...]
    finish: Finish
    stop_reason: str | None
    usage: Usage
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All its text, joined without a separator."""
        return self.turn.text


def decode_response(response: object, provider: str, *, codec: Codec | None = None) -> DecodedResponse:
    """Read a whole response; for streams use `StreamAssembler`.

    `codec` is the codec of the request (`EncodedRequest.codec`).

    Raises:
        KeyError: the provider is not known.
        ProviderResponseError: the provider's exception; the response does not have the API's structure.
    """
    module = import_module(f"toolgen_runtime.providers.{wire_of(provider).provider}")
    calls = tuple(module.read_tool_uses(response, codec=codec))
    shape = wire_of(provider).response
    native = shape.normalize(plain(response))
    said = at_path(native, shape.message) if shape.message else native
    if not shape.message:  # the response is the message, and has more than one
        said = {key: said[key] for key in ("role", "content") if key in said}
    messages = said if isinstance(said, list) else [said] if isinstance(said, dict) else []
    turns = module.decode_messages(messages, codec=codec).turns
    blocks = tuple(block for turn in turns for block in turn.blocks)
    reason = _reason(native, shape)
    finish = wire_of(provider).stop_of(reason).finish
    blocked = stop_reason(at_path(native, shape.blocked)) if shape.blocked and reason is None else None
    if blocked is not None:
        reason, finish = blocked, "content_filter"
    if calls and finish == "stop":  # some APIs stop for a call as for the end of a text
        finish = "tool_calls"
    source = turns[0].source if len(turns) == 1 else None
    return DecodedResponse(
        Turn("assistant", blocks, source),
        calls,
        finish,
        reason,
        _usage(native, shape),
        _metadata(native, shape),
    )


def _metadata(native: dict[str, Any], shape: ResponseShape) -> dict[str, Any]:
    """Return what stands beside the message and around it."""
    read = {path[0] for path in (shape.message, shape.stop, *shape.usage.values()) if path}
    read |= set() if shape.message else {"role", "content", "type"}
    around = at_path(native, shape.message[:-1]) if len(shape.message) > 1 else None
    beside = {
        key: value
        for key, value in (around if isinstance(around, dict) else {}).items()
        if key not in (*shape.message[-1:], *shape.stop[-1:], "index")
    }
    said = {**beside, **{key: value for key, value in native.items() if key not in read}}
    return {key: value for key, value in said.items() if value is not None}


def _reason(native: Any, shape: ResponseShape) -> str | None:
    details = native.get("incomplete_details")
    why = details.get("reason") if isinstance(details, Mapping) else None
    return stop_reason(why or at_path(native, shape.stop))


def _usage(native: Any, shape: ResponseShape) -> Usage:
    counts = {name: at_path(native, path) for name, path in shape.usage.items()}
    found = {name: count for name, count in counts.items() if isinstance(count, int)}
    if shape.cached_apart and "input_tokens" in found:
        found["input_tokens"] += found.get("cache_read_tokens", 0) + found.get("cache_write_tokens", 0)
    if shape.reasoning_apart and "output_tokens" in found:
        found["output_tokens"] += found.get("reasoning_tokens", 0)
    return Usage(**found)
