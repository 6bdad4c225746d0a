"""The typed client of a package, and declarations of tools: what is checked, sent, returned and raised."""

from __future__ import annotations

import ast
import asyncio
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import document, failure, toolgen
from helpers.support import GOLDEN, TEXT, WHOLE, JsonObject, for_each, python, read_json, specs_of, write_json

from toolgen import compile_tools
from toolgen.commands.export.stubs import stubs
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.signatures.client_files import client_stub_text
from toolgen_runtime import Conversation, InvalidPayload, MalformedResponseError, ToolExecutionError

SPECS = specs_of(read_json(GOLDEN / "client/specs/tools.json"))
RELATIONS = {"relations": [], "from": "x"}
STRUCTURED = {"content": [{"type": "text", "text": "#7"}], "structuredContent": {"number": 7}}


@pytest.fixture
def client_class(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(GOLDEN / "client"))
    yield importlib.import_module("client_tools.client").Client
    for name in [name for name in sys.modules if name.startswith("client_tools")]:
        del sys.modules[name]


class Session:
    """A session that answers every call, and keeps what was sent."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.sent: list[tuple[str, Any]] = []

    async def call_tool(self, name: str, arguments: Any) -> Any:
        self.sent.append((name, arguments))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@for_each([
        ("create_issue", {"title": "a"}, ("create-issue", {"title": "a"}), {"number": 7}),
        ("create_relations", RELATIONS, ("create_relations", RELATIONS), "#7"),
        ("client_948fe603", {}, ("client", {}), "#7"),
        ("sync_75c75efe", {"a": 1}, ("sync", {"a": 1}), "#7"),
        ("import_tree", {"name": "a", "self": True}, ("import_tree", {"name": "a", "self": True}), "#7"),
    ])  # fmt: skip
def test_a_method_sends_its_keywords_and_returns_the_value(
    method: str, arguments: JsonObject, sent: Any, result: Any, *, client_class: Any
) -> None:
    session = Session(STRUCTURED)
    assert asyncio.run(getattr(client_class(session), method)(**arguments)) == result
    assert getattr(client_class(call=session.call_tool).sync, method)(**arguments) == result
    assert session.sent == [sent, sent]


def test_a_payload_that_is_no_object_is_the_one_argument(client_class: Any) -> None:
    session = Session("done")
    client = client_class(session)
    assert client.sync.wait([1, 2]) == "done"
    assert session.sent == [("wait", [1, 2])]
    with pytest.raises(TypeError, match="one payload"):
        client.sync.wait([1], more=2)


def test_wrong_arguments_are_not_sent_and_the_error_is_the_hint(client_class: Any) -> None:
    session = Session(STRUCTURED)
    with pytest.raises(InvalidPayload) as refused:
        client_class(session).sync.create_issue(title="a", priority="HIGH")
    assert session.sent == []
    assert str(refused.value) == (
        'create-issue was not run. priority: change "HIGH" to "high"\n'
        'Corrected arguments: {"title": "a", "priority": "high"}'
    )
    assert [issue.constraint for issue in refused.value.issues()] == ["enum"]
    assert client_class(session, repair=True).sync.create_issue(title="a", priority="HIGH") == {"number": 7}
    assert session.sent == [("create-issue", {"title": "a", "priority": "high"})]


def test_an_error_is_short_unless_asked(client_class: Any) -> None:
    wrong = {"title": 5, "priority": "x" * 60, "labels": [5] * 9, "assignee": 5}
    lengths = []
    for options in ({}, {"max_chars": 600}):
        with pytest.raises(InvalidPayload) as refused:
            client_class(Session("done"), **options).sync.create_issue(**wrong)
        lengths.append(len(str(refused.value)))
    assert lengths[0] <= 300 < lengths[1] <= 600


@for_each(
    [
        ({"content": [{"type": "text", "text": "no disk"}], "isError": True}, "no disk"),
        (TimeoutError("slow"), "check before|look before"),
    ]
)
def test_a_failed_tool_is_an_exception_with_the_facts(answer: Any, text: str, *, client_class: Any) -> None:
    with pytest.raises(ToolExecutionError, match=f"(?i){text}") as failed:
        client_class(Session(answer)).sync.create_issue(title="a")
    assert failed.value.executed


def test_a_result_is_held_to_its_schema_only_if_asked(client_class: Any) -> None:
    wrong = {"content": [], "structuredContent": {"number": "seven"}}
    assert client_class(Session(wrong)).sync.create_issue(title="a") == {"number": "seven"}
    with pytest.raises(MalformedResponseError, match=r'not as the tool declares it: "number" \(type\)'):
        client_class(Session(wrong), check_results="reject").sync.create_issue(title="a")


@for_each(
    [{"unknown_keys": "note"}, {"check_results": "note"}, {"repairs": "tell"}, {"ask": True}, {"timeout": 1}]
)
def test_an_option_that_a_client_cannot_honor_is_an_error(option: JsonObject, *, client_class: Any) -> None:
    (name,) = option
    with pytest.raises(TypeError, match=f"the client cannot honor {name}=|has no option '{name}'"):
        client_class(Session(""), **option)
    if name != "timeout":
        with pytest.raises(TypeError, match=f"cannot honor {name}="):
            client_class(Session(""), per_tool={"create-issue": option})


def test_a_client_takes_one_way_of_calling(client_class: Any) -> None:
    with pytest.raises(TypeError, match="either a session"):
        client_class()
    with pytest.raises(AttributeError, match="no attribute 'create_isue'"):
        client_class(Session("")).create_isue  # noqa: B018
    with pytest.raises(AttributeError, match="no method 'nothing'"):
        client_class(Session("")).sync.nothing  # noqa: B018


def test_blocking_in_the_loop_of_the_session_is_refused(client_class: Any) -> None:
    async def block() -> None:
        client_class(Session("")).sync.create_issue(title="a")

    with pytest.raises(RuntimeError, match="await the method"):
        asyncio.run(block())


def test_other_threads_call_in_the_loop_of_the_client(client_class: Any) -> None:
    async def main() -> Any:
        client = client_class(Session(STRUCTURED))
        return await asyncio.to_thread(client.sync.create_issue, title="a")

    assert asyncio.run(main()) == {"number": 7}


def test_the_client_loads_no_tool() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import client_tools.client;"
        "print([m for m in sys.modules if m.startswith('client_tools.') and m != 'client_tools.client'])"
    )
    assert python("-c", code, str(GOLDEN / "client")).stdout == "[]\n"


def test_functions_are_called_as_the_stubs_say() -> None:
    conversation = Conversation(compile_tools([{"name": "add-two", "schema": {"properties": {"a": WHOLE}}}]))
    functions = conversation.functions(lambda name, arguments: f"{name} {arguments}")
    assert asyncio.run(functions["add_two"](a=1)) == "add-two {'a': 1}"
    with pytest.raises(InvalidPayload, match="a: "):
        asyncio.run(functions["add_two"](a="x"))


@for_each(["python-stubs", "typescript-stubs"])
def test_stubs_are_what_is_locked(language: str, *, snapshot: Any) -> None:
    assert stubs(SPECS, language, LowerOptions()) == snapshot


def test_the_module_of_a_tool_that_is_called_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_json("tools.json", [{"name": "client", "schema": {}}])
    settings = Path("pyproject.toml")
    for setting in ("", "client = true\n"):
        settings.write_text(f'[tool.toolgen]\nspecs = ["tools.json"]\noutput = "tools"\n{setting}', "utf-8")
        (listed,) = document("list")["result"]["tools"]
        assert toolgen("build").exit_code == 0
        assert "SCHEMA" in (tmp_path / "tools" / f"{listed['module']}.py").read_text("utf-8")


def test_keys_that_a_schema_describes_beside_one_that_python_cannot_have() -> None:
    schema = {"properties": {"from": TEXT}, "additionalProperties": WHOLE}
    specs = specs_of([{"name": "t", "schema": {"type": "object", **schema}}])
    for text in (
        stubs(specs, "python-stubs", LowerOptions()),
        client_stub_text(specs, {"t": "t"}, LowerOptions()),
    ):
        assert "from typing import Any" in text
        assert "**more: Any) -> str: ..." in text


HOSTILE = '"""\n*/ \\" ${x} \u202e \x07 // #'


