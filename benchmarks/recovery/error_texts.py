"""toolgen's own text for each wrong call, and what its hint knows."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Literal

from wrong_calls import Call, Case, is_same, is_valid

from toolgen_runtime import Conversation, RetryHint, apply_edits

Edits = Literal["certain", "guess", "none"]


@dataclass(frozen=True)
class Own:
    """toolgen's text and hint for a wrong call."""

    text: str
    hint: RetryHint
    edits: Edits
    """`certain`: every edit is certain, and the result is valid; `guess`: the edits give a valid call; else `none`."""
    corrected: Call | None
    """The call after all edits of the hint; None if it is not valid."""
    is_repaired: bool
    """Whether `repair=True` makes the intended call of it."""


def own(case: Case) -> Own:
    """Return toolgen's text and hint for a wrong call."""
    conversation = Conversation(list(case.tools), repair=False)
    output = conversation.call(case.wrong.name, copy.deepcopy(case.wrong.arguments), _handle)
    hint = output.retry_hint
    if hint is None:
        raise ValueError(f"{case.id}: the call was not rejected")
    corrected = _corrected(case, hint)
    return Own(output.text(), hint, _edits(hint, corrected), corrected, _is_repaired(case))


def _corrected(case: Case, hint: RetryHint) -> Call | None:
    name = case.wrong.name
    if case.schema(name) is None:
        if len(hint.suggestions) != 1:
            return None
        name = hint.suggestions[0]
    call = Call(name, apply_edits(copy.deepcopy(case.wrong.arguments), hint.edits))
    return call if is_valid(case, call) else None


def _edits(hint: RetryHint, corrected: Call | None) -> Edits:
    if corrected is None:
        return "none"
    is_certain = bool(hint.edits) and all(edit.certain for edit in hint.edits)
    return "certain" if is_certain else "guess"


def _is_repaired(case: Case) -> bool:
    conversation = Conversation(list(case.tools), repair=True)
    output = conversation.call(case.wrong.name, copy.deepcopy(case.wrong.arguments), _handle)
    return output.state == "done" and is_same(Call(output.tool, output.payload), case.intended)


def _handle(arguments: Any) -> str:
    return f"done: {arguments}"
