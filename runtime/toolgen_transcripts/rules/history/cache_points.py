"""The limit of four cache points in a request, and models that take none among their tools.

A point is a separate block (Bedrock) or a member of any block, tool or prompt (Anthropic); a point for the whole
request counts as one (https://docs.claude.com/en/docs/build-with-claude/prompt-caching)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_transcripts.codec.members import at_path
from toolgen_transcripts.codec.models import lacks_cache_points
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.messages import Block, CachePoint, Opaque
from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.matching import native
from toolgen_transcripts.rules.native_tools import listed_tools
from toolgen_transcripts.rules.request import Request, Unset
from toolgen_transcripts.rules.rule import CLAUDE, rule, step

TOO_MANY_CACHE_POINTS = rule(
    "too-many-cache-points",
    38,
    "more than four cache points in a request",
    "leave out the oldest ones in the messages",
    "A maximum of 4 blocks with cache_control may be provided. Found {detail}.",
    r"maximum of 4 (?:blocks with cache_control|cache ?points?)",
    of=CLAUDE,
)


CACHE_POINT = rule(
    "cache-point",
    32,
    "a cache point among the tools, for a model that does not support this",
    "leave out the cache point",
    "#/{place}: extraneous key [cachePoint] is not permitted",
    where="tools",
)


MOST = 4


def is_cache_point(block: Block, wire: Wire) -> bool:
    """Return whether a block is only a cache point."""
    key = wire.request.cache_block
    value = native(block) if isinstance(block, Opaque) else None
    return isinstance(block, CachePoint) or (bool(key) and isinstance(value, dict) and key in value)


def _points(request: Request, tools: list[Any]) -> list[tuple[str, list[Any], dict[str, Any]]]:
    """Return the objects that are or have a cache point, with place and list; the first are removed first."""
    shape, prompt = request.wire.messages, request.system
    found: list[tuple[str, list[Any], Any]] = []
    for index, message in enumerate(request.given):
        place, content = request.place_in(index), message.get(shape.content_key)
        for block in content if isinstance(content, list) else ():
            is_result = isinstance(block, dict) and (block.get("type") or "") == shape.result_type
            inner = at_path(block, shape.result) if is_result else None
            found += [(place, inner, each) for each in inner] if isinstance(inner, list) else []
            found.append((place, content, block))
    found += [(request.wire.tools.place("tools"), tools, tool) for tool in tools]
    found += [(shape.system_key, prompt, each) for each in prompt] if isinstance(prompt, list) else []
    keys = (request.wire.request.cache_block, request.wire.request.cache_member)
    return [
        each for each in found if isinstance(each[2], dict) and any(each[2].get(k) is not None for k in keys)
    ]


@step(TOO_MANY_CACHE_POINTS)
def limit_cache_points(draft: Draft) -> None:
    """Remove cache points above the limit: first those of messages, the oldest first, then the others."""
    request, wire = draft.request, draft.request.wire
    count = len(_points(request, _tools(request))) + request.cached
    if count <= MOST:
        return
    draft.find(TOO_MANY_CACHE_POINTS, wire.messages.list_key, (), str(count))
    request = deepcopy(request)
    tools = _tools(request)
    for place, holder, point in _points(request, tools)[: count - MOST]:
        draft.note(TOO_MANY_CACHE_POINTS, place, "cache point left out")
        for key in (wire.request.cache_block, wire.request.cache_member):
            point.pop(key, None)
        holder[:] = [each for each in holder if each is not point or point]
    if isinstance(request.tools, Mapping):
        request = replace(request, tools={**request.tools, "tools": tools})
    draft.read(request.rewritten(request.given, request.tools, request.system))


def _tools(request: Request) -> list[Any]:
    return listed_tools({} if isinstance(request.tools, Unset) else request.tools or {})


@step(CACHE_POINT)
def drop_points_among_tools(draft: Draft) -> None:
    """Remove cache points from the tools if the model refuses them."""
    shape, block = draft.request.wire.tools, draft.tools_block()
    tools = listed_tools(block)
    points = [i for i, tool in enumerate(tools) if isinstance(tool, dict) and "cachePoint" in tool]
    if not points or not lacks_cache_points(draft.request.model):
        return
    for index in points:
        draft.find(CACHE_POINT, shape.place("tools", index).replace(".", "/"))
    draft.note(CACHE_POINT, shape.place("tools"), "cache point left out")
    block["tools"] = [tool for i, tool in enumerate(tools) if i not in points]
    if not block["tools"]:
        draft.request = replace(draft.request, tools=None)
