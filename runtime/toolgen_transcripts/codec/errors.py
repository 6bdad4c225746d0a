"""The exceptions for a provider's response that does not have the form that its API promises."""

from __future__ import annotations

from typing import Any


class ProviderResponseError(ValueError):
    """A provider's response that cannot be read strictly.

    `message` describes the error. `field` is the API's name of the wrong field (`toolUseId`), `path` its dotted
    path (`output.message.content[0].toolUse.toolUseId`) and `response` the unchanged response. `str()` shows the
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
    """A Bedrock Converse (or InvokeModel) response that cannot be read.

    For an error in a call, `field` is `toolUseId`, `name` or `input`, for both forms of its block.
    """

    provider = "bedrock"


class OpenAIResponseError(ProviderResponseError):
    """An OpenAI response (Chat Completions or Responses) that cannot be read."""

    provider = "openai"


class AnthropicResponseError(ProviderResponseError):
    """An Anthropic Messages response that cannot be read."""

    provider = "anthropic"


class GeminiResponseError(ProviderResponseError):
    """A Gemini generateContent response that cannot be read."""

    provider = "gemini"


class McpMessageError(ProviderResponseError):
    """An MCP `tools/call` request or result that cannot be read."""

    provider = "mcp"
