"""The guardrail of OpenAI Agents, with a model of scripted answers and real MCP servers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    Runner,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    TracingProcessor,
    function_tool,
    set_trace_processors,
    set_tracing_disabled,
)
from agents.exceptions import ModelBehaviorError
from seams.common import Desk
from seams.mcp import on_stdio
from seams.openai_agents import LACKS, Script, approval

from toolgen_adapters.openai_agents import guarded, toolgen_guardrail

set_tracing_disabled(True)
BEFORE_APPROVAL = None
with suppress(ImportError, TypeError):
    from agents import ToolExecutionConfig

    BEFORE_APPROVAL = RunConfig(tool_execution=ToolExecutionConfig(pre_approval_tool_input_guardrails=True))


def verdicts(result: Any) -> list[Any]:
    return [found.output for found in result.tool_input_guardrail_results]


def test_the_guardrail_by_itself_on_listed_tools(tmp_path: Path) -> None:
    async def listed() -> list[Any]:
        async with on_stdio("time", tmp_path) as session:
            return list((await session.list_tools()).tools)

    tools = asyncio.run(listed())

    async def never(context: Any, text: str) -> str:
        return f"ran {text}"

    guard = toolgen_guardrail(tools)
    schema = {"type": "object", "properties": {}}
    function = FunctionTool("get_current_time", "", schema, never, False, tool_input_guardrails=[guard])
    other = FunctionTool("other", "", schema, never, False, tool_input_guardrails=[guard])
    model = Script([("get_current_time", "{}"), ("other", '{"timezone": 5}')])
    result = asyncio.run(Runner.run(Agent(name="agent", model=model, tools=[function, other]), "go"))
    assert 'add the key "timezone"' in model.told[0]
    assert model.told[1] == 'ran {"timezone": 5}'
    assert [verdict.checked is None for verdict in verdicts(result)] == [False, True]


@function_tool
def pay(amount: int, currency: str = "EUR") -> str:
    """Pay."""
    return f"paid {amount} {currency}"


def test_the_schema_that_was_sent_is_the_one_that_counts() -> None:
    """Strict rewriting makes every property required, and that is what the model was shown."""
    model = Script([("pay", '{"amount": 3}')], [("pay", '{"amount": 3, "currency": "USD"}')])
    agent = Agent(name="agent", model=model, tools=[pay])
    asyncio.run(Runner.run(guarded(agent, defaults="require"), "go"))
    assert model.told == [model.told[0], "paid 3 USD"]
    assert "currency" in model.told[0]
    assert model.tools[0].params_json_schema == pay.params_json_schema
    assert not pay.tool_input_guardrails
    assert agent.tools == [pay]


def test_other_guardrails_keep_their_place() -> None:
    seen: list[str] = []

    def look(data: Any) -> ToolGuardrailFunctionOutput:
        seen.append(data.context.tool_arguments)
        return ToolGuardrailFunctionOutput.allow()

    tool = FunctionTool(
        "t", "", {"type": "object", "properties": {"n": {"type": "integer"}}}, _echo, False,
        tool_input_guardrails=[ToolInputGuardrail(look)],
    )  # fmt: skip
    model = Script([("t", '{"n": "x"}')])
    asyncio.run(Runner.run(guarded(Agent(name="agent", model=model, tools=[tool])), "go"))
    assert seen == ['{"n": "x"}']
    assert 'n: change "x" to an integer' in model.told[0]


async def _echo(context: Any, text: str) -> str:
    return f"ran {text}"


@pytest.mark.skipif("approval" in LACKS, reason=LACKS.get("approval", ""))
def test_a_check_before_the_approval_counts_each_call_once() -> None:
    ended: list[Any] = []
    options: Any = {"config": BEFORE_APPROVAL, "on_call": lambda call: ended.append}
    calls = [("pay", '{"amount": "x"}')], [("pay", '{"amount": 3}')]
    told, asked = asyncio.run(approval([Desk().pay], *calls, **options))
    assert asked == 1
    assert [output.ok for output in ended] == [False, True]
    assert 'amount: change "x" to an integer' in told[0].text
    assert told[1].text == "paid 3"


def test_without_the_behavior_an_unknown_tool_ends_the_run() -> None:
    model = Script([("pya", "{}")])
    with pytest.raises(ModelBehaviorError, match="pya"):
        asyncio.run(Runner.run(guarded(Agent(name="agent", model=model, tools=[pay])), "go"))


@pytest.mark.parametrize(
    "option",
    [
        {"repair": True},
        {"unknown_keys": "note"},
        {"unknown_keys": "drop"},
        {"check_results": "note"},
        {"ask": True},
    ],
)
def test_options_that_a_guardrail_cannot_keep(option: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(option))):
        toolgen_guardrail({}, **option)
    assert guarded(Agent(name="agent"), **option)


def test_the_result_of_a_run_says_the_agents_own_class() -> None:
    async def echo(agent: Agent[Any]) -> Any:
        return await Runner.run(agent, "go")

    class Mine(Agent[Any]):
        pass

    work: Callable[[Agent[Any]], Awaitable[Any]] = echo
    agent = guarded(Mine(name="agent", model=Script()))
    result = asyncio.run(work(agent))  # type: ignore[arg-type]
    assert isinstance(result.last_agent, Mine)
    assert result.last_agent is agent


SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "memo": {"type": "string"}},
    "required": ["n"],
}


def of_n(name: str, invoke: Callable[..., Awaitable[Any]], **options: Any) -> FunctionTool:
    return FunctionTool(name, "", SCHEMA, invoke, False, **options)


@pytest.mark.parametrize(
    ("ends", "kind"), [("raises", "internal_error"), ("times out", "timeout"), ("fine", "ok")]
)
def test_calls_are_booked_as_they_ended(ends: str, kind: str) -> None:
    ended: list[Any] = []

    async def act(n: int) -> str:
        """Act."""
        if ends == "raises":
            raise KeyError("no such account")
        if ends == "times out":
            await asyncio.sleep(30)
        return "acted"

    options: dict[str, Any] = {"timeout": 0.2} if ends == "times out" else {}
    try:
        tool = function_tool(**options)(act)
    except TypeError:
        pytest.skip("this version has no timeouts of tools")
    if ends == "raises" and not hasattr(tool.on_invoke_tool, "_invoke_tool_impl"):
        pytest.skip("this version makes a text of the failure before anybody sees it")
    model = Script([("act", '{"n": 1}')])
    agent = guarded(Agent(name="agent", model=model, tools=[tool]), on_call=lambda call: ended.append)
    asyncio.run(Runner.run(agent, "go"))
    (output,) = ended
    assert (output.executed, output.kind or "ok") == (True, kind)
    plain = Script([("act", '{"n": 1}')])
    asyncio.run(Runner.run(Agent(name="agent", model=plain, tools=[tool]), "go"))
    assert model.told == plain.told  # the SDK's own text


class Trace(TracingProcessor):
    """Records the spans of function calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def on_span_end(self, span: Any) -> None:
        if span.span_data.type == "function":
            self.calls.append(span)

    def on_span_start(self, span: Any) -> None: ...
    def on_trace_start(self, trace: Any) -> None: ...
    def on_trace_end(self, trace: Any) -> None: ...
    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


