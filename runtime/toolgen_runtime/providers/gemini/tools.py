"""Tools as generateContent takes them."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.gemini.spelling import either
from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import (
    Entries,
    NativeDefinition,
    ToolDecoder,
    Undefined,
)
from toolgen_runtime.providers.shared.tools.definitions import Choice, ToolDefinition, ToolEncoder, Written
from toolgen_runtime.schema.openapi import to_json_schema

_MODES = {"auto": "AUTO", "required": "ANY", "tool": "ANY", "none": "NONE"}


def _write(defined: ToolDefinition) -> list[dict[str, Any]]:
    return [
        {
            "name": defined.name,
            "description": defined.description,  # required by the API
            "parametersJsonSchema": defined.schema,
        }
    ]


def _render(written: Written, choice: Choice) -> dict[str, Any]:
    calling: dict[str, Any] = {"mode": _MODES[choice.word]}
    if choice.word == "tool":
        calling["allowedFunctionNames"] = [choice.name]
    declared = [_declared(entry) for _, entries in written for entry in entries]
    return {
        "tools": [{"functionDeclarations": declared}],
        "toolConfig": {"functionCallingConfig": calling},
    }


def _declared(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a declaration has its schema once: the two forms exclude each other."""
    return {k: v for k, v in entry.items() if k not in ("parameters", "parameters_json_schema")}


def _schema(declared: dict[str, Any]) -> Any:
    """Return the schema in whichever form it is given; a function without parameters has none."""
    found = either(declared, "parametersJsonSchema")
    return found if found is not None else to_json_schema(declared.get("parameters") or {})


def _entries(tools: list[Any]) -> Entries:
    for tool in tools:
        declared = either(tool, "functionDeclarations")
        for each in declared if isinstance(declared, list) else ():
            if isinstance(each, dict):
                twice = (
                    either(each, "parametersJsonSchema") is not None and each.get("parameters") is not None
                )
                yield NativeDefinition(each, each, _schema(each), unread=("parameters",) if twice else ())
        for key, value in tool.items():
            if value is not None and key not in ("functionDeclarations", "function_declarations"):
                yield Undefined(str(key), {key: value})


_ENCODER = ToolEncoder(WIRE, _write, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `toolConfig` of a request; None for no tools."""

_DECODER = ToolDecoder(WIRE, _entries)
read_tools = _DECODER.read_tools
decode_tools = _DECODER.decode_tools
"""The functions that a block declares, with `parameters` or `parametersJsonSchema`; built-in tools declare none."""
