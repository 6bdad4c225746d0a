"""Anthropic's `tool_runner`: tools that check their arguments.

    client.beta.messages.tool_runner(tools=beta_tools(toolset, handlers), ...)

A rejected call and a failed handler raise a `ToolError`, so the tool result has `is_error` and the hint as its text.
The runner itself handles unknown tools.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar, Unpack

from toolgen_adapters.checks import FRAMEWORK_RUNS, Checks, HostRounds, framework
from toolgen_adapters.loop import neutral_result
from toolgen_runtime.calls.handler_facts import Handler, Handlers, handler_of
from toolgen_runtime.calls.options import Options
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_transcripts.anthropic import encode_results, encode_tools
from toolgen_transcripts.codec.names import codec_for
from toolgen_transcripts.codec.wrapped import decode_input

with framework("anthropic", "anthropic", "0.84"):
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool, ToolError

__all__ = ["beta_async_tools", "beta_tools"]

ToolT = TypeVar("ToolT")
_CANNOT = {"ask": FRAMEWORK_RUNS["ask"]}


class BetaTools(HostRounds, list[ToolT]):
    """The tools of one run. They cannot tell when the model responds or a user message arrives.

    Each call is therefore checked on its own. To compare a call with earlier calls, call `begin_round` for each message
    that the runner yields, and `begin_turn` before another run with the same tools.
    """

    def __init__(self, tools: Iterable[ToolT], conversation: Conversation) -> None:
        super().__init__(tools)
        self.conversation = conversation


def beta_tools(
    toolset: Any, handlers: Handlers, **options: Unpack[Options]
) -> BetaTools[BetaBuiltinFunctionTool]:
    """Return the tools for one run of an `Anthropic` client's `tool_runner`.

    Names and schemas are encoded as by `toolgen_transcripts.anthropic.encode_tools`.

    Args:
        toolset: a `Conversation`, or tools for a new one: a registry, a toolset, or a framework's tools.
        handlers: a handler for each tool name, or one callable that takes the name and the payload. A handler takes
            the payload as its only argument; use `toolgen_runtime.spread` for functions with several parameters.
        options: the options of `toolgen_runtime.Registry`, if `toolset` is not a conversation.

    Raises:
        KeyError: a tool has no handler.
        TypeError: a handler cannot take its tool's payload, or an option does not exist.
    """
    return _made(_CheckedTool, "beta_tools()", toolset, handlers, options)


def beta_async_tools(
    toolset: Any, handlers: Handlers, **options: Unpack[Options]
) -> BetaTools[BetaAsyncBuiltinFunctionTool]:
    """Do the same as `beta_tools`, for `AsyncAnthropic`. A sync handler runs in a separate thread."""
    return _made(_AsyncCheckedTool, "beta_async_tools()", toolset, handlers, options)


class _Definition:
    """One tool of a conversation, as the model sees it."""

    def __init__(
        self, conversation: Conversation, name: str, handler: Handler, definition: dict[str, Any]
    ) -> None:
        self._definition = definition
        self._call = partial(conversation.call, name, handler=handler)
        self._acall = partial(conversation.acall, name, handler=handler)

    def to_dict(self) -> Any:
        return self._definition


class _CheckedTool(_Definition, BetaBuiltinFunctionTool):
    def call(self, input: object) -> Any:
        return _answer(self._call(decode_input(input)))


class _AsyncCheckedTool(_Definition, BetaAsyncBuiltinFunctionTool):
    async def call(self, input: object) -> Any:
        return _answer(await self._acall(decode_input(input)))


def _made(
    kind: Callable[..., ToolT], where: str, toolset: Any, handlers: Handlers, options: Options
) -> BetaTools[ToolT]:
    """Return the tools of a conversation as objects of the class `kind`."""
    is_made = isinstance(toolset, Conversation)
    if is_made and options:
        raise TypeError(f"{where} takes no options with a conversation; pass them to the conversation")
    if is_made:
        conversation: Conversation = toolset
    else:
        conversation = Checks(where, options, toolset, _CANNOT).conversation(None)
    tools = conversation.registry.tools()
    handled = {name: handler_of(handlers, name, tool) for name, tool in tools.items()}
    block = encode_tools(tools, codec=codec_for("anthropic", tools)) or {"tools": []}
    definitions = zip(handled.items(), block["tools"], strict=True)
    made = (kind(conversation, *named, definition) for named, definition in definitions)
    return BetaTools(made, conversation)


def _answer(output: ToolOutput) -> Any:
    """Return the content of a result.

    Raises:
        ToolError: the call was rejected or failed.
    """
    (block,) = encode_results([neutral_result(output, "", None)])
    if output.error is not None:
        raise ToolError(block["content"])
    return block["content"]
