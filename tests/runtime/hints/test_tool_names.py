"""Which tool a name means that no tool has: what is suggested, what is run, and what is never named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.support import TEXT, for_each, for_each_at_once, needs_servers, obj, servers

from toolgen import compile_tools
from toolgen_adapters.loop import results
from toolgen_runtime import Conversation, Registry
from toolgen_runtime.hints.build import unknown_tool
from toolgen_runtime.hints.tool_names import only_meaning, tools_meant

_OF_GITHUB = (
    "add_issue_comment create_branch create_issue get_issue get_file_contents list_issues search_code"
)
GITHUB = [
    *(f"mcp__github__{name}" for name in _OF_GITHUB.split()),
    "mcp__jira__create_issue",
    "mcp__jira__search",
    "mcp__fs__read_file",
    "mcp__fs__write_file",
    "Bash",
    "Read",
    "TodoWrite",
]
CASES = [
    ("search_code", ["mcp__github__search_code"], True),
    ("github.search_code", ["mcp__github__search_code"], True),
    ("github__search_code", ["mcp__github__search_code"], True),
    ("mcp_github_search_code", ["mcp__github__search_code"], True),
    ("mcp__github__getFileContents", ["mcp__github__get_file_contents"], True),
    ("fs/read_file", ["mcp__fs__read_file"], True),
    ("_jira__search", ["mcp__jira__search"], True),
    ("functions.Read", ["Read"], True),
    ("to=functions.Read", ["Read"], True),
    ("default_api:Read", ["Read"], True),
    ("todo_write", ["TodoWrite"], True),
    ("Bash<|channel|>commentary", ["Bash"], True),
    ("Bash()", ["Bash"], True),
    (" Read\n", ["Read"], True),
    # what is only asked
    ("tool_Read", ["Read"], False),
    ("Read_tool", ["Read"], False),
    ("tools/Read", ["Read"], False),
    ("search", ["mcp__jira__search"], False),
    ('Read{"path": "/a"}', ["Read"], False),
    ("issue_create", ["mcp__github__create_issue", "mcp__jira__create_issue"], False),
    ("create_issue", ["mcp__github__create_issue", "mcp__jira__create_issue"], False),
    ("mcp__filesystem__read_file", ["mcp__fs__read_file"], False),
    ("mcp__github__serch_code", ["mcp__github__search_code"], False),
    ("repo_browser.search_code", ["mcp__github__search_code"], False),
]


@for_each_at_once(CASES)
def test_the_tool_that_a_name_means(called: Any, meant: Any, is_certain: Any) -> None:
    assert tools_meant(called, GITHUB) == (meant, True)
    assert only_meaning(called, GITHUB, lambda _: "") == (meant[0] if is_certain else None)


@for_each_at_once(
    [
        ("delete_issue", ["create_issue", "get_issue"]),
        ("unlock_issue", ["lock_issue", "get_issue"]),
        ("reopen_issue", ["open_issue", "get_issue"]),
        ("set_issue", ["get_issue"]),
        ("mcp__github__create_issue", ["delete_issue"]),
        ("disable_user", ["enable_user"]),
        ("write_file", ["read_file"]),
        ("get_issue_comments", ["get_issue"]),
    ]
)
def test_another_action_is_never_meant(called: Any, known: Any) -> None:
    others = [f"other_{word}" for word in ("red", "blue", "green", "white", "black")]
    assert not tools_meant(called, known).is_close
    opposites = [tool for tool in known if tool not in ("get_issue",)]
    assert not {*opposites} & {*tools_meant(called, [*known, *others]).names}
    assert only_meaning(called, known, lambda _: "") is None


def test_the_most_similar_names_are_listed_not_the_first() -> None:
    known = [f"aaa_{number}" for number in range(20)] + ["list_commits", "get_commit", "search_commits"]
    names = unknown_tool("find_commits", known).suggestions
    assert set(names[:3]) == {"search_commits", "list_commits", "get_commit"}
    assert len(names) == 5
    assert not tools_meant("patch_issue", ["fetch_issue"]).is_close  # two letters, but another verb


def variants(name: str) -> Iterator[str]:
    """Yield names that models write for a tool."""
    words = re.split("[_-]", name)
    for before in ("mcp__github__", "github_", "github.", "github-", "functions.", "tools/", "default_api."):
        yield before + name
    yield f"{name}_tool"
    yield "_".join(reversed(words))
    yield "".join(map(str.title, words))


@needs_servers
@for_each([4, pytest.param(1, marks=pytest.mark.long)])
def test_names_that_models_write_for_the_tools_of_real_servers(step: int) -> None:
    """Each `step`-th tool among those of its server, and some of them among those of all."""
    listed = [[tool["name"] for tool in tools] for tools in servers().values()]
    all_names = list(dict.fromkeys(name for names in listed for name in names))
    for names, every in (*((names, step) for names in listed), (all_names, 20 * step)):
        for name in names[::every]:
            for called in {*variants(name)} - {*names}:
                assert tools_meant(called, names) == ([name], True), called
                assert only_meaning(called, names, lambda _: "") in (name, None), called


TOOLS = compile_tools([
    {
        "name": "create_issue",
        "description": "Create an issue on GitHub",
        "schema": obj("title", title=TEXT),
    },
    {"name": "list_issues", "description": "A preview of issues", "schema": {"type": "object"}},
])  # fmt: skip
SENT = {"title": "x"}


@for_each_at_once(
    [
        ("functions.create_issue", True),
        ("CreateIssue", True),
        ("mcp__github__create_issue", True),
        ("mcp__jira__create_issue", False),  # its description names another server
        ("dry_run.create_issue", False),
        ("preview.list_issues", False),  # described, but not as a server
        ("issue_create", False),
    ]
)
def test_a_name_with_one_meaning_is_called_if_calls_are_repaired(called: Any, runs: Any) -> None:
    assert Conversation(TOOLS).call(called, SENT, lambda _: "done").kind == "unknown_tool"
    conversation = Conversation(TOOLS, repair=True)
    output = conversation.call(called, SENT, lambda _: "done")
    if not runs:
        assert (output.kind, output.repairs) == ("unknown_tool", ())
        return
    assert (output.tool, output.result) == ("create_issue", "done")
    assert output.repairs == ({"path": (), "from": called, "to": "create_issue", "rule": "tool"},)
    checked = conversation.check(called, SENT)
    assert conversation.returned(checked, "done").tool == "create_issue"


def test_the_settings_of_the_tool_that_is_meant_hold() -> None:
    off = Conversation(TOOLS, repair=True, per_tool={"create_issue": {"repair": False}})
    assert off.call("functions.create_issue", SENT, lambda _: "done").kind == "unknown_tool"
    registry = Registry(per_tool={"create_issue": {"repair": True}}).with_tools(TOOLS)
    for on in (registry.conversation(), registry.conversation(per_tool={"create_issue": {"max_chars": 99}})):
        assert on.call("functions.create_issue", SENT, lambda _: "done").ok


def test_failed_calls_by_another_name_are_counted_together() -> None:
    conversation = Conversation(TOOLS, repair=True)
    recoveries = [conversation.call("functions.create_issue", {}, lambda _: 1).recovery for _ in range(3)]
    assert recoveries[-1] == "give_up"


def test_a_loop_finds_the_handler_of_the_tool_that_is_meant() -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "functions.create_issue", "arguments": '{"title": "x"}'},
    }
    answer = {
        "choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}]
    }
    handlers = {"create_issue": lambda payload: f"made {payload['title']}", "list_issues": lambda _: ""}
    given = results(answer, Conversation(TOOLS, repair=True), handlers, provider="openai")
    assert given.outputs[0].result == "made x"
