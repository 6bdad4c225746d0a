"""One short sentence per kind of problem: what is wrong, and what to send.

What is certain is ordered ("send", "rename", "put"); what is not is asked ("did you mean", "if you meant").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.hints.expected import (
    MAX_LISTED,
    MAX_NAMED,
    description_of,
    summary_of,
    with_article,
)
from toolgen_runtime.hints.key_advice import missing, unknown
from toolgen_runtime.hints.limit_advice import LIMITS, echo, other, union_of
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import Sentence, choices, clean, compact, form_of, says_nothing, shown
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, revealed

_INFORMATIVE = re.compile(
    r"\d|e\.g|example|format|ISO|YYYY|such as|percent|prefix|must|[<{].+[>}]", re.IGNORECASE
)
"""What a description has in it that can help with a wrong value."""
_EXPLAINED = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format")
)
_NUMERIC = frozenset(("integer", "number"))
_KINDS = {"integer": "integers", "number": "numbers", "boolean": "booleans", "string": "strings"}


def advice(problem: Problem, near: Sequence[Any]) -> Sentence:
    """Return the sentence for a problem; `near` are the allowed values or valid keys to name."""
    if problem.said:
        return Sentence(problem.said, asks=problem.asks, orders=True)
    if problem.missing or problem.unknown:
        then = problem.then
        about_value = None
        if then is not None:
            about_value = advice(then, () if problem.missing else then.node.allowed)
            if problem.missing:  # whose line ends in the description
                about_value = about_value._replace(description="")
        return missing(problem, about_value) if problem.missing else unknown(problem, near, about_value)
    found = _about_value(problem, near)
    if problem.reading is not None or problem.reads_choice() or not _is_explained(problem):
        return found
    return found._replace(description=problem.node.memo("explanation", _explanation))


def _explanation(node: SchemaNode) -> str:
    """Return a place's description, if there is anything in it that can help with a wrong value; `""` else."""
    described = description_of(node)
    return described if described is not None and _INFORMATIVE.search(described) else ""


def _is_explained(problem: Problem) -> bool:
    """Whether a description can help: a value of the right kind is not the right one, or has the wrong notation."""
    got, types = problem.got, problem.node.types
    if isinstance(got, (dict, list, bool)) or got is None or got == "":
        return False
    if problem.constraint != "type":
        return problem.constraint in _EXPLAINED
    return ("string" in types) if isinstance(got, (int, float)) else bool(_NUMERIC.intersection(types))


def _about_value(problem: Problem, near: Sequence[Any]) -> Sentence:
    if problem.constraint == "anyOf":
        return Sentence(union_of(problem, problem.issues[0]))
    constraints: set[str] = set()
    for issue in problem.issues:
        constraint = issue.constraint
        if constraint == "type":
            return _with_list(_type(problem, issue), problem, near)
        if constraint == "not" and issue.expected == {}:
            return Sentence("not allowed here: leave it out if it is not needed")
        constraints.add(constraint)
    if "enum" in constraints or "const" in constraints:
        return _not_among(problem, near)
    reading = problem.reading
    if reading is not None and reading.certain and reading.op == "set" and isinstance(reading.value, str):
        return Sentence(f"send {_value(problem, reading)}{_not_that(problem)}", orders=True)
    issues = problem.issues[:3]
    if len(issues) > 1 and any(issue.constraint == "format" for issue in issues):
        issues = [issue for issue in issues if issue.constraint != "pattern"]
    parts = [LIMITS.get(issue.constraint, other)(problem, issue) for issue in issues]
    return _or(problem, "; ".join(dict.fromkeys(parts)))


def _or(problem: Problem, core: str, *, orders: bool = False) -> Sentence:
    """Return what is wrong, and the question for the likely value, if there is one."""
    guess = _guess(problem)
    return Sentence(f"{core}: did you mean {guess}", asks=True) if guess else Sentence(core, orders=orders)


def _with_list(sentence: Sentence, problem: Problem, near: Sequence[Any]) -> Sentence:
    """Return a sentence with the allowed values."""
    if not near:
        return sentence
    few = summary_of(problem.node).allowed_values if near is problem.node.allowed else near
    first = choices((few or ())[:MAX_NAMED]) + (", …" if len(near) > MAX_NAMED else "")
    return sentence._replace(label="Allowed", listed=_listed(problem, near), few=first)


# -- types --------------------------------------------------------------------------------------------------


def _type(problem: Problem, issue: ValidationIssue) -> Sentence:
    node, got, expected = problem.node, revealed(issue.got), issue.expected
    if isinstance(expected, str):
        wanted: tuple[Any, ...] = (expected,)
    else:
        wanted = tuple(expected) if isinstance(expected, (list, tuple)) else node.types
    named = summary_of(node).wanted if wanted == node.types else _wanted(wanted)
    if got is None:
        return _for_null(problem, named)
    if not wanted or not named:
        return Sentence(f"{echo(problem)} is of the wrong type")
    reading = problem.reading
    if reading is not None and reading.certain:
        return Sentence(_certain(problem, reading, named), orders=True)
    if reading is not None and says_nothing(got):
        return _for_no_value(problem, reading, named)
    if reading is None:
        return Sentence(f"send {named}{_not_that(problem)}", orders=True)
    to_text = reading.op == "set" and isinstance(reading.value, str) and wanted == ("string",)
    if to_text and not problem.group and not problem.secret:
        return Sentence(f"did you mean the string {shown(reading.value)}", asks=True)
    return _or(problem, f"must be {named}{_not_that(problem)}")


