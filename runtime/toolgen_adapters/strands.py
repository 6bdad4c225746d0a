"""Strands: hooks that reject wrong arguments with a hint before the tool runs.

    Agent(..., hooks=[ToolgenHooks()])

The result of a rejected call has `status: error`. The invocation state contains the `ToolOutput` of each call under
`invocation_state["toolgen"][tool_use_id]`, for other hooks and for your application.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import weakref
from asyncio import CancelledError
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from contextvars import ContextVar
from functools import wraps
from typing import Any, Unpack

from toolgen_adapters.call import Call
from toolgen_adapters.checks import FRAMEWORK_RUNS, HAS_QUESTIONS, AdapterOptions, Checks, framework, reported
from toolgen_adapters.questions import KEY, answer_of, as_data
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.validation.json_text import read

with framework("strands", "strands-agents", "1.11"):
    from strands.hooks import (
        AfterInvocationEvent,
        AfterToolCallEvent,
        BeforeInvocationEvent,
        BeforeModelCallEvent,
        BeforeToolCallEvent,
        HookProvider,
        HookRegistry,
    )
    from strands.telemetry.tracer import get_tracer

__all__ = ["ToolgenHooks"]

_CAN_INTERRUPT = hasattr(BeforeToolCallEvent, "interrupt")
STATE = "toolgen"
"""The key of the invocation state."""
_unreadable: weakref.WeakKeyDictionary[Any, dict[str, str]] = weakref.WeakKeyDictionary()
"""Arguments that are not JSON, by call id, from the last response to each agent. Strands replaces them with `{}`."""
_asking: ContextVar[dict[str, str] | None] = ContextVar("toolgen_asking", default=None)
"""The part of `_unreadable` for the agent whose model responds in this task, because agents may share a model."""


class ToolgenHooks(HookProvider):
    """Checks every call against the schema that the model has seen. Each invocation of the agent is a turn.

    If another hook cancels a call or replaces its tool, the call is not checked. The program's own calls
    (`agent.tool.name(...)`) are not checked either. Several agents may share the hooks; each has its own conversation.
    """

    def __init__(self, tools: Any = None, **options: Unpack[AdapterOptions]) -> None:
        """Create the hooks.

        Args:
            tools: a registry, a toolset or Strands tools; only calls to these are checked. By default, calls are
                checked against all tools that the agent has at the time of the call.
            options: the options of `toolgen_runtime.Registry`.
        """
        cannot = HAS_QUESTIONS if _CAN_INTERRUPT else FRAMEWORK_RUNS
        self._checks = Checks("ToolgenHooks()", options, tools, cannot)
        self._all = tools is None

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        """Register the callbacks. Strands calls this method."""
        registry.add_callback(BeforeInvocationEvent, lambda event: self._conversation(event).begin_turn())
        registry.add_callback(BeforeModelCallEvent, self._begin_round)
        registry.add_callback(AfterInvocationEvent, self._end)
        registry.add_callback(BeforeToolCallEvent, self._check)
        registry.add_callback(AfterToolCallEvent, self._count)

    def _begin_round(self, event: BeforeModelCallEvent) -> None:
        _unreadable[event.agent] = {}
        _asking.set(_unreadable[event.agent])
        _listen(event.agent.model)
        self._conversation(event).begin_round()

    def _end(self, event: AfterInvocationEvent) -> None:
        """Count the calls that were canceled while running, except after an interrupt, when they are made again."""
        if getattr(getattr(event.agent, "_interrupt_state", None), "activated", False):
            return
        for key in [key for key in list(self._checks.running) if key[0] == id(event.agent)]:
            self._checks.ended(key, CancelledError())

    def _conversation(self, event: Any) -> Conversation:
        return self._checks.conversation(weakref.ref(event.agent))

    def _check(self, event: BeforeToolCallEvent) -> None:
        use, conversation = event.tool_use, self._conversation(event)
        call_id = use["toolUseId"]
        blocks = (block for message in reversed(event.agent.messages) for block in message["content"])
        is_models = any("toolUse" in block and block["toolUse"]["toolUseId"] == call_id for block in blocks)
        if event.cancel_tool or not is_models or not self._knows(event, conversation):
            return
        sent: Any = use["input"]
        if sent == {}:
            sent = _unreadable.get(event.agent, {}).get(call_id, sent)
        call = Call(conversation, use["name"], sent, call_id, can_ask=_CAN_INTERRUPT)
        if call.question is not None:
            # The run stops here; when it continues, Strands makes the call again, and this returns the response.
            response = event.interrupt(KEY, as_data(call.question))
            call.answered(*answer_of(call.question, response))
        event.invocation_state.setdefault(STATE, {})[call_id] = call.output
        if not call.output.ok:
            event.cancel_tool = call.output.text()
            _trace(event)
            return
        self._checks.running[id(event.agent), call_id] = call
        if call.output.payload != use["input"]:
            event.tool_use = {**use, "input": call.output.payload}

    def _knows(self, event: BeforeToolCallEvent, conversation: Conversation) -> bool:
        """Return whether a call must be checked. If it must, update the conversation's tools."""
        name, tool = event.tool_use["name"], event.selected_tool
        if not self._all:
            return tool is None or name in conversation.registry
        tools = event.agent.tool_registry
        if tool is None:
            conversation.update(self._checks.compiled(tools.get_all_tool_specs()))
            return True
        if tool is not (tools.dynamic_tools.get(name) or tools.registry.get(name)):
            return False  # another hook's choice
        self._checks.learn(conversation, {name: tool})
        return name in conversation.registry

    def _count(self, event: AfterToolCallEvent) -> None:
        call_id = event.tool_use["toolUseId"]
        call = self._checks.running.pop((id(event.agent), call_id), None)
        if call is None or event.cancel_message is not None:
            return  # not checked, already counted as refused, or canceled by another hook
        text = "\n".join(block["text"] for block in event.result["content"] if "text" in block)
        note = call.ended(event.exception or reported(text, event.result.get("status") == "error"))
        event.invocation_state[STATE][call_id] = call.output
        if note:
            event.result = {**event.result, "content": [*event.result["content"], {"text": note}]}


