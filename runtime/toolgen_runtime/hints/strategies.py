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
from toolgen_runtime.hints.values import parsed_container, readings_of
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import ValidationIssue

MAX_CALLS = 20
"""The most values that may each be a call."""
MAX_CALLS_SHOWN = 3
MAX_REFERENCE = 200
"""The most characters of a reference to a result."""
MAX_WRITTEN = 2_000
"""The most characters of a call that is written as text."""
_SCALARS = (str, bool, int, float)
_QUOTED = re.compile(r"\s*(['\"`]?)\s*(\S|\S.*\S)\s*\1\s*", re.DOTALL)
_WRITTEN = re.compile(r"(?:functions?\.)?([\w.-]{1,64})\s*\(.*\)", re.DOTALL)
_TEMPLATE = re.compile(
    r"\$\{?[A-Za-z_][\w.\[\]-]*\}?|\{\{[^{}]*\}\}|<[^<>\s]*(?:result|output)[^<>]*>", re.IGNORECASE
)
_RESULT = re.compile(
    r"(?:\w+_)?(?:result|output|response)s?\d*(?:_(?:of|from)_\w+)?(?:[.\[][\w.\[\]:'\"-]*)?", re.IGNORECASE
)

Found = Sequence[Reading | Proposal]
Find = Callable[[Problem, ValidationIssue, Call], Found]


class Strategy(NamedTuple):
    """One way to find out what an invalid value was meant to be."""

    name: str
    constraints: tuple[str, ...]
    """The broken constraints for which it is tried; empty for all."""
    find: Find
    kinds: tuple[type, ...] = ()
    """The Python types of the values for which it is tried; empty for all."""
    is_final: bool = False
    """Whether no further strategy is tried if this one returns something."""


def propose_value(problem: Problem, call: Call) -> list[Proposal]:
    """Return the proposals for an invalid value, starting with those that may be certain."""
    kind: Any = type(problem.got)
    for issue in problem.issues:
        found: list[Reading | Proposal] = []
        for find, is_final in _strategies_for(issue.constraint, kind):
            found += find(problem, issue, call)
            if found and is_final:
                break
        if found:
            return _ranked(found, problem, call)
    return []