def _for_null(problem: Problem, named: str) -> Sentence:
    reading = problem.reading
    if reading is None or reading.op != "remove":
        return Sentence(
            f"send {named}, not null" if named else "null is of the wrong type", orders=bool(named)
        )
    keep = "" if reading.certain else " to keep it as it is"
    return Sentence(f"leave it out{keep}, or send {named or 'a value'}, not null")


def _for_no_value(problem: Problem, reading: Reading, named: str) -> Sentence:
    """For `""`, `"null"` and the like: leave it out, or send null, but only if that was meant."""
    if reading.op != "remove":
        core = f"must be {named}{_not_that(problem)}: did you mean {compact(reading.value)}"
        return Sentence(core, asks=True)
    null = "send null or leave it out" if problem.node.nullable else "leave it out"
    return Sentence(f"{null} if you have none, else send {named}", orders=True)


def _certain(problem: Problem, reading: Reading, named: str) -> str:
    """Return the sentence that orders the one reading; of items that share a line, each its own."""
    kind = json_type(reading.value)
    if problem.group:
        return _certain_for_each(problem, kind, named)
    inner = "" if problem.secret else compact(reading.value)
    if reading.op == "wrap":
        return f"send {named}{f': [{inner}]' if inner else ', with this as its item'}"
    if reading.op == "unwrap":
        around = "a list" if isinstance(problem.got, list) else "an object around it"
        form = "" if problem.secret else form_of(reading.value, problem.node)
        return f"send the {kind} itself, not {around}{f': {form}' if form else ''}"
    if kind in ("object", "array"):
        return f"send the {kind} itself, not a JSON string{f': {inner}' if inner else ''}"
    if isinstance(problem.got, str):
        return (
            f"send {inner}, not the string {shown(problem.got)}" if inner else f"send {named}, not a string"
        )
    return f"send {inner}{_not_that(problem)}" if inner else f"send {named}"


def _certain_for_each(problem: Problem, kind: str, named: str) -> str:
    was = {"str": "strings", "int": "numbers", "list": "lists", "dict": "objects"}.get(
        type(problem.got).__name__
    )
    not_those = f", not {was}" if was else ""
    readings = [p.reading for p in problem.group if p.reading is not None]
    if readings[0].op == "set" and kind in _KINDS and not problem.secret:
        values = [compact(r.value) for r in readings]
        listed = f": {', '.join(values)}" if len(values) <= 3 and all(values) else ""
        return f"send {_KINDS[kind]}{not_those}{listed}"
    if readings[0].op == "set":
        return f"send each as {named}, not a JSON string"
    if readings[0].op == "wrap":
        return f"send each as {named}: in a list of its own"
    return f"send each as {named}, without the list around it"


def _guess(problem: Problem) -> str:
    """Return the likely value, or two that are as likely; `""` for none, or where the sentence names it."""
    reading = problem.reading
    if reading is None or reading.certain or problem.secret or reading.op == "remove":
        return ""
    if problem.constraint in ("minimum", "maximum") and any(
        reading.value == i.expected for i in problem.issues
    ):
        return ""
    values = [_value(p, p.reading) for p in problem.group[:20] if p.reading is not None]
    if len(set(values)) > 1:
        return ", ".join(values) if len(problem.group) <= 3 and all(values) else ""
    texts = [
        _value(problem, r) for r in (reading, reading._replace(value=reading.other)) if r.value is not MISSING
    ]
    return " or ".join(texts) if all(texts) else ""


def _value(problem: Problem, reading: Reading) -> str:
    """Return what would be sent, of long objects and lists the form; `""` where that is too long, too."""
    value = [reading.value] if reading.op == "wrap" else reading.value
    return shown(value) if isinstance(value, str) else compact(value) or form_of(value, problem.node)


def _not_that(problem: Problem) -> str:
    """Return what was sent, to end a sentence with; `""` where it is not known."""
    return "" if problem.got is MISSING else f", not {echo(problem)}"


def _listed(problem: Problem, near: Sequence[Any]) -> str:
    """Return the allowed values: all of them, if they are short together, else those nearest."""
    if near is problem.node.allowed:
        return summary_of(problem.node).listed
    listed = choices(near)
    return listed if len(listed) <= 2 * MAX_LISTED else choices(near[:MAX_NAMED]) + ", …"


def _wanted(names: tuple[Any, ...]) -> str:
    kept = [with_article(clean(str(n)[:20])) for n in names if n != "null"] or ["null"]
    return " or ".join(kept)


# -- values -------------------------------------------------------------------------------------------------


def _not_among(problem: Problem, near: Sequence[Any]) -> Sentence:
    reading = problem.reading
    if problem.got is None and reading is not None:
        return _with_list(_for_null(problem, "one of these"), problem, near)
    if reading is not None and reading.op == "remove":
        core = f"{echo(problem)} is not allowed, leave it out if you have none"
        return _with_list(Sentence(core), problem, near)
    one = not problem.group or problem.did_you_mean is not None
    if reading is not None and reading.certain and not problem.secret and one:
        return Sentence(f"send {shown(reading.value)}{_not_that(problem)}", orders=True)
    if len(near) == 1:
        only = shown(near[0])
        return Sentence(
            f"only {only} is allowed"
            if problem.got is MISSING
            else f"{echo(problem)} is not allowed, only {only} is"
        )
    core = f"{echo(problem)} is not allowed"
    found = Sentence(core)
    if problem.did_you_mean is not None:
        found = Sentence(f"{core}: did you mean {shown(problem.did_you_mean)}", asks=True)
    return _with_list(found, problem, near)
