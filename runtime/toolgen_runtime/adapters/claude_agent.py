"""Claude Agent SDK: hooks that deny wrong arguments of MCP tools, with the hint as the reason.

    ClaudeAgentOptions(mcp_servers={"shop": server}, hooks=hooks({"shop": tools}))

A session is a conversation; a subagent has a separate one. A prompt begins a turn, and the end of a batch of calls
begins a round. Built-in tools and unlisted tools are not checked. If the schema has an integer, the command line
converts `"4"` to 4 before the hooks run.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from toolgen_runtime.adapters._checks import Checks, Recent, reported
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.options import Options, refuse_unknown
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.registry import Registry

with framework("claude-agent"):
    from claude_agent_sdk import HookMatcher


def hooks(servers: Mapping[str, Any], **options: Unpack[Options]) -> dict[Any, list[HookMatcher]]:
    """Return the `hooks` of `ClaudeAgentOptions`; add your own matchers to its lists.

    Args:
        servers: the tools of each MCP server, by the server's name in `mcp_servers`: a toolset, or the server's list
            of tools. options: the options of `toolgen_runtime.Registry`.

    Raises:
        TypeError: there is no such option.
    """
    refuse_unknown("hooks()", options)
    registry = Registry(**options)
    for server, tools in servers.items():
        registry.register(tools_of(tools, keep_going=True), prefix=f"mcp__{server}__")
    made = _Hooks(Checks("hooks()", registry))
    return {event: [HookMatcher(hooks=[made.answer])] for event in _EVENTS}


_EVENTS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch")


class _Hooks:
    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self._waiting: Recent[tuple[str, str], ToolOutput] = Recent()
        """The verdicts on calls under way, by session and call."""

    async def answer(self, event: Any, tool_use_id: str | None, context: Any) -> Any:  # noqa: ARG002
        """Answer an event of the command line."""
        name = event["hook_event_name"]
        conversation = self._checks.conversation((event["session_id"], event.get("agent_id")))
        if name == "UserPromptSubmit":
            conversation.begin_turn()
        elif name == "PostToolBatch":
            conversation.begin_round()
        else:
            found = (
                self._check(event, conversation) if name == "PreToolUse" else self._end(event, conversation)
            )
            if found:
                return {"hookSpecificOutput": {"hookEventName": name, **found}}
        return {}

    def _check(self, event: Any, conversation: Conversation) -> dict[str, Any]:
        """Deny a wrong call; repair its arguments if asked to."""
        if event["tool_name"] not in conversation.registry:
            return {}
        output = conversation.check(event["tool_name"], event["tool_input"], call_id=event["tool_use_id"])
        if not output.ok:
            text = conversation.returned(output).text()
            return {"permissionDecision": "deny", "permissionDecisionReason": text}
        self._waiting[_key(event)] = output
        return {"updatedInput": output.payload} if output.repairs else {}

    def _end(self, event: Any, conversation: Conversation) -> dict[str, Any]:
        """Count a call that has ended."""
        output = self._waiting.pop(_key(event), None)
        if output is None:
            return {}
        if event.get("is_interrupt"):
            conversation.abandoned(output)
            return {}
        failed = event["hook_event_name"] == "PostToolUseFailure"
        result = reported(event["error"], True) if failed else {"content": event["tool_response"]}
        if not failed and not isinstance(event["tool_response"], list):
            result = event["tool_response"]
        notes = conversation.returned(output, result).notes
        return {"additionalContext": "\n".join(notes)} if notes else {}


def _key(event: Any) -> tuple[str, str]:
    return event["session_id"], event["tool_use_id"]
