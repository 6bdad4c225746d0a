"""Write one short sentence per problem: what is wrong, and what to send.

A certain correction is an order ("send", "rename", "put"), any other a question ("did you mean", "if you meant").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.hints.expected import (
    MAX_LISTED,
    MAX_NAMED,
    summary_of,
    with_article,
)
from toolgen_runtime.hints.limit_advice import LIMITS, also_sent, echo, needed, not_fields, other, union_of
from toolgen_runtime.hints.problems import Problem, are_forms
from toolgen_runtime.hints.text import (
    Sentence,
    choices,
    clean,
    compact,
    name_shown,
    says_nothing,
    shown,
)
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, key_text

_EXPLAINED = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format")
)


def advice(problem: Problem, near: Sequence[Any]) -> Sentence:
    """Return the sentence for a problem; `near` are the allowed values or valid keys to name."""
    if problem.said:
        return Sentence(problem.said, asks=problem.asks, orders=True)
    if problem.missing:
        return _missing(problem)
    if problem.unknown:
        return _unknown(problem, near)
    found, explanation = _about_value(problem, near), summary_of(problem.node).explanation
    if not explanation or problem.reading is not None or problem.reads_choice() or not _is_explained(problem):
        return found
    return found._replace(description=explanation)


def _is_explained(problem: Problem) -> bool:
    """Return whether a description can help: a limit is broken, or a string was sent for a number or the reverse."""
    got, types = problem.got, problem.node.types
    if isinstance(got, (dict, list, bool)) or got is None or got == "":
        return False
    if problem.constraint != "type":
        return problem.constraint in _EXPLAINED
    return "string" in types if isinstance(got, (int, float)) else "integer" in types or "number" in types


def _missing(problem: Problem) -> Sentence:
    """Return the sentence of a missing field: the key sent in its place, or the alternatives."""
    if problem.rename_from is None:
        expected = problem.issues[0].expected
        forms = needed(expected) if are_forms(expected) else ""
        return Sentence("; ".join(filter(None, (forms, also_sent(problem.strays)))))
    old, new = name_shown(problem.rename_from), name_shown(key_text(problem.path[-1]))
    found = Sentence(f"rename {old} to {new}", asks=not problem.sure, orders=True)
    if problem.then is not None:  # the line ends in the description
        found = _with_its_value(found, problem, advice(problem.then, ())._replace(description=""), old, new)
    if problem.strays and not problem.sure:
        found = found._replace(description="", listed=f"You also sent: {not_fields(problem.strays)}")
    return found


def _unknown(problem: Problem, near: Sequence[Any]) -> Sentence:
    """Return the sentence of a key that is not a field; `near` are the valid keys to list."""
    if problem.did_you_mean is not None:
        name, then = name_shown(problem.did_you_mean), problem.then
        found = Sentence(f"not a field: rename it to {name}", asks=not problem.sure)
        if then is not None:
            found = _with_its_value(found, problem, advice(then, then.node.allowed), "", name)
        return found
    if problem.candidates:
        return Sentence(
            f"not a field: did you mean {' or '.join(map(name_shown, problem.candidates))}", asks=True
        )
    if not problem.edits:
        return Sentence("not a field", listed=f"Fields: {choices(near)}" if near else "")
    if problem.sure:
        return Sentence("not a field: remove it")
    unless = f"none of these: {choices(near)}" if near else "not needed"
    return Sentence(f"not a field: remove it if it is {unless}")


def _with_its_value(found: Sentence, problem: Problem, then: Sentence, old: str, new: str) -> Sentence:
    """Return the sentence of a rename joined with the one about the value; a short value is named directly."""
    inner, text = problem.then, ""
    if inner is not None and inner.reading is not None and not (inner.group or problem.group or inner.secret):
        text = compact(inner.reading.result()) if inner.reading.op in ("set", "wrap") else ""
    if text and old:
        return Sentence(f"send {new}: {text} instead of {old}", found.asks, orders=True)
    if text:
        return Sentence(f"not a field: did you mean {new}: {text}", asks=True)
    if then.orders and not found.asks:
        return then._replace(core=f"{found.core} and {then.core}", orders=found.orders)
    core = f"{found.core}{'?' if found.asks else '.'} {then.core[:1].upper()}{then.core[1:]}"
    return then._replace(core=core, orders=found.orders)


def _about_value(problem: Problem, near: Sequence[Any]) -> Sentence:
    constraint, issues, reading = problem.constraint, problem.issues, problem.reading
    if constraint == "anyOf":
        return Sentence(union_of(problem, issues[0]))
    constraints = [issue.constraint for issue in issues]
    if "type" in constraints:
        found = _type(problem, issues[constraints.index("type")])
        return _with_list(found, problem, near) if near else found
    if "not" in constraints and any(i.constraint == "not" and i.expected == {} for i in issues):
        return Sentence("not allowed here: leave it out if it is not needed")
    if "enum" in constraints or "const" in constraints:
        return _not_among(problem, near)
    if reading is not None and problem.sure and reading.op == "set" and isinstance(reading.value, str):
        return Sentence(_replaced(problem, reading.value), orders=True)
    if len(issues) == 1:
        return _or(problem, LIMITS.get(issues[0].constraint, other)(problem, issues[0]))
    issues = issues[:3]
    if "format" in constraints[:3]:
        issues = [issue for issue in issues if issue.constraint != "pattern"]
    parts = [LIMITS.get(issue.constraint, other)(problem, issue) for issue in issues]
    return _or(problem, "; ".join(dict.fromkeys(parts)))


def _or(problem: Problem, core: str) -> Sentence:
    """Return the sentence `core`, with a question that names the likely value if there is one."""
    guess = _guess(problem)
    if not guess:
        return Sentence(core)
    core = core.removeprefix(echo(problem)).removeprefix(" is").strip()  # the change names the value
    return Sentence(f"{core}: {_changed(problem, guess)}", True)


def _changed(problem: Problem, new: str) -> str:
    """Return the change of a value as `change "BUY" to "buy"`: the value to send comes last.

    Models follow this more often than "send X, not Y", which ends in the wrong value (docs/hint-quality.md).
    """
    if problem.secret or problem.got is MISSING or (isinstance(problem.got, (list, dict)) and problem.got):
        return f"send {new}"
    return f"change {echo(problem)} to {new}"


def _replaced(problem: Problem, value: Any) -> str:
    return _changed(problem, _value(value))


def _with_list(sentence: Sentence, problem: Problem, near: Sequence[Any]) -> Sentence:
    """Return a sentence with the allowed values: all if they are short together, else the most similar ones."""
    if near is problem.node.allowed:
        return Sentence(*sentence[:3], summary_of(problem.node).listed)
    text = choices(near)
    if len(text) > 2 * MAX_LISTED:
        text = choices(near[:MAX_NAMED]) + (", …" if len(near) > MAX_NAMED else "")
    return Sentence(*sentence[:3], f"Allowed: {text}" if near else "")


def _type(problem: Problem, issue: ValidationIssue) -> Sentence:
    node, got, reading = problem.node, problem.got, problem.reading
    wanted = problem.types_in(issue)
    named = summary_of(node).wanted if wanted == node.types else _wanted(wanted)
    if got is None:
        return _for_null(problem, named)
    if not named:
        return Sentence(f"{echo(problem)} is of the wrong type")
    if reading is None:
        return Sentence(f"send {named}{_not_that(problem)}", False, True)
    if problem.sure:
        return Sentence(_certain(problem, reading, named), False, True)
    if reading.op == "remove" and says_nothing(got):
        null = "send null or leave it out" if node.nullable else "leave it out"
        return Sentence(f"{null} if you have none, else send {named}", orders=True)
    to_text = reading.op == "set" and isinstance(reading.value, str) and wanted == ("string",)
    if to_text and not problem.group and not problem.secret:
        return Sentence(_replaced(problem, reading.value), True)
    guess = _guess(problem)
    return _or(problem, f"must be {named}" if guess else f"must be {named}{_not_that(problem)}")


def _for_null(problem: Problem, named: str) -> Sentence:
    reading = problem.reading
    if reading is None or reading.op != "remove":
        core = f"send {named}, not null" if named else "null is of the wrong type"
        return Sentence(core, orders=bool(named))
    keep = "" if problem.sure else " to keep it as it is"
    return Sentence(f"leave it out{keep}, or send {named or 'a value'}, not null")


def _certain(problem: Problem, reading: Reading, named: str) -> str:
    """Return the order to send the certain reading; for items that share a line, an order about each of them."""
    kind, got, op = json_type(reading.value), problem.got, reading.op
    if problem.group:
        return _certain_for_each(problem, kind, named)
    inner = "" if problem.secret else compact(reading.value)
    if op == "wrap":
        return f"send {named}{f': [{inner}]' if inner else ', with this as its item'}"
    if op == "unwrap":
        return f"send the {kind} itself, not {'a list' if isinstance(got, list) else 'an object around it'}"
    if kind in ("object", "array"):
        return f"send the {kind} itself, not a JSON string{f': {inner}' if inner else ''}"
    if inner:
        return _changed(problem, inner)
    return f"send {named}, not a string" if isinstance(got, str) else f"send {named}"


def _certain_for_each(problem: Problem, kind: str, named: str) -> str:
    readings = [p.reading for p in problem.group if p.reading is not None]
    if readings[0].op == "wrap":
        return f"send each as {named}: in a separate list"
    if readings[0].op == "unwrap":
        return f"send each as {named}, without the list around it"
    if kind in ("array", "object", "") or problem.secret:
        return f"send each as {named}, not a JSON string"
    was = {str: "strings", int: "numbers", list: "lists", dict: "objects"}.get(type(problem.got))
    values = [compact(r.value) for r in readings[:4]]
    listed = f": {', '.join(values)}" if len(values) <= 3 and all(values) else ""
    return f"send {kind}s{f', not {was}' if was else ''}{listed}"


def _guess(problem: Problem) -> str:
    """Return the likely value, or two equally likely ones; `""` if there are none or the sentence names it."""
    reading = problem.reading
    if reading is None or problem.sure or problem.secret or reading.op == "remove":
        return ""
    is_limit = problem.constraint in ("minimum", "maximum")
    if is_limit and any(reading.value == issue.expected for issue in problem.issues):
        return ""
    for_each = [_value(p.reading.result()) for p in problem.group[:20] if p.reading is not None]
    if len(set(for_each)) > 1:
        return ", ".join(for_each) if len(problem.group) <= 3 and all(for_each) else ""
    text = _value(reading.result())
    if reading.other is MISSING:
        return text
    other = _value(reading.other)
    return f"{text} or {other}" if text and other else ""


def _value(value: Any) -> str:
    """Return a value as text; `""` if it is too long."""
    return shown(value) if isinstance(value, str) else compact(value)


def _not_that(problem: Problem) -> str:
    """Return `, not VALUE` with the sent value, to end a sentence; `""` if the value is unknown."""
    return "" if problem.got is MISSING else f", not {echo(problem)}"


def _wanted(names: tuple[Any, ...]) -> str:
    return " or ".join(
        [with_article(clean(str(n)[:20])) for n in names if n != "null"] or ["null"][: len(names)]
    )


def _not_among(problem: Problem, near: Sequence[Any]) -> Sentence:
    reading, guess = problem.reading, problem.did_you_mean
    if problem.got is None and reading is not None:
        return _with_list(_for_null(problem, "one of these"), problem, near)
    core = f"{echo(problem)} is not allowed"
    if reading is not None and reading.op == "remove":
        return _with_list(Sentence(f"{core}, leave it out if you have none"), problem, near)
    one = not problem.group or guess is not None
    if reading is not None and problem.sure and not problem.secret and one:
        return Sentence(_replaced(problem, reading.value), False, True)
    if len(near) == 1:
        only = shown(near[0])
        return Sentence(f"only {only} is allowed" if problem.got is MISSING else f"{core}, only {only} is")
    found = Sentence(core) if guess is None else Sentence(_replaced(problem, guess), True)
    return _with_list(found, problem, near)