@lru_cache(maxsize=256)
def _strategies_for(constraint: str, kind: type) -> list[tuple[Find, bool]]:
    """Return the strategies for a broken constraint and a value's Python type, and whether each of them is final."""
    return [
        (strategy.find, strategy.is_final)
        for strategy in STRATEGIES
        if (not strategy.constraints or constraint in strategy.constraints)
        and (not strategy.kinds or kind in strategy.kinds)
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


def _another_call(problem: Problem, _issue: ValidationIssue, call: Call) -> Found:
    """Return a sentence if the value is a call to another tool, or refers to the result of one."""
    got = problem.got
    if problem.secret or not isinstance(got, (dict, str)) or not got:
        return ()
    if (name := _called(got, call.tools)) is not None:
        return [Proposal(order=f"call {choice(name)} first, then send its result here")]
    if isinstance(got, str) and len(got) <= MAX_REFERENCE and _is_reference(got, problem.constraint):
        return [Proposal(order=f"send the value itself, not a reference to a result, {shown(got)}")]
    return ()


def _is_reference(got: str, constraint: str) -> bool:
    if got[0] in "${<" and _TEMPLATE.fullmatch(got) is not None:
        return True
    return constraint == "type" and _RESULT.fullmatch(got) is not None


def _called(value: dict[Any, Any] | str, tools: Collection[str]) -> str | None:
    """Return the tool that a value calls.

    The value may be `{tool: {}}`, an object with the tool's name, or the string `tool()`.
    """
    if isinstance(value, str):
        if "(" in value and len(value) <= MAX_WRITTEN:
            match = _WRITTEN.fullmatch(value.strip())
        else:
            match = None
        if match is not None and match[1] in tools:
            return match[1]
        return None
    holders = [k for k, v in value.items() if isinstance(k, str) and isinstance(v, dict)]
    if len(value) == 1:
        return next((key for key in holders if key in tools), None)
    named = next((value[key] for key in TOOL_NAMES if isinstance(value.get(key), str)), None)
    if named in tools and any(map(holds_arguments, holders)):
        return named
    return None


def _no_value(problem: Problem, issue: ValidationIssue, _call: Call) -> Found:
    """Return a correction for a value that means "no value".

    The key is removed if the field is optional, or the value becomes null if the field accepts null.
    """
    got = problem.got
    if got is None and problem.is_optional():
        return [Reading("remove", certain=issue.constraint in ("type", "enum", "const"))]
    is_empty = got in ("", [], {}) and not isinstance(got, bool)
    if not is_empty and not says_nothing(got):
        return ()
    if problem.lists_values() and any(r.certain for r in readings_of_choice(got, problem.allowed())):
        return ()  # "none" may be an allowed value
    if problem.node.nullable and not is_empty:
        return [Reading("set", None, False)]
    if problem.is_optional():
        return [Reading("remove", certain=False)]
    return ()


def _other_type(problem: Problem, issue: ValidationIssue, _call: Call) -> Found:
    node, got, wanted = problem.node, problem.got, problem.types_in(issue)
    if isinstance(got, str) and (not node.types or "string" in node.types):
        return ()
    return readings_of(node, got, wanted, last_key(problem.path))


def _other_branch(problem: Problem, _issue: ValidationIssue, _call: Call) -> Found:
    """Return what the value may mean in those branches of a union that do not list their values."""
    found = []
    for branch in problem.other_branches():
        found += readings_of(branch, problem.got, branch.types, last_key(problem.path))
    return [reading._replace(certain=False, whole=True) for reading in found]


def _list_as_text(problem: Problem, _issue: ValidationIssue, _call: Call) -> Found:
    """Return the whole list if its text was sent as the list's only item."""
    got, items, types = problem.got, problem.location.value, problem.node.types
    if not isinstance(items, list) or len(items) != 1 or "array" in types:
        return ()
    value = parsed_container(got)
    if isinstance(value, list) and all(admits(types, json_type(v)) for v in value):
        return [Reading("set", value, above=1)]
    return ()


def _allowed_value(problem: Problem, _issue: ValidationIssue, _call: Call) -> Found:
    found = readings_of_choice(problem.got, problem.allowed())
    if isinstance(problem.got, list):
        node = problem.node
        found += readings_of(node, problem.got, node.types or ("string",), last_key(problem.path))
    return found


def _form(problem: Problem, _issue: ValidationIssue, _call: Call) -> Found:
    """Return a string without the quotes around it, or a date and time in the form of RFC 3339."""
    got = problem.got
    if len(got) > MAX_ECHO:
        return ()
    quoted = _QUOTED.fullmatch(got)
    if quoted is not None:
        text = quoted[2]
    else:
        text = got
    if text == got:
        text = written_time(got, problem.node.first("format", str) or "") or got
    if text == got:
        return ()
    return [Reading("set", text)]


def written_time(text: str, name: str) -> str | None:
    """Return a date or time in the given format; None if the string is not an ISO 8601 date or time.

    A time without a zone is taken as UTC.

    >>> written_time("2026-05-01 10:00", "date-time"), written_time("20260501", "date"), written_time("May 1", "date")
    ('2026-05-01T10:00:00Z', '2026-05-01', None)
    """
    text = text.strip()
    try:
        if name == "date":
            return date.fromisoformat(text[:10]).isoformat()
        if name == "time":
            return _in_utc(time.fromisoformat(text))
        if name == "date-time":
            return _in_utc(datetime.fromisoformat(text))
        return None
    except ValueError:
        return None


def _in_utc(moment: datetime | time) -> str:
    written = moment.isoformat().replace("+00:00", "Z")
    if moment.tzinfo is not None:
        return written
    return f"{written}Z"


def _several(problem: Problem, _issue: ValidationIssue, call: Call) -> Found:
    """Return a question that asks whether each value in a list was meant for a separate call."""
    got, path = problem.got, problem.path
    is_member = path != () and isinstance(path[-1], str) and not holds_free_text(path[-1])
    if call.check is None or not is_member or not 2 <= len(got) <= MAX_CALLS:
        return ()
    if not all(type(value) in _SCALARS and _is_valid(problem, call, value) for value in got):
        return ()
    each = "each value"
    if not problem.secret:
        each = f"each of {', '.join(map(shown, got[:MAX_CALLS_SHOWN]))}{', …' if len(got) > MAX_CALLS_SHOWN else ''}"
    sentence = f"one value a call: did you mean a separate call for {each}"
    return [Proposal((Edit("set", path, None, got[0]),), question=sentence)]


def _is_valid(problem: Problem, call: Call, value: Any) -> bool:
    try:
        alone = apply_edits(call.payload, [Edit("set", problem.path, None, value)])
    except ValueError:
        return False
    length = len(problem.path)
    return all(issue.path[:length] != problem.path for issue in call.issues_of(alone))


_CHOICE = ("enum", "const")
STRATEGIES = (
    Strategy("another call, or its result", (), _another_call, (str, dict), is_final=True),
    Strategy("no value", (), _no_value, (str, list, dict, type(None)), is_final=True),
    Strategy("the list as its item's text", ("type",), _list_as_text, (str,)),
    Strategy("a value of another type", ("type",), _other_type),
    Strategy("a value of another branch", _CHOICE, _other_branch),
    Strategy("an allowed value", _CHOICE, _allowed_value),
    Strategy("a text in another form", ("format", "pattern"), _form, (str,)),
    Strategy("values of several calls", ("type", *_CHOICE, "anyOf", "oneOf"), _several, (list,)),
)
"""The strategies in the order in which their readings are tried."""
