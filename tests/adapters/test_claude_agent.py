"""The hooks of the Claude Agent SDK: with its command line, and as events of which the model sees nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from seams.claude_agent import opened
from seams.common import Desk, spec

from toolgen_adapters.claude_agent import hooks


def answered(made: Any, *events: dict[str, Any]) -> list[Any]:
    """Return what the hooks answer to these events of one call, in which the model wrote `amount`."""
    same = {"session_id": "s", "tool_name": "mcp__desk__pay", "tool_use_id": "t"}

    async def main() -> list[Any]:
        return [
            await made[event["hook_event_name"]][0].hooks[0](same | event, "t", {"signal": None})
            for event in events
        ]

    return asyncio.run(main())


PRE = {"hook_event_name": "PreToolUse", "tool_input": {"amount": 3}}


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        ({"hook_event_name": "PostToolUse", "tool_response": [{"type": "text", "text": "paid"}]}, "ok"),
        ({"hook_event_name": "PostToolUse", "tool_response": "paid"}, "ok"),
        ({"hook_event_name": "PostToolUseFailure", "error": "no account"}, "execution_error"),
        ({"hook_event_name": "PostToolUseFailure", "error": "", "is_interrupt": True}, None),
    ],
)
def test_a_call_is_counted_as_it_ended(end: dict[str, Any], kind: str | None) -> None:
    ended: list[Any] = []
    made = hooks({"desk": [spec(Desk().pay)]}, on_call=lambda call: ended.append)
    assert answered(made, PRE, end, end) == [{}, {}, {}]
    assert [each and (each.kind or "ok") for each in ended] == [kind]


def test_repairs_reach_the_tool_and_notes_the_model() -> None:
    desk = Desk()

    async def main() -> list[Any]:
        options: Any = {"repair": True, "unknown_keys": "note"}
        async with opened(desk.tools, Path(), **options) as ask:
            return list(await ask([("pay", '{"Amount": 3}')]))

    (told,) = asyncio.run(main())
    assert (told.text.splitlines()[0], desk.ran) == ("paid 3", [3])
    made = hooks({"desk": [spec(desk.late) | {"inputSchema": {"type": "object"}, "name": "pay"}]})
    assert answered(made, PRE) == [{}]


def test_tools_that_are_not_named_are_let_through() -> None:
    made = hooks({"desk": [spec(Desk().pay)]})
    assert answered(made, PRE | {"tool_name": "Bash", "tool_input": {"command": 1}}) == [{}]


def test_a_misspelt_option_is_named() -> None:
    with pytest.raises(TypeError, match=r"hooks\(\) has no option 'repiar'; did you mean 'repair'\?"):
        hooks({}, repiar=True)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("server", "tool"), [("my server", "pay"), ("my.server", "pay.now"), ("desk", "pay now")]
)
def test_names_that_the_command_line_rewrites_are_checked(server: str, tool: str) -> None:
    made = hooks({server: [spec(Desk().pay) | {"name": tool}]})
    seen = f"mcp__{server}__{tool}".replace(" ", "_").replace(".", "_")
    wrong = PRE | {"tool_name": seen, "tool_input": {"amount": "x"}}
    (answer,) = answered(made, wrong)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
