"""The pydantic-ai adapter: agents with a function for a model, and tools of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    RunContext,
    Tool,
    ToolDefinition,
    UnexpectedModelBehavior,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import ExternalToolset

from toolgen_adapters.pydantic_ai import ToolgenCheck

Call = tuple[str, Any]


def scripted(*rounds: list[Call]) -> tuple[FunctionModel, list[list[Any]]]:
    """A model that makes these calls, a list a round, then says `done`; and what it was answered in each."""
    answers: list[list[Any]] = []

    def model(messages: list[Any], info: Any) -> ModelResponse:
        parts = [part for part in messages[-1].parts if hasattr(part, "tool_call_id")]
        if parts:
            answers.append(parts)
        if len(answers) == len(rounds):
            return ModelResponse(parts=[TextPart("done")])
        calls = rounds[len(answers)]
        ids = [f"call-{len(answers)}-{index}" for index, _ in enumerate(calls)]
        return ModelResponse(
            parts=[ToolCallPart(name, args, id) for (name, args), id in zip(calls, ids, strict=True)]
        )

    return FunctionModel(model), answers


def is_retry(part: Any) -> bool:
    return isinstance(part, RetryPromptPart) or part.outcome == "retried"


def text_of(part: Any) -> str:
    return part.content if isinstance(part.content, str) else json.dumps(part.content)


def run(agent: Agent[Any, Any], **options: Any) -> Any:
    return agent.run_sync("go", **options)


SEEN: list[Any] = []


def pay(ctx: RunContext[str], amount: int, note: str = "") -> str:
    """Pay an amount."""
    SEEN.append((ctx.deps, amount, note))
    return f"paid {amount} for {ctx.deps}"


def paying(*rounds: list[Call], **options: Any) -> tuple[Agent[str, Any], list[list[Any]]]:
    SEEN.clear()
    model, answers = scripted(*rounds)
    given: dict[str, Any] = {"tools": [pay], "capabilities": [ToolgenCheck()], **options}
    return Agent(model, deps_type=str, **given), answers


MISTAKES: list[list[Call]] = [[("pay", '{"amount": "x"}')]] * 3


def test_the_same_mistake_does_not_end_the_run_and_is_to_be_given_up() -> None:
    agent, answers = paying(*MISTAKES)
    assert run(agent, deps="Ada").output == "done"
    outcomes = [getattr(part, "outcome", "retried") for (part,) in answers]
    assert outcomes == ["retried", "failed", "failed"]  # one retry is what pydantic-ai allows by default
    assert "do not call it again" in text_of(answers[2][0])


def test_the_host_may_let_its_own_retries_end_the_run() -> None:
    agent, _ = paying(*MISTAKES, capabilities=[ToolgenCheck(out_of_retries="raise")])
    with pytest.raises(UnexpectedModelBehavior, match="exceeded max retries"):
        run(agent, deps="Ada")


@pytest.mark.parametrize("result", ["a text", {"pixels": 1}], ids=["text", "structured"])
def test_a_note_stands_beside_the_result(result: Any) -> None:
    schema: Any = {"type": "object", "properties": {"limit": {"type": "integer"}}}
    tool: Any = Tool.from_schema(lambda **_: result, "look", "Look.", schema)
    check = ToolgenCheck(unknown_keys="note")
    agent, answers = paying([("look", '{"limt": 1}')], tools=[tool], capabilities=[check])
    messages = run(agent, deps="Ada").all_messages()
    assert not is_retry(answers[0][0])
    assert "limt" in str(messages[2].parts)
    assert "not a field" in str(messages[2].parts)


def test_a_function_tool_has_its_context_and_the_schema_that_the_model_sees() -> None:
    agent, answers = paying([("pay", '{"amount": "a lot"}')], [("pay", '{"amount": 3}')])
    run(agent, deps="Ada")
    assert "pay was not run" in text_of(answers[0][0])
    assert SEEN == [("Ada", 3, "")]
    shown: list[Any] = []

    def model(messages: list[Any], info: Any) -> ModelResponse:
        shown.append([(tool.name, tool.parameters_json_schema) for tool in info.function_tools])
        return ModelResponse(parts=[TextPart("done")])

    for capabilities in ([], [ToolgenCheck()]):
        plain: Agent[str, Any] = Agent(
            FunctionModel(model), deps_type=str, tools=[pay], capabilities=capabilities
        )
        run(plain, deps="Ada")
    assert shown[0] == shown[1]


def test_what_pydantic_would_coerce_is_refused_or_repaired() -> None:
    agent, answers = paying([("pay", '{"amount": "3"}')])
    run(agent, deps="Ada")
    assert (is_retry(answers[0][0]), SEEN) == (True, [])
    agent, answers = paying([("pay", '{"amount": "3"}')], capabilities=[ToolgenCheck(repair=True)])
    result = run(agent, deps="Ada")
    assert SEEN == [("Ada", 3, "")]
    calls = [part for m in result.all_messages() for part in m.parts if isinstance(part, ToolCallPart)]
    assert calls[0].args == '{"amount": "3"}'  # the history keeps what the model wrote


def test_a_call_that_a_tool_puts_off_has_not_failed(caplog: pytest.LogCaptureFixture) -> None:
    def ask(ctx: RunContext[str], amount: int) -> str:
        """Pay, if the user agrees."""
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return "paid"

    agent, _ = paying([("ask", '{"amount": 3}')], tools=[ask], output_type=[str, DeferredToolRequests])
    assert isinstance(run(agent, deps="Ada").output, DeferredToolRequests)
    assert "toolgen" not in caplog.text


def test_a_tool_that_runs_elsewhere_is_checked_too() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    outside = ExternalToolset([ToolDefinition(name="outside", parameters_json_schema=schema)])
    agent, answers = paying(
        [("outside", '{"a": "x"}')], [("outside", '{"a": 1}')],
        toolsets=[outside], output_type=[str, DeferredToolRequests],
    )  # fmt: skip
    output = run(agent, deps="Ada").output
    assert "outside was not run" in text_of(answers[0][0])
    assert [call.args for call in output.calls] == ['{"a": 1}']


class Answer(BaseModel):
    number: int


def test_output_tools_are_the_frameworks_own() -> None:
    agent, _ = paying([("final_result", '{"number": "4"}')], output_type=Answer)
    assert run(agent, deps="Ada").output == Answer(number=4)


def test_other_hooks_see_what_they_saw() -> None:
    class Other(AbstractCapability[Any]):
        async def before_tool_validate(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
            seen.append(args)
            return args

    seen: list[Any] = []
    agent, _ = paying([("pay", '{"amount": 3}')], capabilities=[ToolgenCheck(), Other()])
    run(agent, deps="Ada")
    assert seen == ['{"amount": 3}']


def test_the_test_model_passes() -> None:
    agent: Agent[str, str] = Agent(TestModel(), deps_type=str, tools=[pay], capabilities=[ToolgenCheck()])
    assert "paid 0 for Ada" in run(agent, deps="Ada").output
    assert "paid 0 for Eve" in agent.run_sync("go", deps="Eve").output
