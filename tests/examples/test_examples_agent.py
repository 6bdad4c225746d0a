"""The agent of `examples/agent_loop.py`, played through scripts; the spans of `examples/otel_hooks.py`."""

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


def test_the_example_runs_offline_as_it_stands() -> None:
    command = [sys.executable, str(EXAMPLES / "agent_loop.py")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("turn not failed") == 2
    assert "absent: toolUseId at output.message.content" in ran.stdout
    assert "turn failed: 2 calls, 0 executed" in ran.stdout


# ---- OpenTelemetry ---------------------------------------------------------------------------------------------


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
    keys = {key for span in spans for event in span["events"] for key in event["attributes"]}
    assert keys == {"toolgen.issue.field", "toolgen.issue.constraint"}, "an event has no values"
    assert by_id["call_4"]["attributes"]["toolgen.hint.attempts"] == 2, "the conversation remembers the first"
    assert by_id["call_5"]["start_time"] < by_id["call_5"]["end_time"]
    assert done.stderr == "", "failed calls are not written to stderr"
