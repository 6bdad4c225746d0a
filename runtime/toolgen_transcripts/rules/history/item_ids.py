"""Repair ids, namespaces and approvals of items in OpenAI's Responses API."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter

from toolgen_runtime.schema.raw import listed
from toolgen_transcripts.codec.members import without
from toolgen_transcripts.messages import Block, ToolCall, native_members, with_native
from toolgen_transcripts.rules.draft import Draft, Spot
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


@step(
    ITEM_ID,
    after=("unstored-reasoning",),
    why="an item that is left out needs no id",
    when=attrgetter("is_openai"),
)
def leave_out_ids(draft: Draft) -> None:
    """Remove item ids that OpenAI's server rejects."""
    seen: set[str] = set()

    def fixed(at: Spot, block: Block) -> Block:
        value = native_members(block)
        rest = value.get("rest") or {}
        item = rest or value
        id, prefix = item.get("id"), _PREFIXES.get(str(draft.request.wire.messages.item_kind(item)), "")
        if not isinstance(id, str) or id.startswith(prefix):
            return block
        if id not in seen:  # the parts of a message share it
            seen.add(id)
            draft.fix(ITEM_ID, at, f"id {id[:40]!r} of an item left out", id, detail=prefix)
        bare = without(item, "id")
        return with_native(block, {**value, "rest": bare} if rest else bare, draft.request.provider)

    draft.each(fixed)


@step(MISSING_NAMESPACE)
def add_namespaces(draft: Draft) -> None:
    """Add the missing namespace to a call, if only one namespace has a tool with this name."""
    homes: dict[str, set[str]] = defaultdict(set)
    for tool in listed_tools(draft.tools_block()):
        if not isinstance(tool, Mapping):
            continue
        name, is_space = str(tool.get("name")), tool.get("type") == "namespace"
        for each in listed(tool, "tools") if is_space else ():
            if isinstance(each, Mapping):
                homes[str(each.get("name"))].add(name)
        if not is_space:
            homes[name].add("")

    def fixed(at: Spot, block: Block) -> Block:
        if not isinstance(block, ToolCall) or block.namespace:
            return block
        spaces = homes.get(block.name, {""})
        if "" in spaces:
            return block
        draft.find(MISSING_NAMESPACE, at, block.id, detail=block.name)
        if len(spaces) > 1:
            return block
        (space,) = spaces
        draft.note(MISSING_NAMESPACE, at, f"namespace {space!r} added", block.id)
        value = {**native_members(block), "namespace": space}
        return with_native(replace(block, namespace=space), value, draft.request.provider)

    draft.each(fixed)


@step(MISSING_APPROVAL)
def find_approvals(draft: Draft) -> None:
    """Find approval requests without a response, and responses without a request. Only a user can give an
    approval.
    """
    request, asked, answered = draft.request, dict[str, str](), dict[str, str]()
    for index, item in enumerate(request.given):
        kind, place = item.get("type"), request.place_in(index)
        if kind == "mcp_approval_request":
            asked[str(item.get("id"))] = place
        elif kind in ("mcp_approval_response", "mcp_call"):  # an approved call names its request, too
            answered.setdefault(str(item.get("approval_request_id")), place if "approve" in item else "")
    for id, place in asked.items():
        if id not in answered:
            draft.find(MISSING_APPROVAL, place, id)
    for id, place in answered.items():
        if place and id not in asked and not request.stateful:
            draft.find(MISSING_APPROVAL, place, id, wording="unasked")
