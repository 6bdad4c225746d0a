"""Calls that fail again and again, each in another way: after five of them the model is told to stop."""

from __future__ import annotations

from typing import Any

from helpers.support import TEXT, for_each, obj

from toolgen import compile_tools
from toolgen_runtime import Conversation

SCHEMA = obj("path", "content", closed=True, path=TEXT, content=TEXT, mode={"enum": ["new", "old"]})
TOOLS = compile_tools([{"name": name, "inputSchema": SCHEMA} for name in ("write_file", "append_file")])
VALID = {"path": "a", "content": "b"}
LOOPS: dict[str, list[Any]] = {
    "cut off, each time at another length": [f'{{"path": "a", "content": "{"x" * n}' for n in range(9)],
    "a new wrong value": [{**VALID, "mode": f"m{n}"} for n in range(9)],
    "a new undeclared key": [{**VALID, f"key{n}": n} for n in range(9)],
    "another slip": ["{'path': 1}", "path: a", '{"path": }', "<path>a</path>", '{"path": "a",', "[]", "{}"],
}


@for_each(LOOPS)
def test_the_fifth_failure_gives_up_whatever_changes(loop: Any) -> None:
    conversation = Conversation(TOOLS)
    recoveries = [conversation.check("write_file", sent).recovery for sent in loop[:6]]
    assert "give_up" not in recoveries[:4]
    assert recoveries[4:] == ["give_up", "give_up"]


def test_names_of_tools_that_do_not_exist_count_together() -> None:
    conversation = Conversation(TOOLS)
    names = ("list_dir", "ls", "list_files", "dir", "readdir")
    outputs = [conversation.check(name, {}) for name in names]
    assert [output.recovery for output in outputs] == ["correct"] * 4 + ["give_up"]


def test_a_valid_call_between_begins_anew() -> None:
    conversation = Conversation(TOOLS)
    for _ in range(3):
        for sent in LOOPS["a new wrong value"][:4]:
            assert conversation.call("write_file", sent, lambda payload: "").recovery == "correct"
        assert conversation.call("write_file", VALID, lambda payload: "").ok


def test_another_tool_or_turn_has_its_own_count() -> None:
    conversation = Conversation(TOOLS)
    for sent in LOOPS["a new wrong value"][:4]:
        conversation.check("write_file", sent)
    assert conversation.check("append_file", {"path": "a", "content": 5}).recovery == "correct"
    conversation.begin_turn()
    assert conversation.check("write_file", {**VALID, "mode": "x"}).recovery == "correct"


def test_calls_of_one_round_count_once() -> None:
    conversation = Conversation(TOOLS)
    conversation.begin_round()
    for sent in LOOPS["a new wrong value"]:
        assert conversation.check("write_file", sent).recovery == "correct"


@for_each([(2, 1), (7, 6)])
def test_the_number_is_an_option(most: int, last: int) -> None:
    conversation = Conversation(TOOLS, max_failures=most)
    found = [conversation.check("write_file", sent).recovery for sent in LOOPS["a new wrong value"]]
    assert found.index("give_up") == last
    assert "do not call it again" in conversation.check("write_file", {**VALID, "mode": "last"}).text()


def test_only_the_same_text_is_the_same_again() -> None:
    conversation = Conversation(TOOLS)
    conversation.check("write_file", '"https://x.example"')
    assert "same arguments" not in conversation.check("write_file", "https://x.example").text()
    assert "same arguments" in conversation.check("write_file", "https://x.example").text()


def test_arguments_that_are_cut_off_again_are_to_be_sent_in_parts() -> None:
    conversation = Conversation(TOOLS)
    first, second, *_ = [
        conversation.check("write_file", sent).text()
        for sent in LOOPS["cut off, each time at another length"]
    ]
    assert "send less in one call" not in first
    assert "send less in one call, and the rest in further calls" in second


def test_arguments_that_are_too_large_to_compare_are_not_the_same() -> None:
    conversation = Conversation(TOOLS)
    large = {"path": "a", "mode": "x", "rest": [0] * 500_000}
    hints = [
        conversation.check("write_file", {**large, "content": wrong}).retry_hint for wrong in (1, [1], {})
    ]
    assert [hint.recovery for hint in hints if hint] == ["correct"] * 3
