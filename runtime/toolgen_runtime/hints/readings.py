"""Propose readings of a wrong value; the check and the rules of `certainty` decide which one is used.

A wrong value may also mean calls: a list of values for several calls, another call, or a reference to its result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from toolgen_runtime.exports import loaded_late
from toolgen_runtime.hints.edits import Edit, Reading, apply_edits, last_key
from toolgen_runtime.hints.names import TOOL_NAMES, holds_arguments, words_of
from toolgen_runtime.hints.text import MAX_ECHO, choice, says_nothing, shown
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import ANY_ITEM, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.hints.problems import Call, Problem

_texts = loaded_late("toolgen_runtime.hints.texts")
_times = loaded_late("toolgen_runtime.hints.times")
_YEAR_2000 = 946_684_800
"""The start of the year 2000 as a Unix time."""
_SHARE = re.compile(
    r"percent|%|\bshare\b|\bratio\b|fraction|\b0(?:\.0)?\s*(?:-|to|and|\u2013)\s*1(?:\.0)?\b", re.IGNORECASE
)
_JSON_TEXT = re.compile(r"\bjson\b|stringified|serialized", re.IGNORECASE)
MAX_CALLS = 20
"""The most values that may each be a call."""
MAX_SHOWN = 3
MAX_TEXT = 200
"""The most characters of a reference to a result."""
_SCALARS = (str, bool, int, float)
_WRITTEN = re.compile(r"(?:functions?\.)?([\w.-]{1,64})\s*\(.*\)", re.DOTALL)
_TEMPLATE = re.compile(
    r"\$\{?[A-Za-z_][\w.\[\]-]*\}?|\{\{[^{}]*\}\}|<[^<>\s]*(?:result|output)[^<>]*>", re.IGNORECASE
)
_RESULT = re.compile(
    r"(?:\w+_)?(?:result|output|response)s?\d*(?:_(?:of|from)_\w+)?(?:[.\[][\w.\[\]:'\"-]*)?", re.IGNORECASE
)


def proposals(problem: Problem) -> Iterable[Reading]:
    """Return the readings of the value of a problem."""
    got, node = problem.got, problem.node
    for issue in problem.issues:
        constraint = issue.constraint
        if got is None and constraint in ("type", "enum", "const"):
            return [Reading("remove")] if problem.is_optional() else ()
        if constraint == "type":
            return _of_type(problem, issue)
        if constraint in ("enum", "const"):
            found: Iterator[Reading] = _texts().readings_of_choice(got, problem.allowed())
            if says_nothing(got) and problem.is_optional():
                return [r for r in found if r.certain] or [Reading("remove", certain=False)]
            return found
        if constraint in ("format", "pattern") and isinstance(got, str):
            return _times().readings_of_form(node, got) if len(got) <= MAX_ECHO else ()
        if constraint == "not" and issue.expected == {}:
            return [Reading("remove", certain=False)] if problem.is_member() else ()
        if constraint in ("minimum", "maximum"):
            return _within_limit(problem, issue)
    return ()


def _within_limit(problem: Problem, issue: ValidationIssue) -> Iterable[Reading]:
    """Yield the limit itself or, if a share was sent in percent, the share."""
    got, limit = problem.got, issue.expected
    if type(limit) not in (int, float) or type(got) not in (int, float):
        return
    is_share = issue.constraint == "maximum" and limit == 1 and 1 < got <= 100
    if is_share and _SHARE.search(f"{last_key(problem.path)} {problem.node.first('description', str) or ''}"):
        limit = got / 100
    yield Reading("set", limit, False)


def _of_type(problem: Problem, issue: ValidationIssue) -> Iterator[Reading]:
    node, got, wanted = problem.node, problem.got, problem.types_in(issue)
    if isinstance(got, str):
        if not node.types or "string" in node.types:
            return
        if says_nothing(got):
            optional = problem.is_optional()
            if node.nullable or optional:
                yield Reading("remove", certain=False) if optional else Reading("set", None, False)
                return
            if "array" not in wanted:
                return
        items, types = problem.location.value, node.types
        if got.lstrip()[:1] == "[" and isinstance(items, list) and len(items) == 1 and "array" not in types:
            value = _texts().parsed_container(got)  # the whole list was sent as the text of its only item
            if isinstance(value, list) and all(admits(types, json_type(v)) for v in value):
                yield Reading("set", value, above=1)
    yield from readings_of(node, got, wanted, last_key(problem.path))


def readings_of(node: SchemaNode, got: Any, wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Return the readings of a value that was sent instead of one of the types `wanted`; `name` is the field."""
    if isinstance(got, str):
        found: Iterator[Reading] = _texts().readings_of_text(node, got, wanted, name)
        return found
    if isinstance(got, list):
        return _of_list(node, got, wanted)
    if isinstance(got, dict):
        return _of_object(node, got, wanted, name)
    return _of_number(node, got, wanted, name)


