"""CrewAI: global hooks that block wrong calls, with the hint as the tool's output.

    install()

CrewAI itself responds to malformed JSON and unknown tools. A task is a conversation, and each request to the model
begins a round.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any, Unpack

from toolgen_adapters.checks import AdapterOptions, Checks, framework, reported
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.conversation import Conversation

with framework("crewai", "crewai", "1.15.20"):
    from crewai import hooks

__all__ = ["Installed", "install"]

_FAILED = "Error executing tool"
"""The beginnings of the texts that CrewAI makes from exceptions."""


class Installed:
    """The hooks that `install` has added. `uninstall()` removes them."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self._not_final: Recent[Same, Any] = Recent()
        """Tools whose result is the crew's answer, and whose last call was rejected, by their conversations."""

    def before_llm(self, context: Any) -> None:
        """Begin a round before the model is called."""
        conversation = self._conversation(context)
        self._make_final(conversation)
        conversation.begin_round()

    def before_tool(self, context: Any) -> bool | None:
        """Return False to block a wrong call. With `repair`, correct its arguments in place instead."""
        conversation, given = self._conversation(context), context.tool_input
        self._make_final(conversation)
        call = self._checks.check(conversation, context.tool_name, given, context.tool)
        if call is None:
            return None
        call.repair(given)
        self._checks.running[Same(given)] = call
        return None if call.output.ok else False

    def after_tool(self, context: Any) -> str | None:
        """Count a call. If it was rejected or has notes, return the text for the model."""
        call = self._checks.running.pop(Same(context.tool_input), None)
        if call is None:
            return None
        if not call.output.ok:
            tool: Any = getattr(context.tool, "_original_tool", None)
            if getattr(tool, "result_as_answer", False):
                # CrewAI does not take a failed call for the answer, but a blocked one.
                tool.result_as_answer = False
                self._not_final[Same(call.conversation)] = tool
            return call.output.text()
        text = str(context.tool_result)
        note = call.ended(reported(text, text.startswith(_FAILED)))
        if note:
            return f"{text}\n{note}"
        return None

    def _make_final(self, conversation: Conversation) -> None:
        """Allow a tool's result to become the crew's final result again."""
        tool = self._not_final.pop(Same(conversation), None)
        if tool is not None:
            tool.result_as_answer = True

    def uninstall(self) -> None:
        """Remove all hooks."""
        for tool in self._not_final.values():
            tool.result_as_answer = True
        hooks.unregister_before_llm_call_hook(self.before_llm)
        hooks.unregister_before_tool_call_hook(self.before_tool)
        hooks.unregister_after_tool_call_hook(self.after_tool)

    def _conversation(self, context: Any) -> Conversation:
        task = getattr(context, "task", None)
        return self._checks.conversation(getattr(task, "id", None))


def install(**options: Unpack[AdapterOptions]) -> Installed:
    """Check the tool calls of every crew in this process. `options` are the options of
    `toolgen_runtime.Registry`.
    """
    installed = Installed(Checks("install()", options))
    hooks.register_before_llm_call_hook(installed.before_llm)
    hooks.register_before_tool_call_hook(installed.before_tool)
    hooks.register_after_tool_call_hook(installed.after_tool)
    return installed
