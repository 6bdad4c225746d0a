"""CrewAI: global hooks that block calls with wrong arguments and return the hint as the tool's output.

    install()

CrewAI answers malformed JSON and unknown tools itself. A task is a conversation; each request to the model begins a
round.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any, Unpack

from toolgen_adapters.checks import Checks, framework, reported
from toolgen_runtime.calls.recent import Same
from toolgen_runtime.conversation import Conversation, Options

with framework("crewai"):
    from crewai import hooks

_FAILED = "Error executing tool"
"""The beginning of the texts that CrewAI makes from exceptions."""


class Installed:
    """The hooks of `install`, until `uninstall` is called."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks

    def before_llm(self, context: Any) -> None:
        """Begin a round."""
        self._conversation(context).begin_round()

    def before_tool(self, context: Any) -> bool | None:
        """Return False to block a wrong call; with `repair`, correct the arguments in place."""
        conversation, given = self._conversation(context), context.tool_input
        call = self._checks.check(conversation, context.tool_name, given, context.tool)
        if call is None:
            return None
        call.repair(given)
        self._checks.running[Same(given)] = call
        return None if call.output.ok else False

    def after_tool(self, context: Any) -> str | None:
        """Count a call; return the text for the model if the call was refused or has notes."""
        call = self._checks.running.pop(Same(context.tool_input), None)
        if call is None:
            return None
        if not call.output.ok:
            return call.output.text()
        text = str(context.tool_result)
        note = call.ended(reported(text, text.startswith(_FAILED)))
        return f"{text}\n{note}" if note else None

    def uninstall(self) -> None:
        """Remove the hooks."""
        hooks.unregister_before_llm_call_hook(self.before_llm)
        hooks.unregister_before_tool_call_hook(self.before_tool)
        hooks.unregister_after_tool_call_hook(self.after_tool)

    def _conversation(self, context: Any) -> Conversation:
        task = getattr(context, "task", None)
        return self._checks.conversation(getattr(task, "id", None))


def install(**options: Unpack[Options]) -> Installed:
    """Check the tool calls of every crew in this process; `options` are the options of `toolgen_runtime.Registry`."""
    installed = Installed(Checks("install()", **options))
    hooks.register_before_llm_call_hook(installed.before_llm)
    hooks.register_before_tool_call_hook(installed.before_tool)
    hooks.register_after_tool_call_hook(installed.after_tool)
    return installed
