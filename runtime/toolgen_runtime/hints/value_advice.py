"""Write the sentence for a value of a wrong type, one that is not allowed, or one past a limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolgen_runtime.hints.expected import MAX_LISTED, MAX_NAMED, listed_values, summary_of, with_article
from toolgen_runtime.hints.grouping import field_text
from toolgen_runtime.hints.limit_advice import LIMITS, echo, other
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.proposals import Finding, Reading
from toolgen_runtime.hints.quoting import choices, clean, compact, name_shown, shown, skeleton
from toolgen_runtime.hints.sentence import Sentence
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import MISSING

_PLURALS = {str: "strings", int: "numbers", float: "numbers", list: "lists", dict: "objects"}


def about_value(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for a sent value that the schema does not allow."""
    problem, proposal = finding.problem, finding.proposal
    reading = proposal.reading
    constraints = [issue.constraint for issue in problem.issues]
    if reading is not None and reading.op == "remove":
        return _left_out(finding, near)
    if "type" in constraints:
        return _with_list(_type(finding), near)
    if "enum" in constraints or "const" in constraints:
        return _not_among(finding, near)
    if problem.constraint == "anyOf":  # the issue is that of one of its forms
        return _or(finding, LIMITS["anyOf"](finding, problem.issues[0]))
    if reading is not None and proposal.is_certain and isinstance(reading.value, str):
        return Sentence(_changed(finding, shown(reading.value)), orders=True)
    issues = problem.issues[:3]
    if "format" in constraints:
        issues = tuple([issue for issue in issues if issue.constraint != "pattern"])
    parts = [LIMITS.get(issue.constraint, other)(finding, issue) for issue in issues]
    return _or(finding, "; ".join(dict.fromkeys(parts)))


