"""zod 3 and 4: the issues as JSON, as `ZodError.message` has them, and `prettifyError`'s text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import phrases, read_phrase
from toolgen_runtime.hints.foreign.value_claims import REPORTED

_SIZES = {"string": "Length", "array": "Items", "set": "Items", "object": "Properties", "map": "Properties"}
_PRETTY = re.compile(r"^✖ (?P<body>[^\n]*)(?:\n\s+→ at (?P<place>[^\n]*))?", re.MULTILINE)
_BODY = phrases(
    [
        ("required", r"Required$|Invalid input: expected .*, received undefined"),
        ("additionalProperties", r"Unrecognized keys?(?:\(s\) in object)?: (?P<names>.*)"),
        ("enum", r"Invalid (?:option|enum value|discriminator value)|Invalid input: expected (?:\"|one of)"),
        ("minLength", r"Too small: expected string to have >=(?P<limit>\d+)"),
        ("maxLength", r"Too big: expected string to have <=(?P<limit>\d+)"),
        ("minItems", r"Too small: expected array to have >=(?P<limit>\d+)"),
        ("maxItems", r"Too big: expected array to have <=(?P<limit>\d+)"),
        ("minimum", r"Too small: expected \w+ to be >=(?P<limit>\S+)"),
        ("maximum", r"Too big: expected \w+ to be <=(?P<limit>\S+)"),
        ("exclusiveMinimum", r"Too small: expected \w+ to be >(?P<limit>\S+)"),
        ("exclusiveMaximum", r"Too big: expected \w+ to be <(?P<limit>\S+)"),
        ("multipleOf", r"Invalid number: must be a multiple of (?P<limit>\S+)"),
        ("pattern", r"Invalid string: must match pattern "),
        ("type", r"Invalid input: expected |Expected \w+, received "),
        ("anyOf", r"Invalid input$"),
        ("format", r"Invalid "),
    ]
)


def read(text: str) -> list[ForeignIssue]:
    """Return the problems of `prettifyError`'s text."""
    found = [
        read_phrase(_BODY, m["body"], f".{m['place']}" if m["place"] else "") for m in _PRETTY.finditer(text)
    ]
    return [foreign for foreign in found if foreign is not None]


def of_issues(issues: Iterable[Mapping[str, Any]]) -> list[ForeignIssue]:
    """Return the problems of `error.issues`."""
    return [
        replace(_issue(issue, str(issue.get("code"))), message=str(issue.get("message", "")))
        for issue in issues
    ]


def _issue(issue: Mapping[str, Any], code: str) -> ForeignIssue:
    steps = issue.get("path")
    path = tuple(s for s in steps if isinstance(s, str | int)) if isinstance(steps, list) else ()
    if code == "unrecognized_keys":
        keys = issue.get("keys")
        return ForeignIssue(
            "additionalProperties", path, tuple(map(str, keys)) if isinstance(keys, list) else ()
        )
    if code in ("too_small", "too_big"):
        return _size(issue, path, small=code == "too_small")
    if code in ("invalid_value", "invalid_enum_value", "invalid_literal", "invalid_union_discriminator"):
        values = next((issue[k] for k in ("values", "options") if isinstance(issue.get(k), list)), None)
        return ForeignIssue("enum", path, expected=values)
    if code == "invalid_union" and issue.get("discriminator"):
        return ForeignIssue("enum", path, expected=issue.get("options"))
    if code == "invalid_type":
        absent = issue.get("received") == "undefined" or str(issue.get("message")).endswith(
            "received undefined"
        )
        return ForeignIssue("required" if absent else "type", path, expected=issue.get("expected"))
    if code in ("invalid_format", "invalid_string"):
        kind = issue.get("format", issue.get("validation"))
        return ForeignIssue("pattern" if kind == "regex" else "format", path, expected=issue.get("pattern"))
    plain = {"not_multiple_of": "multipleOf", "invalid_union": "anyOf", "invalid_date": "format"}
    other = REPORTED if issue.get("message") else "not"
    return ForeignIssue(plain.get(code, other), path, expected=issue.get("multipleOf", issue.get("divisor")))


def _size(issue: Mapping[str, Any], path: tuple[str | int, ...], *, small: bool) -> ForeignIssue:
    origin = str(issue.get("origin", issue.get("type")))
    limit = issue.get("minimum" if small else "maximum")
    if origin in _SIZES:
        return ForeignIssue(("min" if small else "max") + _SIZES[origin], path, expected=limit)
    keyword = "minimum" if small else "maximum"
    exclusive = issue.get("inclusive") is False
    return ForeignIssue(f"exclusive{keyword.capitalize()}" if exclusive else keyword, path, expected=limit)
