"""Rules 7, 19 to 29 and 32: the tools beside the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen_runtime.history.capabilities import (
    is_claude,
    lacks_cache_points,
    lacks_choice,
    lacks_streamed_tools,
)
from toolgen_runtime.history.metaschema import malformed_keywords
from toolgen_runtime.history.request import Request, Unset, Violation
from toolgen_runtime.history.tool_blocks import NativeTool, choice_of, native_tools
from toolgen_runtime.providers.shared.strict import CLAUDE, strict_schema, union_parameters
from toolgen_runtime.schema.pointer import parse, resolve

MAX_UNIONS = 16
_UNIONS = ("anyOf", "oneOf", "allOf")


def flat_root(request: Request) -> bool:
    """Whether the model refuses unions at a schema's root; a Bedrock model that nobody names may be Claude."""
    return request.provider != "bedrock" or request.model is None or is_claude(request.model)


def root_unions(schema: Any, provider: str) -> list[str]:
    """The keywords at the root that rule 23 refuses."""
    refused = (*_UNIONS, "enum", "not") if provider.startswith("openai") else _UNIONS
    return [word for word in refused if isinstance(schema, dict) and word in schema]


def _strict(request: Request, tool: NativeTool, schema: dict[str, Any]) -> Iterator[Violation]:
    narrowed, losses = strict_schema(schema, CLAUDE)
    if narrowed is None:
        detail = "For 'object' type, 'additionalProperties' must be explicitly set to false"
        yield request.broken(25, tool.place, (), detail)
    elif narrowed != schema:
        *holder, word = parse(losses[0].pointer)
        kind = resolve(schema, holder).get("type", "any")
        yield request.broken(25, tool.place, (), f"For '{kind}' type, property '{word}' is not supported")


def _schema(request: Request, tool: NativeTool) -> Iterator[Violation]:
    schema = tool.schema
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield request.broken(22, tool.schema_place, (), str(tool.name))
    if request.tests(23) and flat_root(request) and root_unions(schema, request.provider):
        yield request.broken(23, tool.schema_place, (), str(tool.name))
    for pointer in malformed_keywords(schema):
        yield request.broken(24, tool.schema_place, (), f"malformed keyword at {pointer}")
    if request.tests(25) and tool.spec.get("strict") is True and isinstance(schema, dict):
        yield from _strict(request, tool, schema)


def definitions(request: Request, tools: Mapping[str, Any]) -> Iterator[Violation]:
    """Rules 19, 20, 22 to 26."""
    unions = 0
    for tool in native_tools(tools, request.provider):
        if not isinstance(tool.name, str) or not request.name_rule.legal(tool.name):
            yield request.broken(19, f"{tool.place}.name", (), str(tool.name or ""))
        if request.tests(20) and tool.spec.get("description") == "":
            yield request.broken(20, f"{tool.place}.description")
        yield from _schema(request, tool)
        if tool.spec.get("strict") is True and isinstance(tool.schema, dict):
            unions += union_parameters(tool.schema)
    if request.tests(26) and unions > MAX_UNIONS:
        yield request.broken(26, "tools", (), str(unions))


def _beside(request: Request, tools: Mapping[str, Any]) -> Iterator[Violation]:
    """Rules 27, 28, 29, 32."""
    choice = choice_of(tools, request.provider)
    if request.tests(27) and choice and lacks_choice(request.model, choice):
        yield request.broken(27, f"toolConfig.toolChoice.{choice}", (), choice)
    if request.tests(28) and request.thinking and choice in ("any", "tool"):
        yield request.broken(28, "toolConfig.toolChoice" if request.provider == "bedrock" else "tool_choice")
    if request.tests(29) and request.streaming and lacks_streamed_tools(request.model):
        yield request.broken(29, "toolConfig")
    if request.tests(32) and lacks_cache_points(request.model):
        for index, tool in enumerate(tools.get("tools") or ()):
            if isinstance(tool, dict) and "cachePoint" in tool:
                yield request.broken(32, f"toolConfig/tools/{index}")


def tools(request: Request) -> Iterator[Violation]:
    """The rules about tools, as far as they are known."""
    if isinstance(request.tools, Unset):
        return
    block = request.tools or {}
    if not block.get("tools"):
        if request.tests(7) and request.has_calls:
            yield request.broken(7, "toolConfig" if request.provider == "bedrock" else "tools")
        if request.tests(21) and "tools" in block:
            yield request.broken(21, "toolConfig.tools" if request.provider == "bedrock" else "tools")
        return
    yield from definitions(request, block)
    yield from _beside(request, block)
