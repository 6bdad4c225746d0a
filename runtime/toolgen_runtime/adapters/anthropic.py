"""Anthropic's `tool_runner`: tools that check what they are given, and answer what their schema forbids as errors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from toolgen_runtime.adapters.native import native_results, neutral_result
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.providers.anthropic.tools import encode_tools
from toolgen_runtime.providers.shared.names import codec_for

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool

    from toolgen_runtime.adapters.loop import Handlers
    from toolgen_runtime.calls.handlers import Handler
    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.validation.tool import Tool

PROVIDER = "anthropic"


def beta_tools(toolset: Any, handlers: Handlers, **options: Any) -> list[BetaBuiltinFunctionTool]:
    """Return the tools for `client.beta.messages.tool_runner(tools=...)` of one run; see `beta_async_tools`.

    A call that its tool's schema forbids is not run: the model gets the hint, as it gets a handler's failure, with
    `is_error`. Names and schemas are sent as `providers.anthropic.encode_tools` writes them.

    Args:
        toolset: a `Conversation`; or what one is made of: a `Registry`, a toolset, a framework's tools.
        handlers: by the tools' names, or one callable for all, which takes the name and the payload.
        options: those of `Conversation`, where `toolset` is not one.

    Raises:
        KeyError: a tool has no handler.
    """
    from anthropic.lib.tools import BetaBuiltinFunctionTool, ToolError

    conversation = _conversation(toolset, options)

    class CheckedTool(_Tool, BetaBuiltinFunctionTool):
        def call(self, input: object) -> Any:
            output = conversation.call(self._name, _payload(input), self._handler)
            if output.error is not None:
                raise ToolError(_content(output))
            return _content(output)

    return [CheckedTool(*parts) for parts in _parts(conversation, handlers)]


def beta_async_tools(toolset: Any, handlers: Handlers, **options: Any) -> list[BetaAsyncBuiltinFunctionTool]:
    """`beta_tools` for an `AsyncAnthropic`; a sync handler runs in a thread of its own."""
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, ToolError

    conversation = _conversation(toolset, options)

    class CheckedTool(_Tool, BetaAsyncBuiltinFunctionTool):
        async def call(self, input: object) -> Any:
            output = await conversation.acall(self._name, _payload(input), self._handler)
            if output.error is not None:
                raise ToolError(_content(output))
            return _content(output)

    return [CheckedTool(*parts) for parts in _parts(conversation, handlers)]


class _Tool:
    """One tool of a conversation; the SDK hands it the arguments as they came."""

    def __init__(self, name: str, definition: dict[str, Any], handler: Handler) -> None:
        self._name, self._definition, self._handler = name, definition, handler

    def to_dict(self) -> Any:
        return self._definition


def _conversation(toolset: Any, options: dict[str, Any]) -> Conversation:
    return toolset if isinstance(toolset, Conversation) else Conversation(toolset, **options)


def _parts(conversation: Conversation, handlers: Handlers) -> list[tuple[str, dict[str, Any], Handler]]:
    """The own name, the definition and the handler of each tool."""
    registry = conversation.registry
    tools: dict[str, Tool[Any]] = {
        name: tool for name in registry if (tool := registry.find(name)) is not None
    }
    block = encode_tools(tools, codec=codec_for(PROVIDER, tools)) or {"tools": []}
    missing = [name for name in tools if isinstance(handlers, Mapping) and name not in handlers]
    if missing:
        raise KeyError(f"no handler for {', '.join(map(repr, missing))}")
    by_name = [handlers[name] if isinstance(handlers, Mapping) else partial(handlers, name) for name in tools]
    return list(zip(tools, block["tools"], by_name, strict=True))


def _payload(sent: object) -> Any:
    return codec_for(PROVIDER).decode_input(sent)


def _content(output: ToolOutput) -> Any:
    (block,) = native_results([neutral_result(output, "", None)], PROVIDER)
    return block["content"]
