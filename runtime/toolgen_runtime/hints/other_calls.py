"""Values that stand for calls: several values where one is asked for, another call, or a reference to its result."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from toolgen_runtime.hints.certainty import holds_arguments
from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.problems import Call, Problem
from toolgen_runtime.hints.text import choice, shown

MAX_CALLS = 20
"""Values of which each may be a call."""
MAX_SHOWN = 3
MAX_TEXT = 200
_SCALARS = (str, bool, int, float)
_NAMES = ("name", "tool", "tool_name", "function")
_WRITTEN = re.compile(r"(?:functions?\.)?([\w.-]{1,64})\s*\(.*\)", re.DOTALL)
_TEMPLATE = re.compile(
    r"\$\{?[A-Za-z_][\w.\[\]-]*\}?|\{\{[^{}]*\}\}|<[^<>\s]*(?:result|output)[^<>]*>", re.IGNORECASE
)
_RESULT = re.compile(
    r"(?:\w+_)?(?:result|output|response)s?\d*(?:_(?:of|from)_\w+)?(?:[.\[][\w.\[\]:'\"-]*)?", re.IGNORECASE
)


def stands_for_a_call(problem: Problem, tools: Collection[str]) -> bool:
    """Return whether a wrong value is another call or refers to its result; the problem then says what to do."""
    got = problem.got
    if problem.secret or problem.missing or problem.unknown or not isinstance(got, (dict, str)) or not got:
        return False
    if (name := _called(got, tools)) is not None:
        problem.said = f"call {choice(name)} first, then send its result here"
    elif (
        isinstance(got, str)
        and len(got) <= MAX_TEXT
        and (
            (got[0] in "${<" and _TEMPLATE.fullmatch(got) is not None)
            or (problem.constraint == "type" and _RESULT.fullmatch(got) is not None)
        )
    ):
        problem.said = f"send the value itself, not a reference to a result, {shown(got)}"
    return problem.said != ""


def _called(value: dict[Any, Any] | str, tools: Collection[str]) -> str | None:
    """Return the tool of which a value is a call, as an object under its name, with its name, or as it is written."""
    if isinstance(value, str):
        is_written = "(" in value and len(value) <= 10 * MAX_TEXT
        match = _WRITTEN.fullmatch(value.strip()) if is_written else None
        return match[1] if match is not None and match[1] in tools else None
    if len(value) == 1:
        ((key, inner),) = value.items()
        return key if isinstance(inner, dict) and isinstance(key, str) and key in tools else None
    named = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    holds = any(isinstance(k, str) and holds_arguments(k) and isinstance(v, dict) for k, v in value.items())
    return named if named in tools and holds else None


def is_several(problem: Problem, call: Call) -> bool:
    """Return whether a list holds values of which each is valid where one belongs; the problem then says so."""
    got = problem.got
    if not problem.path or type(problem.path[-1]) is int or not isinstance(got, list):
        return False
    if not 2 <= len(got) <= MAX_CALLS:
        return False
    if problem.constraint not in ("type", "enum", "anyOf", "oneOf"):
        return False
    if not all(type(value) in _SCALARS and _is_valid(problem, call, value) for value in got):
        return False
    values = "value" if problem.secret else ", ".join(map(shown, got[:MAX_SHOWN]))
    more = ", …" if len(got) > MAX_SHOWN and not problem.secret else ""
    problem.said = f"one value a call: call it once for each {'' if problem.secret else 'of '}{values}{more}"
    problem.edits = (Edit("set", problem.path, None, got[0]),)  # the first of the calls; never certain
    return True


def _is_valid(problem: Problem, call: Call, value: Any) -> bool:
    try:
        alone = apply_edits(call.payload, [Edit("set", problem.path, None, value)])
    except ValueError:
        return False
    length = len(problem.path)
    return all(issue.path[:length] != problem.path for issue in call.issues_of(alone))
