"""The hooks of Strands, with a model of scripted answers and real MCP servers."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

import pytest
from seams.common import Told
from seams.strands import LACKS, Script, told
from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry

from toolgen_adapters.strands import ToolgenHooks


def invoke(agent: Agent, state: dict[str, Any] | None = None) -> Any:
    """Run an agent; `state` is its invocation state, which older versions take as keywords."""
    if state is None:
        return agent("go")
    if "invocation_state" in inspect.signature(type(agent).__call__).parameters:
        return agent("go", invocation_state=state)
    return agent("go", **state)


@tool
def pay(amount: int, currency: str = "EUR") -> str:
    """Pay."""
    return f"paid {amount} {currency}"


@tool
def other(amount: str) -> str:
    """Pay otherwise."""
    return f"other {amount}"


class Sets(HookProvider):
    """A hook that sets a member of the event."""

    def __init__(self, member: str, value: Any) -> None:
        self.member, self.value = member, value

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        registry.add_callback(BeforeToolCallEvent, self.set)

    def set(self, event: BeforeToolCallEvent) -> None:
        setattr(event, self.member, self.value)


CANCEL, REPLACE = Sets("cancel_tool", "not today"), Sets("selected_tool", other)


@pytest.mark.parametrize(
    ("hook", "result"), [(CANCEL, Told("not today", True)), (REPLACE, Told("other x", False))]
)
def test_other_hooks_keep_what_they_decide(hook: HookProvider, result: Told) -> None:
    script = Script([("pay", '{"amount": "x"}')])
    agent = Agent(model=script, tools=[pay], hooks=[hook, ToolgenHooks()], callback_handler=None)
    agent("go")
    assert told(agent) == [result]


def test_a_later_hook_has_the_last_word() -> None:
    script = Script([("pay", '{"amount": "x"}'), ("pay", '{"amount": 1}')])
    hooks = [ToolgenHooks(), CANCEL]
    agent = Agent(model=script, tools=[pay], hooks=hooks, callback_handler=None)
    agent("go")
    assert told(agent) == [Told("not today", True)] * 2


@pytest.mark.parametrize("text", ['{"limit": 5', '{"limit": 5 "all": }', '{"limit": '])
def test_broken_json_does_not_run_a_tool_without_required_fields(text: str) -> None:
    @tool
    def delete(limit: int = 1000) -> str:
        """Delete."""
        raise AssertionError

    script = Script([("delete", text)])
    agent = Agent(model=script, tools=[delete], hooks=[ToolgenHooks()], callback_handler=None)
    agent("go")
    (found,) = told(agent)
    assert found.is_error
    assert "delete was not run" in found.text


def test_the_programs_own_calls_are_left_alone() -> None:
    agent = Agent(model=Script(), tools=[pay], hooks=[ToolgenHooks()], callback_handler=None)
    assert agent.tool.pay(amount="3")["content"][0]["text"] == "paid 3 EUR"


def test_only_the_tools_that_were_given() -> None:
    hooks = ToolgenHooks([pay])
    script = Script([("pay", '{"amount": "x"}'), ("other", '{"amount": "x", "more": 1}'), ("pya", "{}")])
    agent = Agent(model=script, tools=[pay, other], hooks=[hooks], callback_handler=None)
    agent("go")
    results = sorted(found.text for found in told(agent))
    assert results[0] == "other x"
    assert 'amount: change "x" to an integer' in results[1]
    assert 'did you mean "pay"' in results[2]


def test_what_the_model_is_shown_does_not_change() -> None:
    shown = []
    for hooks in ([], [ToolgenHooks()]):
        script = Script([("pay", '{"amount": 1}')])
        Agent(model=script, tools=[pay], hooks=hooks, callback_handler=None)("go")
        shown.append(script.specs)
    assert shown[0] == shown[1]


def test_repairs_reach_the_tool_and_not_the_history() -> None:
    script = Script([("pay", '{"amount": "3"}')])
    hooks = [ToolgenHooks(repair=True)]
    agent = Agent(model=script, tools=[pay], hooks=hooks, callback_handler=None)
    agent("go")
    (found,) = told(agent)
    assert (found.is_error, found.text.splitlines()[0]) == (False, "paid 3 EUR")
    (sent,) = [b["toolUse"]["input"] for m in agent.messages for b in m["content"] if "toolUse" in b]
    assert sent == {"amount": "3"}


def test_the_hosts_invocation_state_has_what_each_call_came_to() -> None:
    state: dict[str, Any] = {"mine": 1}
    script = Script([("pay", '{"amount": "x"}')], [("pay", '{"amount": 1}')])
    agent = Agent(model=script, tools=[pay], hooks=[ToolgenHooks()], callback_handler=None)
    invoke(agent, state)
    if "toolgen" not in state:
        pytest.skip("this version copies the state")
    outputs = state["toolgen"].values()
    assert [(output.ok, output.executed) for output in outputs] == [(False, False), (True, True)]
    assert state["mine"] == 1


def test_unreadable_arguments_belong_to_one_agent() -> None:
    cut = Script([("pay", '{"amount": 3, "secret": ')], stop="max_tokens")
    with contextlib.suppress(Exception):
        Agent(model=cut, tools=[pay], hooks=[ToolgenHooks()], callback_handler=None)("go")

    @tool
    def status(verbose: bool = False) -> str:
        """Say how things are."""
        return "fine"

    other = Agent(
        model=Script([("status", "{}")]), tools=[status], hooks=[ToolgenHooks()], callback_handler=None
    )
    other("go")
    assert told(other) == [Told("fine", False)]


@pytest.mark.skipif("approval" not in LACKS, reason="this version has interrupts")
def test_a_version_without_interrupts_cannot_ask() -> None:
    with pytest.raises(TypeError, match="no way to ask the user"):
        ToolgenHooks(ask=True)
