"""A wrong call is answered in the same words by `explain`, `audit`, a conversation and the proxy's checks."""

from __future__ import annotations

import json
from typing import Any

from helpers.support import TEST_DATA, for_each_at_once, read_json

from toolgen import compile_tools
from toolgen.commands.audit import AuditTools, summarize
from toolgen.commands.explain.explanation import explain
from toolgen.commands.proxy.call_filter import ToolList
from toolgen_runtime import Registry

GALLERY = read_json(TEST_DATA / "gallery.json")
SPECS = {"tools": GALLERY["tools"]}
TOOLS = compile_tools(SPECS)
AUDIT_TOOLS = AuditTools.of_specs(SPECS)
CALLS = [
    (case["tool"], case["payload"]) for case in GALLERY["cases"] if isinstance(case.get("payload"), dict)
][::3]


def by_audit(tool: str, payload: Any) -> str:
    summary = summarize([{"tool": tool, "arguments": payload}], AUDIT_TOOLS)
    (counted,) = summary.tools.values()
    texts = {example.hint for problem in counted.problems.values() for _, example in problem.examples.items()}
    (text,) = texts
    return text


def by_conversation(tool: str, payload: Any) -> str:
    registry = Registry()
    registry.register(TOOLS)
    conversation = registry.conversation()
    conversation.begin_round()
    return conversation.check(tool, payload).text()


def by_proxy(tool: str, payload: Any) -> str:
    tools = ToolList(print)
    tools.take([{"tools": GALLERY["tools"]}])
    output = tools.check({"name": tool, "arguments": payload})
    return output.text()


@for_each_at_once(CALLS)
def test_a_wrong_call_has_one_text(tool: Any, payload: Any) -> None:
    explained = explain(TOOLS, tool, json.dumps(payload).encode())
    for way in (by_audit, by_conversation, by_proxy):
        assert way(tool, payload) == explained["hint"], way
