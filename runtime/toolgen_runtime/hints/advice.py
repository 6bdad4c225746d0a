"""Write one short sentence per finding: what is wrong, and what to send.

A certain correction is an order ("send", "rename", "put"), any other a question ("did you mean", "rename X to Y?").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.expected import MAX_LISTED, MAX_NAMED, listed_values, summary_of, with_article
from toolgen_runtime.hints.limit_advice import LIMITS, also_sent, echo, needed, not_fields, other, union_of
from toolgen_runtime.hints.problems import are_forms
from toolgen_runtime.hints.proposals import Finding, Reading
from toolgen_runtime.hints.text import (
    Sentence,
    choices,
    clean,
    compact,
    name_shown,
    says_nothing,
    shown,
    skeleton,
)
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, key_text

_EXPLAINED = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format")
)
_PLURALS = {str: "strings", int: "numbers", float: "numbers", list: "lists", dict: "objects"}


def advice(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for a finding; `near` are the allowed values or valid keys to name."""
    problem, proposal = finding.problem, finding.proposal
    if proposal.order or proposal.question:
        return _as_written(finding)
    if problem.missing:
        return _missing(finding)
    if problem.unknown:
        return _unknown(finding, near)
    found, explanation = _about_value(finding, near), summary_of(problem.node).explanation
    if (
        not explanation
        or proposal.reading is not None
        or problem.lists_values()
        or not _is_explained(finding)
    ):
        return found
    return found._replace(description=explanation)


def _as_written(finding: Finding) -> Sentence:
    """Return the sentence that the strategy has written: an order if it is certain, or makes no edit."""
    proposal = finding.proposal
    is_order = proposal.order and (proposal.is_certain or not proposal.edits or not proposal.question)
    listed = f"You also sent: {not_fields(proposal.undeclared)}" if proposal.undeclared else ""
    if is_order:
        return Sentence(proposal.order, orders=True, listed=listed)
    is_question = proposal.question != proposal.order
    return Sentence(proposal.question, asks=is_question, orders=True, listed=listed)


def _is_explained(finding: Finding) -> bool:
    """Return whether a description can help: a limit is broken, or a string was sent for a number or the reverse."""
    problem = finding.problem
    got, types = problem.got, problem.node.types
    if isinstance(got, bool) or got is None or got == "":
        return False
    if isinstance(got, (dict, list)):
        return "string" in types
    if problem.constraint != "type":
        return problem.constraint in _EXPLAINED
    if isinstance(got, (int, float)):
        return "string" in types
    return "integer" in types or "number" in types


# -- keys ----------------------------------------------------------------------------------------------------------


def _missing(finding: Finding) -> Sentence:
    """Return the sentence of a missing field: the key sent in its place, or the alternatives."""
    problem, proposal = finding.problem, finding.proposal
    if proposal.rename_from is None:
        return _not_sent(finding)
    old, new = name_shown(proposal.rename_from), name_shown(key_text(problem.path[-1]))
    found = Sentence(f"rename {old} to {new}", asks=not proposal.is_certain, orders=True)
    if finding.then is not None:  # the line ends in the description
        then = advice(finding.then, ())._replace(description="")
        found = _with_its_value(found, finding, then, old, new)
    if proposal.undeclared and not proposal.is_certain:
        found = found._replace(description="", listed=f"You also sent: {not_fields(proposal.undeclared)}")
    return found


def _not_sent(finding: Finding) -> Sentence:
    problem, proposal = finding.problem, finding.proposal
    tags = problem.location.tags(problem.path[-1])
    if tags:
        listed = also_sent(proposal.undeclared)
        if proposal.did_you_mean is None:
            return Sentence(listed)
        return Sentence(f"send {shown(proposal.did_you_mean)}", asks=True, listed=listed)
    expected = problem.issues[0].expected
    forms = needed(expected) if are_forms(expected) else ""
    return Sentence("; ".join(filter(None, (forms, also_sent(proposal.undeclared)))))


