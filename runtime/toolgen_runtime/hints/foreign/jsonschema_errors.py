"""jsonschema and jsonschema-rs, whose exceptions print alike: message, schema path, `On instance[...]`.

Also the message alone, as the MCP SDK passes it on.
"""

from __future__ import annotations

import re

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import MAX_MESSAGE, bracket_path, phrases, read_phrase
from toolgen_runtime.schema.keywords import CONSTRAINTS
from toolgen_runtime.validation.issues import MISSING

_KEYWORD = re.compile(r"""^Failed validating ['"](\w+)['"] in """, re.MULTILINE)
_INSTANCE = re.compile(
    r"""^On \w+((?:\[(?:\d+|'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")\])*):$""", re.MULTILINE
)
_GOT = r"(?P<got>.+?)"
_PHRASES = phrases(
    [
        ("required", r"(?P<names>(?:'.+'|\".+\")) is a required property"),
        ("required", r"(?P<names>(?:'.+'|\".+\")) is a dependency of "),
        (
            "additionalProperties",
            r"Additional properties are not allowed \((?P<names>.+) (?:was|were) unexpected\)",
        ),
        (
            "unevaluatedProperties",
            r"Unevaluated properties are not allowed \((?P<names>.+) (?:was|were) unexpected\)",
        ),
        ("additionalProperties", r"(?P<names>.+) do(?:es)? not match any of the regexes: "),
        ("type", _GOT + r" is not of types? ['\"]"),
        ("enum", _GOT + r" is not one of "),
        ("const", r"(?P<limit>.+?) was expected"),
        ("format", _GOT + r" is not a ['\"]"),
        ("pattern", _GOT + r" does not match ['\"]"),
        ("exclusiveMinimum", _GOT + r" is less than or equal to the minimum of (?P<limit>\S+)"),
        ("exclusiveMaximum", _GOT + r" is greater than or equal to the maximum of (?P<limit>\S+)"),
        ("minimum", _GOT + r" is less than the minimum of (?P<limit>\S+)"),
        ("maximum", _GOT + r" is greater than the maximum of (?P<limit>\S+)"),
        ("multipleOf", _GOT + r" is not a multiple of (?P<limit>\S+)"),
        ("minLength", _GOT + r" is shorter than (?P<limit>\d+) character"),
        ("maxLength", _GOT + r" is longer than (?P<limit>\d+) character"),
        ("minLength", r"(?P<got>'.*'|\".*\") (?:is too short|should be non-empty)"),
        ("maxLength", r"(?P<got>'.*'|\".*\") (?:is too long|is expected to be empty)"),
        ("minItems", r"\[.* (?:has less than (?P<limit>\d+) item|is too short|should be non-empty)"),
        ("maxItems", r"\[.* (?:has more than (?P<limit>\d+) item|is too long|is expected to be empty)"),
        (
            "minProperties",
            r"\{.* (?:has less than (?P<limit>\d+) propert|does not have enough|should be non-empty)",
        ),
        (
            "maxProperties",
            r"\{.* (?:has more than (?P<limit>\d+) propert|has too many|is expected to be empty)",
        ),
        ("uniqueItems", r"\[.* has non-unique elements"),
        ("contains", r"(?:\[.*|None of .*) (?:does not contain items|are valid under the given)"),
        ("oneOf", r".* is valid under (?:each of|more than one) "),
        ("anyOf", r".* is not valid under any of "),
        ("not", r".* (?:should not be valid under|is not allowed for) "),
        ("not", r"False schema does not allow "),
    ]
)


def read(text: str) -> list[ForeignIssue]:
    """Return the problem of one exception's text, or of its message alone."""
    keyword, instance = _KEYWORD.search(text), _INSTANCE.search(text)
    message = text[: keyword.start()].rstrip() if keyword else text.strip()
    path = bracket_path(instance[1]) if instance else None
    foreign = read_phrase(_PHRASES, message, path)
    if keyword is None:
        return [foreign] if foreign is not None and "\n" not in message else []
    constraint = keyword[1] if keyword[1] in CONSTRAINTS else "not"
    if foreign is None or foreign.constraint != constraint:
        names = (
            foreign.names
            if foreign is not None and constraint in ("dependentRequired", "dependencies")
            else ()
        )
        foreign = ForeignIssue(
            _mapped(constraint),
            path or (),
            names=names,
            got=foreign.got if foreign else MISSING,
            message=message[:MAX_MESSAGE],
        )
    return [foreign]


def _mapped(constraint: str) -> str:
    return "required" if constraint in ("dependentRequired", "dependencies") else constraint
