"""Ids of items in OpenAI's Responses API, and namespaces of their calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from toolgen_transcripts.codec.members import at_path
from toolgen_transcripts.messages import Block, Opaque, Source, ToolCall
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.matching import native
from toolgen_transcripts.rules.native_tools import listed_tools
from toolgen_transcripts.rules.rule import RESPONSES, rule, step

ITEM_ID = rule(
    "item-id",
    65,
    "an item's id without the prefix of its type",
    "leave the id out; do not make one up, since it could be another item's",
    "Invalid '{place}.id': '{ids}'. Expected an ID that begins with '{detail}'.",
    r"Expected an ID that (?:begins|starts) with",
    of=RESPONSES,
    source="openai/codex#33176, cockpit-tools#2543, sub2api#5413",
)
MISSING_NAMESPACE = rule(
    "missing-namespace",
    66,
    "a call of a tool in a namespace, without the namespace",
    "send `namespace` back with the call",
    "Missing namespace for function_call '{detail}'.",
    r"Missing namespace for function_call",
    of=RESPONSES,
    source="pi#7709, vercel/ai#15193, copilot-cli#4519",
)
MISSING_APPROVAL = rule(
    "missing-approval",
    80,
    "an approval request for an MCP call without its response, or a response without its request",
    "send the `mcp_approval_request` together with its `mcp_approval_response`, or leave both out",
    "The following MCP approval requests do not have an approval: {ids}",
    of=RESPONSES,
    unasked="The following MCP approval requests have approval responses but weren't passed as input: {ids}",
    source="https://community.openai.com/t/incorrect-behavior-of-conversation-api-with-mcp-approval-output-item/1365706",
)
_PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}


def _find_wrong_id(draft: Draft, item: Any) -> tuple[str, str]:
    """Return an item's id if its prefix is wrong, and the right prefix.

    Two empty strings if the id is right or missing.
    """
    if not isinstance(item, Mapping) or not isinstance(id := item.get("id"), str):
        return "", ""
    prefix = _PREFIXES.get(str(draft.request.wire.messages.item_kind(item)), "")
    if id.startswith(prefix):
        return ("", "")
    return (id, prefix)


def _strip_id(item: Any, id: str) -> Any:
    """Return an item, or a part together with the `rest` of its message, without the id."""
    if isinstance(item, Mapping) and item.get("rest"):
        return {**item, "rest": _strip_id(item["rest"], id)}
    if item.get("id") == id:
        return {k: v for k, v in item.items() if k != "id"}
    return item


def _with_value(source: Source | None, value: Any) -> Source | None:
    if source is None:
        return source
    return replace(source, value=value)


@step(
    ITEM_ID,
    after=("unstored-reasoning",),
    why="an item that is left out needs no id",
    when=attrgetter("is_openai"),
)
def leave_out_ids(draft: Draft) -> None:
    """Remove ids that OpenAI's server rejects from items."""
    seen: set[str] = set()

    def fixed(entry: Entry, place: str, block: Block) -> Block:
        value = native(block)
        id, prefix = _find_wrong_id(draft, at_path(value, ("rest",)) or value)
        if not id:
            return block
        if id not in seen:  # the parts of a message share it
            seen.add(id)
            draft.fix(ITEM_ID, entry, f"id {id[:40]!r} of an item left out", [id], at=place, detail=prefix)
        if isinstance(block, Opaque):
            return replace(block, value=_strip_id(value, id))
        return replace(block, source=_with_value(block.source, _strip_id(value, id)))

    draft.each(fixed)


@step(MISSING_NAMESPACE)
def add_namespaces(draft: Draft) -> None:
    """Add the namespace of a call if only one namespace has a tool with its name."""
    homes: dict[str, set[str]] = defaultdict(set)
    for tool in listed_tools(draft.tools_block()):
        if isinstance(tool, Mapping):
            if tool.get("type") == "namespace":
                inner = tool.get("tools")
            else:
                inner = None
            for each in inner if isinstance(inner, list) else ():
                homes[str(each.get("name"))].add(str(tool.get("name")))
            if inner is None:
                homes[str(tool.get("name"))].add("")

    def fixed(entry: Entry, place: str, block: Block) -> Block:
        if isinstance(block, ToolCall):
            spaces = homes.get(block.name, set())
        else:
            spaces = set()
        if not isinstance(block, ToolCall) or block.namespace or not spaces or "" in spaces:
            return block
        draft.find(MISSING_NAMESPACE, place, [block.id], block.name)
        if len(spaces) > 1:
            return block
        (space,) = spaces
        draft.note(MISSING_NAMESPACE, entry, f"namespace {space!r} added", block.id)
        value = {**native(block), "namespace": space}
        return replace(block, namespace=space, source=_with_value(block.source, value))

    draft.each(fixed)


@step(MISSING_APPROVAL)
def find_approvals(draft: Draft) -> None:
    """Find approval requests without a response, and responses without a request; only users can approve."""
    request, asked, answered = draft.request, dict[str, str](), dict[str, str]()
    for index, item in enumerate(request.given):
        kind, place = item.get("type"), request.place_in(index)
        if kind == "mcp_approval_request":
            asked[str(item.get("id"))] = place
        elif kind in ("mcp_approval_response", "mcp_call"):  # an approved call names its request, too
            answered.setdefault(str(item.get("approval_request_id")), place if "approve" in item else "")
    for id, place in asked.items():
        if id not in answered:
            draft.find(MISSING_APPROVAL, place, [id])
    for id, place in answered.items():
        if place and id not in asked and not request.stateful:
            draft.find(MISSING_APPROVAL, place, [id], wording="unasked")
