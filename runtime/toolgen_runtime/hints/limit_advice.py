"""Write sentences about limits, formats, unions and other constraints, with the value that was sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolgen_runtime.hints.expected import MAX_FORMS, MAX_NAMED, summary_of, with_article
from toolgen_runtime.hints.problems import are_forms
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import choice, clean, compact, prose, shown
from toolgen_runtime.hints.sentence import enumerated
from toolgen_runtime.schema import keywords
from toolgen_runtime.schema.keywords import OTHER_KEYS
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, key_text, revealed

MAX_PARTS = 5
_SAID = {"required", "properties", *OTHER_KEYS}
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
    """Return the sentence for a limit: first the problem, then the limit. A part that is unknown is left out."""
    row, got, limit = keywords.LIMITS[issue.constraint], revealed(issue.got), issue.expected
    side = row.comparison and row.comparison.side
    said = ""
    if limit is not None:
        said = row.said(limit if limit == 1 else shown(limit))
    if not side:
        return f"{echo(finding)} is not {said or 'a valid multiple'}"
    if row.measure:
        unit = row.measure.unit
    else:
        unit = ""
    if not unit:
        wrong = f"{echo(finding)} is too {'large' if side == 'most' else 'small'}"
    elif isinstance(got, (str, list, dict)) and row.measure and row.measure.of:
        size = row.measure.of(got)
        wrong = f"{size} {unit}{'' if size == 1 else 's'}"
    else:
        amount = "many" if side == "most" else "few"
        if said:
            return f"send {said}"
        return f"too {amount} {unit}s"
    if said:
        return f"{wrong}, send {said}"
    return wrong


def _surplus(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence for items after the last one that `prefixItems` describes, where no other is allowed."""
    return _limit(finding, ValidationIssue(issue.path, "maxItems", issue.expected, issue.got))


def _pattern(finding: Finding, issue: ValidationIssue) -> str:
    if isinstance(issue.expected, str):
        text = issue.expected
    else:
        text = ""
    known = clean(text[:60]) + ("…" if len(text) > 60 else "")
    wanted = known or summary_of(finding.problem.node).pattern or "its pattern"
    return f"{echo(finding)} does not match {wanted}"