def _left_out(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for an optional field whose value is null or means "no value"."""
    problem = finding.problem
    remove = f"remove the key {name_shown(problem.path[-1])}"
    if near:
        named = f"one of: {_listing(near, _quoted)}"
    else:
        named = _named(problem)
    if problem.got is None:
        core = f"{remove}, or send {named}"
    else:
        remove = f"{remove} if you have none"
        core = remove
        if named:
            core = f"{remove}, else send {named}"
    return Sentence(core, orders=True, short=remove, subject=field_text(finding, above=1))


def _named(problem: Problem) -> str:
    """Return a description, with an article, of the values that a field accepts."""
    node = problem.node
    types = node.types
    for issue in problem.issues:
        if issue.constraint == "type":
            types = problem.types_in(issue)
            break
    if types == node.types:
        return summary_of(node).wanted
    return " or ".join([with_article(clean(str(name)[:20])) for name in types if name != "null"])


def _or(finding: Finding, core: str) -> Sentence:
    """Return the sentence `core`. If there is a likely value, add a question that names it."""
    guess = _guess(finding)
    if not guess:
        return Sentence(core)
    core = core.removeprefix(echo(finding)).removeprefix(" is").strip()  # the change names the value
    return Sentence(f"{core}: {_changed(finding, guess)}", True)


def _changed(finding: Finding, new: str) -> str:
    """Return the order to change a value, such as `change "BUY" to "buy"`. The value to send comes last.

    Models follow this order more often than "send X, not Y", which ends with the wrong value (docs/evidence.md).
    """
    is_filled = isinstance(finding.problem.got, (list, dict)) and finding.problem.got
    if is_filled:
        return f"send {new}"
    return f"change {echo(finding)} to {new}"


def _with_list(sentence: Sentence, near: Sequence[Any]) -> Sentence:
    """Return a sentence and the allowed values.

    If the list is long, it contains only the most similar values.
    """
    if not near:
        return sentence
    return sentence._replace(listed=f"Allowed: {_listing(near, choices)}")


def _listing(near: Sequence[Any], write: Callable[[Sequence[Any]], str]) -> str:
    """Return all values, formatted by `write`, if the list is short; otherwise return the first ones."""
    text = write(near)
    if len(text) > 2 * MAX_LISTED and len(near) > MAX_NAMED:
        return f"{write(near[:MAX_NAMED])}, …"
    return text


def _quoted(values: Sequence[Any]) -> str:
    """Return values as JSON, which is how the model must write them. A `…` is left as it is."""
    return ", ".join(v if v == "…" else shown(v) for v in values)


def _type(finding: Finding) -> Sentence:
    problem, proposal = finding.problem, finding.proposal
    reading, named = proposal.reading, _named(problem)
    if reading is not None and proposal.is_certain:
        return Sentence(_certain(finding, reading, named), orders=True)
    if isinstance(problem.got, str) and (said := _text_for(finding, named)):
        return Sentence(said, orders=True)
    if reading is None:
        return Sentence(_to_type(finding, named), orders=True)
    if reading.value is None:
        none = "send null or leave it out" if problem.is_optional() else "send null"
        return Sentence(f"{none} if you have none, else send {named}", orders=True)
    guess = _guess(finding)
    if not guess:
        return Sentence(f"must be {named}, not {echo(finding)}")
    if reading.op == "set" and isinstance(reading.value, str) and problem.node.types == ("string",):
        return Sentence(_changed(finding, guess), asks=True)
    return _or(finding, f"must be {named}")


def _to_type(finding: Finding, named: str) -> str:
    """Return the order to send a value of another type.

    The value that was sent comes last if it is an object or a list, or if the line is about several values.
    """
    if finding.group or isinstance(finding.problem.got, (dict, list)):
        return f"send {named}, not {echo(finding)}"
    return f"change {echo(finding)} to {named}"


def _text_for(finding: Finding, named: str) -> str:
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
        return f"send {named}, not a JSON string; {said}"
    return f"send the {kinds[0]} itself, not a JSON string: {skeleton(value, problem.node)}; {said}"


def _certain(finding: Finding, reading: Reading, named: str) -> str:
    """Return the order to send a value that is certain.

    If several items share the line, the order is about each of them.
    """
    problem = finding.problem
    kind, op = json_type(reading.value), reading.op
    if finding.group:
        return _certain_for_each(finding, kind, named)
    if problem.secret:
        inner = ""
    else:
        inner = compact(reading.value)
    if op == "wrap":
        if inner:
            return f"send {named}: [{inner}]"
        return f"send {named}, with this as its item"
    if op == "unwrap":
        around = "a list" if isinstance(problem.got, list) else "an object around it"
        return f"send the {kind} itself, not {around}"
    is_json = isinstance(problem.got, str) and problem.got.lstrip()[:1] not in "0123456789-"
    if kind not in ("object", "array") or not is_json:
        return _changed(finding, inner or named)
    if not inner and not problem.secret:
        inner = skeleton(reading.value, problem.node)
    return f"send the {kind} itself, not a JSON string" + (f": {inner}" if inner else "")


def _certain_for_each(finding: Finding, kind: str, named: str) -> str:
    readings = [f.proposal.reading for f in finding.group if f.proposal.reading is not None]
    if readings[0].op != "set":
        around = "in a separate list" if readings[0].op == "wrap" else "without the list around it"
        return f"send each as {named}, {around}"
    if kind in ("array", "object") or finding.problem.secret:
        return f"send each as {named}, not a JSON string"
    if kind == "integer" and "number" in finding.problem.node.types:
        kind = "number"
    values = [compact(reading.value) for reading in readings[:4]]
    if len(values) <= 3 and all(values):
        listed = f": {', '.join(values)}"
    else:
        listed = ""
    return f"send {kind}s, not {_PLURALS[type(finding.problem.got)]}{listed}"


def _guess(finding: Finding) -> str:
    """Return the likely value, or two equally likely values; an empty string if there are none or they are too long."""
    reading = finding.proposal.reading
    if reading is None or finding.problem.secret:
        return ""
    for_each = [_value(r.result()) for f in finding.group[:20] if (r := f.proposal.reading) is not None]
    if len(set(for_each)) > 1:
        if len(finding.group) <= 3 and all(for_each):
            return ", ".join(for_each)
        return ""
    text = _value(reading.result())
    if not text and isinstance(reading.result(), list | dict):
        form = skeleton(reading.result(), finding.problem.node)
        text = "" if form == "…" else form  # a list of long texts has no keys to show
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
    problem, proposal = finding.problem, finding.proposal
    guess = _guess(finding)
    if guess and proposal.is_certain:
        return Sentence(_changed(finding, guess), orders=True)
    if branches := problem.other_branches():
        kinds = dict.fromkeys(summary_of(branch).wanted for branch in branches)
        values = listed_values(problem.allowed())
        return _or(finding, f"must be {' or '.join(filter(None, kinds))} or {values}")
    core = f"{echo(finding)} is not allowed"
    if guess:
        return _with_list(Sentence(_changed(finding, guess), True), near)
    if len(near) == 1:
        return Sentence(f"{core}, only {shown(near[0])} is")
    if not near or finding.group or isinstance(problem.got, (dict, list)):
        return _with_list(Sentence(core), near)
    change = f"change {echo(finding)} to one of: {_listing(near, _quoted)}"
    return Sentence(change, orders=True, short=core)
