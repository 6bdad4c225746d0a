"""Handle old calls in the history of a request that has no tools."""

from __future__ import annotations

from toolgen_transcripts.codec.json_values import json_text
from toolgen_transcripts.messages import Block, Json, Media, Text, ToolCall, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.request import Unset
from toolgen_transcripts.rules.rule import Rule, rule, step
from toolgen_transcripts.tools.definitions import defined_in

CALLS_WITHOUT_TOOLS = rule(
    "calls-without-tools",
    7,
    "calls in the history, but no tools in the request",
    "send the tools with the request, or convert the history's calls to text",
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    anthropic="Requests which include `tool_use` or `tool_result` blocks must define tools",
    source="dify#17545",
)


def as_text(block: Block, names: dict[str | None, str]) -> list[Block]:
    """Return a call or result as text, followed by its media. Other blocks are returned unchanged."""
    if isinstance(block, ToolCall):
        return [Text(f"[called {block.name} with {json_text(block.input)}]")]
    if isinstance(block, ToolResult):
        name = block.name or names.get(block.id, "a tool")
        state = "error from" if block.is_error else "result of"
        media: list[Block] = [b for b in block.content if isinstance(b, Media)]
        inner = [b for b in block.content if isinstance(b, Text | Json)]
        told = "\n".join(b.text if isinstance(b, Text) else json_text(b.value) for b in inner)
        return [Text(f"[{state} {name}: {told}]"), *media]
    return [block]


def turn_into_text(draft: Draft, entries: list[Entry], rule: Rule) -> None:
    """Turn the calls and results of some entries into text, and record the changes."""
    names: dict[str | None, str] = {}
    for entry in entries:
        names |= {call.id: call.name for call in entry.turn.calls}
        ids = [part.id for part in entry.turn.parts]
        if ids:
            told = [b for block in entry.turn.blocks for b in as_text(block, names)]
            # only a message with calls may have a blank text
            draft.put(entry, [b for b in told if not isinstance(b, Text) or b.text.strip()])
            draft.note(rule, entry, "calls and results turned into text", *ids)


@step(CALLS_WITHOUT_TOOLS, after=("empty-tools",), why="an empty list of tools has been left out")
def flatten(draft: Draft) -> None:
    """Turn calls and results into text if the request has no tools."""
    request = draft.request
    if isinstance(request.tools, Unset) or (request.tools or {}).get("tools"):
        return
    blocks = [block for turn in draft.turns for block in turn.blocks]
    if not any(map(defined_in, blocks)) and any(isinstance(block, ToolCall | ToolResult) for block in blocks):
        draft.find(CALLS_WITHOUT_TOOLS, request.wire.tools.block_key or "tools")
        turn_into_text(draft, draft.entries, CALLS_WITHOUT_TOOLS)
