"""The strategies for invalid values. Each of them looks for one kind of mistake.

`STRATEGIES` is the table of them. Each strategy returns readings of a value, and `propose_value` collects the readings
for one problem. `values.READERS` reads values of a wrong type; `keys` and `wrong_level` correct keys and levels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any, NamedTuple

from toolgen_runtime.hints.choices import readings_of_choice
from toolgen_runtime.hints.edits import Edit, apply_edits, last_key
from toolgen_runtime.hints.names import TOOL_NAMES, holds_arguments, holds_free_text
from toolgen_runtime.hints.problems import Call, Problem
from toolgen_runtime.hints.proposals import Proposal, Reading, proposal_of
from toolgen_runtime.hints.quoting import MAX_ECHO, choice, says_nothing, shown
from toolgen_runtime.hints.values import parsed_container, readings_of, unquoted

MAX_CALLS = 20
"""The most values that may each be a call."""
MAX_CALLS_SHOWN = 3
MAX_REFERENCE = 200
"""The most characters of a reference to a result."""
MAX_WRITTEN = 2_000
"""The most characters of a call that is written as text."""
_CHOICE = ("enum", "const")
_TIMES: dict[str | None, Any] = {"time": time, "date-time": datetime}
_SCALARS = (str, bool, int, float)
_WRITTEN = re.compile(r"\A(?:functions?\.)?([\w.-]{1,64})\s*\(.*\)\Z", re.DOTALL)
_TEMPLATE = re.compile(
    r"\$\{?[A-Za-z_][\w.\[\]-]*\}?|\{\{[^{}]*\}\}|<[^<>\s]*(?:result|output)[^<>]*>", re.IGNORECASE
)
_RESULT = re.compile(
    r"(?:\w+_)?(?:result|output|response)s?\d*(?:_(?:of|from)_\w+)?(?:[.\[][\w.\[\]:'\"-]*)?", re.IGNORECASE
)

Found = Sequence[Reading | Proposal]
Find = Callable[[Problem, Call], Found]


class Strategy(NamedTuple):
    """One way to find out what an invalid value was meant to be."""

    name: str
    constraints: tuple[str, ...]
    """The broken constraints for which it is tried. Empty for all: what it finds then explains the whole value, so that
    no further strategy is tried.
    """
    kinds: tuple[type, ...]
    """The Python types of the values for which it is tried; empty for all."""
    find: Find


def propose_value(problem: Problem, call: Call) -> list[Proposal]:
    """Return the proposals for an invalid value, starting with those that may be certain."""
    kind: Any = type(problem.got)
    for issue in problem.issues:
        found: list[Reading | Proposal] = []
        of_issue = problem
        if len(problem.issues) > 1:
            of_issue = problem._replace(issues=(issue,))
        for constraints, find in _strategies_for(issue.constraint, kind):
            found += find(of_issue, call)
            if found and not constraints:
                break
        if found:
            return _ranked(found, problem, call)
    return []


@lru_cache(maxsize=256)
def _strategies_for(constraint: str, kind: type) -> list[tuple[tuple[str, ...], Find]]:
    """Return the strategies for a broken constraint and a value's Python type."""
    return [
        (constraints, find)
        for _, constraints, kinds, find in STRATEGIES
        if (not constraints or constraint in constraints) and (not kinds or kind in kinds)
    ]


def _ranked(found: Sequence[Reading | Proposal], problem: Problem, call: Call) -> list[Proposal]:
    """Return readings as proposals.

    If several readings could be certain, all of them become uncertain.
    """
    readings = [r for r in found if isinstance(r, Reading) and (call.check is not None or not r.whole)]
    readings.sort(key=lambda r: not r.certain)
    if len([r for r in readings if r.certain and not r.whole]) > 1:
        readings = [r._replace(certain=False) for r in readings]
    proposals = [p for r in readings if (p := proposal_of(r, problem, call)) is not None]
    return [*proposals, *(p for p in found if isinstance(p, Proposal))]


# -- the table's functions -----------------------------------------------------------------------------------------


def _another_call(problem: Problem, call: Call) -> Found:
    """Return a sentence if the value is a call to another tool, or refers to the result of one."""
    got = problem.got
    if problem.secret:
        return ()
    if (name := called_in(got, call.tools)) is not None:
        return [Proposal(order=f"call {choice(name)} first, then send its result here")]
    if isinstance(got, str) and len(got) <= MAX_REFERENCE:
        is_result = problem.constraint == "type" and _RESULT.fullmatch(got)
        if is_result or _TEMPLATE.fullmatch(got):
            return [Proposal(order=f"send the value itself, not a reference to a result, {shown(got)}")]
    return ()


def called_in(value: Any, tools: Collection[str]) -> str | None:
    """Return the tool that a value calls.

    The value may be `{tool: {}}`, an object with the tool's name, or the string `tool()`.
    """
    names: list[Any] = []
    if isinstance(value, str):
        names = _WRITTEN.findall(value.strip()[:MAX_WRITTEN])
    elif isinstance(value, dict):
        holders = [k for k, v in value.items() if isinstance(k, str) and isinstance(v, dict)]
        if len(value) == 1:
            names = holders
        elif any(map(holds_arguments, holders)):
            names = [value.get(key) for key in TOOL_NAMES]
    return next((name for name in names if isinstance(name, str) and name in tools), None)


