"""Rules 7, 19 to 29 and 32: the tools beside the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from toolgen_runtime.history.request import Request, Violation
from toolgen_runtime.history.rules.metaschema import malformed_keywords
from toolgen_runtime.history.rules.strict_limits import strict_limits
from toolgen_runtime.history.tool_blocks import NativeTool, choice_of, listed_tools, native_tools
from toolgen_runtime.history.whole_request import Unset
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import (
    is_claude,
    is_openai,
    lacks_cache_points,
    lacks_choice,
    lacks_streamed_tools,
    refuses_forced,
    takes_empty_tools,
)
from toolgen_runtime.providers.shared.tools.strict import StrictSubset, StrictUse, strict_schema, tool_excess
from toolgen_runtime.providers.shared.wire import ToolShape
from toolgen_runtime.schema.pointer import PointerError, parse, resolve


def flat_root(request: Request) -> bool:
    """Return whether the model refuses unions at a schema's root; a Bedrock model that nobody names may be Claude."""
    if request.is_compatible:
        return False
    return not request.wire.tools.model_roots or request.model is None or is_claude(request.model)


def root_unions(schema: Any, shape: ToolShape) -> list[str]:
    """Return the keywords at the root that rule 23 refuses."""
    return [word for word in shape.refused_at_root if isinstance(schema, dict) and word in schema]


def lacks_object(request: Request, tool: NativeTool) -> bool:
    """Rule 22: whether the root is not said to be an object, where it must be."""
    schema = tool.schema
    untyped = isinstance(schema, dict) and "type" not in schema
    return not tool.root_is_object(request.wire.tools) and not (untyped and request.is_compatible)


def _strict(
    request: Request, tool: NativeTool, schema: dict[str, Any], subset: StrictSubset
) -> Iterator[Violation]:
    narrowed, losses = strict_schema(schema, subset)
    if subset.all_required and narrowed != schema:
        yield request.broken(RuleId.NOT_STRICT, tool.place, (), losses[0].message)
    elif narrowed is None:
        detail = "For 'object' type, 'additionalProperties' must be explicitly set to false"
        yield request.broken(RuleId.NOT_STRICT, tool.place, (), detail)
    elif narrowed != schema:
        *holder, word = parse(losses[0].pointer)
        kind = "any"
        with suppress(PointerError):  # a key that is not a text
            kind = resolve(schema, holder).get("type", kind)
        detail = f"For '{kind}' type, property '{word}' is not supported"
        yield request.broken(RuleId.NOT_STRICT, tool.place, (), detail)
    elif excess := tool_excess(schema, subset):
        yield request.broken(RuleId.NOT_STRICT, tool.place, (), excess)


def is_strict(request: Request, tool: NativeTool) -> bool:
    """Return whether a tool is strict, and its server known to look at that: compatible ones differ."""
    return tool.spec.get("strict") is True and not (request.wire.of_many and not is_openai(request.model))


def _schema(request: Request, tool: NativeTool) -> Iterator[Violation]:
    schema = tool.schema
    if lacks_object(request, tool):
        yield request.broken(RuleId.ROOT_NOT_OBJECT, tool.schema_place, (), str(tool.name))
    if request.tests(RuleId.ROOT_UNION) and flat_root(request) and root_unions(schema, request.wire.tools):
        yield request.broken(RuleId.ROOT_UNION, tool.schema_place, (), str(tool.name))
    for pointer in () if tool.openapi else malformed_keywords(schema):
        yield request.broken(RuleId.INVALID_SCHEMA, tool.schema_place, (), f"malformed keyword at {pointer}")
    subset = request.wire.tools.strict if request.tests(RuleId.NOT_STRICT) else None
    if subset is not None and is_strict(request, tool) and isinstance(schema, dict):
        yield from _strict(request, tool, schema, subset)


