"""Claude's thinking, which must be sent back with its calls."""

from __future__ import annotations

from collections.abc import Sequence

from toolgen_transcripts.codec.models import is_claude
from toolgen_transcripts.messages import Reasoning, ToolCall, Turn
from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.history.calls_without_tools import turn_into_text
from toolgen_transcripts.rules.rule import CLAUDE, rule, step

MISSING_THINKING = rule(
    "missing-thinking",
    42,
    "calls without the thinking that led to them, while thinking is on",
    "send thinking back with its calls, or turn thinking off; otherwise send the last calls and results"
    " as text",
    "{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{detail}`. When"
    " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding"
    " the lastmost set of `tool_use` and `tool_result` blocks).",
    r"Expected .?thinking.? or .?redacted_thinking.?, but found",
    r"final .?assistant.? message must start with a thinking block",
    of=CLAUDE,
)


def turns_since_prompt(turns: Sequence[Turn]) -> range:
    """Return the indices of the turns after the last user turn without results."""
    own = [i for i, turn in enumerate(turns) if turn.role == "user" and not turn.results]
    return range(own[-1] + 1 if own else 0, len(turns))


@step(MISSING_THINKING, after=("empty-message",), why="the messages after the last prompt must be final")
def flatten_unthought(draft: Draft) -> None:
    """Turn the last calls into text if their thinking is missing, since it cannot be invented."""
    request, loop = draft.request, turns_since_prompt(draft.turns)
    claude = request.model is None or is_claude(request.model)
    if not (request.thinking is True and claude and loop):
        return
    entries = draft.entries[loop.start :]
    first = next((entry for entry in entries if entry.turn.calls), None)
    thought = any(isinstance(block, Reasoning) for entry in entries for block in entry.turn.blocks)
    if first is None or thought or not entries[-1].turn.results:
        return
    detail = "tool_use" if isinstance(first.turn.blocks[0], ToolCall) else "text"
    ids = [call.id for call in first.turn.calls]
    draft.find(MISSING_THINKING, draft.request.place(first.origin), ids, detail)
    turn_into_text(draft, entries, MISSING_THINKING)
