"""What validators' libraries report: each problem as a `Mention` of a place and the library's own sentence.

jsonschema and jsonschema-rs print alike. No library is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from toolgen_runtime.hints.foreign.bodies import Mention
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
Step = str | int
_KEYWORD = re.compile(r"""^Failed validating ['"](\w+)['"] in """, re.MULTILINE)
_KEY = r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+\""""
_INSTANCE = re.compile(rf"^On \w+((?:\[(?:\d+|{_KEY})\])*):$", re.MULTILINE)
_STEP = re.compile(rf"\d{{1,9}}|{_KEY}")
_QUOTED = re.compile(_KEY)
_OTHER_NAMES = re.compile(r" is a dependency of | match any of the regexes")
_FASTJSONSCHEMA = re.compile(
    r"data(?P<place>[.\[/][^\n]{0,300}?)? "
    r"(?P<said>(?:must (?:be|contain|not contain|not be|NOT|match) |cannot be validated by )[^\n]*)"
)
_HEAD = re.compile(
    r"(?<!\d)\d{1,6} validation errors? for (?![^\n]{0,200}(?:Output|Response|Result|Reply)\b)[^\n]*"
)
"""The line that begins a pydantic ValidationError's text, unless it is about a result."""
_BODY = re.compile(r"  (?P<said>[^\n]*?) \[type=(?P<kind>\w{1,60}), input_value=")
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
        if match is None or match.end() == 0:
            break
        text = text[match.end() :].lstrip()
    return text


def mentions(text: str) -> list[Mention]:
    """Return what a library's text reports; an empty list if it is no library's."""
    return (_of_pydantic(text) or _of_jsonschema(text) or _of_fastjsonschema(text))[:MAX_ISSUES]


def listed_errors(error: BaseException) -> list[Mention]:
    """Return what an exception's `errors()` report, if these are like pydantic's."""
    errors = called(error, "errors") or []
    if not all(isinstance(e, dict) and "loc" in e and "type" in e for e in errors):
        return []
    return [_of_error(e) for e in errors[:MAX_ISSUES]]


def own_issues(error: BaseException) -> list[ValidationIssue]:
    """Return what an exception's `issues()` list; none if there is no such method, or it lists other things."""
    issues = called(error, "issues") or []
    return issues if all(isinstance(issue, ValidationIssue) for issue in issues) else []


def called(error: object, name: str) -> list[Any] | None:
    """Return what a method without arguments lists; None if there is no such method, or it fails."""
    method: Callable[[], Any] | None = getattr(error, name, None)
    if not callable(method):
        return None
    try:
        found = method()
        return list(found) if isinstance(found, Iterable) else None
    except Exception:  # another program's method: whatever it raises, its text is still there to read
        return None


def _of_error(error: Mapping[str, Any]) -> Mention:
    loc = error["loc"]
    place = tuple(s for s in loc if isinstance(s, str | int)) if isinstance(loc, list | tuple) else ()
    return Mention(place, str(error.get("msg", "")), keyword=_KEYS_OF.get(str(error["type"]), ""))


def _of_pydantic(text: str) -> list[Mention]:
    """Return the problems of a ValidationError's text, also inside FastMCP's and the MCP SDK's messages."""
    head = _HEAD.search(text)
    out: list[Mention] = []
    place = ""
    for line in text[head.end() :].split("\n") if head is not None else ():
        body = _BODY.match(line)
        if body is not None:
            out.append(Mention(place, body["said"], keyword=_KEYS_OF.get(body["kind"], "")))
            place = ""
        elif line[:1].strip():
            place = line
    return out


def _of_jsonschema(text: str) -> list[Mention]:
    """Return the problem of one exception's text; a message alone is read as any other sentence."""
    keyword, instance = _KEYWORD.search(text), _INSTANCE.search(text)
    if keyword is None or instance is None:
        return []
    said = text[: keyword.start()].rstrip()
    return _of_keys(_steps(instance[1]), said, keyword[1])


def _of_fastjsonschema(text: str) -> list[Mention]:
    """Return the problem of one exception's text, which calls its variable `data`; ajv's are alike."""
    found = _FASTJSONSCHEMA.fullmatch(text.strip())
    if found is None:
        return []
    said = found["said"]
    keyword = "must contain" if said.startswith("must contain [") else said[: said.find(" {")]
    return _of_keys(found["place"] or (), said, keyword)


def _of_keys(place: str | tuple[Step, ...], said: str, keyword: str) -> list[Mention]:
    """Return a mention for each key that a sentence calls missing or unknown; without such keys, of the place."""
    kind = _KEYS_OF.get(keyword, "")
    quoted = _OTHER_NAMES.split(said)[0] if kind else ""
    names = [unescaped(match[0][1:-1]) for match in _QUOTED.finditer(quoted)]
    return [Mention(place, said, keyword=kind, key=name) for name in names] or [Mention(place, said)]


def _steps(brackets: str) -> tuple[Step, ...]:
    found = _STEP.findall(brackets)
    return tuple(int(step) if step.isdecimal() else unescaped(step[1:-1]) for step in found)
