"""The agent of `examples/agent_loop.py`, played through scripts; the hooks of `examples/otel_hooks.py`."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
from helpers.support import EXAMPLES, python

from toolgen_adapters.telemetry import Telemetry
from toolgen_runtime import Registry, ToolErrorKind, ToolExecutionError


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


loop = load("agent_loop")
GOOD = ("handoff", {"team": "billing", "summary": "wants a refund"})
BAD = ("handoff", {"team": "Billing", "reason": "wants a refund"})
MADE_UP = ("search_web", {"q": "x"})
SLOW = ("find_invoices", {"customer_id": 13})


def play(*script: Any) -> tuple[Any, list[Any], list[str]]:
    said: list[str] = []
    agent = loop.agent(script, said.append)
    return agent, asyncio.run(agent.run("go")), said


def kinds(step: Any) -> list[str | None]:
    return [output.kind for output in step.outputs]


def test_a_router_hands_over_at_the_second_try_and_the_turn_has_not_failed() -> None:
    agent, steps, _ = play(loop.calls(BAD), loop.calls(GOOD), loop.says("done"))
    first, second, last = steps
    assert kinds(first) == ["invalid_parameters"]
    assert (first.status, second.status, last.message) == ("error", "ok", "done")
    told = agent.model.asked[1][-1]["content"][0]["toolResult"]
    assert (told["toolUseId"], told["status"]) == ("call_1", "error")
    assert 'team: change "Billing" to "billing"' in told["content"][0]["text"]
    assert kinds(second) == [None]
    assert agent.model.asked[2][-1]["content"][0]["toolResult"]["status"] == "success"
    ledger = agent.conversation.ledger
    assert not ledger.failed
    assert (ledger.turn.attempted, ledger.turn.executed, ledger.failure_streak) == (2, 1, 0)


def test_one_success_in_a_parallel_batch_is_enough() -> None:
    agent, steps, _ = play(loop.calls(GOOD, BAD, MADE_UP, BAD, SLOW), loop.says("done"))
    assert kinds(steps[0]) == [None, "invalid_parameters", "unknown_tool", "invalid_parameters", "timeout"]
    assert not agent.conversation.ledger.failed
    results = agent.model.asked[1][-1]["content"]
    assert [r["toolResult"]["toolUseId"] for r in results] == [f"call_{n}" for n in range(1, 6)]


def test_a_tool_that_ran_and_failed_does_not_fail_the_turn() -> None:
    agent, _, _ = play(loop.calls(SLOW), loop.says("later"))
    assert not agent.conversation.ledger.failed
    rpc = ToolExecutionError(ToolErrorKind.EXECUTION_ERROR, "index is corrupt", code=-32000)
    agent.conversation.ledger.begin_turn()
    agent.conversation.ledger.record(rpc)
    assert not agent.conversation.ledger.failed


def test_nothing_but_made_up_tools_fails_the_turn() -> None:
    agent, _, _ = play(loop.calls(MADE_UP, MADE_UP), loop.says("sorry"))
    assert agent.conversation.ledger.failed
    assert dict(agent.conversation.ledger.turn.failures) == {"unknown_tool": 2}
    assert agent.conversation.ledger.failure_streak == 1  # an answer, however many calls it makes


def test_the_loop_stops_by_the_streak_of_answers() -> None:
    agent, steps, said = play(*[loop.calls(BAD, BAD, BAD)] * 9)
    assert len(steps) == agent.max_streak == 3
    assert said[-2].startswith("stopped: 3 answers in a row")


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("toolUseId", None, "toolUse.toolUseId"),
        ("toolUseId", "", "toolUse.toolUseId"),
        ("name", "", "toolUse.name"),
        ("input", None, "toolUse.input"),
        ("input", "{}", "toolUse.input"),
    ],
)
def test_a_malformed_response_ends_its_step_and_not_the_loop(key: str, value: Any, named: str) -> None:
    broken = loop.calls(GOOD)
    broken["output"]["message"]["content"][0]["toolUse"][key] = value
    agent, steps, _ = play(broken, loop.calls(GOOD), loop.says("done"))
    assert [step.status for step in steps] == ["error", "ok", "ok"]
    assert named in steps[0].message
    assert "wants a refund" not in steps[0].message
    assert agent.model.asked[1] == agent.model.asked[0]  # asked again, with nothing of it in the history
    assert agent.conversation.ledger.turn.attempted == 1


def test_a_lost_connection_is_asked_again_and_a_refused_key_is_not() -> None:
    _, steps, _ = play(ConnectionResetError(104, "reset"), loop.says("done"))
    assert [step.status for step in steps] == ["error", "ok"]
    _, steps, _ = play(PermissionError("401 Unauthorized"), loop.says("never asked"))
    assert [step.message for step in steps] == ["auth_error (by message), giving up"]


def test_the_example_runs_offline_as_it_stands() -> None:
    command = [sys.executable, str(EXAMPLES / "agent_loop.py")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("turn not failed") == 2
    assert "absent: toolUseId at output.message.content" in ran.stdout
    assert "turn failed: 2 calls, 0 executed" in ran.stdout


# ---- OpenTelemetry ---------------------------------------------------------------------------------------------


def spans_of(*calls: tuple[str, Any], **options: Any) -> list[Any]:
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    hooks = Telemetry(tracer, **options)
    registry = Registry(on_call=hooks.on_call, on_issue=hooks.on_issue)
    registry.register(loop.compile_tools(loop.TOOLS))

    async def handler(payload: dict[str, Any]) -> Any:
        with tracer.start_as_current_span("inside"):
            await asyncio.sleep(0)
        return await loop.find_invoices(payload)

    async def main() -> None:
        await asyncio.gather(
            *(registry.acall(n, a, handler, call_id=f"c{i}") for i, (n, a) in enumerate(calls))
        )

    asyncio.run(main())
    return list(exporter.get_finished_spans())


def test_spans_follow_the_genai_conventions() -> None:
    from opentelemetry.trace import SpanKind, StatusCode

    spans = spans_of(("find_invoices", {"customer_id": 7}), ("find_invoices", {"customer_id": 13}))
    calls = [span for span in spans if span.name == "execute_tool find_invoices"]
    assert len(calls) == 2
    good, slow = sorted(calls, key=lambda span: span.attributes["gen_ai.tool.call.id"])
    assert good.kind is SpanKind.INTERNAL
    assert dict(good.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_invoices",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c0",
        "toolgen.tool.executed": True,
    }
    assert good.status.status_code is StatusCode.UNSET
    assert slow.attributes["error.type"] == "timeout"
    assert slow.attributes["toolgen.tool.recovery"] == "check_first"
    assert slow.status.status_code is StatusCode.ERROR
    parents = {span.parent.span_id for span in spans if span.name == "inside"}
    assert parents == {good.context.span_id, slow.context.span_id}  # each handler inside its own span


def test_issues_are_events_without_values() -> None:
    (span,) = spans_of(("find_invoices", {"customer_id": "hunter2"}))
    assert span.attributes["error.type"] == "invalid_parameters"
    assert [dict(event.attributes) for event in span.events] == [
        {"toolgen.issue.field": "customer_id", "toolgen.issue.constraint": "type"}
    ]
    assert "hunter2" not in span.to_json()


def test_the_example_has_spans_for_calls_that_a_framework_runs() -> None:
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    done = python(str(EXAMPLES / "otel_hooks.py"))
    decoder, spans, text = json.JSONDecoder(), [], done.stdout
    while text.strip():
        span, end = decoder.raw_decode(text.strip())
        spans.append(span)
        text = text.strip()[end:]
    by_id = {span["attributes"]["gen_ai.tool.call.id"]: span for span in spans}
    assert list(by_id) == [f"call_{i}" for i in range(1, 6)]
    errors = [span["attributes"].get("error.type") for span in spans]
    assert errors == [None, "invalid_parameters", "unknown_tool", "invalid_parameters", None]
    assert [len(span["events"]) for span in spans] == [0, 1, 0, 1, 0]
    assert by_id["call_4"]["attributes"]["toolgen.hint.attempts"] == 2, "the conversation remembers the first"
    assert by_id["call_5"]["start_time"] < by_id["call_5"]["end_time"]
    assert done.stderr == "", "failed calls are not written to stderr"


def test_contents_are_recorded_where_that_was_asked() -> None:
    spans = spans_of(("find_invoices", {"customer_id": 7}), record_content=True)
    (span,) = [span for span in spans if span.name.startswith("execute_tool")]
    assert span.attributes["gen_ai.tool.call.arguments"] == '{"customer_id": 7}'
    assert span.attributes["gen_ai.tool.call.result"] == '[{"number": "2024-17", "total": 12.5}]'
