"""ajv: `errorsText()` (`data/rows/3 must have required property 'qty'`) and its errors as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import phrases, read_phrase
from toolgen_runtime.hints.foreign.value_claims import REPORTED
from toolgen_runtime.schema.pointer import PointerError, unescape
from toolgen_runtime.validation.issues import CONSTRAINTS

_BODY = phrases(
    [
        ("required", r"(?:must|should) have required property (?P<names>'.*?'|\S+)"),
        ("required", r"(?:must|should) have propert(?:y|ies) (?P<names>.*?) when property"),
        ("additionalProperties", r"(?:must|should) NOT have additional properties"),
        ("unevaluatedProperties", r"(?:must|should) NOT have unevaluated properties"),
        ("enum", r"(?:must|should) be equal to one of the allowed values"),
        ("const", r"(?:must|should) be equal to constant"),
        ("minLength", r"(?:must|should) NOT (?:have fewer|be shorter) than (?P<limit>\d+) characters"),
        ("maxLength", r"(?:must|should) NOT (?:have more|be longer) than (?P<limit>\d+) characters"),
        ("minItems", r"(?:must|should) NOT have fewer than (?P<limit>\d+) items"),
        ("maxItems", r"(?:must|should) NOT have more than (?P<limit>\d+) items"),
        ("minProperties", r"(?:must|should) NOT have fewer than (?P<limit>\d+) properties"),
        ("maxProperties", r"(?:must|should) NOT have more than (?P<limit>\d+) properties"),
        ("minimum", r"(?:must|should) be >= (?P<limit>\S+)"),
        ("maximum", r"(?:must|should) be <= (?P<limit>\S+)"),
        ("exclusiveMinimum", r"(?:must|should) be > (?P<limit>\S+)"),
        ("exclusiveMaximum", r"(?:must|should) be < (?P<limit>\S+)"),
        ("multipleOf", r"(?:must|should) be multiple of (?P<limit>\S+)"),
        ("pattern", r"(?:must|should) match pattern "),
        ("format", r"(?:must|should) match format "),
        ("uniqueItems", r"(?:must|should) NOT have duplicate items"),
        ("contains", r"(?:must|should) contain at least"),
        ("oneOf", r"(?:must|should) match exactly one schema in oneOf"),
        ("anyOf", r"(?:must|should) match a schema in anyOf"),
        ("not", r"(?:must|should) NOT be valid|boolean schema is false"),
        ("propertyNames", r"property name (?:must|should) be valid"),
        ("type", r"(?:must|should) be (?:string|number|integer|boolean|null|array|object)\b"),
    ]
)
_ERROR = re.compile(
    r"(?:^|, |\n|: )(?:data|instance|body|input)?(?P<place>(?:/[^/ ,\n]*+|\.[\w-]++|\[\d++\])*+) "
    r"(?P<body>(?:must|should|property name|boolean) .*?)(?=, (?:data|instance|body|input)?[/. ]|\n|$)"
)


def read(text: str) -> list[ForeignIssue]:
    """Return the problems of an `errorsText()`."""
    found = [read_phrase(_BODY, m["body"], _unescaped(m["place"])) for m in _ERROR.finditer(text)]
    return [foreign for foreign in found if foreign is not None]


def _unescaped(text: str) -> str:
    """Return a pointer, or one token of it, unescaped; wrong escapes stay as they are."""
    try:
        return unescape(text)
    except PointerError:
        return text


def of_errors(errors: Iterable[Mapping[str, Any]]) -> list[ForeignIssue]:
    """Return the problems of `validate.errors` as JSON."""
    out = []
    for error in errors:
        pointer = str(error.get("instancePath", error.get("dataPath", "")))
        steps = tuple(map(_unescaped, pointer.split("/")[1:])) if "/" in pointer else pointer
        params = error.get("params")
        params = params if isinstance(params, Mapping) else {}
        keyword = str(error.get("keyword"))
        keys = ("missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName")
        names = tuple(str(params[k]) for k in keys if k in params)
        limit = next(
            (
                params[k]
                for k in ("limit", "multipleOf", "allowedValues", "allowedValue", "type")
                if k in params
            ),
            None,
        )
        message = str(error.get("message", ""))
        constraint = keyword if keyword in CONSTRAINTS else REPORTED
        out.append(ForeignIssue(constraint, steps, names, limit, message=message))
    return out
