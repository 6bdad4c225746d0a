"""The agent of `examples/agent_loop.py` runs offline; the spans of `examples/otel_hooks.py`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from helpers.support import EXAMPLES, python


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
