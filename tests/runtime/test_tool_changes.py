"""Tools that come and go among the messages: between Bedrock and Anthropic as they are, to others a diagnostic."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from toolgen_runtime.transcript import ToolChange, Transcript, check, repair

BEDROCK: list[dict[str, Any]] = [
    {"toolAddition": {"tool": {"type": "tool_reference", "name": "f"}}},
    {"toolRemoval": {"tool": {"type": "tool_reference", "name": "f"}}},
    {"toolAddition": {"tool": {"type": "mcp_tool_reference", "name": "g", "serverName": "s"}}},
    {"toolRemoval": {"tool": {"type": "mcp_toolset_reference", "serverName": "s"}}},
]
ANTHROPIC: list[dict[str, Any]] = [
    {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}},
    {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}},
    {"type": "tool_addition", "tool": {"type": "mcp_tool_reference", "name": "g", "server_name": "s"}},
    {"type": "tool_removal", "tool": {"type": "mcp_toolset_reference", "server_name": "s"}},
]
OTHERS = ("gemini", "openai", "openai_responses")
MODEL = "claude-opus-4-8"


def history(blocks: list[dict[str, Any]], provider: str) -> list[dict[str, Any]]:
    text = {"text": "q"} if provider == "bedrock" else {"type": "text", "text": "q"}
    said = {"role": "user", "content": [text]}
    return [said, {"role": "assistant", "content": [text]}, {"role": "system", "content": blocks}, said]


def module(provider: str) -> Any:
    return import_module(f"toolgen_runtime.providers.{provider}")


@pytest.mark.parametrize(("given", "wanted"), list(zip(BEDROCK, ANTHROPIC, strict=True)))
def test_bedrock_and_anthropic_say_it_alike(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    for source, target, one, other in (
        ("bedrock", "anthropic", given, wanted),
        ("anthropic", "bedrock", wanted, given),
    ):
        native = history([one], source)
        transcript: Transcript = module(source).decode_messages(native)
        assert isinstance(transcript.turns[2].blocks[0], ToolChange)
        encoded = module(target).encode_messages(transcript)
        assert (encoded.messages, encoded.diagnostics) == (history([other], target), ())
        assert module(source).encode_messages(transcript).messages == native
        assert check(native, source, model=MODEL) == []
        assert repair(native, source, model=MODEL).messages == native


@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize("block", BEDROCK)
def test_to_another_provider_it_is_named(block: dict[str, Any], target: str) -> None:
    encoded = module(target).encode_messages(module("bedrock").decode_messages(history([block], "bedrock")))
    assert encoded.diagnostics[0].code == "tool-change-dropped"
    (kind,) = block
    assert kind in encoded.diagnostics[0].message


def test_a_definition_among_the_messages_is_anthropics_own() -> None:
    tool = {"type": "tool_definition", "definition": {"name": "x", "input_schema": {"type": "object"}}}
    native = history([{"type": "tool_addition", "tool": tool}], "anthropic")
    transcript = module("anthropic").decode_messages(native)
    assert module("anthropic").encode_messages(transcript).messages == native
    encoded = module("bedrock").encode_messages(transcript)
    assert encoded.diagnostics[0].code == "opaque-dropped"


def test_its_cache_point_and_its_name_go_with_it() -> None:
    block = {
        **ANTHROPIC[0],
        "tool": {"type": "tool_reference", "name": "f"},
        "cache_control": {"type": "ephemeral"},
    }
    encoded = module("bedrock").encode_messages(
        module("anthropic").decode_messages(history([block], "anthropic"))
    )
    assert encoded.messages[2]["content"] == [BEDROCK[0], {"cachePoint": {"type": "default"}}]
    renamed = Transcript((*module("bedrock").decode_messages(history([], "bedrock")).turns,))
    change = ToolChange("added", "a.b")
    turns = [*renamed.turns[:2], type(renamed.turns[2])("system", (change,)), renamed.turns[3]]
    written = module("bedrock").encode_messages(Transcript(tuple(turns))).messages[2]["content"][0]
    name = written["toolAddition"]["tool"]["name"]
    assert name != "a.b"
    back = module("bedrock").decode_messages(history([written], "bedrock"))
    assert back.turns[2].blocks == (change,)
