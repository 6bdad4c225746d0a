"""Tools as the objects of agent frameworks: duck-typed, compiled once, one clear error for anything else."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from anthropic import beta_tool
from helpers.support import TEXT, WHOLE, JsonObject, for_each, obj, python
from mcp import types as mcp_types
from pydantic import BaseModel

from toolgen import compile_tools
from toolgen_runtime import Conversation, Registry, Tool
from toolgen_runtime.install import install_advice

SCHEMA: JsonObject = obj("a", a=WHOLE)


class Arguments(BaseModel):
    a: int


class OldArguments:
    """As classes of pydantic 1 give their schema."""

    @classmethod
    def schema(cls) -> JsonObject:
        return SCHEMA


@dataclass
class ToolDefinition:
    parameters_json_schema: JsonObject = field(default_factory=lambda: SCHEMA)
    name: str = "t"
    description: str | None = None


class Callables:
    """A decorated function, as Strands and Anthropic have them."""

    @property
    def tool_spec(self) -> JsonObject:
        return {"name": "t", "description": "d", "inputSchema": {"json": SCHEMA}}

    def __call__(self, a: int) -> int:
        return a

    def __get__(self, instance: object, owner: object) -> Callables:
        return self


class Dumped(BaseModel):
    name: str = "t"
    inputSchema: JsonObject = SCHEMA  # noqa: N815


def named(**attributes: Any) -> SimpleNamespace:
    return SimpleNamespace(name="t", description="d", **attributes)


def mcp_tool(name: str = "t", **more: Any) -> mcp_types.Tool:
    return mcp_types.Tool(name=name, description="d", input_schema={**SCHEMA, **more})


@beta_tool
def t(a: int) -> str:
    """Do it."""
    return str(a)


OBJECTS: dict[str, Callable[[], Any]] = {
    "mcp": mcp_tool,
    "fastmcp": lambda: named(to_mcp_tool=mcp_tool, model_dump=None, parameters={"wrong": 1}),
    "langchain": lambda: named(tool_call_schema=Arguments, args_schema={"wrong": 1}),
    "langchain, structured output": lambda: named(json_schema=SCHEMA, schema=Arguments),
    "crewai": lambda: named(args_schema=Arguments),
    "google-adk": lambda: named(_get_declaration=ToolDefinition),
    "llama-index": lambda: SimpleNamespace(metadata=named(get_parameters_dict=lambda: SCHEMA)),
    "pydantic 1": lambda: named(args_schema=OldArguments),
    "pydantic-ai": ToolDefinition,
    "openai-agents": lambda: named(params_json_schema=SCHEMA, output_schema=Arguments),
    "strands": Callables,
    "anthropic": lambda: t,
    "a pydantic model": Dumped,
    "a name and a schema": lambda: named(inputSchema=SCHEMA),
}


@for_each(OBJECTS)
def test_tool_objects_are_read_as_what_they_are(make: Callable[[], Any]) -> None:
    for tools in ([make()], (make(),), iter([make()]), {"t": make()}, {"tools": [make()]}):
        toolset = compile_tools(tools)
        assert list(toolset) == ["t"]
        assert [issue.path for issue in toolset["t"].validate({"a": "x"})] == [("a",)]
        assert [issue.constraint for issue in toolset["t"].validate({})] == ["required"]
    assert Conversation([make()]).check("t", {"a": "x"}).kind == "invalid_parameters"


def test_a_result_with_tools_and_a_mapping_by_name() -> None:
    assert list(compile_tools(mcp_types.ListToolsResult(tools=[mcp_tool(), mcp_tool("u")]))) == ["t", "u"]
    assert list(compile_tools({"server_t": mcp_tool()})) == ["server_t"], "the key is what the model sees"


def test_a_langchain_tool_of_one_text_has_the_schema_that_the_model_sees() -> None:
    tool = named(args_schema=None, args={"tool_input": TEXT}, tool_call_schema=Arguments)
    assert compile_tools([tool])["t"].validate({"__arg1": "x"}) == []


def function(a: int) -> int:
    return a


async def later() -> list[Any]:
    return [mcp_tool()]


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "None": (lambda: None, "not a NoneType"),
    "None in a list": (lambda: [mcp_tool(), None], r"tools\[1\] is None"),
    "a text in a list": (lambda: ["t"], r"tools\[0\] is of type str"),
    "any object": (lambda: [object()], r"tools\[0\] is of type object"),
    "a function": (lambda: [function], "the function function, which has no schema"),
    "a class": (lambda: [Arguments], "the class Arguments, which has no schema"),
    "a coroutine": (later, "has not been awaited"),
    "a schema of another kind": (lambda: [named(args_schema=5)], r"tools\[0\]: its schema is of type int"),
    "one tool": (lambda: compile_tools([mcp_tool()])["t"], "for one tool"),
}


@for_each(WRONG)
def test_what_is_not_a_tool_is_one_clear_type_error(make: Callable[[], Any], says: str) -> None:
    conversation = Conversation([mcp_tool()])
    for take in (Conversation, conversation.update):
        with pytest.raises(TypeError, match=says) as failure:
            take(make())
        assert "\n" not in str(failure.value)
    assert conversation.registry.names() == ["t"]


def test_tools_and_objects_can_be_in_one_list() -> None:
    tool = compile_tools([mcp_tool("own")])["own"]
    assert Conversation([tool, mcp_tool("other")]).registry.names() == ["other", "own"]
    assert Conversation([tool]).registry.find("own") is tool
    with pytest.raises(ValueError, match="two of the tools are named 'own'"):
        Conversation([tool, mcp_tool("own", title="another")])


# -- compiled once -----------------------------------------------------------------------------------------------


def find(conversation: Conversation, name: str = "t") -> Tool[Any]:
    tool = conversation.registry.find(name)
    assert tool is not None
    return tool


def test_a_tool_that_is_listed_again_is_not_compiled_again() -> None:
    first = Conversation([mcp_tool(title="again")])
    tool, check = find(first), find(first).validate
    other = Conversation(
        {"tools": [{"name": "t", "description": "d", "inputSchema": {**SCHEMA, "title": "again"}}]}
    )
    assert find(other) is tool
    del first, other, tool
    gc.collect()
    assert find(Conversation([mcp_tool(title="again")])).validate is check


CHANGES: list[JsonObject] = [
    {"name": "u"},
    {"description": "another"},
    {"input_schema": {**SCHEMA, "required": []}},
    {"input_schema": {"required": ["a"], **SCHEMA, "properties": {"b": {}, "a": WHOLE}}},
]


@for_each(CHANGES)
def test_whatever_of_a_tool_changes_makes_another(change: JsonObject) -> None:
    before = mcp_tool(title="changes")
    after = before.model_copy(update=change)
    assert find(Conversation([before])) is not find(Conversation([after]), after.name)


def test_of_a_changed_list_only_the_changed_tools_are_compiled() -> None:
    conversation = Conversation([mcp_tool("same"), mcp_tool("changed"), mcp_tool("gone")])
    same, changed = find(conversation, "same"), find(conversation, "changed")
    conversation.update([mcp_tool("same"), mcp_tool("changed", required=[])])
    assert find(conversation, "same") is same
    assert find(conversation, "changed") is not changed
    assert conversation.check("changed", {}).ok
    assert conversation.check("gone", {}).kind == "unknown_tool"


def test_an_update_keeps_the_options_the_ledger_and_the_hints() -> None:
    registry = Registry(repair=True, max_chars=50)
    registry.register(compile_tools([mcp_tool()]))
    conversation = registry.conversation(max_chars=70)
    conversation.call("t", {}, lambda: 1)
    conversation.update([mcp_tool(), mcp_tool("u")])
    output = conversation.check("t", {"a": "5"})
    assert output.payload == {"a": 5}
    assert output.max_chars == 70
    assert conversation.ledger.total.attempted == 1
    hint = conversation.check("t", {}).retry_hint
    assert "again" in hint.render() or "still" in hint.render(), "the hint of before is remembered"
    assert registry.names() == ["t"], "others share it"


def test_what_is_kept_is_bounded() -> None:
    code = """if True:
        import gc, sys
        from toolgen.package import compile, compiled_tools
        compile._compiled = compiled_tools.CompiledTools(most_kept=5)
        from toolgen_runtime import Conversation
        for i in range(40):
            tools = [{"name": "same", "inputSchema": {}}, {"name": f"t{i}", "inputSchema": {"maxLength": i}}]
            conversation = Conversation(tools)
            assert conversation.check(f"t{i}", "{}").ok
        del conversation
        gc.collect()
        print(sum(name.startswith("_toolgen_compiled_") for name in sys.modules))
    """
    done = python("-c", code)
    assert int(done.stdout) <= 5


# -- without what is needed to compile ------------------------------------------------------------------------------


@for_each(["toolgen", "jinja2"])
def test_without_the_extra_one_line_names_it(missing: str) -> None:
    code = f"""if True:
        import sys
        class Missing:
            def find_spec(self, name, path=None, target=None):
                if name == {missing!r}:
                    raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        sys.meta_path.insert(0, Missing())
        from toolgen_runtime import Conversation
        try:
            Conversation([{{"name": "t", "inputSchema": {{}}}}])
        except ImportError as error:
            print(error)
    """
    done = python("-c", code)
    assert done.stdout == f"{missing} is not installed; {install_advice('dynamic')}\n"