def _unknown(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence of a key that is not a field; `near` are the valid keys to list."""
    problem, proposal = finding.problem, finding.proposal
    if problem.constraint == "propertyNames" and (wanted := _wanted_names(finding)):
        return Sentence(f"not a valid key, send {wanted}")
    if proposal.did_you_mean is not None:
        name, then = name_shown(proposal.did_you_mean), finding.then
        found = Sentence(f"not a field: rename it to {name}", asks=not proposal.is_certain)
        if then is not None:
            found = _with_its_value(found, finding, advice(then, then.problem.node.allowed), "", name)
        return found
    if proposal.candidates:
        named = " or ".join(map(name_shown, proposal.candidates))
        return Sentence(f"not a field: did you mean {named}", asks=True)
    if not proposal.edits:
        return Sentence("not a field", listed=f"Fields: {choices(near)}" if near else "")
    if proposal.is_certain:
        return Sentence("not a field: remove it")
    unless = f"none of these: {choices(near)}" if near else "not needed"
    return Sentence(f"not a field: remove it if it is {unless}")


def _wanted_names(finding: Finding) -> str:
    """Return what the keys of a map must be."""
    node = finding.problem.location.node
    names = node.first("propertyNames", dict)
    return summary_of(node.schema.node([names], [])).wanted if names else ""


def _with_its_value(found: Sentence, finding: Finding, then: Sentence, old: str, new: str) -> Sentence:
    """Return the sentence of a rename joined with the one about the value; a short value is named directly."""
    text, inner = "", finding.then
    if inner is not None and not (inner.group or finding.group or inner.problem.secret):
        reading = inner.proposal.reading
        text = compact(reading.result()) if reading and reading.op in ("set", "wrap") else ""
    if text and old:
        return Sentence(f"send {new}: {text} instead of {old}", found.asks, orders=True)
    if text:
        return Sentence(f"not a field: did you mean {new}: {text}", asks=True)
    if then.orders and not found.asks:
        return then._replace(core=f"{found.core} and {then.core}", orders=found.orders)
    mark = "?" if found.asks else "."
    core = f"{found.core}{mark} {then.core[:1].upper()}{then.core[1:]}"
    return then._replace(core=core, orders=found.orders)


# -- values --------------------------------------------------------------------------------------------------------


def _about_value(finding: Finding, near: Sequence[Any]) -> Sentence:
    problem, reading = finding.problem, finding.proposal.reading
    issues = problem.issues[:3]
    constraints = [issue.constraint for issue in problem.issues]
    if reading is not None and reading.op == "remove":
        return _left_out(finding, near)
    if "type" in constraints:
        found = _type(finding, problem.issues[constraints.index("type")])
        return _with_list(found, finding, near) if near else found
    if any(issue.constraint == "not" and issue.expected == {} for issue in problem.issues):
        return Sentence("not allowed here: leave it out if it is not needed")
    if "enum" in constraints or "const" in constraints:
        return _not_among(finding, near)
    if problem.constraint == "anyOf":
        return _or(finding, union_of(problem, issues[0]))
    if reading is not None and finding.proposal.is_certain and isinstance(reading.value, str):
        return Sentence(_changed(finding, _value(reading.value)), orders=True)
    if "format" in constraints[:3]:
        issues = tuple([issue for issue in issues if issue.constraint != "pattern"])
    parts = [LIMITS.get(issue.constraint, other)(finding, issue) for issue in issues]
    return _or(finding, "; ".join(dict.fromkeys(parts)))


def _left_out(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for null, or a value that says nothing, in an optional field."""
    problem = finding.problem
    named = "" if near else _named_of(finding)
    if problem.got is not None:
        core = "leave it out if you have none"
        if problem.constraint == "not":
            core = "not allowed here: leave it out if it is not needed"
        elif named:
            core = f"{core}, else send {named}"
    elif named or near:
        core = f"leave it out, or send {named or 'one of these'}, not null"
    else:
        core = "leave it out, null is not allowed"
    found = Sentence(core, orders=True)
    return _with_list(found, finding, near) if near else found


def _named_of(finding: Finding) -> str:
    """Return what the field takes, with an article."""
    problem = finding.problem
    wanted = problem.types_in(problem.issues[0]) if problem.constraint == "type" else problem.node.types
    return summary_of(problem.node).wanted if wanted == problem.node.types else _wanted(wanted)


def _or(finding: Finding, core: str) -> Sentence:
    """Return the sentence `core`, with a question that names the likely value if there is one."""
    guess = _guess(finding)
    if not guess:
        return Sentence(core)
    core = core.removeprefix(echo(finding)).removeprefix(" is").strip()  # the change names the value
    return Sentence(f"{core}: {_changed(finding, guess)}", True)


def _changed(finding: Finding, new: str) -> str:
    """Return the change of a value as `change "BUY" to "buy"`: the value to send comes last.

    Models follow this more often than "send X, not Y", which ends in the wrong value (docs/evidence.md).
    """
    problem = finding.problem
    is_filled = isinstance(problem.got, (list, dict)) and bool(problem.got)
    if problem.secret or problem.got is MISSING or is_filled:
        return f"send {new}"
    return f"change {echo(finding)} to {new}"


def _with_list(sentence: Sentence, finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return a sentence with the allowed values: all if they are short together, else the most similar ones."""
    node = finding.problem.node
    if near is node.allowed:
        return sentence._replace(listed=summary_of(node).listed)
    text = choices(near)
    if len(text) > 2 * MAX_LISTED:
        text = choices(near[:MAX_NAMED]) + (", …" if len(near) > MAX_NAMED else "")
    return sentence._replace(listed=f"Allowed: {text}" if near else "")


def _type(finding: Finding, issue: ValidationIssue) -> Sentence:
    problem, proposal = finding.problem, finding.proposal
    node, got, reading = problem.node, problem.got, proposal.reading
    wanted = problem.types_in(issue)
    named = summary_of(node).wanted if wanted == node.types else _wanted(wanted)
    if got is None:
        return Sentence(
            f"send {named}, not null" if named else "null is of the wrong type", orders=bool(named)
        )
    if not named:
        return Sentence(f"{echo(finding)} is of the wrong type")
    if isinstance(got, str) and not proposal.is_certain and (said := _text_for(finding, wanted, named)):
        return Sentence(said, orders=True)
    if reading is None:
        return Sentence(f"send {named}{_not_that(finding)}", orders=True)
    if proposal.is_certain:
        return Sentence(_certain(finding, reading, named), orders=True)
    if reading.value is None and says_nothing(got):
        return Sentence("send null or leave it out if you have none, else send " + named, orders=True)
    if reading.op == "set" and isinstance(reading.value, str) and wanted == ("string",):
        guess = _guess(finding)
        return Sentence(_changed(finding, guess) if guess else f"send {named}", asks=bool(guess))
    guess = _guess(finding)
    return _or(finding, f"must be {named}" if guess else f"must be {named}{_not_that(finding)}")


def _text_for(finding: Finding, wanted: Sequence[str], named: str) -> str:
    """Return the order for a JSON text in a field for an array or object that says what is wrong in the text.

    It has the skeleton of a long value; a short value is asked about instead.
    """
    problem, reading = finding.problem, finding.proposal.reading
    value = reading.value if reading is not None and isinstance(reading.value, list | dict) else MISSING
    kinds = [kind for kind in ("array", "object") if kind in wanted]
    if not kinds or problem.secret or (value is not MISSING and compact(value)):
        return ""
    from toolgen_runtime.hints.malformed.in_fields import describe_field

    said = describe_field(problem.got, kinds[0])
    if not said:
        return ""
    form = "" if value is MISSING else skeleton(value, problem.node)
    order = (
        f"send the {kinds[0]} itself, not a JSON string: {form}"
        if form
        else f"send {named}, not a JSON string"
    )
    return f"{order}; {said}"


def _certain(finding: Finding, reading: Reading, named: str) -> str:
    """Return the order to send the certain reading; for items that share a line, an order about each of them."""
    problem = finding.problem
    kind, got, op = json_type(reading.value), problem.got, reading.op
    if finding.group:
        return _certain_for_each(finding, kind, named)
    inner = "" if problem.secret else compact(reading.value)
    if op == "wrap":
        return f"send {named}: [{inner}]" if inner else f"send {named}, with this as its item"
    if op == "unwrap":
        around = "a list" if isinstance(got, list) else "an object around it"
        return f"send the {kind} itself, not {around}"
    if kind in ("object", "array"):
        form = inner or ("" if problem.secret else skeleton(reading.value, problem.node))
        return f"send the {kind} itself, not a JSON string" + (f": {form}" if form else "")
    if inner:
        return _changed(finding, inner)
    return f"send {named}, not a string" if isinstance(got, str) else f"send {named}"


def _certain_for_each(finding: Finding, kind: str, named: str) -> str:
    problem = finding.problem
    readings = [f.proposal.reading for f in finding.group if f.proposal.reading is not None]
    if readings[0].op == "wrap":
        return f"send each as {named}: in a separate list"
    if readings[0].op == "unwrap":
        return f"send each as {named}, without the list around it"
    if kind in ("array", "object", "") or problem.secret:
        return f"send each as {named}, not a JSON string"
    if kind == "integer" and "number" in problem.node.types:
        kind = "number"
    was = _PLURALS.get(type(problem.got))
    values = [compact(reading.value) for reading in readings[:4]]
    listed = f": {', '.join(values)}" if len(values) <= 3 and all(values) else ""
    return f"send {kind}s, not {was}{listed}" if was else f"send {kind}s{listed}"


def _guess(finding: Finding) -> str:
    """Return the likely value, or two equally likely ones; `""` if there are none or the sentence names it."""
    proposal = finding.proposal
    reading = proposal.reading
    if reading is None or proposal.is_certain or finding.problem.secret or reading.op == "remove":
        return ""
    for_each = [_value(r.result()) for f in finding.group[:20] if (r := f.proposal.reading) is not None]
    if len(set(for_each)) > 1:
        return ", ".join(for_each) if len(finding.group) <= 3 and all(for_each) else ""
    text = _value(reading.result())
    if reading.other is MISSING:
        return text
    second = _value(reading.other)
    return f"{text} or {second}" if text and second else ""


def _value(value: Any) -> str:
    """Return a value as text; `""` if it is too long."""
    return shown(value) if isinstance(value, str) else compact(value)


def _not_that(finding: Finding) -> str:
    """Return `, not VALUE` with the sent value, to end a sentence; `""` if the value is unknown."""
    return "" if finding.problem.got is MISSING else f", not {echo(finding)}"


def _wanted(names: tuple[Any, ...]) -> str:
    kinds = [with_article(clean(str(name)[:20])) for name in names if name != "null"]
    return " or ".join(kinds or ["null"][: len(names)])


def _not_among(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence of a value that is not listed; "only" if the schema takes nothing else."""
    problem, proposal = finding.problem, finding.proposal
    reading, guess = proposal.reading, proposal.did_you_mean
    core = f"{echo(finding)} is not allowed"
    if branches := problem.other_branches():
        kinds = dict.fromkeys(summary_of(branch).wanted for branch in branches)
        values = listed_values(problem.allowed())
        return _or(finding, f"must be {' or '.join(filter(None, kinds))} or {values}")
    is_one = not finding.group or guess is not None
    if reading is not None and proposal.is_certain and not problem.secret and is_one:
        return Sentence(_changed(finding, _value(reading.value)), orders=True)
    if guess is None and len(near) == 1:
        only = shown(near[0])
        return Sentence(f"only {only} is allowed" if problem.got is MISSING else f"{core}, only {only} is")
    if guess is not None:
        return _with_list(Sentence(_changed(finding, shown(guess)), True), finding, near)
    text = _guess(finding)
    found = Sentence(_changed(finding, text), True) if text else Sentence(core)
    return _with_list(found, finding, near)
