"""Rules about cache points: how many there may be, where, in what order, and for which models.

A cache point is a separate block (Bedrock) or a field of any block, tool or prompt (Anthropic). A point for the whole
request counts as one (https://platform.claude.com/docs/en/build-with-claude/prompt-caching).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_runtime.schema.raw import listed
from toolgen_transcripts.codec.members import Native, at_path, without
from toolgen_transcripts.codec.models import is_claude, lacks_cache_points
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.messages import (
    Block,
    CachePoint,
    Opaque,
    Reasoning,
    native_members,
    with_native,
)
from toolgen_transcripts.rules.draft import Draft, located
from toolgen_transcripts.rules.native_tools import listed_tools
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.rule import ANTHROPIC, CLAUDE, rule, step

TOO_MANY_CACHE_POINTS = rule(
    "too-many-cache-points",
    38,
    "more than four cache points in a request",
    "leave out the oldest ones in the messages",
    "A maximum of 4 blocks with cache_control may be provided. Found {detail}.",
    r"maximum of 4 (?:blocks with cache_control|cache ?points?)",
    of=CLAUDE,
    source="https://platform.claude.com/docs/en/build-with-claude/prompt-caching, sub2api#176",
)


CACHE_POINT = rule(
    "cache-point",
    32,
    "a cache point among the tools, for a model that does not support this",
    "leave out the cache point",
    "#/{place}: extraneous key [cachePoint] is not permitted",
    where="tools",
    source="LibreChat#13838",
)


MAX_CACHE_POINTS = 4


def is_cache_point(block: Block, wire: Wire) -> bool:
    """Return whether a block is a cache point and nothing else."""
    if isinstance(block, Opaque):
        return wire.request.cache_block in native_members(block)
    return isinstance(block, CachePoint)


def _with_list(request: Request) -> Request:
    """Return the request with its tools in a list."""
    if isinstance(request.tools, Mapping):
        return replace(request, tools={**request.tools, "tools": listed_tools(request.tools)})
    return request


def _points(request: Request) -> list[tuple[str, list[Any], Native]]:
    """Return the objects that are or contain a cache point, with place and list. The first are removed first."""
    shape, prompt = request.wire.messages, request.system
    tools = request.tools["tools"] if isinstance(request.tools, Mapping) else []
    found: list[tuple[str, list[Any], Any]] = []
    for index, message in enumerate(request.given):
        place, content = request.place_in(index), listed(message, shape.content_key)
        for block in content:
            inner = at_path(block, shape.result)
            is_result = isinstance(block, Mapping) and (block.get("type") or "") == shape.result_type
            if is_result and isinstance(inner, list):
                found += [(place, inner, each) for each in inner]
            found.append((place, content, block))
    found += [(request.wire.tools.place("tools"), tools, tool) for tool in tools]
    if isinstance(prompt, list):
        found += [(shape.system_key, prompt, each) for each in prompt]
    keys = (request.wire.request.cache_block, request.wire.request.cache_member)
    return [
        each for each in found if isinstance(each[2], dict) and any(each[2].get(k) is not None for k in keys)
    ]


CACHE_AFTER_REASONING = rule(
    "cache-after-reasoning",
    58,
    "a cache point on thinking, or right after reasoning",
    "leave the cache point out",
    "Cache point cannot be inserted after reasoning block.",
    r"thinking\.cache_control: Extra inputs are not permitted",
    of=CLAUDE,
    anthropic="{place}.thinking.cache_control: Extra inputs are not permitted",
    source="strands-agents#1820, opencode#36517, litellm#39815, sub2api#225",
)
CACHE_AFTER_DOCUMENT = rule(
    "cache-after-document",
    59,
    "a cache point right after a document that is not a PDF, for Claude",
    "leave the cache point out",
    "{place}: a cache point cannot follow a document of the format {detail}",
    source="strands-agents#1966",
)
CACHE_ORDER = rule(
    "cache-order",
    60,
    "a cache point for an hour after one for five minutes",
    "give both one `ttl` (the order is tools, system, messages); repair shortens the later one",
    "{place}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    of=ANTHROPIC,
    source="headroom#2939, vellum-assistant#22191",
)


@step(CACHE_AFTER_REASONING, CACHE_AFTER_DOCUMENT)
def drop_misplaced(draft: Draft) -> None:
    """Remove cache points that are on or after reasoning, or after documents other than PDFs."""
    request, member = draft.request, draft.request.wire.request.cache_member
    for entry in draft.entries:
        kept: list[Block] = []
        for at, block in located([entry]):
            before = kept[-1] if kept else None
            is_point = is_cache_point(block, request.wire)
            format = ""  # of a Bedrock document
            if before and is_point and is_claude(request.model):
                format = str(at_path(native_members(before), ("document", "format")) or "")
            if isinstance(block, Reasoning) and native_members(block).get(member) is not None:
                draft.fix(CACHE_AFTER_REASONING, at, "cache point left out")
                bare = without(native_members(block), member)
                kept.append(with_native(block, bare, request.provider))
            elif is_point and isinstance(before, Reasoning):
                draft.fix(CACHE_AFTER_REASONING, at, "cache point left out")
            elif format not in ("", "pdf"):
                draft.fix(CACHE_AFTER_DOCUMENT, at, "cache point left out", detail=format)
            else:
                kept.append(block)
        draft.put(entry, kept)


@step(CACHE_ORDER)
def order_points(draft: Draft) -> None:
    """Shorten a cache point of one hour if it comes after one of five minutes, because the later one must not
    last longer.
    """
    request = _with_list(draft.request)
    if not any(_late_points(request)):
        return
    request = deepcopy(request)
    for place, mark in _late_points(request):
        draft.fix(CACHE_ORDER, place, "cache point shortened to five minutes")
        mark["ttl"] = "5m"
    draft.read(request.read_again())


def _late_points(request: Request) -> Iterator[tuple[str, Native]]:
    """Yield the one-hour cache points that follow a five-minute one, with their places."""
    found = _points(request)
    of_messages = [each for each in found if each[0].startswith(request.wire.messages.list_key)]
    is_short = False
    for place, _, point in [*found[len(of_messages) :], *of_messages]:  # tools and system come first
        mark = point.get(request.wire.request.cache_member)
        if not isinstance(mark, dict) or mark.get("ttl") != "1h":
            is_short = True
        elif is_short:
            yield place, mark


@step(TOO_MANY_CACHE_POINTS)
def limit_cache_points(draft: Draft) -> None:
    """Remove cache points if there are more than the provider allows, starting with the oldest ones in
    messages.
    """
    request, wire = _with_list(draft.request), draft.request.wire
    count = len(_points(request)) + request.cached
    if count <= MAX_CACHE_POINTS:
        return
    draft.find(TOO_MANY_CACHE_POINTS, wire.messages.list_key, detail=str(count))
    request = deepcopy(request)
    for place, holder, point in _points(request)[: count - MAX_CACHE_POINTS]:
        draft.note(TOO_MANY_CACHE_POINTS, place, "cache point left out")
        for key in (wire.request.cache_block, wire.request.cache_member):
            point.pop(key, None)
        holder[:] = [each for each in holder if each is not point or point]
    draft.read(request.read_again())


@step(CACHE_POINT)
def drop_points_among_tools(draft: Draft) -> None:
    """Remove cache points from the tools if the model does not accept them there."""
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
