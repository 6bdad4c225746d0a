"""Write the sentence for a value of a wrong type, one that is not allowed, or one past a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.expected import (
    alternatives,
    has_list,
    listed_values,
    summary_of,
    with_article,
)
from toolgen_runtime.hints.grouping import field_text
from toolgen_runtime.hints.limit_advice import LIMITS, echo, other
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.proposals import Finding, Reading
from toolgen_runtime.hints.quoting import clean, compact, name_shown, shown, skeleton
from toolgen_runtime.hints.sentence import Sentence
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import MISSING

MAX_NEAR = 320
"""The most characters for all allowed values in a line; of longer ones, the most similar values are listed."""
_FOR_EACH = {"wrap": ", in a separate list", "unwrap": "", "set": ", not a JSON string"}


def about_value(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for a sent value that the schema does not allow."""
    problem, reading = finding.problem, finding.proposal.reading
    constraints = [issue.constraint for issue in problem.issues]
    if reading is not None and reading.op == "remove":
        return _left_out(finding, near)
    if "type" in constraints:
        return _type(finding)._replace(listed=_allowed(near) or _allowed_items(finding))
    guess = _guess(finding)
    if guess and finding.proposal.is_certain:
        return Sentence(_changed(finding, guess), orders=True)
    if "enum" in constraints or "const" in constraints:
        return _not_among(finding, near)
    parts = [LIMITS.get(issue.constraint, other)(finding, issue) for issue in problem.issues[:3]]
    return _or(finding, "; ".join(dict.fromkeys(parts)))


