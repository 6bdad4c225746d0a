"""One short sentence per kind of problem: what is wrong, and what to send."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from toolgen_runtime.hints.expected import MAX_NAMED, expects, number, pattern_of, summary_of, type_of
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import choice, choices, clean, compact, name_shown, prose, shown
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, key_text, revealed

MAX_GOTS = 100
MAX_REPORTED = 160
"""Characters of another program's sentence."""
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]{1,2})?")

FORMAT_SAMPLES = {
    "date-time": "2024-01-02T03:04:05Z",
    "date": "2024-01-02",
    "time": "03:04:05Z",
    "duration": "P1DT2H",
    "email": "user@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/page",
    "url": "https://example.com/page",
    "uri-reference": "/page",
    "iri": "https://example.com/page",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "json-pointer": "/a/b",
    "regex": "^a+$",
}
"""A text that each format admits."""


def advice(problem: Problem, near: Sequence[Any]) -> str:
    """Return the sentence for a problem; `near` are the allowed values or valid keys to name, capped."""
    if problem.missing:
        return _missing(problem)
    if problem.unknown:
        return _unknown(problem, near)
    if problem.constraint == "anyOf":
        return _forms(problem, problem.issues[0]) + "."
    for issue in problem.issues:
        constraint = issue.constraint
        if constraint == "type":
            return _type(problem, issue, near)
        if constraint == "not" and issue.expected == {}:
            return "not allowed here: leave it out."
    if any(issue.constraint in ("enum", "const") for issue in problem.issues):
        return _not_among(problem, near)
    parts = [_LIMIT.get(issue.constraint, _other)(problem, issue) for issue in problem.issues[:3]]
    return "; ".join(dict.fromkeys(parts)) + "."


def _echo(problem: Problem) -> str:
    """The offending value, or a word for it where it is secret or not known; of items that share a line up to three."""
    if problem.secret or problem.got is MISSING:
        return "the value"
    if not problem.group:
        return shown(problem.got)
    texts = list(dict.fromkeys(shown(f.got) for f in problem.group[:MAX_GOTS]))
    return ", ".join(texts[:3]) + (", …" if len(texts) > 3 or len(problem.group) > MAX_GOTS else "")


# -- keys ---------------------------------------------------------------------------------------------------


def _missing(problem: Problem) -> str:
    if problem.siblings:
        parts = [_with_type(f) for f in problem.siblings[:MAX_NAMED]]
        more = len(problem.siblings) - len(parts)
        return f"{', '.join(parts)}{f', +{more} more' if more else ''}."
    if problem.rename_from is None:
        return ""
    old, new = name_shown(problem.rename_from), name_shown(key_text(problem.path[-1]))
    if problem.rename_sure:
        return f"Rename {old} to {new}."
    return f"{old} is not a field: rename it if you meant {new}."


def _with_type(problem: Problem) -> str:
    kind = type_of(problem.node)
    return choice(key_text(problem.path[-1])) + (f" ({kind})" if kind else "")


def _unknown(problem: Problem, near: Sequence[Any]) -> str:
    if problem.did_you_mean is not None:
        return f"not a field: rename it to {name_shown(problem.did_you_mean)}."
    if near:
        return f"not a field: remove it. Fields: {choices(near)}."
    return "not a field: remove it."


# -- types --------------------------------------------------------------------------------------------------


def _type(problem: Problem, issue: ValidationIssue, near: Sequence[Any]) -> str:
    node, got, expected = problem.node, revealed(issue.got), issue.expected
    if isinstance(expected, str):
        wanted: tuple[Any, ...] = (expected,)
    else:
        wanted = tuple(expected) if isinstance(expected, (list, tuple)) else node.types
    named = summary_of(node).wanted if wanted == node.types else _wanted(wanted)
    if not wanted:
        named = ""
    allowed = f" Allowed: {_listed(problem, near)}." if near else ""
    if got is None:
        optional = problem.path and problem.path[-1] not in problem.location.node.required
        if optional and not isinstance(problem.path[-1], int):
            return f"null: leave it out or send {named}.{allowed}"
        return f"send {named}, not null.{allowed}"
    if isinstance(got, str):
        return _for_text(problem, got, wanted, named) + allowed
    if "array" in wanted and (text := _as_list(problem)):
        return f"send {named}: {text}."
    if not named:
        return f"{_echo(problem)} is of the wrong type.{allowed}"
    return f"send {named}{_not_that(problem)}.{allowed}"


