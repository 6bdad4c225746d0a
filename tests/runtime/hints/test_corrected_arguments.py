"""The line of corrected arguments: only what is certain as a whole, valid, short, and no secret."""

from __future__ import annotations

import json
from typing import Any

from helpers.support import TEXT, WHOLE, for_each, tool_of

from toolgen import compile_tools
from toolgen_runtime import Conversation, Registry, RetryHint, Tool

SIDE = {"enum": ["buy", "sell"]}


def trade(properties: dict[str, Any], *required: str) -> Tool[Any]:
    schema = {"type": "object", "properties": properties, "required": [*required]}
    return tool_of(schema, name="trade")


TOOL = trade({"side": SIDE, "count": WHOLE, "note": TEXT}, "side")
SECRET = trade({"side": SIDE, "pin": {**TEXT, "writeOnly": True}})
LONG = "x" * 301


def hint_of(sent: Any, tool: Tool[Any] = TOOL, **options: Any) -> RetryHint:
    issues = tool.validate_json(sent) if isinstance(sent, str) else tool.validate(sent)
    return Registry().with_tools({tool.name: tool}).hint(tool.name, issues, payload=sent, **options)


@for_each(
    [
        ({"side": "BUY"}, 'Corrected arguments: {"side": "buy"}'),
        ({"Side": "buy", "count": "5"}, 'Corrected arguments: {"side": "buy", "count": 5}'),
        ({"side": "BUY", "note": "a\nb"}, r'Corrected arguments: {"side": "buy", "note": "a\nb"}'),
        ({"side": "BUY", "note": "a\u202eb"}, r'Corrected arguments: {"side": "buy", "note": "a\u202eb"}'),
        ('```json\n{"side": "buy"}\n```', 'Corrected arguments: {"side": "buy"}'),
        ({"side": "BUY", "note": LONG}, 'Corrected fields: {"side": "buy"}'),
        ({"SIDE": "buy", "note": LONG}, 'Corrected fields: {"side": "buy"}'),
    ]
)
def test_what_is_certain_is_shown_as_a_whole(sent: Any, line: str) -> None:
    hint = hint_of(sent)
    assert hint.corrected == line
    assert hint.render().endswith(f"\n{line}")
    assert TOOL.validate(json.loads(line.partition(": ")[2])) == []


@for_each(
    [
        {"side": "bui"},  # a guess
        {"side": "BUY", "count": "5 kg"},  # one of two is a guess
        {"side": "BUY", "count": "many"},  # one of two has no edit
        {"side": "BUY", "count": 1.5},
        {},
        {"side": "buy", "note": 5},
        f'{{"side": "buy", "note": "{LONG}',  # cut off
    ]
)
def test_a_guess_is_never_shown(sent: Any) -> None:
    assert hint_of(sent).corrected is None


def test_arguments_with_a_secret_are_not_shown() -> None:
    assert hint_of({"side": "BUY", "pin": "1234"}, SECRET).corrected is None
    assert hint_of({"side": "BUY"}, SECRET).corrected == 'Corrected arguments: {"side": "buy"}'


def test_a_small_budget_drops_it_first() -> None:
    hint = hint_of({"side": "BUY"})
    whole = hint.render()
    shorter = hint.render(len(whole) - 1)
    assert shorter == 'trade was not run. side: change "BUY" to "buy"'


def test_a_failure_that_is_final_carries_none() -> None:
    conversation = Conversation({"trade": TOOL})
    for _ in range(3):
        output = conversation.check("trade", {"side": "BUY"})
    assert output.recovery == "give_up"
    assert output.retry_hint.corrected is None


def test_a_result_is_not_corrected() -> None:
    sent = {"side": "BUY"}
    registry = Registry().with_tools({"trade": TOOL})
    assert registry.hint("trade", TOOL.validate(sent), payload=sent, ran=True).corrected is None


def test_no_line_if_the_check_rejects_the_result_of_certain_edits() -> None:
    schema = {"type": "object", "properties": {"a": TEXT}, "minProperties": 1}
    registry = Registry(nulls="omit")
    registry.register(compile_tools([{"name": "t", "inputSchema": schema}]))
    output = registry.call("t", {"a": None}, lambda payload: payload)
    assert [edit.certain for edit in output.retry_hint.edits] == [True]
    assert output.retry_hint.corrected is None
