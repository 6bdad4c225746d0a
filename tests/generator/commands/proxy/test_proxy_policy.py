"""The options of a conversation in `toolgen proxy`: what the server gets, and what the client gets of its answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from helpers.commands import toolgen
from helpers.support import WHOLE, JsonObject, for_each, obj

from toolgen.commands.proxy import call_filter, cli
from toolgen.commands.proxy.call_filter import ToolList
from toolgen.commands.proxy.policy_options import conversation_options, policy_of, read_rules
from toolgen.commands.servers.messages import message_of
from toolgen_runtime import CallRule, Conversation
from toolgen_runtime.calls.policy import CHOICES, MAX_CHARS

SHOT = {
    "name": "shot",
    "inputSchema": obj("scale", scale={"enum": ["css", "device"], "default": "css"}, n=WHOLE, maxWidth=WHOLE),
    "outputSchema": {"type": "object", "required": ["path"]},
}
DONE = {"content": [{"type": "text", "text": "done"}], "structuredContent": {"path": "a"}}


def called(
    arguments: Any, answer: JsonObject | None = None, *, tools: ToolList | None = None, **options: Any
) -> tuple[Any, Any]:
    """Return the arguments that the server gets, and the result that the client gets."""
    if tools is None:
        tools = ToolList(lambda _: None, **options)
        tools.take([{"tools": [SHOT]}])
    params = {"name": "shot", "arguments": arguments}
    call = message_of({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    async def ask(_: str | None) -> Any:
        raise AssertionError("the list is known")

    decision, checked = asyncio.run(tools.decide(call, ask))
    if decision.answers:
        return None, decision.result
    result = message_of({"jsonrpc": "2.0", "id": 1, "result": DONE if answer is None else answer})
    return decision.params["arguments"], tools.passed(result, checked).result


def test_a_default_is_filled_in_and_the_host_can_see_it() -> None:
    sent, result = called({})
    assert sent == {"scale": "css"}
    change = {"path": ["scale"], "from": None, "to": "css", "rule": "default"}
    assert result == {**DONE, "_meta": {"toolgen": {"repairs": [change]}}}, "the model reads nothing of it"
    sent, result = called({}, defaults="require")
    assert sent is None
    assert result["isError"] is True
    assert called({"scale": "css"})[1] == DONE, "an answer without anything to say is the server's"


def test_nulls_and_repairs() -> None:
    assert called({"scale": "css", "n": None}, nulls="omit")[0] == {"scale": "css"}
    assert called({"scale": "css", "n": None})[0] is None
    sent, result = called({"scale": "css", "n": "5"}, repair=True)
    assert sent == {"scale": "css", "n": 5}
    assert "corrected before the call" in result["content"][1]["text"]
    assert len(called({"scale": "css", "n": "5"}, repair=True, repairs="silent")[1]["content"]) == 1


def test_rejected_and_repaired_calls_are_logged(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ({"n": "5"}, {"n": "five"}, {"scale": "css"}):
        called(arguments, repair=True, log_call=cli._log_call)
    called(
        {"scale": "css"}, {**DONE, "structuredContent": {}}, check_results="reject", log_call=cli._log_call
    )
    assert capsys.readouterr().err.splitlines() == [
        "toolgen proxy: shot was forwarded with changes: n (parsed), scale (default)",
        "toolgen proxy: shot was rejected: n (type)",
        "toolgen proxy: shot ran, but its result was rejected: execution_error",
    ]


def test_too_many_failed_calls_in_a_row_end_in_a_final_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = ToolList(lambda _: None, max_failures=3)
    tools.take([{"tools": [SHOT]}])

    def recoveries(*calls: Any) -> list[str]:
        results = [called(arguments, tools=tools)[1] for arguments in calls]
        return [result.get("_meta", {}).get("toolgen", {}).get("recovery", "") for result in results]

    wrong = [{"n": "a"}, {"n": []}, {"n": 1.5}]
    assert recoveries(*wrong, *wrong) == ["correct"] * 6, "calls without a pause come from one answer"
    monkeypatch.setattr(call_filter, "ROUND_SECONDS", -1.0)
    assert recoveries(*wrong) == ["correct", "give_up", "give_up"]
    assert recoveries({"scale": "css"}, *wrong) == ["", "correct", "correct", "give_up"]
    tools.is_shared = True
    assert recoveries({"scale": "css"}, *wrong) == ["", "correct", "correct", "correct"]


def test_results_are_noted_rejected_or_passed() -> None:
    wrong = {"content": [{"type": "text", "text": "done"}], "structuredContent": {"file": "a"}}
    given = {"scale": "css"}
    says = 'the result is not as the tool declares it: "path" (required)'
    noted = called(given, wrong)[1]
    assert noted["structuredContent"] == {"file": "a"}
    assert says in noted["content"][1]["text"]
    rejected = called(given, wrong, check_results="reject")[1]
    assert rejected["isError"] is True
    assert "structuredContent" not in rejected
    assert says in rejected["content"][0]["text"]
    assert rejected["_meta"]["toolgen"]["executed"] is True
    assert called(given, wrong, check_results="off")[1] == wrong
    failed = {**wrong, "isError": True}
    assert called(given, failed, check_results="reject")[1] == failed, "an error result is never rejected"


def test_rules_that_fit_the_servers_tools_are_applied(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(
        '[[rules]]\ntool = "shot"\naction = "alias"\npath = ["size"]\nto = "scale"\n'
        '[[rules]]\ntool = "gone"\naction = "drop"\npath = ["x"]\n'
        '[[rules]]\ntool = "shot"\naction = "alias"\npath = ["x"]\nto = "y"\n'
    )
    rules = read_rules(str(file))
    assert rules[0] == CallRule("shot", "alias", ("size",), to="scale")
    lines: list[str] = []
    tools = ToolList(lines.append, rules=rules)
    tools.take([{"tools": [SHOT]}])
    assert called({"size": "device"}, tools=tools)[0] == {"scale": "device"}
    assert lines == ["rules: the server lists no tool 'gone'", "rules: shot: 'y' is not a field"]
    tools.take([{"tools": [{**SHOT, "name": "other"}]}])
    assert lines[-1] == "rules: the server lists no tool 'shot'"


@for_each([("rules = [1]", "a rule has"), ("rules = [", "error"), (None, "such file")])
def test_a_file_of_rules_that_cannot_be_used_is_refused_at_once(
    text: str | None, says: str, *, tmp_path: Path
) -> None:
    file = tmp_path / "rules.toml"
    if text is not None:
        file.write_text(text)
    result = toolgen("proxy", "--rules", str(file), "--", "true")
    assert result.exit_code == 2
    assert says in result.output


def test_the_command_line_has_the_options_of_a_conversation_with_their_defaults() -> None:
    given: JsonObject = {}

    @click.command
    @conversation_options
    def command(**options: Any) -> None:
        given.update(options)

    assert CliRunner().invoke(command, []).exit_code == 0
    options = policy_of(given)
    assert options == {
        "repair": False,
        "ask": False,
        "max_chars": MAX_CHARS,
        "max_failures": 5,
        **{name: values[0] for name, values in CHOICES.items()},
    }
    Conversation({}, **options)