def _not_that(problem: Problem) -> str:
    """What was sent, to end a sentence with; `""` where it is not known."""
    return "" if problem.got is MISSING else f", not {_echo(problem)}"


def _listed(problem: Problem, near: Sequence[Any]) -> str:
    return summary_of(problem.node).listed if near is problem.node.allowed else choices(near)


def _wanted(names: tuple[Any, ...]) -> str:
    kept = [clean(str(n)[:20]) for n in names if n != "null"] or ["null"]
    return " or ".join(kept)


def _for_text(problem: Problem, got: str, wanted: Sequence[str], named: str) -> str:
    """Texts that hold what was wanted: a JSON document, a number, a boolean, one item of a list."""
    secret = problem.secret
    head = got[:20].lstrip()[:1]
    if head == "[" or head == "{":
        kind = "array" if head == "[" else "object"
        if kind in wanted:
            inner = "" if secret else _inner(got, kind)
            return f"send {named}, not a JSON string{': ' + inner if inner else ''}."
    if not secret and len(got) < 24 and (inner := _scalar(got.strip().lower(), wanted)):
        return f"send {inner}, not the string {shown(got)}."
    if "array" in wanted and (text := _as_list(problem)):
        return f"send {named}: {text}."
    return f"send {named}, not {_echo(problem)}."


def _scalar(text: str, wanted: Sequence[str]) -> str:
    """The number or boolean that a text holds, if it was wanted; `""` where it holds none."""
    if text in ("true", "false"):
        return text if "boolean" in wanted else ""
    if not _NUMBER.fullmatch(text):
        return ""
    whole = text.lstrip("-").isdecimal()
    return text if "number" in wanted or ("integer" in wanted and whole) else ""


def _inner(text: str, kind: str) -> str:
    """The container that a short JSON text holds, compact; `""` where it holds none of that kind."""
    if len(text) > 60:
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return compact(value) if json_type(value) == kind else ""


def _as_list(problem: Problem) -> str:
    """A scalar that fits the items of the list it was sent for, as that list."""
    item = problem.node.child(ANY_ITEM)
    got = problem.got
    if problem.secret or isinstance(got, (dict, list)) or not item.types:
        return ""
    return (
        f"[{shown(got)}]"
        if admits(item.types, json_type(got)) and (not item.allowed or got in item.allowed)
        else ""
    )


# -- values -------------------------------------------------------------------------------------------------


def _not_among(problem: Problem, near: Sequence[Any]) -> str:
    echo = _echo(problem)
    if len(near) == 1:
        return f"send {shown(near[0])}{_not_that(problem)}."
    guess = f" Did you mean {shown(problem.did_you_mean)}?" if problem.did_you_mean is not None else ""
    return f"{echo} is not allowed.{guess}" + (f" Allowed: {_listed(problem, near)}." if near else "")


def _limit(template: str, limited: str, unit: str | None = None) -> Callable[[Problem, ValidationIssue], str]:
    """The sentence of a limit: what is wrong, then the limit, each only as far as it is known."""

    def say(problem: Problem, issue: ValidationIssue) -> str:
        got, limit = revealed(issue.got), issue.expected
        text = template.format(got=_echo(problem))
        if unit is not None and isinstance(got, (str, list, dict)):
            text = f"{text}: {len(got)}{unit}"
        return text if limit is None else text + limited.format(limit=_bound(limit))

    return say


def _bound(limit: Any) -> str:
    """A limit of the schema; texts of other validators may give anything for one."""
    return number(limit) if isinstance(limit, (int, float)) and not isinstance(limit, bool) else shown(limit)


