"""Exceptions for responses that do not have the structure that the provider's API promises."""

from __future__ import annotations

from typing import Any


class ProviderResponseError(ValueError):
    """The exception for a provider's response that is not valid.

    `message` describes the error. `field` is the API's name for the wrong field (`toolUseId`), `path` is its dotted
    path (`output.message.content[0].toolUse.toolUseId`), and `response` is the unchanged response. `str()` shows the
    first three but not the response, which may be large or private.
    """

    provider = "provider"

    def __init__(
        self, message: str, response: object = None, field: str | None = None, path: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.response = response
        self.field = field
        self.path = path

    def __str__(self) -> str:
        place = " at ".join(dict.fromkeys(part for part in (self.field, self.path) if part))
        return f"{self.provider} response: {self.message}{': ' if place else ''}{place}"

    def __reduce__(self) -> tuple[type[ProviderResponseError], tuple[Any, ...]]:
        return type(self), (self.message, self.response, self.field, self.path)


class BedrockResponseError(ProviderResponseError):
    """The exception for a response of Bedrock Converse (or InvokeModel) that is not valid.

    If the error is in a call, `field` is `toolUseId`, `name` or `input`, whichever form the block has.
    """

    provider = "bedrock"


class OpenAIResponseError(ProviderResponseError):
    """The exception for a response of OpenAI (Chat Completions or Responses) that is not valid."""

    provider = "openai"


class AnthropicResponseError(ProviderResponseError):
    """The exception for a response of Anthropic Messages that is not valid."""

    provider = "anthropic"


class GeminiResponseError(ProviderResponseError):
    """The exception for a response of Gemini that is not valid."""

    provider = "gemini"


class McpMessageError(ProviderResponseError):
    """The exception for an MCP `tools/call` request or result that is not valid."""

    provider = "mcp"
