"""Write one short sentence for each problem: what is wrong, and what to send.

A correction that is certain is written as an order ("add", "change", "send"). Any other correction is written as a
question ("did you mean X?").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.edits import at
from toolgen_runtime.hints.expected import MAX_NAMED, listed_values, summary_of, summary_under
from toolgen_runtime.hints.grouping import field_text
from toolgen_runtime.hints.keys import key_patterns
from toolgen_runtime.hints.limit_advice import also_sent, needed, required_form
from toolgen_runtime.hints.problems import Problem, are_forms
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import choice, compact, name_shown, pattern_shown, shown
from toolgen_runtime.hints.sentence import Sentence
from toolgen_runtime.hints.value_advice import about_value
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import json_type

_EXPLAINED = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format")
)
_SCALARS = frozenset(("string", "integer", "number"))


def advice(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Write the sentence for one finding. `near` lists the allowed values or valid keys that it may name."""
    problem, proposal = finding.problem, finding.proposal
    if proposal.question and not proposal.is_certain:
        return Sentence(proposal.question, asks=True, orders=True)
    if proposal.order:  # a strategy has written the whole sentence
        return Sentence(proposal.order, orders=True)
    if problem.missing:
        return _missing(finding)
    if problem.unknown:
        return _unknown(finding, near)
    found = about_value(finding, near)
    if proposal.reading is None and _is_explained(problem):
        return found._replace(description=summary_of(problem.node).explanation)
    return found


def _is_explained(problem: Problem) -> bool:
    """Return whether the field's description can help.

    This is so if a limit is broken, if a string was sent instead of a number, or if a number was sent instead of a
    string.
    """
    if problem.constraint != "type":
        return problem.constraint in _EXPLAINED
    return json_type(problem.got) in _SCALARS and not _SCALARS.isdisjoint(problem.node.types)


# -- keys ----------------------------------------------------------------------------------------------------------


def _missing(finding: Finding) -> Sentence:
    """Return the sentence for a missing field. It names the key that was sent in its place, or the alternatives."""
    problem, proposal = finding.problem, finding.proposal
    if proposal.rename_from is None:
        return _not_sent(finding)
    found = _renamed(finding, proposal.rename_from, problem.path[-1])
    sent = at(problem.location.value, (proposal.rename_from,))
    if isinstance(sent, (dict, list)) or problem.node.allowed or problem.location.tags(problem.path[-1]):
        return found._replace(subject=None)  # the value may be wrong too: say what the field takes
    return found


def _renamed(finding: Finding, sent: str | int, meant: str | int) -> Sentence:
    """Return the sentence for a rename. It names the object that has the key, but says nothing about the field.

    Models follow it more often than `new (missing; string): rename old to new` (docs/evidence.md). If the value is
    wrong, too, the sentence gives the new value if that is short, or is followed by the sentence for the value.
    """
    old, new, then = name_shown(sent), name_shown(meant), finding.then
    asks = not finding.proposal.is_certain
    core = f"change the key {old} to {new}"
    if then is None:
        return Sentence(core, asks=asks, orders=True, subject=field_text(finding, above=1))
    reading, text = then.proposal.reading, ""
    if reading is not None and reading.op in ("set", "wrap") and not then.group and not then.problem.secret:
        text = compact(reading.result())
    if text:
        asks = asks or not then.proposal.is_certain
        order = Sentence(f"send {new}: {text} instead of {old}", asks=asks, orders=True)
        if not finding.problem.unknown:
            return order
        if asks:
            return Sentence(f"not a field: did you mean {new}: {text}", asks=True)
        return order._replace(subject=field_text(finding, above=1))
    about = advice(then, then.problem.node.allowed_or_null)
    mark = "?" if asks else "."
    return about._replace(core=f"{core}{mark} {_capitalized(about.core)}", orders=True)


def _not_sent(finding: Finding) -> Sentence:
    problem = finding.problem
    sent = also_sent(finding.proposal.undeclared)
    if finding.proposal.did_you_mean is not None:
        return Sentence(f"send {shown(finding.proposal.did_you_mean)}", asks=True, listed=sent)
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
    """Return the type and limits of a missing field in a few words.

    For a field that distinguishes union branches, list its values instead.
    """
    if tags := problem.location.tags(problem.path[-1]):
        return f"one of: {listed_values(tags)}"
    return summary_of(problem.node).expects


def _unknown(finding: Finding, near: Sequence[Any]) -> Sentence:
    """Return the sentence for an unknown key. `near` lists the valid keys to name."""
    problem, proposal, node = finding.problem, finding.proposal, finding.problem.location.node
    if proposal.did_you_mean is not None:
        return _renamed(finding, problem.path[-1], proposal.did_you_mean)
    if proposal.candidates:
        named = " or ".join(map(name_shown, proposal.candidates))
        return Sentence(f"not a field: did you mean {named}", asks=True)
    if problem.constraint == "propertyNames" and (wanted := summary_under(node, "propertyNames").wanted):
        return Sentence(f"not a valid key, send {wanted}")
    wrong, branches = "not a field", problem.location.wide.all_branches
    if any(problem.path[-1] in branch.properties for branch in branches):
        wrong = "a field of another form"
        forms = needed([*map(required_form, branches)], "send only")
        if forms and not problem.location.choice:  # it is open which form was meant
            return Sentence(f"{wrong}: {forms}")
    if proposal.edits:  # the key may be a condition of the call
        wrong = f"{wrong}: remove it only if it does not matter"
    return Sentence(wrong, listed=_valid_keys(node, near))


def _valid_keys(node: SchemaNode, near: Sequence[Any]) -> str:
    """Return the valid keys to name after a label, and the patterns of others."""
    texts = [*map(choice, near)]
    if near or not node.properties:  # otherwise another line has the list
        texts += [f"any that matches {pattern_shown(each)}" for each in key_patterns(node)[:MAX_NAMED]]
    if not texts:
        return ""
    return f"Fields: {', '.join(texts)}"


def _capitalized(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
