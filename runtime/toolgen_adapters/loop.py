"""For your own loop: run the calls in a model's response, and return their results.

They work with the provider's own client: anthropic, openai (Chat Completions and Responses), boto3 (Bedrock Converse)
or google-genai (both APIs). No SDK is imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

from toolgen_runtime.calls.errors import ToolErrorKind, ToolExecutionError
from toolgen_runtime.calls.handler_facts import Handler, Handlers, handler_of
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.mcp_result import recognize
from toolgen_runtime.validation.issues import InvalidPayload
from toolgen_runtime.validation.json_text import read as read_json
from toolgen_transcripts.apis import api_of
from toolgen_transcripts.codec.names import Codec, codec_for
from toolgen_transcripts.codec.received_call import ReceivedCall
from toolgen_transcripts.codec.wire import wire_of
from toolgen_transcripts.mcp import decode_result
from toolgen_transcripts.messages import Media, Opaque, Text, ToolResult
from toolgen_transcripts.streams.result import Completed

__all__ = ["Provider", "Results", "aresults", "readable", "results"]

Provider = Literal["anthropic", "bedrock", "gemini", "gemini_interactions", "openai", "openai_responses"]


class Results(list[Any]):
    """The results of a response's calls in the provider's format, in order. `outputs` contains their
    `ToolOutput`s.

    `left` lists the calls that the caller must run and respond to, because they are not function calls. OpenAI expects
    a different kind of result for each of these, and rejects a history without it: calls to `custom` tools, to a
    `shell`, `local_shell`, `apply_patch` or `computer`, and the requests `mcp_approval` and `tool_search`. With
    Anthropic, they are calls to tools that Anthropic defines and the caller runs (`bash`, `memory`, `computer`, the
    text editor), unless a tool with this name is registered. `outputs` does not contain them.

    With Anthropic, Bedrock and Gemini, the results are blocks (parts) that come first in the next user message. With
    OpenAI, they are messages (items of `input`). With Gemini's Interactions API, they are steps of `input`. If the API
    accepts no images in results, a message with the images follows.
    """

    def __init__(
        self,
        natives: Iterable[dict[str, Any]],
        outputs: Iterable[ToolOutput],
        left: Iterable[ReceivedCall] = (),
    ) -> None:
        super().__init__(natives)
        self.outputs = tuple(outputs)
        self.left = tuple(left)


def results(
    received: object,
    conversation: Conversation,
    handlers: Handlers,
    *,
    provider: Provider,
    codec: Codec | None = None,
) -> Results:
    """Run the calls of one response, one after the other. Return a native result for every call id.

    This begins a round of the conversation. A call that is not `ready` does not run, and its result gives the reason.
    Calls that are not function calls are in `Results.left`.

    Args:
        received: the client's response; or its calls, from `read_tool_uses` or `Completed.calls`; or a `Completed`.
            Requests other than function calls are read too, except from a list of calls.
        conversation: the conversation that checks and counts the calls.
        handlers: a handler for each tool name, or one callable that takes the name and the payload.
        provider: the provider that sent the response.
        codec: the codec of the request, which is needed if names are too long for the provider.

    Raises:
        KeyError: a called tool has no handler; no call has run.
        TypeError: the handler of a called tool cannot take its payload, or `received` is no response; no call has run.
        ProviderResponseError: the response does not have the API's structure. This is the provider's own exception.
        ValueError: the provider is unknown.
    """
    answer = _Answer(received, conversation, handlers, provider, codec)
    outputs = []
    for call, handler in answer.calls:
        if handler is None:
            outputs.append(answer.refuse(call))
        else:
            outputs.append(conversation.call(str(call.name), call.input, handler, call_id=call.id))
    return answer.results(outputs)


async def aresults(
    received: object,
    conversation: Conversation,
    handlers: Handlers,
    *,
    provider: Provider,
    codec: Codec | None = None,
) -> Results:
    """Do the same as `results`, in the running event loop.

    The calls run in parallel, and the results keep their order.
    """
    answer = _Answer(received, conversation, handlers, provider, codec)

    async def output(call: ReceivedCall, handler: Handler | None) -> ToolOutput:
        if handler is None:
            return answer.refuse(call)
        return await conversation.acall(str(call.name), call.input, handler, call_id=call.id)

    # Wait for all calls, so that none is still running if one raises.
    ended = await asyncio.gather(*(output(*one) for one in answer.calls), return_exceptions=True)
    failed = next((error for error in ended if isinstance(error, BaseException)), None)
    if failed is not None:
        raise failed
    return answer.results([output for output in ended if isinstance(output, ToolOutput)])


def readable(message: Mapping[str, Any]) -> dict[str, Any]:
    """Make a Chat Completions message safe to send again: arguments that are not a JSON object become `{}`.

    OpenAI accepts the message as it is, but clients such as LiteLLM parse the arguments again for other providers.
    """
    calls = [dict(call) for call in message.get("tool_calls") or ()]
    for call in calls:
        function = call.get("function") or {}
        value, issues = read_json(function.get("arguments") or "")
        if "function" in call and (issues or not isinstance(value, dict)):
            call["function"] = {**function, "arguments": "{}"}
    if calls:
        return {**message, "tool_calls": calls}
    return dict(message)


@dataclass
class _Answer:
    """One model response. `calls` contains each call with its handler, or with None if the call must not run."""

    received: object
    conversation: Conversation
    handlers: Handlers
    provider: Provider
    codec: Codec | None

    def __post_init__(self) -> None:
        if self.provider not in get_args(Provider):
            allowed = ", ".join(get_args(Provider))
            raise ValueError(f"provider: must be one of {allowed}, not {self.provider!r}")
        self._api = api_of(self.provider)
        self.codec = self.codec or _codec_for(self.provider, tuple(self.conversation.registry.names()))
        calls = self._read(self.received)
        self.left = [call for call in calls if self._is_left(call)]
        self.calls = [(call, self._handler(call)) for call in calls if not self._is_left(call)]
        self.conversation.begin_round()

    def _read(self, received: object) -> Sequence[ReceivedCall]:
        if isinstance(received, Completed):
            items = [block.value for block in received.blocks if isinstance(block, Opaque)]
            found = self._api.read_requests({"output": items})
            if received.truncated:
                found = [replace(request, problems=(received.why,)) for request in found]
            return [*received.calls, *found]
        if isinstance(received, Sequence):
            for call in received:
                if not isinstance(call, ReceivedCall):
                    given = f"{type(received).__name__} with {type(call).__name__}"
                    raise TypeError(f"received: pass a response, a Completed, or its calls, not a {given}")
            return received
        return [*self._api.read_tool_uses(received, codec=self.codec), *self._api.read_requests(received)]

    def _is_left(self, call: ReceivedCall) -> bool:
        """Return whether the caller must run a call, because it is not a function call or the API defines its tool."""
        defined = call.name in wire_of(self.provider).calls.client_tools
        return call.kind != "function" or (defined and call.name not in self.conversation.registry)

    def _handler(self, call: ReceivedCall) -> Handler | None:
        registry = self.conversation.registry
        if not call.ready or not call.name:
            return None
        name = self.conversation.known_name(call.name)
        tool = registry.find(name or "")
        if name is None or tool is None or not registry.policy.allows(name):
            return None
        return handler_of(self.handlers, name, tool)

    def refuse(self, call: ReceivedCall) -> ToolOutput:
        """Return the output for a call that must not be run."""
        issues, problems = call.issues, call.problems
        if call.truncated and not read_json(call.arguments)[1]:  # the answer was cut off after this call
            why = f"the response was cut off ({call.issues[0].expected}), so none of its calls was run"
            issues, problems = (), (*problems, why)
        problem: Exception = InvalidPayload("", issues)
        if not issues:
            kind = ToolErrorKind.INVALID_PARAMETERS
            problem = ToolExecutionError(kind, "; ".join(problems), recovery="retry")
        arguments = call.input if call.ready else call.arguments
        output = self.conversation.check(call.name or "", arguments, call_id=call.id, problem=problem)
        return self.conversation.returned(output)

    def results(self, outputs: list[ToolOutput]) -> Results:
        """Return a native result for each output, except for calls that lack a required id."""
        answered: dict[object, ToolResult] = {}
        for (call, _), output in zip(self.calls, outputs, strict=True):
            if call.id is None and not wire_of(self.provider).calls.ids_optional:
                continue  # the call cannot be answered
            answered.setdefault(call.id or len(answered), neutral_result(output, call.id, self._name(call)))
        natives = self._api.encode_results(tuple(answered.values()))
        return Results(natives, outputs, self.left)

    def _name(self, call: ReceivedCall) -> str | None:
        """Return the tool's name for the provider, if the provider matches results to calls by name."""
        if not call.name or not wire_of(self.provider).calls.by_name:
            return None
        if self.codec and call.name in self.conversation.registry:
            return self.codec.encode_name(call.name)
        return codec_for(self.provider).encode_name(call.name)


_codec_for = lru_cache(maxsize=100)(codec_for)
"""The cached codec for a registry's names. It does not encode other names."""


def neutral_result(output: ToolOutput, call_id: str | None, name: str | None) -> ToolResult:
    """Convert a tool's output to a `ToolResult`.

    The result contains the output's text unless it is blank, and the images of an MCP result.
    """
    text = output.text()
    images: list[Media] = []
    if recognize(output.result) is not None:
        blocks = decode_result(output.result).content
        images = [block for block in blocks if isinstance(block, Media) and block.kind == "image"]
    content = (*((Text(text),) if text.strip() else ()), *images)
    return ToolResult(call_id, content, output.error is not None, name)
