"""Write one short sentence for each problem: what is wrong, and what to send.

A correction that is certain is written as an order ("add", "change", "send"). Any other correction is written as a
question ("did you mean X?").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.edits import at
from toolgen_runtime.hints.expected import summary_of
from toolgen_runtime.hints.grouping import field_text
from toolgen_runtime.hints.limit_advice import also_sent, needed
from toolgen_runtime.hints.problems import Problem, are_forms
from toolgen_runtime.hints.proposals import Finding, Proposal
from toolgen_runtime.hints.quoting import choices, compact, name_shown, shown
from toolgen_runtime.hints.sentence import Sentence
from toolgen_runtime.hints.value_advice import about_value

_EXPLAINED = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format")
)
MAX_TAGS = 12
"""The most tags of a union that a line lists."""


def advice(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Write the sentence for one finding. `near` lists the allowed values or valid keys that it may name."""
    problem, proposal = finding.problem, finding.proposal
    if proposal.order or proposal.question:
        return _as_written(proposal)
    if problem.missing:
        return _missing(finding)
    if problem.unknown:
        return _unknown(finding, near)
    found = about_value(finding, near)
    if proposal.reading is None and _is_explained(problem):
        return found._replace(description=summary_of(problem.node).explanation)
    return found


def _as_written(proposal: Proposal) -> Sentence:
    """Return the sentence that a strategy has written: the order, or the question if the correction is not certain."""
    if proposal.question and not proposal.is_certain:
        return Sentence(proposal.question, asks=True, orders=True)
    return Sentence(proposal.order, orders=True)


def _is_explained(problem: Problem) -> bool:
    """Return whether the field's description can help.

    This is so if a limit is broken, if a string was sent instead of a number, or if a number was sent instead of a
    string.
    """
    got = problem.got
    if got is None or got == "" or isinstance(got, bool):
        return False
    if problem.constraint != "type":
        return problem.constraint in _EXPLAINED
    if isinstance(got, str):
        meant = {"integer", "number"}
    else:
        meant = {"string"}
    return not meant.isdisjoint(problem.node.types)


# -- keys ----------------------------------------------------------------------------------------------------------


def _missing(finding: Finding) -> Sentence:
    """Return the sentence for a missing field. It names the key that was sent in its place, or the alternatives."""
    problem, proposal = finding.problem, finding.proposal
    if proposal.rename_from is None:
        return _not_sent(finding)
    old, new = name_shown(proposal.rename_from), name_shown(problem.path[-1])
    found = _renamed(finding, old, new)
    if finding.then is None:
        return found
    return _with_its_value(found, finding.then, f"send {new}", f" instead of {old}")


def _renamed(finding: Finding, old: str, new: str) -> Sentence:
    """Return the sentence for a rename. It names the object that has the key, but says nothing about the field.

    Models follow it more often than `new (missing; string): rename old to new` (docs/evidence.md). The sentence says
    what the field accepts only if the value is an object or a list, or must be one of listed values, because such a
    value may be wrong too.
    """
    problem = finding.problem
    found = Sentence(f"change the key {old} to {new}", asks=not finding.proposal.is_certain, orders=True)
    sent = at(problem.location.value, finding.proposal.edits[0].path[-1:])
    is_listed = problem.lists_values() or problem.location.tags(problem.path[-1])
    if problem.missing and (is_listed or isinstance(sent, (dict, list))):
        return found
    return found._replace(subject=field_text(finding, above=1))


def _not_sent(finding: Finding) -> Sentence:
    problem, proposal = finding.problem, finding.proposal
    sent = also_sent(proposal.undeclared)
    if proposal.did_you_mean is not None:
        return Sentence(f"send {shown(proposal.did_you_mean)}", asks=True, listed=sent)
    expected = problem.issues[0].expected
    if are_forms(expected) and (forms := needed(expected)):
        return Sentence("; ".join(filter(None, (forms, sent))))
    core = f"add the key {name_shown(problem.path[-1])}"
    takes = "; ".join(filter(None, (what_it_takes(problem), problem.location.choice)))
    if takes:
        core = f"{core} ({takes})"
    return Sentence(
        core,
        orders=True,
        listed=_capitalized(sent),
        description=summary_of(problem.node).description or "",
        subject=field_text(finding, above=1),
    )


def what_it_takes(problem: Problem) -> str:
    """Return the field's type and limits in a few words.

    For a field that distinguishes union branches, list all its values instead.
    """
    if problem.missing and (tags := problem.location.tags(problem.path[-1])):
        return f"one of: {choices(tags[:MAX_TAGS])}"
    return summary_of(problem.node).expects


def _unknown(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for an unknown key. `near` lists the valid keys to name."""
    problem, proposal = finding.problem, finding.proposal
    said = "not a field"
    if problem.constraint == "propertyNames":
        said = "not a valid key"
        if proposal.did_you_mean is None and (wanted := _wanted_names(finding)):
            return Sentence(f"{said}, send {wanted}")
    if proposal.did_you_mean is not None:
        name = name_shown(proposal.did_you_mean)
        if finding.then is None:
            return _renamed(finding, name_shown(problem.path[-1]), name)
        found = Sentence(f"{said}: rename it to {name}", asks=not proposal.is_certain)
        return _with_its_value(found, finding.then, f"not a field: did you mean {name}")
    if proposal.candidates:
        named = " or ".join(map(name_shown, proposal.candidates))
        return Sentence(f"not a field: did you mean {named}", asks=True)
    if not proposal.edits:
        return Sentence("not a field", listed=f"Fields: {choices(near)}" if near else "")
    if proposal.is_certain:
        return Sentence("not a field: remove it")
    core = "not a field: remove it only if it does not matter"  # the key may be a condition of the call
    return Sentence(core, listed=f"Fields: {choices(near)}" if near else "")


def _wanted_names(finding: Finding) -> str:
    """Return a description of the keys that a map accepts; an empty string if its schema sets no rule for them."""
    node = finding.problem.location.node
    names = node.first("propertyNames", dict)
    if names:
        return summary_of(node.schema.node([names], [])).wanted
    return ""


def _with_its_value(found: Sentence, then: Finding, lead: str, end: str = "") -> Sentence:
    """Return the sentence for a rename together with the sentence for the value. A short new value follows `lead`."""
    reading = then.proposal.reading
    if reading is not None and reading.op in ("set", "wrap") and not then.group:
        if then.problem.secret:
            text = ""
        else:
            text = compact(reading.result())
        if text:
            asks = found.asks or not found.orders or not then.proposal.is_certain
            return Sentence(f"{lead}: {text}{end}", asks=asks, orders=found.orders)
    about = advice(then, then.problem.node.allowed)._replace(orders=found.orders)
    mark = "?" if found.asks else "."
    return about._replace(core=f"{found.core}{mark} {_capitalized(about.core)}")


def _capitalized(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
