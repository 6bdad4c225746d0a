"""Write sentences about limits, formats, unions and other constraints, with the value that was sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolgen_runtime.hints.expected import (
    MAX_FORMS,
    MAX_NAMED,
    counted,
    required_of,
    summary_of,
    summary_under,
)
from toolgen_runtime.hints.problems import are_forms, names_no_branch
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import choice, clean, compact, first, pattern_shown, prose, shown
from toolgen_runtime.hints.sentence import enumerated
from toolgen_runtime.schema import keywords
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, key_text, revealed

MAX_PARTS = 5
_SAID = {"required", "properties", *keywords.OTHER_KEYS}
_SHAPES = {
    "date": "YYYY-MM-DD",
    "date-time": "YYYY-MM-DDThh:mm:ssZ",
    "time": "hh:mm:ssZ",
    "duration": "PnDTnHnM",
    "email": "<name>@<host>",
    "uri": "https://<host>/<path>",
    "url": "https://<host>/<path>",
    "hostname": "<name>.<domain>",
    "ipv4": "n.n.n.n",
}
"""How texts of a format are written, as shapes that no check accepts."""
MAX_REPORTED = 160
"""The most characters of a sentence from another program."""


def _limit(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence for a limit: first the problem, then the limit.

    Items after the last one that `prefixItems` describes are too many, too.
    """
    row = keywords.LIMITS.get(issue.constraint, keywords.LIMITS["maxItems"])
    got, limit = revealed(issue.got), issue.expected
    if limit is None or row.measure is None or row.comparison is None:
        return other(finding, issue)
    unit, side, wanted = row.measure.unit, row.comparison.side, row.said(shown(limit))
    if not side:
        return f"{echo(finding)} is not {wanted}"
    if unit and isinstance(got, (str, list, dict)):
        wrong = counted(str(len(got)), unit)
    else:
        wrong = f"{echo(finding)} is too {'large' if side == 'most' else 'small'}"
    summary = summary_of(finding.problem.node)
    if unit and summary.minimum == summary.maximum == limit:
        wanted = f"exactly {counted(shown(limit), unit)}"
    return f"{wrong}, send {wanted}"


def _pattern(finding: Finding, issue: ValidationIssue) -> str:
    wanted = str(issue.expected or "its pattern")  # an error of another program may not name it
    return f"{echo(finding)} does not match {pattern_shown(wanted)}"