def _left_out(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for an optional field whose value is null or means "no value"."""
    problem = finding.problem
    remove, otherwise = f"remove the key {name_shown(problem.path[-1])}", "or"
    if problem.got is not None:
        remove, otherwise = f"{remove} if you have none", "else"
    wanted = _one_of(near) if near else _wanted(problem)
    core = remove
    if wanted:
        core = f"{remove}, {otherwise} send {wanted}"
    items = _allowed_items(finding)
    return Sentence(core, orders=True, short=remove, listed=items, subject=field_text(finding, above=1))


def _wanted(problem: Problem) -> str:
    """Return a description, with an article, of the values that a field accepts."""
    wanted, known = summary_of(problem.node).wanted, problem.node.types
    for issue in problem.issues:
        types = tuple([t for t in problem.types_in(issue) if t != "null"]) or problem.types_in(issue)
        if issue.constraint == "type" and types != known and (known or not wanted):
            return " or ".join([with_article(clean(name[:20])) for name in types])
    return wanted


def _or(finding: Finding, core: str) -> Sentence:
    """Return the sentence `core`. If there is a likely value, add a question that names it."""
    guess = _guess(finding)
    if not guess:
        return Sentence(core)
    core = core.removeprefix(echo(finding)).removeprefix(" is").strip()  # the change names the value
    return Sentence(f"{core}: {_changed(finding, guess)}", asks=True)


def _changed(finding: Finding, new: str) -> str:
    """Return the order to change a value, such as `change "BUY" to "buy"`. The value to send comes last.

    Models follow this order more often than "send X, not Y", which ends with the wrong value (docs/evidence.md).
    """
    got = finding.problem.got
    if isinstance(got, (list, dict)) and got:
        return f"send {new}"
    return f"change {echo(finding)} to {new}"


def _allowed(near: Sequence[Any]) -> str:
    """Return the allowed values after a label. If there are many, the list contains only the most similar values."""
    if near:
        return f"Allowed: {listed_values(near, longest=MAX_NEAR)}"
    return ""


def _allowed_items(finding: Finding) -> str:
    """Return the allowed values of an array's items after a label, unless the array to send is certain."""
    items = summary_of(finding.problem.node).items
    if not items or finding.proposal.is_certain:
        return ""
    return f"Allowed items: {items}"


def _one_of(near: Sequence[Any]) -> str:
    """Return the allowed values as JSON, which is how the model must write them."""
    return f"one of: {listed_values(near, shown, MAX_NEAR)}"


def _type(finding: Finding) -> Sentence:
    problem, reading = finding.problem, finding.proposal.reading
    wanted = _wanted(problem)
    if reading is not None and finding.proposal.is_certain:
        return Sentence(_certain(finding, reading, wanted), orders=True)
    guess, sent = _guess(finding), echo(finding)
    if isinstance(problem.got, str) and (said := _text_for(finding, wanted)):
        return Sentence(said, orders=True)
    if reading is not None and reading.value is None:
        null = "null"
        if problem.is_optional():
            null = "null or leave it out"
        return Sentence(f"send {null} if you have none, else send {wanted}", orders=True)
    if reading is None or not guess:
        if has_list(wanted):  # after a list, "not …" would look like one more value
            return Sentence(f"change {sent} to {wanted}", orders=True)
        if finding.group or isinstance(problem.got, (dict, list)):
            return Sentence(f"send {wanted}, not {sent}", orders=True)
        return Sentence(f"change {sent} to {wanted}", orders=True)
    if reading.op == "set" and isinstance(reading.value, str) and problem.node.types == ("string",):
        return Sentence(_changed(finding, guess), asks=True)
    return _or(finding, f"must be {wanted}")


def _text_for(finding: Finding, wanted: str) -> str:
    """Return the order for a field that got JSON as a string instead of an array or object.

    The order also says what is wrong with the JSON. If the value is long, the order shows its structure. If the value
    is short, return an empty string: another sentence asks whether the value is meant.
    """
    problem, reading = finding.problem, finding.proposal.reading
    value: Any = MISSING
    if reading is not None and isinstance(reading.value, list | dict):
        value = reading.value
    kinds = [kind for kind in ("array", "object") if kind in problem.node.types]
    if not kinds or problem.secret or compact(value):
        return ""
    from toolgen_runtime.hints.malformed.json_in_fields import describe_field

    said = describe_field(problem.got, kinds[0])
    if not said:
        return ""
    if value is MISSING:
        return f"send {wanted}, not a JSON string; {said}"
    return f"send the {kinds[0]} itself, not a JSON string: {skeleton(value, problem.node)}; {said}"


def _certain(finding: Finding, reading: Reading, wanted: str) -> str:
    """Return the order to send a value that is certain; for several items, the order to do so with each of them."""
    got, kind, op, guess = finding.problem.got, json_type(reading.value), reading.op, _guess(finding)
    is_json = isinstance(got, str) and kind in ("object", "array") and got.lstrip()[:1] not in "0123456789-"
    if finding.group and (is_json or op != "set"):
        return f"send each as {wanted}{_FOR_EACH[op]}"
    if finding.group:
        if kind == "integer" and "number" in finding.problem.node.types:
            kind = "number"
        order = f"send {kind}s, not {json_type(got)}s"
    elif op == "unwrap":
        around = "a list" if isinstance(got, list) else "an object around it"
        return f"send the {kind} itself, not {around}"
    elif op == "wrap":
        order = f"send {wanted}"
    elif is_json:
        order = f"send the {kind} itself, not a JSON string"
    else:
        return _changed(finding, guess or wanted)
    if guess:
        return f"{order}: {guess}"
    return order


def _guess(finding: Finding) -> str:
    """Return the likely value, or two equally likely values; an empty string if there are none or they are too long."""
    reading = finding.proposal.reading
    if reading is None or finding.problem.secret:
        return ""
    if finding.group:
        for_each = [_value(r.result()) for f in finding.group[:20] if (r := f.proposal.reading) is not None]
        differ = len(set(for_each)) > 1
        if differ and len(for_each) <= 3 and all(for_each):
            return ", ".join(for_each)
        if differ:
            return ""
    text = _value(reading.result())
    if not text:
        text = skeleton(reading.result(), finding.problem.node).removeprefix("…")
    if reading.other is MISSING:
        return text
    return f"{text} or {_value(reading.other)}"


def _value(value: Any) -> str:
    """Return a value as text; an empty string if it is too long."""
    if isinstance(value, str):
        return shown(value)
    return compact(value)


def _not_among(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for a value that is not one of the allowed values.

    It says "only" if the schema accepts no other value.
    """
    problem, guess = finding.problem, _guess(finding)
    if branches := problem.other_branches():
        values = problem.allowed()
        if problem.node.or_null:
            values = (*values, None)
        return _or(finding, f"must be {alternatives(branches, values)}")
    if guess:
        return Sentence(_changed(finding, guess), asks=True, listed=_allowed(near))
    core = f"{echo(finding)} is not allowed"
    if len(near) == 1:
        return Sentence(f"{core}, only {shown(near[0])} is")
    if not near or finding.group or isinstance(problem.got, (dict, list)):
        return Sentence(core, listed=_allowed(near))
    return Sentence(f"change {echo(finding)} to {_one_of(near)}", orders=True, short=core)
