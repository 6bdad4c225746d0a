"""How much a model is to think, in one form for all providers, and finding it in a native request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.providers.shared.models import claude_thinking_form, openai_efforts
from toolgen_runtime.providers.shared.shapes import nested

Path = tuple[str, ...]
Thinking = bool | int | str
"""Whether to think: a number is a budget in tokens, a text an effort (`low`, `medium`, `high`), `none` says that
the model is not to think."""

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The efforts that any API has, least first."""
BUDGETS: Mapping[str, int] = {"minimal": 1024, "low": 1024, "medium": 4096, "high": 16384}
"""How many tokens an effort stands for, where an API wants a number."""

_OFF = ("disabled", "none", "off", False)


def is_off(thinking: Thinking) -> bool:
    """Return whether nothing is to be thought; False says so by saying nothing."""
    return not thinking or (isinstance(thinking, str) and thinking.lower() == "none")


def effort_of(thinking: Thinking, known: Sequence[str] = ("low", "medium", "high")) -> str:
    """Return thinking as the nearest effort that is known, which has the least first."""
    if isinstance(thinking, bool):
        wanted = "medium"
    elif isinstance(thinking, str):
        wanted = thinking.lower()
    else:  # of a budget the least effort that is no less
        wanted = next((effort for effort in ("low", "medium") if thinking <= BUDGETS[effort]), "high")
    if wanted in known or wanted not in EFFORTS:
        return wanted
    rank = EFFORTS.index(wanted)
    below = [effort for effort in known if EFFORTS.index(effort) < rank]
    return below[-1] if below else known[0]


def is_unknown(thinking: Thinking) -> bool:
    """Return whether thinking is an effort that no API is known to have."""
    return isinstance(thinking, str) and bool(thinking) and thinking.lower() not in EFFORTS


def budget_of(thinking: Thinking) -> int:
    """Return thinking as a number of tokens."""
    if isinstance(thinking, str):
        return BUDGETS.get(thinking.lower(), BUDGETS["high"])
    return BUDGETS["medium"] if isinstance(thinking, bool) else thinking


def described(thinking: Thinking) -> str:
    """Return thinking in words."""
    if isinstance(thinking, str):
        return f"an effort of {thinking!r}"
    return "thinking" if isinstance(thinking, bool) else f"a budget of {thinking} tokens"


def at_path(value: Any, path: Path) -> Any:
    """Return what stands at a path of keys, the first item of a list where it leads through one; else None."""
    for key in path:
        if isinstance(value, list):
            value = value[0] if value else None
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


@dataclass(frozen=True, slots=True)
class ThinkingPlaces:
    """Where a request says how much to think: a `switch` (a truth value or a word), a `budget`, an `effort`.

    An effort of `adaptive_effort` is about thinking only where the switch says `adaptive`.
    """

    switch: tuple[Path, ...] = ()
    budget: tuple[Path, ...] = ()
    effort: tuple[Path, ...] = ()
    adaptive_effort: tuple[Path, ...] = ()

    def read(self, request: Mapping[str, Any]) -> tuple[Thinking | None, frozenset[Path]]:
        """Return what a request says of thinking, None for nothing, and the places that were read."""
        switch_at, switch = _first(request, self.switch)
        budget_at, budget = _first(request, self.budget)
        effort_at, effort = _first(request, self.effort)
        if switch in _OFF or effort in _OFF or budget == 0:
            return "none", frozenset((*switch_at, *budget_at, *effort_at))
        adaptive = switch in ("adaptive", "auto")
        if adaptive and not effort_at:
            effort_at, effort = _first(request, self.adaptive_effort)
        if isinstance(effort, str):
            return effort, frozenset((*switch_at, *effort_at))
        if isinstance(budget, int) and not isinstance(budget, bool):
            return (budget if budget > 0 else True), frozenset((*switch_at, *budget_at))
        if adaptive:  # which thinks as at a high effort where it says none
            return "high", frozenset(switch_at)
        return (None if switch is None else True), frozenset(switch_at)


def _first(request: Mapping[str, Any], paths: Iterable[Path]) -> tuple[tuple[Path, ...], Any]:
    """Return the first path that leads to something, in a tuple that may be empty, and what stands there."""
    for path in paths:
        value = at_path(request, path)
        if value is not None:
            return (path,), value.lower() if isinstance(value, str) else value
    return (), None


_EFFORTS = ("low", "medium", "high", "max")
_NEWER_EFFORTS = ("low", "medium", "high", "xhigh", "max")
LEAST_BUDGET = 1024


def claude_thinking(thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members of a request: an effort is for models that decide by themselves how long to think.

    None: the model does not think.
    """
    form = claude_thinking_form(model)
    if form == "none":
        return {} if is_off(thinking) else None
    if is_off(thinking):
        return {"thinking": {"type": "disabled"}}
    if form == "effort" or (isinstance(thinking, str) and form != "budget"):
        effort = effort_of(thinking, _NEWER_EFFORTS if form == "effort" else _EFFORTS)
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}
    return {"thinking": {"type": "enabled", "budget_tokens": max(budget_of(thinking), LEAST_BUDGET)}}


def openai_effort(place: Path, thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members that say the nearest effort that a model takes, None where it cannot be told.

    `place` is where the API has the effort.
    """
    known = openai_efforts(model)
    if not known:
        return {} if is_off(thinking) else None
    if is_off(thinking):
        if known[0] not in ("none", "minimal"):  # a server with models of others may not know the word
            return None
        effort = known[0]
    else:
        effort = effort_of(thinking, [each for each in known if each != "none"])
    return nested(place, effort)