def _of_number(node: SchemaNode, got: Any, wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield the readings of a number or boolean: a text, a boolean, one item of a list."""
    if "string" in wanted:
        is_time = type(got) in (int, float) and got >= _YEAR_2000
        if is_time and (time := _times().iso_time(node, got)) is not None:
            yield Reading("set", time, False)
            return
        if type(got) is float or (type(got) is int and got.bit_length() < 80):
            yield Reading("set", str(got), words_of(name)[-1:] == ("id",), whole=True)
    if "boolean" in wanted and type(got) is int and got in (0, 1):
        yield Reading("set", got == 1, False)
    if "array" in wanted and (types := node.child(ANY_ITEM).types) and admits(types, json_type(got)):
        yield Reading("wrap", got, whole=True)


def _of_list(node: SchemaNode, got: list[Any], wanted: Sequence[str]) -> Iterator[Reading]:
    """Yield the readings of a list sent instead of another value: its only item, an object by position, a JSON text."""
    if len(got) == 1:
        if admits(tuple(wanted), json_type(got[0])):
            yield Reading("unwrap", got[0], whole=True)
        if isinstance(text := got[0], str):
            choices = _texts().readings_of_choice(text, node.allowed) if node.allowed else None
            inner = next(choices or _texts().readings_of_text(node, text, wanted), None)
            if inner is not None and inner.op == "set":
                yield inner._replace(whole=True)
    elif "object" in wanted:
        members = _texts().by_position(node, got) if got else {}
        if members is not None:
            yield Reading("set", members, False, whole=bool(got))
    elif "string" in wanted and got and _JSON_TEXT.search(node.first("description", str) or ""):
        yield Reading("set", _dumped(got), False)


def _of_object(node: SchemaNode, got: dict[Any, Any], wanted: Sequence[str], name: str) -> Iterator[Reading]:
    """Yield the readings of an object sent instead of another value: a list item, its only member, a JSON text."""
    inner = next(iter(got.values())) if len(got) == 1 else None
    if "array" in wanted:
        item = node.child(ANY_ITEM)
        if got and got.keys() <= item.properties.keys() and admits(item.types, "object"):
            yield Reading("wrap", got, whole=not item.required <= got.keys())
        if isinstance(inner, list):
            yield Reading("unwrap", inner, whole=True)
    elif "string" in wanted and _JSON_TEXT.search(f"{name} {node.first('description', str) or ''}"):
        yield Reading("set", _dumped(got), False)
    elif inner is not None and not isinstance(inner, dict) and admits(tuple(wanted), json_type(inner)):
        yield Reading("unwrap", inner, False, whole=True)


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def stands_for_a_call(problem: Problem, tools: Collection[str]) -> bool:
    """Return whether a wrong value is another call or refers to its result; if so, set the problem's sentence."""
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
    """Return the tool that a value calls: as `{tool: {}}`, as an object with its name, or as the text `tool()`."""
    if isinstance(value, str):
        is_written = "(" in value and len(value) <= 10 * MAX_TEXT
        match = _WRITTEN.fullmatch(value.strip()) if is_written else None
        return match[1] if match is not None and match[1] in tools else None
    if len(value) == 1:
        ((key, inner),) = value.items()
        return key if isinstance(inner, dict) and isinstance(key, str) and key in tools else None
    named = next((value[key] for key in TOOL_NAMES if isinstance(value.get(key), str)), None)
    holds = any(isinstance(k, str) and holds_arguments(k) and isinstance(v, dict) for k, v in value.items())
    return named if named in tools and holds else None


def is_several(problem: Problem, call: Call) -> bool:
    """Return whether each value of a list is valid instead of the list; if so, set the problem's sentence and edit."""
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
