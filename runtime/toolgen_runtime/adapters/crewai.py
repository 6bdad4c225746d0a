"""CrewAI: global hooks that block calls with wrong arguments and return the hint as the tool's output.

    install()

CrewAI answers malformed JSON and unknown tools itself. A task is a conversation; each request to the model begins a
round.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any, Unpack

from toolgen_runtime.adapters._checks import Checks, Recent, reported
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.options import Options
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

with framework("crewai"):
    from crewai import hooks

_FAILED = "Error executing tool"
"""How the texts begin that CrewAI makes of exceptions."""


class Installed:
    """The hooks of `install`, until `uninstall` is called."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self._waiting: Recent[int, tuple[Any, ToolOutput]] = Recent()
        """The verdicts on calls under way, by their inputs, which are the same objects before and after."""

    def before_llm(self, context: Any) -> None:
        """Begin a round."""
        self._conversation(context).begin_round()

    def before_tool(self, context: Any) -> bool | None:
        """Return False to block a wrong call; with `repair`, correct the arguments in place."""
        conversation, tool, name = self._conversation(context), context.tool, context.tool_name
        spec = self._checks.described(tool, name, lambda: tool.args_schema.model_json_schema())
        self._checks.learn(conversation, spec)
        if name not in conversation.registry:
            return None
        output = conversation.check(name, context.tool_input)
        if output.repairs:
            context.tool_input.clear()
            context.tool_input.update(output.payload)
        self._waiting[id(context.tool_input)] = context.tool_input, output
        return None if output.ok else False

    def after_tool(self, context: Any) -> str | None:
        """Count a call; return the text for the model if the call was refused or has notes."""
        _, output = self._waiting.pop(id(context.tool_input), (None, None))
        if output is None:
            return None
        text = str(context.tool_result)
        ended = self._conversation(context).returned(output, reported(text, text.startswith(_FAILED)))
        if not output.ok:
            return ended.text()
        return "\n".join((str(context.tool_result), *ended.notes)) if ended.notes else None

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