def _no_value(problem: Problem, _call: Call) -> Found:
    """Return a correction for a value that means "no value".

    The key is removed if the field is optional, or the value becomes null if the field accepts null.
    """
    got = problem.got
    if got is None and problem.is_optional():
        return [Reading("remove", certain=problem.issues[0].constraint in ("type", *_CHOICE))]
    is_empty = got in ("", [], {})
    if not is_empty and not says_nothing(got):
        return ()
    if any(r.certain for r in readings_of_choice(got, problem.allowed())):
        return ()  # "none" may be an allowed value
    if problem.node.nullable and not is_empty:
        return [Reading("set", None, False)]
    if problem.is_optional():
        return [Reading("remove", certain=False)]
    return ()


def _other_type(problem: Problem, _call: Call) -> Found:
    wanted = problem.types_in(problem.issues[0])
    return readings_of(problem.node, problem.got, wanted, last_key(problem.path))


def _list_as_text(problem: Problem, _call: Call) -> Found:
    """Return the whole list if its text was sent as the list's only item."""
    items = problem.location.value
    is_only = isinstance(items, list) and len(items) == 1 and "array" not in problem.node.types
    value = parsed_container(problem.got)
    if is_only and isinstance(value, list):
        return [Reading("set", value, above=1, whole=True)]
    return ()


def _allowed_value(problem: Problem, _call: Call) -> Found:
    """Return what a value may mean if the schema lists values: one of them, or in a union also a value of another
    branch.
    """
    node, got, name = problem.node, problem.got, last_key(problem.path)
    found = [r for branch in problem.other_branches() for r in readings_of(branch, got, branch.types, name)]
    found = [reading._replace(certain=False, whole=True) for reading in found]
    found += readings_of_choice(got, problem.allowed())
    if isinstance(got, list):
        found += readings_of(node, got, node.types or ("string",), name)
    return found


def _form(problem: Problem, _call: Call) -> Found:
    """Return a string without the quotes around it, or a date and time in the form of RFC 3339."""
    got = problem.got
    text = unquoted(got).strip()
    if text == got:
        text = written_time(got, problem.node.first("format", str))
    if len(got) <= MAX_ECHO and text != got:
        return [Reading("set", text)]
    return ()


def written_time(text: str, name: str | None) -> str:
    """Return a date or time in the given format. A text that is not an ISO 8601 date or time is returned as it is.

    A time without a zone is taken as UTC.

    >>> written_time("2026-05-01 10:00", "date-time"), written_time("20260501", "date"), written_time("May 1", "date")
    ('2026-05-01T10:00:00Z', '2026-05-01', 'May 1')
    """
    try:
        if name == "date":
            return date.fromisoformat(text[:10]).isoformat()
        moment: datetime | time = _TIMES[name].fromisoformat(text)
    except (KeyError, ValueError):
        return text
    written = moment.isoformat().replace("+00:00", "Z")
    if moment.tzinfo is not None:
        return written
    return f"{written}Z"


def _several(problem: Problem, call: Call) -> Found:
    """Return a question that asks whether each value in a list was meant for a separate call."""
    got, path = problem.got, problem.path
    is_value = problem.is_member() and not holds_free_text(last_key(path))
    if call.check is None or problem.secret or not is_value or not 2 <= len(got) <= MAX_CALLS:
        return ()
    if not all(type(value) in _SCALARS and _is_valid(problem, call, value) for value in got):
        return ()
    values = ", ".join(map(shown, got[:MAX_CALLS_SHOWN]))
    if len(got) > MAX_CALLS_SHOWN:
        values += ", …"
    sentence = f"one value a call: did you mean a separate call for each of {values}"
    return [Proposal((Edit("set", path, None, got[0]),), question=sentence)]


def _is_valid(problem: Problem, call: Call, value: Any) -> bool:
    """Return whether the check accepts a value in place of the invalid one."""
    try:
        alone = apply_edits(call.payload, [Edit("set", problem.path, None, value)])
    except ValueError:  # the issues may be of another payload
        return False
    length = len(problem.path)
    return all(issue.path[:length] != problem.path for issue in call.issues_of(alone))


STRATEGIES = (
    Strategy("another call, or its result", (), (str, dict), _another_call),
    Strategy("no value", (), (str, list, dict, type(None)), _no_value),
    Strategy("the list as its item's text", ("type",), (str,), _list_as_text),
    Strategy("a value of another type", ("type",), (), _other_type),
    Strategy("an allowed value, or one of another branch", _CHOICE, (), _allowed_value),
    Strategy("a text in another form", ("format", "pattern"), (str,), _form),
    Strategy("values of several calls", ("type", *_CHOICE, "anyOf", "oneOf"), (list,), _several),
)
"""The strategies in the order in which their readings are tried."""