def _trace(event: BeforeToolCallEvent) -> None:
    """Write the span of a rejected call, as Strands does for calls that it runs."""
    tracer, use = get_tracer(), event.tool_use
    span = tracer.start_tool_call_span(use, event.invocation_state.get("event_loop_cycle_span"))
    content: Any = [{"text": str(event.cancel_tool)}]
    tracer.end_tool_call_span(span, {"toolUseId": use["toolUseId"], "status": "error", "content": content})


def _listen(model: Any) -> None:
    """From now on, record arguments that are not JSON in the streams of a model."""
    stream = getattr(model, "stream", None)
    if stream is None or hasattr(stream, "toolgen_listens"):
        return

    @wraps(stream)
    async def heard(*args: Any, **options: Any) -> AsyncIterator[Any]:
        call_id, text = "", ""
        async with aclosing(stream(*args, **options)) as events:
            async for event in events:
                if started := event.get("contentBlockStart"):
                    call_id, text = (started.get("start", {}).get("toolUse") or {}).get("toolUseId", ""), ""
                elif delta := event.get("contentBlockDelta"):
                    text += (delta.get("delta", {}).get("toolUse") or {}).get("input", "") if call_id else ""
                elif "contentBlockStop" in event and call_id:
                    asking = _asking.get()
                    if text and asking is not None and read(text)[1]:
                        asking[call_id] = text
                    call_id = ""
                yield event

    heard.toolgen_listens = True  # type: ignore[attr-defined]
    with suppress(AttributeError, ValueError):  # a model whose attributes cannot be set
        model.stream = heard