def with_guardrail(agent: Agent[Any]) -> Agent[Any]:
    tool: Any = agent.tools[0]
    return agent.clone(tools=[replace(tool, tool_input_guardrails=[toolgen_guardrail([tool])])])


@pytest.mark.parametrize("sent", ['{"amount": "x"}', '{"amount": '])
def test_the_span_of_a_rejected_call_is_in_the_trace_as_without_toolgen(sent: str) -> None:
    trace = Trace()
    set_trace_processors([trace])
    set_tracing_disabled(False)
    try:
        for wrap in (lambda agent: agent, guarded, with_guardrail):
            model = Script([("pay", sent)])
            agent: Any = wrap(Agent(name="agent", model=model, tools=[pay]))
            asyncio.run(Runner.run(agent, "go"))
            assert trace.calls[-1].span_data.output == model.told[0]
    finally:
        set_tracing_disabled(True)
        set_trace_processors([])
    alone, *others = trace.calls
    for span in others:
        assert (span.span_data.name, span.span_data.input) == ("pay", sent)
        assert alone.error["message"] in (
            span.error["message"],
            "Error running tool",
        )  # older, malformed JSON
        assert span.error["data"] == {"tool_name": "pay", "error": "invalid_parameters"}
        assert (span.parent_id is None) == (alone.parent_id is None)


def test_clones_and_tools_added_later_are_checked() -> None:
    wrong = [("late", '{"n": "x"}')]
    model, of_clone = Script(wrong), Script(wrong)
    agent = guarded(Agent(name="a", model=model, tools=[of_n("t", _echo)]))
    agent.tools.append(of_n("late", _echo))
    for script, run in ((model, agent), (of_clone, agent.clone(model=of_clone, tools=[of_n("late", _echo)]))):
        asyncio.run(Runner.run(run, "go"))
        assert "was not run" in script.told[0]
