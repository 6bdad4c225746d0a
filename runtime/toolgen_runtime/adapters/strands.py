"""Strands: hooks that answer wrong arguments in a tool's place, before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgen_runtime.adapters.runs import Runs, learn
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

if TYPE_CHECKING:
    from strands.hooks import (
        AfterToolCallEvent,
        BeforeInvocationEvent,
        BeforeModelCallEvent,
        BeforeToolCallEvent,
        HookRegistry,
    )

UNREADABLE = "The arguments came empty, or could not be read as JSON (cut off, or malformed)."
"""What `{}` can mean: Strands makes it of any text that it cannot read."""
STATE = "toolgen"
"""The key of the invocation state under which each call's `ToolOutput` stands, by the id of the call."""


@dataclass
class _Run:
    """The conversation of one agent, and its calls that are under way."""

    conversation: Conversation
    waiting: dict[str, ToolOutput] = field(default_factory=dict)


class ToolgenHooks:
    """`Agent(..., hooks=[ToolgenHooks()])`: a call that its tool's schema forbids is canceled with a hint.

    A call that another hook has canceled, or whose tool it has replaced, is left to that hook; so are the program's
    own calls, `agent.tool.name(...)`. What each call came to stands in the invocation state, for other hooks and for
    the host: `invocation_state["toolgen"][tool_use_id]`. Hooks may be shared by agents: each has its conversation, and
    an invocation is a turn of it.
    """

    def __init__(self, tools: Any = None, **options: Any) -> None:
        """Make hooks.

        Args:
            tools: a `Registry`, a toolset or tools of Strands, to check these alone. None: every tool of the agent,
                as its registry has it when it is called.
            options: those of `Conversation`.
        """
        self._tools = tools
        self._runs: Runs[_Run] = Runs(lambda: _Run(Conversation({} if tools is None else tools, **options)))

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        """Register the callbacks; Strands calls this."""
        from strands.hooks import (
            AfterToolCallEvent,
            BeforeInvocationEvent,
            BeforeModelCallEvent,
            BeforeToolCallEvent,
        )

        registry.add_callback(BeforeInvocationEvent, self._begin_turn)
        registry.add_callback(BeforeModelCallEvent, self._begin_round)
        registry.add_callback(BeforeToolCallEvent, self._check)
        registry.add_callback(AfterToolCallEvent, self._count)

    def _begin_turn(self, event: BeforeInvocationEvent) -> None:
        self._runs.of(event.agent).conversation.begin_turn()

    def _begin_round(self, event: BeforeModelCallEvent) -> None:
        self._runs.of(event.agent).conversation.begin_round()

    def _check(self, event: BeforeToolCallEvent) -> None:
        use = event.tool_use
        run = self._runs.of(event.agent)
        if event.cancel_tool or not _is_models(event) or not self._knows(event, run.conversation):
            return
        call_id = use["toolUseId"]
        output = run.waiting.get(call_id)  # an interrupt brings the same call again
        if output is None:
            output = run.conversation.check(use["name"], use["input"], call_id=call_id)
            run.waiting[call_id] = output
        event.invocation_state.setdefault(STATE, {})[call_id] = output
        if not output.ok:
            event.cancel_tool = _text(output, run.conversation)
        elif output.repairs:
            event.tool_use = {**use, "input": output.payload}

    def _knows(self, event: BeforeToolCallEvent, conversation: Conversation) -> bool:
        """Whether a call is to be checked; the conversation knows its tool then, or that there is none."""
        name, tool = event.tool_use["name"], event.selected_tool
        if self._tools is not None:
            return tool is None or name in conversation.registry
        tools = event.agent.tool_registry
        if tool is None:
            conversation.update(tools.get_all_tool_specs())
        elif tool is not (tools.dynamic_tools.get(name) or tools.registry.get(name)):
            return False  # another hook's choice
        else:
            schema = tool.tool_spec["inputSchema"]
            learn(conversation, name, tool.tool_spec.get("description"), schema.get("json", schema))
        return True

    def _count(self, event: AfterToolCallEvent) -> None:
        run = self._runs.of(event.agent)
        call_id = event.tool_use["toolUseId"]
        output = run.waiting.pop(call_id, None)
        if output is None or (output.ok and getattr(event, "cancel_message", None) is not None):
            return  # not checked here, or canceled by another hook
        result = event.exception if event.exception is not None else _mcp_result(event.result)
        event.invocation_state[STATE][call_id] = run.conversation.returned(output, result)


def _is_models(event: BeforeToolCallEvent) -> bool:
    """Whether a call is the model's and not the program's own."""
    return event.tool_use["toolUseId"] in _call_ids(event.agent.messages)


def _call_ids(messages: Any) -> Iterator[str]:
    """The ids of all calls of a history, the last first."""
    for message in reversed(messages):
        yield from (block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block)


def _text(output: ToolOutput, conversation: Conversation) -> str:
    """What the model is told; of `{}` where something is required it is not known what was sent, or sent before."""
    hint, registry = output.retry_hint, conversation.registry
    if output.payload != {} or hint is None or not hint.missing_fields:
        return output.text()
    if hint.recovery != "give_up" and (tool := registry.find(output.tool)) is not None:
        hint = registry.hint(output.tool, tool.validate({}), payload={})
    return f"{UNREADABLE} {hint.render(output.max_chars)}"


def _mcp_result(result: Any) -> dict[str, Any]:
    """A result of Strands as MCP writes it, with its flag."""
    texts = [block["text"] for block in result["content"] if "text" in block]
    content = [{"type": "text", "text": text} for text in texts]
    return {"content": content, "isError": result.get("status") == "error"}
