"""The cells of the other APIs: whether a request breaks a rule, and whether its content is complete."""

from __future__ import annotations

import json
from typing import Any

from api_cases import Request
from cases import Calls
from verdicts import BAD, CALLER, GOOD, Seen


def _names(body: Any) -> set[str]:
    """Return the names of the functions that a request defines."""
    tools = body.get("tools") or []
    listed = [
        t for tool in tools for t in (tool.get("functionDeclarations") or [tool.get("function") or tool])
    ]
    return {str(tool.get("name")) for tool in listed}


def request_cell(case: Request, seen: Seen) -> str:
    """Return the cell of a request."""
    if "no_form" in seen:
        return "n/a"
    if "sent" not in seen:
        return f"{CALLER} raises `{seen['raised']}`"
    if seen["rules"]:
        told = seen["rules"][0] in seen.get("told", ())
        return (
            f"{CALLER} reported before sending, rule {seen['rules'][0]}"
            if told
            else f"{BAD} rule {seen['rules'][0]}"
        )
    said = json.dumps(seen["sent"], ensure_ascii=False)
    if any(kept not in said for kept in case.keeps):
        return f"{BAD} {case.lost} dropped"
    if len(_names(seen["sent"])) < len(case.tools) and not case.items:
        return f"{BAD} both sent as `{next(iter(_names(seen['sent'])), '')}`"
    calls = [call for turn in case.turns if isinstance(turn, Calls) for call in turn.calls]
    return f"{GOOD} as text" if calls and not seen["calls"] else GOOD
