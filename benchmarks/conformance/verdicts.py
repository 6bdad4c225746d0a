"""The cells of the matrix, a mark and a few words, from the observations of a probe."""

from __future__ import annotations

import json
from typing import Any

from cases import Calls, History, Message, Results, Stream

Seen = dict[str, Any]

GOOD, CALLER, BAD = "✓", "○", "✗"


def _blocks(seen: Seen, kind: str) -> list[dict[str, Any]]:
    messages = seen["sent"].get("messages", [])
    return [block[kind] for message in messages for block in message["content"] if kind in block]


def _lost(before: int, after: int, kind: str) -> str:
    if after == before:
        return ""
    return f"{before - after} of {before} {kind}s dropped" if after < before else f"{kind} added"


def _signed(history: History) -> bool:
    return any(turn.signed for turn in history.turns if isinstance(turn, Calls))


def _points(seen: Seen) -> int:
    messages = seen["sent"].get("messages", [])
    return sum("cachePoint" in block for message in messages for block in message["content"])


def _kept(history: History, seen: Seen) -> str:
    """Return the losses of thinking, documents and cache points, in words; `""` if there are none."""
    thoughts = sum(turn.signed for turn in history.turns if isinstance(turn, Calls))
    signed = [x for x in _blocks(seen, "reasoningContent") if x.get("reasoningText", {}).get("signature")]
    if len(signed) < thoughts:
        return "thinking dropped"
    documents = sum(len(turn.documents) for turn in history.turns if isinstance(turn, Message))
    if len(_blocks(seen, "document")) < documents:
        return "document dropped"
    marked = any(turn.cached for turn in history.turns if isinstance(turn, Message))
    return "cache points dropped" if marked and not _points(seen) else ""


def _item_cell(history: History, seen: Seen, names: list[str]) -> str:
    """Return the cell of an accepted history of OpenAI items."""
    asked = [item for item in history.items if item.get("type", "").endswith("_call")]
    uses = _blocks(seen, "toolUse")
    if len(uses) < len(asked):
        return f"{BAD} {len(asked) - len(uses)} of {len(asked)} calls dropped"
    if len({use["name"] for use in uses}) < len(asked):
        return f"{BAD} both calls are of `{uses[0]['name']}`"
    if len(set(names)) < len(asked):
        return f"{BAD} {len(set(names))} of {len(asked)} tools sent"
    return f"{BAD} history says `{uses[0]['name']}`" if {u["name"] for u in uses} - set(names) else GOOD


def history_cell(history: History, seen: Seen) -> str:
    """Return the cell of a history: whether it was sent and accepted, and how it was changed."""
    if "no_form" in seen:
        return "n/a"
    if "sent" not in seen:
        return f"{BAD} raises `{seen['raised']}`"
    if seen["rules"]:
        return f"{BAD} rule {seen['rules'][0]}"
    names = [tool["toolSpec"]["name"] for tool in seen["sent"].get("toolConfig", {}).get("tools", [])]
    if history.items:
        return _item_cell(history, seen, names)
    if len(set(names)) < len(history.tools):
        return f"{BAD} both sent as `{names[0]}`" if names else f"{BAD} no tools sent"
    calls = [call for turn in history.turns if isinstance(turn, Calls) for call in turn.calls]
    results = [result for turn in history.turns if isinstance(turn, Results) for result in turn.results]
    uses = _blocks(seen, "toolUse")
    unknown = sorted({use["name"] for use in uses} - set(names)) if history.tools else []
    if unknown:
        return f"{BAD} history says `{unknown[0]}`, tools do not"
    if (not history.tools or (history.thinking and not _signed(history))) and not uses and calls:
        return f"{GOOD} as text"
    lost = _kept(history, seen)
    if lost:
        return f"{BAD} {lost}"
    changed = _lost(len(calls), len(uses), "call")
    if changed:
        return f"{BAD} {changed}"
    return f"{GOOD} {_lost(len(results), len(_blocks(seen, 'toolResult')), 'result')}".strip()


def _parsed(arguments: Any) -> Any:
    """Return the parsed arguments of a call, or the text itself if it is not JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _as_set(inputs: tuple[Any, ...]) -> list[str]:
    """Return inputs without their order, which is random if tools run in parallel."""
    return sorted(json.dumps(given, sort_keys=True) for given in inputs)


def stream_cell(stream: Stream, seen: Seen) -> str:
    """Return the cell of a stream: the inputs that tools would be run with, compared with the correct ones."""
    if "raised" in seen:
        good = not stream.inputs
        return f"{GOOD if good else BAD} raises `{seen['raised']}`"
    stop = next((f" ({call['stop']})" for call in seen["calls"] if "stop" in call), "")
    inputs = [_parsed(call["input"]) for call in seen["calls"] if "input" in call]
    ran = tuple(given for given in inputs if not isinstance(given, str))
    shown = ", ".join(f"`{json.dumps(given)}`" for given in ran)
    if not inputs and not stream.inputs:
        return (
            f"{CALLER} not run; treated as a finished message"
            if stop == " (end_turn)"
            else f"{GOOD} not run{stop}"
        )
    if _as_set(ran) == _as_set(stream.inputs) and len(inputs) == len(ran):
        return GOOD
    if stream.inputs:
        return f"{BAD} {len(ran)} of {len(stream.inputs)} run, with {shown or 'nothing'}"
    if not ran:
        return f"{CALLER} returned as text, not as a call{stop}"
    return f"{CALLER if ran == stream.forgiven else BAD} runs {shown}{stop if ran == stream.forgiven else ''}"
