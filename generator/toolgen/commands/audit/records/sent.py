"""Find the calls in a model's output: a response or a message of any provider or framework.

The modules for the providers read their own formats. This module reads the calls of LangChain, the AI SDK,
OpenTelemetry and OpenInference, which belong to no provider.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from toolgen.commands.audit.records.call import Call, Record, mapping, mappings, parsed
from toolgen_runtime.validation.issues import MISSING
from toolgen_transcripts.apis import api_of
from toolgen_transcripts.codec.errors import ProviderResponseError

_RESPONSE_OF: Final[Mapping[str, Callable[[Any], Any]]] = {
    "anthropic": lambda message: message,
    "bedrock": lambda message: {"output": {"message": message}},
    "gemini": lambda content: {"candidates": [{"content": content}]},
    "gemini_interactions": lambda steps: {"steps": steps},
    "openai": lambda message: {"choices": [{"message": message}]},
    "openai_responses": lambda items: {"output": items},
}
"""The smallest response that contains a message, by provider."""
_ARGUMENTS: Final = ("args", "arguments", "input")
_HOLDERS: Final = ("generations", "message", "kwargs", "output", "content")
"""Where an output has messages: LangChain's generations and messages, OpenInference, Gemini's candidates."""
_HELD: Final = 8
"""The number of levels of lists, and of these places, that are read."""


def calls_sent(output: Any) -> Iterator[Call]:
    """Yield the calls in a model's output: a response, a message, or an object that contains one.

    Of a history, only the last message is read.
    """
    return _held(parsed(output), _HELD)


def _held(output: Any, levels: int) -> Iterator[Call]:
    if not levels:
        return
    if isinstance(output, list):
        for item in output:
            yield from _held(item, levels - 1)
    elif isinstance(output, Mapping):
        found = calls_of_response(output)
        listed = [*(calls_of_message(output) if found is None else found)]
        yield from listed
        if found is None and not listed:  # a text may be any JSON, so it is not opened
            history = output.get("messages")
            inner = [history[-1:]] if isinstance(history, list) else [output.get(key) for key in _HOLDERS]
            for each in inner:
                yield from _held(each, levels - 1)


def calls_of_response(response: Record) -> Iterator[Call] | None:
    """Return the calls in a response of any provider; None if the record is not a response."""
    if isinstance(choices := response.get("choices"), list):
        messages = mappings([choice.get("message") for choice in mappings(choices)])
        return (call for message in messages for call in calls_of_message(message))
    if isinstance(candidates := response.get("candidates"), list):
        return (call for one in mappings(candidates) for call in _read("gemini", {"candidates": [one]}))
    if isinstance(response.get("steps"), list) and "status" in response:
        return _read("gemini_interactions", response)
    output = response.get("output")
    if isinstance(output, list) and (response.get("object") == "response" or "status" in response):
        return _read("openai_responses", response)
    if isinstance(output, Mapping) and isinstance(output.get("message"), Mapping):
        return _read("bedrock", response)
    if response.get("role") == "assistant" and "content" in response:
        return calls_of_message(response)
    return None


def calls_of_messages(messages: Any) -> Iterator[Call]:
    """Yield the calls in all messages of a conversation, without reading a message twice."""
    for message in mappings(messages):
        if message.get("role", "assistant") in ("assistant", "ai", "model"):
            yield from calls_of_message(message)


def calls_of_message(message: Record) -> Iterator[Call]:
    """Yield the calls in a model's message, or in one of its items."""
    listed = [
        item for key in ("tool_calls", "invalid_tool_calls") for item in mappings(parsed(message.get(key)))
    ]
    content = message.get("content")
    if str(message.get("finish_reason")).startswith("tool_call"):  # Koog writes the calls as a text
        content = parsed(content)
    listed += filter(_is_call, [message, *mappings(content), *mappings(message.get("parts"))])
    if not listed:
        listed = list(mappings(mapping(message.get("additional_kwargs")).get("tool_calls")))
    if not listed and isinstance(single := message.get("function_call"), Mapping):  # OpenAI's older form
        listed = [{"type": "function", "function": single}]
    if listed:  # LangChain repeats these calls in its content
        for item in listed:
            yield from _listed(item)
    elif message.get("type") == "function_call":  # an item of a Responses or an Interactions input
        provider = "openai_responses" if "call_id" in message else "gemini_interactions"
        yield from _read(provider, _RESPONSE_OF[provider]([message]))
    elif (known := _provider_of(message)) is not None:
        whole = message["content"] if known == "openai_responses" else message
        yield from _read(known, _RESPONSE_OF[known](whole))


def _is_call(item: Record) -> bool:
    """Return whether an item is a call in the format of OpenTelemetry, the AI SDK, or OpenAI within content (Koog)."""
    if "toolName" in item:
        return not {"result", "output"} & item.keys()
    return item.get("type") in ("tool_call", "function") and ("arguments" in item or "function" in item)


def _listed(item: Record) -> Iterator[Call]:
    """Yield a call in OpenAI's format, or one with its name at the top level (in OpenInference, under `tool_call`)."""
    item = inner if isinstance(inner := item.get("tool_call"), Mapping) else item
    function = item.get("function")
    if isinstance(function, Mapping) and isinstance(function.get("arguments"), str):
        yield from _read("openai", _RESPONSE_OF["openai"]({"tool_calls": [item]}))
        return
    holder = function if isinstance(function, Mapping) else item
    name = holder.get("name", holder.get("toolName"))
    if isinstance(name, str):
        yield Call(name, next((holder[key] for key in _ARGUMENTS if key in holder), None))


def _provider_of(message: Record) -> str | None:
    """Return the provider whose format the calls in a message's blocks have; None if there are no calls."""
    if any("functionCall" in part or "function_call" in part for part in mappings(message.get("parts"))):
        return "gemini"
    for block in mappings(message.get("content")):
        if "toolUse" in block:
            return "bedrock"
        if block.get("type") == "tool_use":
            return "anthropic"
        if block.get("type") == "function_call":
            return "openai_responses"
    return None


def _read(provider: str, response: Any) -> Iterator[Call]:
    """Yield the calls in a response.

    Raises:
        ValueError: the response does not have the structure of the provider's API.
    """
    try:
        received = api_of(provider).read_tool_uses(response)
    except ProviderResponseError as error:
        raise ValueError(f"not a response of {provider}: {error}") from None
    for call in received:
        if call.name is not None and call.kind == "function":
            # Arguments that are not an object are checked as the original text.
            yield Call(call.name, call.arguments if call.input is MISSING else call.input)