def test_texts_of_specs_end_no_comment_and_no_string(tmp_path: Path) -> None:
    properties = {HOSTILE: {"enum": [HOSTILE], "description": HOSTILE}, "plain": {"description": HOSTILE}}
    schema = {"type": "object", "properties": properties}
    specs = specs_of([{"name": "t", "description": HOSTILE, "schema": schema}])
    text = stubs(specs, "python-stubs", LowerOptions())
    assert [type(node).__name__ for node in ast.parse(text).body] == [
        "ImportFrom",
        "Assign",
        "AsyncFunctionDef",
    ]
    declared = stubs(specs, "typescript-stubs", LowerOptions())
    assert declared.partition("/**")[2].partition("*/")[2].startswith("\ndeclare function t(")
    assert "\u202e" not in text + declared


def test_stubs_of_some_tools_of_several_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file, name in (("one", "a"), ("one2", "b"), ("two", "b")):
        write_json(f"{file}.json", [{"name": name, "schema": {}}])
    command = (
        "export",
        "one.json",
        "one2.json",
        "two.json",
        "--namespace",
        "--to",
        "python-stubs",
        "--tools",
    )
    for names, found in (("a", ["one_a"]), ("two/b, one_a", ["one_a", "two_b"]), ("one2_b", ["one2_b"])):
        done = toolgen(*command, names)
        defined = [n.name for n in ast.parse(done.stdout).body if isinstance(n, ast.AsyncFunctionDef)]
        assert defined == found, done.output
    for names in ("b", "a,nothing"):
        failure(*command, names)