def _format(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence for a format.

    It shows the shape of the format instead of a sample, because a model would send a sample unchanged.
    """
    name = str(issue.expected or "value")
    wrong = f"{echo(finding)} is not a valid {clean(name[:30])}"
    if name in _SHAPES and finding.proposal.reading is None:
        return f"{wrong}, send {_SHAPES[name]}"
    return wrong


def _union(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence for a union of which the value matches no branch, or more than one."""
    problem, expected = finding.problem, issue.expected
    branches, text = problem.node.all_branches, ""
    if names_no_branch(problem.node, problem.got):
        text = needed([*map(required_form, branches)])
    if not text and are_forms(expected):
        text = needed(expected)
    if not text and issue.constraint == "oneOf" and isinstance(expected, tuple) and len(expected) == 2:
        return "fits two forms at once, send what fits one only"
    if text := text or needed([*map(required_form, branches)]):
        got = problem.got if isinstance(problem.got, dict) else {}
        unknown = [k for k in got if isinstance(k, str) and not problem.node.describes(k)]
        return "; ".join(filter(None, (text, also_sent(unknown))))
    forms = [summary_of(branch).expects for branch in branches[:MAX_NAMED]]
    if problem.node.or_null:
        forms.append("null")
    listed = "; ".join(filter(None, forms))
    return f"fits none of the forms: {listed}".removesuffix(": ")


def required_form(node: SchemaNode) -> dict[str, Any]:
    """Return the form that an object branch requires: its required keys, some of which have only one value."""
    if node.types != ("object",):
        return {}
    names = required_of(node)
    listed = {name: node.child(name).allowed for name in names}
    fixed = {name: {"const": values[0]} for name, values in listed.items() if len(values) == 1}
    return {"properties": fixed, "required": names}


def _repeated(finding: Finding, issue: ValidationIssue) -> str:
    if issue.got is MISSING or finding.problem.secret:
        return "items repeat, each may be sent once"
    return f"{shown(issue.got)} repeats, each item may be sent once"


def _matching(finding: Finding, issue: ValidationIssue) -> str:
    wanted = summary_under(finding.problem.node, "contains").expects or "the schema of contains"
    if issue.constraint == "maxContains":
        return f"at most {shown(issue.expected)} of the items may match: {wanted}"
    return f"at least {shown(issue.expected)} of the items must match: {wanted}"


def _reported(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence of another program, unless the value is a secret.

    If the value is unknown, add the field's limits.
    """
    problem = finding.problem
    if problem.secret or not isinstance(issue.expected, str):
        return "the value was not accepted"
    said = prose(issue.expected.replace('"', "'"), MAX_REPORTED)
    wanted = summary_of(problem.node).expects
    if problem.got is MISSING and " " in wanted:
        return f'the error says "{said}" (expected: {wanted})'
    return f'the error says "{said}"'


def other(finding: Finding, issue: ValidationIssue) -> str:
    """Write the sentence for a constraint that is not in `LIMITS`: it quotes the constraint from the schema."""
    if issue.constraint == "not" and issue.expected == {}:
        return "not allowed here: leave it out if it is not needed"
    wrong = f"{echo(finding)} breaks {clean(issue.constraint[:30])}"
    if issue.constraint == "not":
        wrong = f"{echo(finding)} is what the schema forbids"
    if issue.expected is not None and (rule := compact(issue.expected)):
        return f"{wrong}: {rule}"
    return wrong


LIMITS: dict[str, Callable[[Finding, ValidationIssue], str]] = {
    **dict.fromkeys((*keywords.LIMITS, "items", "additionalItems"), _limit),
    **dict.fromkeys(("anyOf", "oneOf", "required"), _union),
    **dict.fromkeys(("contains", "minContains", "maxContains"), _matching),
    "pattern": _pattern,
    "format": _format,
    "uniqueItems": _repeated,
    "reported": _reported,
}


def echo(finding: Finding) -> str:
    """Return the invalid value as text, or "the value" if it is secret or unknown.

    For several items, return up to three values.
    """
    problem = finding.problem
    if problem.secret and problem.got and isinstance(problem.got, (dict, list)) and not finding.group:
        return shown(problem.got)  # only its type, which is no secret
    if problem.secret or problem.got is MISSING:
        return "the value"
    if not finding.group:
        return shown(problem.got)
    texts = dict.fromkeys([shown(each.problem.got) for each in finding.group])
    return ", ".join(first([*texts], 3))


def needed(forms: Sequence[Mapping[str, Any]], verb: str = "send") -> str:
    """List the fields that each form requires; return an empty string if a form requires anything else.

    >>> needed(({"required": ["width", "height"]}, {"required": ["aspect_ratio"]}))
    'send width and height, or aspect_ratio'
    """
    texts = [*dict.fromkeys(map(_form, forms[:MAX_FORMS]))]
    if not texts or not all(texts):
        return ""
    if len(forms) > MAX_FORMS:
        texts.append("another form")
    if any(" and " in text for text in texts):
        return f"{verb} {', or '.join(texts)}"
    return f"{verb} {' or '.join(texts)}"


def _form(form: Mapping[str, Any]) -> str:
    if not form.keys() <= _SAID:
        return ""
    members = form.get("properties", {})
    named = []
    for name in dict.fromkeys((*members, *form.get("required", ()))):
        text = choice(key_text(name))
        if "const" in members.get(name, {}):
            text = f"{text} ({choice(members[name]['const'])})"
        named.append(text)
    return enumerated(named, MAX_PARTS)


def also_sent(undeclared: Sequence[str]) -> str:
    """Return a clause that names the unknown keys that were sent; an empty string if there are none."""
    named = enumerated([*map(choice, undeclared)], MAX_PARTS)
    if len(undeclared) > 1:
        return f"you sent {named}, which are not fields"
    if undeclared:
        return f"you sent {named}, which is not a field"
    return ""