def _format(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence for a format.

    It shows the shape of the format instead of a sample, because a model would send a sample unchanged.
    """
    name = issue.expected
    if not isinstance(name, str):
        name = finding.problem.node.first("format", str) or ""
    named = clean(name[:30])
    wrong = f"{echo(finding)} is not " + (f"a valid {named}" if named else "in the format that is asked for")
    shape = _SHAPES.get(name)
    if shape and finding.proposal.reading is None:
        return f"{wrong}, send {shape}"
    return wrong


def _union(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence for a union of which the value matches no branch, or more than one."""
    problem, expected = finding.problem, issue.expected
    if are_forms(expected) and (text := needed(expected)):
        if isinstance(problem.got, dict):
            keys = [k for k in problem.got if isinstance(k, str)]
        else:
            keys = []
        return "; ".join(filter(None, (text, also_sent([k for k in keys if not problem.node.describes(k)]))))
    if issue.constraint == "oneOf" and isinstance(expected, tuple) and len(expected) == 2:
        a, b = (f"no. {e + 1}" if isinstance(e, int) else shown(e) for e in expected)
        return f"fits two forms at once ({a} and {b}), send what fits one only"
    branches = [node for union in problem.node.branches for node in union]
    if len(required := _required_of(branches)) > 1:
        return needed(required)
    forms = [text for branch in branches if (text := summary_of(branch).expects)]
    return "fits none of the forms" + (f": {'; '.join(forms[:MAX_NAMED])}" if forms else "")


def _forbidden(finding: Finding, issue: ValidationIssue) -> str:
    if issue.expected == {}:
        return "not allowed here: leave it out if it is not needed"
    if issue.expected is None:
        rule = ""
    else:
        rule = compact(issue.expected, 60)
    return f"{echo(finding)} is what the schema forbids" + (f": {rule}" if rule else "")


def _repeated(finding: Finding, issue: ValidationIssue) -> str:
    if issue.got is MISSING or finding.problem.secret or isinstance(issue.got, (list, dict)):
        return "items repeat, each may be sent once"
    return f"{shown(issue.got)} repeats, each item may be sent once"


def _reported(finding: Finding, issue: ValidationIssue) -> str:
    """Return the sentence of another program, unless the value is a secret.

    If the value is unknown, add the field's limits.
    """
    problem = finding.problem
    if problem.secret or not isinstance(issue.expected, str):
        return "the value was not accepted"
    if problem.got is MISSING:
        wanted = summary_of(problem.node).expects
    else:
        wanted = ""
    said = prose(issue.expected.replace(chr(34), chr(39)), MAX_REPORTED)
    return f'the error says "{said}"' + (f" (expected: {wanted})" if " " in wanted else "")


def _matching(finding: Finding, issue: ValidationIssue) -> str:
    node = finding.problem.node
    wanted = summary_of(node.schema.node([node.first("contains", dict)], [])).expects
    if wanted:
        of_kind = f": {wanted}"
    else:
        of_kind = ""
    if issue.constraint == "maxContains":
        return f"at most {shown(issue.expected)} of the items may match{of_kind}"
    return f"at least {shown(issue.expected)} of the items must match{of_kind}"


def other(finding: Finding, issue: ValidationIssue) -> str:
    """Write the sentence for a constraint that is not in `LIMITS`."""
    expects = summary_of(finding.problem.node).expects
    wrong = f"{echo(finding)} breaks {clean(issue.constraint[:30])}"
    if expects:
        return f"{wrong}, send {with_article(expects)}"
    return wrong


LIMITS: dict[str, Callable[[Finding, ValidationIssue], str]] = {
    **dict.fromkeys(keywords.LIMITS, _limit),
    **dict.fromkeys(("items", "additionalItems"), _surplus),
    "pattern": _pattern,
    "format": _format,
    "anyOf": _union,
    "oneOf": _union,
    "not": _forbidden,
    "uniqueItems": _repeated,
    "contains": _matching,
    "minContains": _matching,
    "maxContains": _matching,
    "reported": _reported,
}


def echo(finding: Finding) -> str:
    """Return the invalid value as text, or "the value" if it is secret or unknown.

    For several items, return up to three values.
    """
    problem = finding.problem
    if problem.secret or problem.got is MISSING:
        return "the value"
    if not finding.group:
        return shown(problem.got)
    texts = list(dict.fromkeys(shown(each.problem.got) for each in finding.group))
    return ", ".join(texts[:3]) + (", …" if len(texts) > 3 else "")


def needed(forms: Sequence[Mapping[str, Any]]) -> str:
    """List the fields that each form requires; return an empty string if a form requires anything else.

    >>> needed(({"required": ["width", "height"]}, {"required": ["aspect_ratio"]}))
    'send width and height, or aspect_ratio'
    """
    texts = [_form(form) for form in forms[:MAX_FORMS]]
    if not all(texts):
        return ""
    more = ", or another form" if len(forms) > MAX_FORMS else ""
    comma = "," if any(" and " in text for text in texts) else ""
    return f"send {f'{comma} or '.join(texts)}{more}"


def _required_of(branches: Sequence[SchemaNode]) -> list[dict[str, Any]]:
    """Return the form that each object branch requires; nothing if a branch is not an object with required fields."""
    if not all(node.types == ("object",) and node.required for node in branches):
        return []
    forms: list[dict[str, Any]] = []
    for node in branches:
        names = [n for n in node.properties if n in node.required] or sorted(node.required)
        fixed = {n: {"const": values[0]} for n in names if len(values := node.child(n).allowed) == 1}
        form = {"properties": fixed, "required": [n for n in names if n not in fixed]}
        forms += [form] if form not in forms else []
    return forms


def also_sent(undeclared: Sequence[str]) -> str:
    """Return the clause "you sent ..." that names the unknown keys; an empty string if there are none."""
    if undeclared:
        return f"you sent {not_fields(undeclared)}"
    return ""


def not_fields(undeclared: Sequence[str]) -> str:
    """List the unknown keys, followed by "which are not fields"."""
    is_one = len(undeclared) == 1
    named = enumerated([*map(choice, undeclared)], MAX_PARTS)
    return f"{named}, which {'is not a field' if is_one else 'are not fields'}"


def _form(form: Mapping[str, Any]) -> str:
    if not form.keys() <= _SAID:
        return ""
    parts = [
        choice(key_text(name)) + (f" ({choice(member['const'])})" if "const" in member else "")
        for name, member in form.get("properties", {}).items()
    ]
    return enumerated([*parts, *(choice(key_text(name)) for name in form.get("required", ()))], MAX_PARTS)
