"""Claude Agent SDK: hooks that deny wrong calls of MCP tools, with the hint as the reason.

    ClaudeAgentOptions(mcp_servers={"shop": server}, hooks=hooks({"shop": tools}))

A session is a conversation, and each subagent has its own. A prompt begins a turn, and the end of a batch of calls
begins a round. Calls to built-in and unlisted tools are not checked. If the schema has an integer, the command line
converts `"4"` to 4 before the hooks run.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import re
from asyncio import CancelledError
from collections.abc import Mapping
from typing import Any, Unpack

from toolgen_adapters.checks import AdapterOptions, Checks, framework, reported
from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.validation.tool import Tool

with framework("claude-agent", "claude-agent-sdk", "0.2.180"):
    from claude_agent_sdk import HookMatcher

__all__ = ["hooks"]

_EVENTS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch")


def hooks(servers: Mapping[str, Any], **options: Unpack[AdapterOptions]) -> dict[Any, list[HookMatcher]]:
    """Return the `hooks` for `ClaudeAgentOptions`. You can add your own matchers to its lists.

    Args:
        servers: for each server name in `mcp_servers`, the server's tools: a toolset, or the server's list of tools.
        options: the options of `toolgen_runtime.Registry`.

    Raises:
        TypeError: an option does not exist.
    """
    checks = Checks("hooks()", options)
    checks.registry.register(_named(servers, checks))

    async def answer(event: Any, tool_use_id: str | None, context: Any) -> Any:  # noqa: ARG001
        name = event["hook_event_name"]
        conversation = checks.conversation((event["session_id"], event.get("agent_id")))
        found: dict[str, Any] = {}
        if name == "UserPromptSubmit":
            conversation.begin_turn()
        elif name == "PostToolBatch":
            conversation.begin_round()
        elif name == "PreToolUse":
            call = checks.check(
                conversation, event["tool_name"], event["tool_input"], call_id=event["tool_use_id"]
            )
            if call is not None and not call.output.ok:
                found = {"permissionDecision": "deny", "permissionDecisionReason": call.output.text()}
            elif call is not None:
                checks.running[event["session_id"], event["tool_use_id"]] = call
                if call.output.repairs:
                    found = {"updatedInput": call.output.payload}
        elif note := checks.ended((event["session_id"], event["tool_use_id"]), _result(event)):
            found = {"additionalContext": note}
        if found:
            return {"hookSpecificOutput": {"hookEventName": name, **found}}
        return {}

    return {event: [HookMatcher(hooks=[answer])] for event in _EVENTS}


def _named(servers: Mapping[str, Any], checks: Checks) -> dict[str, Tool[Any]]:
    """Return the servers' tools by the names that the model sees. Tools with the same name are not checked."""
    named: dict[str, Tool[Any]] = {}
    twice: set[str] = set()
    for server, tools in servers.items():
        for name, tool in checks.compiled(tools_of(tools, keep_going=True)).tools().items():
            seen = re.sub("[^A-Za-z0-9_-]", "_", f"mcp__{server}__{name}")  # as the command line does
            if seen in named:
                twice.add(seen)
            named[seen] = tool
    for name in twice:
        checks.leave_unchecked(name, "two tools have this name")
        del named[name]
    return named


def _result(event: Any) -> Any:
    """Return the result of a call in the form that `Call.ended` takes."""
    if event.get("is_interrupt"):
        return CancelledError()
    if event["hook_event_name"] == "PostToolUseFailure":
        return reported(event["error"], True)
    response = event["tool_response"]
    if isinstance(response, list):
        return {"content": response}
    return response
