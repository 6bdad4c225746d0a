"""What a tool says besides its input schema: data, what to do after a timeout, results that differ."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.support import TEXT, WHOLE, JsonObject, built_of, files_of, for_each, obj, put_package, python
from helpers.two_tools import both
from mcp import types as mcp_types

from toolgen import SpecError, compile_tools
from toolgen_runtime import Conversation, Registry, Tool, ToolErrorKind, ToolExecutionError, ToolOutput
from toolgen_runtime.install import install_advice

INPUT = obj(city=TEXT)
OUTPUT = obj("degrees", degrees={"type": "number"}, unit={"enum": ["C", "F"]})
ICONS = [{"src": "https://example.org/sun.png", "sizes": ["48x48"]}]
FULL: JsonObject = {
    "name": "weather",
    "title": 'The "weather" \\ today\n"""',
    "description": "d",
    "inputSchema": INPUT,
    "outputSchema": OUTPUT,
    "annotations": {"readOnlyHint": True, "title": "Other"},
    "icons": ICONS,
    "execution": {"taskSupport": "optional"},
}
PLAIN = {"name": "weather", "inputSchema": INPUT}


def tool_of(spec: Any) -> Tool[Any]:
    return compile_tools([spec])["weather"]


def built(folder: Path, spec: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> Tool[Any]:
    put_package(folder, name, [spec])
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module(name).toolset["weather"]


@for_each(["compiled", "built"])
def test_a_tool_has_the_data_of_its_spec(
    way: str, *, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tool_of(FULL) if way == "compiled" else built(tmp_path, FULL, "full_tools", monkeypatch)
    assert tool.title == FULL["title"]
    assert (tool.annotations, tool.output_schema, tool.icons) == (FULL["annotations"], OUTPUT, ICONS)
    assert tool.execution == {"taskSupport": "optional"}
    tool.annotations.clear()
    assert tool.annotations == FULL["annotations"], "each is a new object"
    assert tool.validate({"city": 5}) != []


@for_each(["compiled", "built"])
def test_a_tool_without_data_has_none(way: str, *, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tool_of(PLAIN) if way == "compiled" else built(tmp_path, PLAIN, "plain_tools", monkeypatch)
    assert (tool.title, tool.annotations, tool.output_schema, tool.icons) == (None, {}, None, [])
    assert tool.execution == {}
    assert not tool.repeatable


def test_a_module_without_data_does_not_mention_it() -> None:
    texts = files_of([PLAIN])
    assert not any("etadata" in text or "METADATA" in text for text in texts.values())


SHAPES: list[Any] = [
    {**PLAIN, "annotations": {"read_only_hint": True, "idempotent_hint": None}, "output_schema": OUTPUT},
    mcp_types.Tool(
        name="weather",
        input_schema=INPUT,
        output_schema=OUTPUT,
        annotations=mcp_types.ToolAnnotations(read_only_hint=True),
    ),
]


@for_each(SHAPES)
def test_the_data_is_the_same_in_every_shape(spec: Any) -> None:
    tool = tool_of(spec)
    assert (tool.annotations, tool.output_schema) == ({"readOnlyHint": True}, OUTPUT)


def test_how_a_tool_is_run_is_read_in_both_spellings() -> None:
    for execution in ({"taskSupport": "required"}, {"task_support": "required"}):
        assert tool_of({**PLAIN, "execution": execution}).execution == {"taskSupport": "required"}


METADATA: list[tuple[Any, JsonObject]] = [
    (
        {"title": "W", "readOnlyHint": True, "destructiveHint": None, "_meta": {"a": 1}},
        {"title": "W", "readOnlyHint": True},
    ),
    ({"title": None, "idempotent_hint": False}, {"idempotentHint": False}),
    ({"meta": None, "annotations": {"readOnlyHint": True, "title": None}}, {"readOnlyHint": True}),
    ({"title": "of the program", "owner": "me", "readOnlyHint": "yes"}, {}),
    (None, {}),
]


@for_each(METADATA)
def test_annotations_in_the_metadata_of_tool_objects(metadata: Any, annotations: JsonObject) -> None:
    """As langchain-mcp-adapters (0.1, 0.3) and pydantic-ai hand on what a server says of its tool."""
    tool = SimpleNamespace(name="weather", description="d", tool_call_schema=INPUT, metadata=metadata)
    assert tool_of(tool).annotations == annotations


def test_the_title_of_the_annotations_stands_in() -> None:
    assert tool_of({**PLAIN, "annotations": {"title": "Weather"}}).title == "Weather"


@for_each([True, False, {}])
def test_any_schema_may_be_an_output_schema(schema: Any) -> None:
    assert tool_of({**PLAIN, "outputSchema": schema}).output_schema == schema


@for_each([{"icons": "sun.png"}, {"outputSchema": "object"}, {"title": 5}, {"execution": "task"}])
def test_data_of_another_type_is_a_problem_of_the_spec(data: JsonObject) -> None:
    with pytest.raises(SpecError, match="bad-field"):
        compile_tools([{**PLAIN, **data}])


def test_data_is_part_of_what_a_file_is_made_from() -> None:
    with_data, without = tool_of({**PLAIN, "title": "A"}), tool_of(PLAIN)
    assert with_data is not without
    prints = [built_of([s]).fingerprints for s in (PLAIN, {**PLAIN, "icons": ICONS})]
    assert prints[0]["weather.py"] != prints[1]["weather.py"]
    assert prints[0]["_models/weather.py"] == prints[1]["_models/weather.py"]


# -- after a timeout or a broken transport -----------------------------------------------------------------------

LOOK = "It may have taken effect: look before you repeat it."
AGAIN = "It may be called again."
SAYS: dict[str, tuple[JsonObject, bool]] = {
    "nothing": ({}, False),
    "that it reads": ({"readOnlyHint": True}, True),
    "that it is idempotent": ({"readOnlyHint": False, "idempotentHint": True}, True),
    "that it destroys nothing": ({"destructiveHint": False}, False),
    "that it writes": ({"readOnlyHint": False, "idempotentHint": False}, False),
    "something else": ({"readOnlyHint": "yes", "idempotentHint": 1}, False),
}
BROKEN = [TimeoutError("slow"), ConnectionError("gone"), ToolExecutionError(ToolErrorKind.TIMEOUT, "slow")]


def fail(conversation: Conversation, error: Exception, way: str) -> ToolOutput:
    async def handler(_: Any) -> Any:
        raise error

    if way == "call":
        return conversation.call("weather", {}, handler)
    return asyncio.run(conversation.acall("weather", {}, handler))


@both
@pytest.mark.parametrize("error", BROKEN, ids=repr)
@pytest.mark.parametrize(("annotations", "repeatable"), SAYS.values(), ids=SAYS)
def test_only_a_trusted_tool_that_says_so_may_be_called_again(
    annotations: JsonObject, repeatable: bool, error: Exception, way: str
) -> None:
    spec = {**PLAIN, "annotations": annotations}
    for trusted in (False, True):
        output = fail(Conversation([spec], trust_annotations=trusted), error, way)
        again = trusted and repeatable
        assert (output.recovery, output.executed) == ("retry" if again else "check_first", True)
        assert output.text().endswith(AGAIN if again else LOOK)


def test_trust_can_be_given_to_single_tools_and_holds_for_calls_that_run_elsewhere() -> None:
    tools = [FULL, {**FULL, "name": "other"}]
    conversation = Conversation(tools, per_tool={"weather": {"trust_annotations": True}})
    recoveries = [
        conversation.returned(conversation.check(name, {}), TimeoutError()).recovery
        for name in ("weather", "other")
    ]
    assert recoveries == ["retry", "check_first"]


@for_each(["retry", "give_up", "ask_user"])
def test_what_a_handler_says_of_the_recovery_stands(recovery: Any) -> None:
    error = ToolExecutionError(ToolErrorKind.TIMEOUT, "slow", recovery=recovery)
    assert fail(Conversation([PLAIN]), error, "call").recovery == recovery


# -- results that are not as the tool declares them ----------------------------------------------------------------


def answer(structured: Any, **more: Any) -> JsonObject:
    return {"content": [{"type": "text", "text": "answer"}], "structuredContent": structured, **more}


NOTE = "Note: the result is not as the tool declares it: "
RESULTS: list[tuple[Any, str]] = [
    (answer({"degrees": 5}), ""),
    (answer({"degrees": "5"}), f'{NOTE}"degrees" (type).'),
    (answer({}), f'{NOTE}"degrees" (required).'),
    (answer([]), f"{NOTE}it (type)."),
    (answer({"unit": "K"}), f'{NOTE}"degrees" (required), "unit" (enum).'),
    ({"content": [{"type": "text", "text": "answer"}]}, ""),
    (answer({"degrees": "5"}, isError=True), ""),
    ({"degrees": "5"}, f'{NOTE}"degrees" (type).'),
    ({"degrees": 5}, ""),
    ("answer", ""),
    (None, ""),
]


@for_each(RESULTS)
def test_a_result_that_breaks_its_schema_is_noted_rejected_or_left_alone(result: Any, note: str) -> None:
    registry = Registry().with_tools(compile_tools([FULL]))
    off = Conversation([FULL], check_results="off").call("weather", {}, lambda: result)
    for options in ({}, {"check_results": "note"}):
        output = registry.conversation(**options).call("weather", {}, lambda: result)  # type: ignore[arg-type]
        assert (output.kind, output.executed, output.result) == (off.kind, True, off.result)
        assert output.notes == ((note,) if note else ())
        assert output.text() == (f"{off.text()}\n{note}" if note else off.text())
    rejected = registry.conversation(check_results="reject").call("weather", {}, lambda: result)
    assert (rejected.kind or "") == ("execution_error" if note else off.kind or "")
    assert (rejected.executed, rejected.result, rejected.notes) == (True, off.result, ())
    assert note.removeprefix("Note: ").rstrip(".") in rejected.text(), "one wording"


def test_many_differences_are_counted() -> None:
    schema = {"items": WHOLE}
    conversation = Conversation([{**PLAIN, "outputSchema": schema}], check_results="note")
    (note,) = conversation.call("weather", {}, lambda: ["x"] * 50).notes
    assert note.endswith('"[0]" (type), "[1]" (type), "[2]" (type) and 47 more.')


def test_a_tool_without_an_output_schema_and_one_with_a_broken_one_say_nothing() -> None:
    for spec in (PLAIN, {**PLAIN, "outputSchema": {"type": "nope"}}):
        conversation = Conversation([spec], check_results="note")
        assert conversation.call("weather", {}, lambda: {"degrees": "5"}).notes == ()


def test_where_results_cannot_be_checked_it_is_said_at_once() -> None:
    code = """if True:
        import sys
        class Missing:
            def find_spec(self, name, path=None, target=None):
                if name == "jinja2":
                    raise ModuleNotFoundError(name, name=name)
        sys.meta_path.insert(0, Missing())
        from toolgen_runtime import Registry, Tool
        schema = '{"outputSchema": {"required": ["a"]}}'
        tool = Tool(name="t", description="", schema="true", validate=lambda p: [], payload_type=dict, metadata=schema)
        output = Registry().with_tools({"t": tool}).conversation().call("t", {}, lambda: {"b": 1})
        print(output.text())
        for options in ({"check_results": "note"}, {"per_tool": {"t": {"check_results": "note"}}}):
            try:
                Registry(**options)
            except ImportError as error:
                print(error)
    """
    done = python("-c", code)
    by_default, refused = (
        '{"b": 1}\n',
        f"jinja2 is not installed; {install_advice('dynamic')}\n",
    )
    assert done.stdout == by_default + 2 * refused
