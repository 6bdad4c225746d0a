"""The calls of responses and messages, read by the runtime's providers.

LangChain's messages, and the parts of OpenTelemetry's, are no provider's; they are read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from toolgen.audit.records.call import Call, Record, mappings, parsed
from toolgen_runtime.providers.shared.errors import ProviderResponseError
from toolgen_runtime.validation.issues import MISSING

_RESPONSE_OF: Final[Mapping[str, Callable[[Any], Any]]] = {
    "anthropic": lambda message: message,
    "bedrock": lambda message: {"output": {"message": message}},
    "gemini": lambda content: {"candidates": [{"content": content}]},
    "gemini_interactions": lambda steps: {"steps": steps},
    "openai": lambda message: {"choices": [{"message": message}]},
    "openai_responses": lambda items: {"output": items},
}
"""The smallest response that holds a message."""
_ARGUMENTS: Final = ("args", "arguments", "input")


def calls_of_response(response: Record) -> Iterator[Call] | None:
    """Return the calls of any provider's response; None if it is not a response."""
    if isinstance(choices := response.get("choices"), list):
        return _each_message(choices)
    if isinstance(candidates := response.get("candidates"), list):
        return _each_candidate(candidates)
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


def _each_message(choices: list[Any]) -> Iterator[Call]:
    for choice in mappings(choices):
        if isinstance(message := choice.get("message"), Mapping):
            yield from calls_of_message(message)


def _each_candidate(candidates: list[Any]) -> Iterator[Call]:
    for candidate in mappings(candidates):
        yield from _read("gemini", {"candidates": [candidate]})


def calls_of_message(message: Record) -> Iterator[Call]:
    """Yield the calls of a model's message, in the form of a provider or of LangChain."""
    listed = [
        item for key in ("tool_calls", "invalid_tool_calls") for item in mappings(parsed(message.get(key)))
    ]
    # The AI SDK has its calls among the content.
    listed += [part for part in mappings(message.get("content")) if part.get("type") == "tool-call"]
    if not listed and isinstance(more := message.get("additional_kwargs"), Mapping):
        listed = list(mappings(more.get("tool_calls")))
    if not listed and isinstance(single := message.get("function_call"), Mapping):  # OpenAI's older form
        listed = [{"type": "function", "function": single}]
    if listed:  # LangChain repeats these calls in its content
        for item in listed:
            yield from _listed(item)
    elif (provider := _provider_of(message)) is not None:
        whole = message["content"] if provider == "openai_responses" else message
        yield from _read(provider, _RESPONSE_OF[provider](whole))


def _listed(item: Record) -> Iterator[Call]:
    """Yield an item of `tool_calls`: OpenAI's, or LangChain's or the AI SDK's, which have the name at the top."""
    function = item.get("function")
    if isinstance(function, Mapping) and isinstance(function.get("arguments"), str):
        yield from _read("openai", _RESPONSE_OF["openai"]({"tool_calls": [item]}))
        return
    holder = function if isinstance(function, Mapping) else item
    name = holder.get("name", holder.get("toolName"))
    if isinstance(name, str):
        yield Call(name, next((holder[key] for key in _ARGUMENTS if key in holder), None))


def calls_of_parts(parts: Any) -> Iterator[Call]:
    """Yield the calls of OpenTelemetry's parts: those of type `tool_call`."""
    for part in mappings(parts):
        if part.get("type") == "tool_call" and isinstance(part.get("name"), str):
            yield Call(part["name"], part.get("arguments"))


def calls_of_messages(messages: Any) -> Iterator[Call]:
    """Yield the calls of every message of a conversation, each message once."""
    for message in mappings(messages):
        if message.get("type") == "function_call":  # an item of a Responses or an Interactions input
            provider = "openai_responses" if "call_id" in message else "gemini_interactions"
            yield from _read(provider, _RESPONSE_OF[provider]([message]))
        elif message.get("role", "assistant") in ("assistant", "ai", "model"):
            yield from calls_of_message(message)


def _provider_of(message: Record) -> str | None:
    """Return the provider that writes calls as the blocks of a message are; None if there are no calls."""
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
    """Yield the calls of a response.

    Raises:
        ValueError: the response does not have the shape of the provider's API.
    """
    reader = import_module(f"toolgen_runtime.providers.{provider}")
    try:
        received = reader.read_tool_uses(response)
    except ProviderResponseError as error:
        raise ValueError(f"not a response of {provider}: {error}") from None
    for call in received:
        if call.name is not None and call.kind == "function":
            # Arguments that are not an object are judged as the text that was sent.
            yield Call(call.name, call.arguments if call.input is MISSING else call.input)