def definitions(request: Request, tools: Mapping[str, Any]) -> Iterator[Violation]:
    """Rules 19, 20, 22 to 26, 39, 40."""
    strict = StrictUse()
    offered = 0
    named: dict[str | None, str] = {}
    for tool in native_tools(tools, request.wire.tools):
        name = tool.name if isinstance(tool.name, str) else None
        if name is not None and name in named and request.tests(RuleId.DUPLICATE_TOOL):
            yield request.broken(RuleId.DUPLICATE_TOOL, named[name], (), name)
        named.setdefault(name, tool.place)
        offered += tool.spec.get("defer_loading") is not True
        if not isinstance(tool.name, str) or not request.name_rule.legal(tool.name):
            yield request.broken(RuleId.INVALID_LABEL, f"{tool.place}.name", (), str(tool.name or ""))
        if request.tests(RuleId.EMPTY_DESCRIPTION) and tool.spec.get("description") == "":
            yield request.broken(RuleId.EMPTY_DESCRIPTION, f"{tool.place}.description")
        yield from _schema(request, tool)
        if tool.spec.get("strict") is True and isinstance(tool.schema, dict):
            strict = strict.with_tool(tool.schema)
    for rule, wording, count in strict_limits(request, strict):
        yield request.broken(rule, "tools", (), str(count), wording=wording)
    limit = request.wire.tools.max_tools
    if limit is not None and offered > limit and is_openai(request.model):
        yield request.broken(RuleId.TOO_MANY_TOOLS, request.wire.tools.place("tools"), (), str(offered))


def _beside(request: Request, tools: Mapping[str, Any]) -> Iterator[Violation]:
    """Rules 27, 28, 29, 32."""
    shape = request.wire.tools
    choice = choice_of(tools, shape)
    if request.tests(RuleId.UNSUPPORTED_CHOICE) and choice and lacks_choice(request.model, choice):
        yield request.broken(RuleId.UNSUPPORTED_CHOICE, shape.place(shape.choice_key, choice), (), choice)
    if choice in ("any", "tool") and forces_while_thinking(request):
        yield request.broken(RuleId.FORCED_WHILE_THINKING, shape.place(shape.choice_key))
    if (
        request.tests(RuleId.UNSUPPORTED_FEATURE)
        and request.streaming
        and lacks_streamed_tools(request.model)
    ):
        yield request.broken(RuleId.UNSUPPORTED_FEATURE, shape.block_key)
    if request.tests(RuleId.CACHE_POINT) and lacks_cache_points(request.model):
        for index, tool in enumerate(listed_tools(tools)):
            if isinstance(tool, dict) and "cachePoint" in tool:
                yield request.broken(RuleId.CACHE_POINT, shape.place("tools", index).replace(".", "/"))


def forces_while_thinking(request: Request) -> bool:
    """Rule 28: whether the model thinks in a way that refuses a forced call."""
    thinks = request.thinking is True or (request.adaptive and refuses_forced(request.model, request.wire))
    return request.tests(RuleId.FORCED_WHILE_THINKING) and thinks


def empty_tools(request: Request, block: Mapping[str, Any]) -> bool:
    """Rule 21."""
    wrong = request.tests(RuleId.EMPTY_TOOLS) and "tools" in block and not block["tools"]
    lenient = not request.wire.tools.model_roots and takes_empty_tools(request.model)
    return wrong and not lenient


def tools(request: Request) -> Iterator[Violation]:
    """Yield the rules about tools, as far as they are known."""
    if isinstance(request.tools, Unset):
        return
    block = request.tools or {}
    if not block.get("tools"):
        if request.tests(RuleId.CALLS_WITHOUT_TOOLS) and request.lacks_tools:
            yield request.broken(RuleId.CALLS_WITHOUT_TOOLS, request.wire.tools.block_key or "tools")
        if empty_tools(request, block):
            yield request.broken(RuleId.EMPTY_TOOLS, request.wire.tools.place("tools"))
        return
    yield from definitions(request, block)
    yield from _beside(request, block)