def _pattern(problem: Problem, issue: ValidationIssue) -> str:
    text = issue.expected if isinstance(issue.expected, str) else ""
    line = (
        clean(text[:60]) + ("…" if len(text) > 60 else "")
        if text
        else pattern_of(problem.node) or "its pattern"
    )
    return f"{_echo(problem)} does not match {line}"


def _format(problem: Problem, issue: ValidationIssue) -> str:
    name = issue.expected if isinstance(issue.expected, str) else problem.node.first("format", str) or ""
    sample = FORMAT_SAMPLES.get(name)
    named = clean(name[:30])
    valid = f"a valid {named}" if named else "in the format that is asked for"
    return f"{_echo(problem)} is not {valid}" + (f", send e.g. {sample}" if sample else "")


def _forms(problem: Problem, issue: ValidationIssue) -> str:
    """A union of which no branch, or more than one, is met."""
    expected = issue.expected
    if issue.constraint == "oneOf" and isinstance(expected, tuple) and len(expected) == 2:
        a, b = (
            shown(e) if isinstance(e, str) else f"no. {e + 1}" if isinstance(e, int) else shown(e)
            for e in expected
        )
        return f"fits two forms at once ({a} and {b}), send what fits one only"
    forms = [t for union in problem.node.profiles for p in union if (t := expects(p.node))]
    return "fits none of the forms" + (f": {'; '.join(forms[:MAX_NAMED])}" if forms else "")


def _forbidden(problem: Problem, issue: ValidationIssue) -> str:
    rule = "" if issue.expected is None else compact(issue.expected, 60)
    return f"{_echo(problem)} is what the schema forbids" + (f": {rule}" if rule else "")


def _repeated(problem: Problem, issue: ValidationIssue) -> str:
    if issue.got is MISSING or problem.secret or isinstance(issue.got, (list, dict)):
        return "items repeat, send each once"
    return f"{shown(issue.got)} repeats, send each item once"


def _matching(problem: Problem, issue: ValidationIssue) -> str:
    wanted = expects(problem.node.schema.node([problem.node.first("contains", dict)], []))
    of_kind = f": {wanted}" if wanted else ""
    most, limit = issue.constraint == "maxContains", issue.expected
    if type(limit) is not int:
        return f"too {'many' if most else 'few'} of the items match{of_kind}"
    if most:
        return f"at most {number(limit)} items may match{of_kind}"
    return f"at least {number(limit)} of the items must match{of_kind}"


def _reported(problem: Problem, issue: ValidationIssue) -> str:
    """Another program's own sentence; what it says of a secret may quote it."""
    if problem.secret or not isinstance(issue.expected, str):
        return "the value was not accepted"
    return f'the error says "{prose(issue.expected.replace(chr(34), chr(39)), MAX_REPORTED)}"'


def _other(problem: Problem, issue: ValidationIssue) -> str:
    return f"{_echo(problem)} breaks {clean(issue.constraint[:30])}" + (
        f", send {e}" if (e := expects(problem.node)) else ""
    )


_LIMIT: dict[str, Callable[[Problem, ValidationIssue], str]] = {
    "minimum": _limit("{got} is too small", ", min {limit}"),
    "maximum": _limit("{got} is too large", ", max {limit}"),
    "exclusiveMinimum": _limit("{got} is too small", ", send more than {limit}"),
    "exclusiveMaximum": _limit("{got} is too large", ", send less than {limit}"),
    "multipleOf": _limit("{got} is not a multiple", " of {limit}"),
    "minLength": _limit("too short", ", min {limit}", " characters"),
    "maxLength": _limit("too long", ", max {limit}", " characters"),
    "minItems": _limit("too few items", ", min {limit}", ""),
    "maxItems": _limit("too many items", ", max {limit}", ""),
    "minProperties": _limit("too few keys", ", min {limit}", ""),
    "maxProperties": _limit("too many keys", ", max {limit}", ""),
    "pattern": _pattern,
    "format": _format,
    "anyOf": _forms,
    "oneOf": _forms,
    "not": _forbidden,
    "uniqueItems": _repeated,
    "contains": _matching,
    "minContains": _matching,
    "maxContains": _matching,
    "reported": _reported,
}
