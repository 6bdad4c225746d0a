"""What validators' libraries report: each problem as a `Mention` of a place and the library's own sentence.

jsonschema and jsonschema-rs print alike. No library is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from toolgen_runtime.hints.foreign.bodies import Mention
from toolgen_runtime.hints.foreign.field_places import steps_in
from toolgen_runtime.validation.embedded import unescaped
from toolgen_runtime.validation.issues import ValidationIssue

MAX_ISSUES = 1_000
_ANNOUNCEMENT = re.compile(
    r"(?:(?:McpError|ToolError|Error|ValidationError|ZodError):?\s*+)?"
    r"(?:MCP error -?\d{1,9}|Error (?:executing|calling) tool [^\n:]{0,200}|Input validation error"
    r"|Invalid arguments(?: for tool)? [^\n:\[{]{0,200}|Validation (?:error|failed)|Invalid input): ?",
)
MAX_TEXT = 20_000
"""Characters of a text that are looked at."""
_KEYWORD = re.compile(r"""^Failed validating ['"](\w+)['"] in """, re.MULTILINE)
_INSTANCE = re.compile(r"^On \w+((?:\[[^\n]{1,300}\])?):$", re.MULTILINE)
_QUOTED = re.compile(r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+\"""")
_OTHER_NAMES = re.compile(r" is a dependency of | match any of the regexes")
_FASTJSONSCHEMA = re.compile(
    r"data(?P<place>[.\[/][^\n]{0,300}?)? "
    r"(?P<said>(?:must (?:be|contain|not contain|not be|NOT|match) |cannot be validated by )[^\n]*)"
)
_HEAD = re.compile(
    r"(?<!\d)\d{1,6} validation errors? for (?![^\n]{0,200}(?:Output|Response|Result|Reply)\b)[^\n]*\n"
)
"""The line that begins a pydantic ValidationError's text, unless it is about a result."""
_PYDANTIC = re.compile(
    r"^(?:(?P<place>\S[^\n]*)\n)?  (?P<said>[^\n]*?) \[type=(?P<kind>\w{1,60}), input_value=", re.MULTILINE
)
_KEYS_OF = {
    **dict.fromkeys(("required", "dependentRequired", "dependencies", "must contain"), "required"),
    **dict.fromkeys(("missing", "missing_argument", "missing_keyword_only_argument"), "required"),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties"), "additionalProperties"),
    **dict.fromkeys(
        ("must not contain", "extra_forbidden", "unexpected_keyword_argument"), "additionalProperties"
    ),
}
"""Each library's names for a key that is missing, or that should not be there."""


def unwrapped(text: str) -> str:
    """Return the text without the frameworks' announcements before it."""
    text = text[:MAX_TEXT].strip()
    for _ in range(5):
        match = _ANNOUNCEMENT.match(text)
        if match is None:
            break
        text = text[match.end() :].lstrip()
    return text


def mentions(text: str) -> list[Mention]:
    """Return what a library's text reports; an empty list if it is no library's."""
    if (
        head := _HEAD.search(text)
    ) is not None:  # pydantic's, also inside FastMCP's and the MCP SDK's messages
        found = [*_PYDANTIC.finditer(text, head.end())][:MAX_ISSUES]
        return [Mention(m["place"] or "", m["said"], keyword=_KEYS_OF.get(m["kind"], "")) for m in found]
    keyword, instance = _KEYWORD.search(text), _INSTANCE.search(text)
    if keyword is not None and instance is not None:
        return _of_keys(instance[1], text[: keyword.start()].rstrip(), keyword[1])
    if (one := _FASTJSONSCHEMA.fullmatch(text.strip())) is not None:  # ajv's are alike
        said = one["said"]
        kind = "must contain" if said.startswith("must contain [") else said[: said.find(" {")]
        return _of_keys(one["place"] or "", said, kind)
    return []


def _of_keys(place: str, said: str, keyword: str) -> list[Mention]:
    """Return a mention for each key that a sentence calls missing or unknown; without such keys, of the place."""
    kind, steps = _KEYS_OF.get(keyword, ""), steps_in(place)
    quoted = _OTHER_NAMES.split(said)[0] if kind else ""
    names = [unescaped(name[0][1:-1]) for name in _QUOTED.finditer(quoted)][:MAX_ISSUES]
    return [Mention((*steps, name), said, keyword=kind) for name in names] or [Mention(steps, said)]


def listed_errors(error: BaseException) -> list[Mention]:
    """Return what an exception's `errors()` report, if these are like pydantic's."""
    errors = _listed(error, "errors", lambda one: isinstance(one, dict) and {"loc", "type"} <= one.keys())
    return [
        Mention(
            tuple(step for step in one["loc"] if isinstance(step, str | int)),
            str(one.get("msg", "")),
            keyword=_KEYS_OF.get(str(one["type"]), ""),
        )
        for one in errors[:MAX_ISSUES]
        if isinstance(one["loc"], list | tuple)
    ]


def own_issues(error: BaseException) -> list[ValidationIssue]:
    """Return what an exception's `issues()` list; none if there is no such method, or it lists other things."""
    return _listed(error, "issues", lambda one: isinstance(one, ValidationIssue))


def _listed(error: object, name: str, fits: Callable[[Any], bool]) -> list[Any]:
    """Return what a method without arguments lists; nothing if there is none, it fails, or it lists other things."""
    method: Callable[[], Any] | None = getattr(error, name, None)
    try:
        found = method() if callable(method) else None
        listed = list(found) if isinstance(found, Iterable) else []
    except Exception:  # another program's method: whatever it raises, its text is still there to read
        return []
    return listed if all(map(fits, listed)) else []
