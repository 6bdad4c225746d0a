"""Read the reports of validation libraries and services as mentions: a place with a sentence.

Libraries are recognized by their texts and exceptions (jsonschema and jsonschema-rs print the same format; no library
is imported). Services are read by the objects and maps of their error bodies, not by name; `_PLACE_KEYS` and
`_ERROR_MAPS` are the keys that they use for fields and errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from toolgen_runtime.hints.foreign.field_places import steps_in
from toolgen_runtime.hints.foreign.sentences import COMPLAINS
from toolgen_runtime.hints.names import word_set
from toolgen_runtime.schema.spelling import fold
from toolgen_runtime.validation.embedded import unescaped
from toolgen_runtime.validation.issues import ValidationIssue


class Mention(NamedTuple):
    """A place that a library or service names, as text or as steps, with its sentence about the place."""

    place: str | tuple[str | int, ...]
    sentence: str
    is_certain: bool = True
    """Whether the key in the body can only mean a field; `name` and `path` have other meanings too."""
    keyword: str = ""
    """`required` or `additionalProperties`, if a library reports one of them."""

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The place as steps."""
        return steps_in(self.place) if isinstance(self.place, str) else self.place


MAX_ISSUES = 1_000
_ANNOUNCEMENT = re.compile(
    r"(?:(?:McpError|ToolError|Error|ValidationError|ZodError):?\s*+)?"
    r"(?:MCP error -?\d{1,9}|Error (?:executing|calling) tool [^\n:]{0,200}|Input validation error"
    r"|Invalid arguments(?: for tool)? [^\n:\[{]{0,200}|Validation (?:error|failed)|Invalid input): ?",
)
MAX_TEXT = 20_000
"""The most characters of a text that are read."""
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
"""The first line of the text of a pydantic `ValidationError`, unless it is about a result."""
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
"""The names of libraries for a missing key or a key that is not allowed."""


def unwrapped(text: str) -> str:
    """Return the text without prefixes that frameworks add, such as `MCP error -32602: `."""
    text = text[:MAX_TEXT].strip()
    for _ in range(5):
        if (match := _ANNOUNCEMENT.match(text)) is not None:
            text = text[match.end() :].lstrip()
    return text


def in_text(text: str) -> list[Mention]:
    """Return the mentions of a library's text; an empty list for any other text."""
    head = _HEAD.search(text)
    if head is not None:  # pydantic's, also inside FastMCP's and the MCP SDK's messages
        found = [*_PYDANTIC.finditer(text, head.end())][:MAX_ISSUES]
        return [Mention(m["place"] or "", m["said"], keyword=_KEYS_OF.get(m["kind"], "")) for m in found]
    keyword, instance = _KEYWORD.search(text), _INSTANCE.search(text)
    if keyword is not None and instance is not None:
        return _of_keys(instance[1], text[: keyword.start()].rstrip(), keyword[1])
    if (one := _FASTJSONSCHEMA.fullmatch(text.strip())) is not None:  # ajv's texts are similar
        said = one["said"]
        kind = "must contain" if said.startswith("must contain [") else said[: said.find(" {")]
        return _of_keys(one["place"] or "", said, kind)
    return []


def _of_keys(place: str, said: str, keyword: str) -> list[Mention]:
    """Return a mention for each key that a sentence calls missing or unknown; without such keys, one of the place."""
    kind, steps = _KEYS_OF.get(keyword, ""), steps_in(place)
    quoted = _OTHER_NAMES.split(said)[0] if kind else ""
    names = [unescaped(name[0][1:-1]) for name in _QUOTED.finditer(quoted)][:MAX_ISSUES]
    return [Mention((*steps, name), said, keyword=kind) for name in names] or [Mention(steps, said)]


def listed_errors(error: BaseException) -> list[Mention]:
    """Return the mentions of an exception's `errors()`, if they have the form of pydantic's."""
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
    """Return the issues of an exception's `issues()`; none if there is no such method or it returns other items."""
    return _listed(error, "issues", lambda one: isinstance(one, ValidationIssue))


def _listed(error: object, name: str, fits: Callable[[Any], bool]) -> list[Any]:
    """Return the items of a method without arguments; none if it is missing, fails, or returns other items."""
    method: Callable[[], Any] | None = getattr(error, name, None)
    try:
        found = method() if callable(method) else None
        listed = list(found) if isinstance(found, Iterable) else []
    except Exception:  # a foreign method may raise anything; the exception's text can still be read
        return []
    return listed if all(map(fits, listed)) else []


_SURE_KEYS = (
    "field fieldname fieldpath param parameter parametername paramname argument argumentname loc pointer jsonpointer"
    " instancepath datapath jsonpath propertypath apiname columnname property propertyname attribute attr"
    " instancelocation pointerviolation"
)
_UNSURE_KEYS = "target path location key name variable column context"
_UNCERTAIN = word_set(_UNSURE_KEYS)
_PLACE_KEYS = tuple(f"{_SURE_KEYS} {_UNSURE_KEYS}".split())
"""Keys that name the field, folded, the most certain first."""
_SAID = "message msg defaultmessage description detail details explanation errormessage errordescription reason issue"
_SENTENCE_KEYS = tuple(
    f"{_SAID} problem text title summary constraints messages error errors code type kind".split()
)
"""Keys that contain the sentence, folded, the best first."""
_ERROR_MAPS = word_set(
    "error errors fielderrors fielderror fields validationerrors validation message messages details detail json"
    " invalidfields invalidparams failures violations modelstate inner parameters body query form extra data"
)
"""Keys that may contain a map from fields to sentences."""
_VALUES = word_set("data body form query json parameters fields")
"""Those of `_ERROR_MAPS` that may contain values instead."""
_ENVELOPES = word_set(
    "errors error messages message errormessages nonfielderrors details detail warnings stack trace formerrors"
)
_CODES = word_set("code errorcode status statuscode type kind name error reason")
_ERROR_KEYS = word_set("message msg description detail error errormessage reason")
_OF_ERRORS = _ERROR_KEYS | _CODES | word_set("params constraint rule value limit min max validation context")
"""Keys of an object that is one error."""
_NAMES_ERRORS = re.compile(
    r"(?:error|violation|failure|issue|problem|detail|exception|message)s?$", re.IGNORECASE
)
"""Matches the end of a key for a list of errors on any subject."""
_ECHOES = word_set(
    "input value rejectedvalue ctx received got request requested requestbody stack stacktrace trace"
)
"""Keys under which services repeat the request."""
ENVELOPE_KEYS = word_set(" ".join(_SENTENCE_KEYS)) | _ENVELOPES | _CODES
"""Keys that are not field names if a body has no other keys."""
_CODE = re.compile(r"[a-z]{1,40}(?:_[a-z]{1,40}){1,6}")


def in_body(body: Any) -> Iterator[Mention]:
    """Yield the mentions of fields in a body, in its order."""
    for value in _values(body, lambda key, v: key in _PLACE_KEYS and isinstance(v, list) and _steps(v)):
        if isinstance(value, dict):
            yield from _of_object(value)


def _values(body: Any, is_left_out: Callable[[str, Any], Any]) -> Iterator[Any]:
    """Yield a body and the values in it, in order, except echoes of the request."""
    todo = [body]
    while todo:
        value = todo.pop()
        yield value
        if isinstance(value, list):
            todo += reversed(value)
        elif isinstance(value, dict):
            members = [(fold(str(name)), member) for name, member in reversed(value.items())]
            todo += [m for key, m in members if key not in _ECHOES and not is_left_out(key, m)]


def _of_object(value: dict[str, Any]) -> Iterator[Mention]:
    folded = {fold(str(key)): member for key, member in reversed(value.items())}
    said = _sentence(value)
    for key in _PLACE_KEYS:
        place = folded.get(key)
        if key == "path" and (folded.keys() & {"timestamp", "status", "statuscode"}):
            continue  # the path of the request's URL
        if steps := _steps(place):
            if said or not any(map(_are_places, value.values())):
                yield Mention(steps, said, key not in _UNCERTAIN)
            break
    for name, member in value.items():
        key = fold(str(name))
        if key in _ERROR_MAPS and isinstance(member, dict):
            yield from _of_map(member, (), in_lists_only=_is_error(member), must_complain=key in _VALUES)
        elif key not in _ENVELOPES | _ECHOES and isinstance(member, (list, dict)):
            yield from _of_map({name: member}, (), in_lists_only=True)


def _are_places(member: Any) -> bool:
    """Return whether a value is a list of objects that name places themselves."""
    return isinstance(member, list) and any(
        isinstance(inner, dict) and any(fold(str(key)) in _PLACE_KEYS for key in inner) for inner in member
    )


def _is_error(value: dict[str, Any]) -> bool:
    """Return whether an object is one error with a code and a sentence, not a map from fields to sentences."""
    folded = {fold(str(key)): member for key, member in value.items()}
    codes = [folded[key] for key in _CODES & folded.keys()]
    said = [text for key in _ERROR_KEYS if isinstance(text := folded.get(key), str)]
    if said and any(isinstance(code, int) for code in codes):
        return True
    return any(" " in text for text in said) and any(
        isinstance(code, str) and " " not in code for code in codes
    )


def _of_map(
    members: dict[str, Any],
    above: tuple[str | int, ...],
    *,
    in_lists_only: bool = False,
    must_complain: bool = False,
) -> Iterator[Mention]:
    """Yield the mentions of a map from fields to sentences.

    `in_lists_only` is for an object that may not be such a map; `must_complain` for one that may contain values.
    """
    for name, member in members.items():
        place = (*above, str(name))
        if isinstance(member, str):
            if not in_lists_only and (not must_complain or COMPLAINS.search(member)):
                yield Mention(place, member)
        elif isinstance(member, list):
            yield from _of_list(member, place, in_lists_only)
        elif isinstance(member, dict):
            if not in_lists_only and (said := _sentence(member, 1)):
                yield Mention(place, said)
            yield from _of_map(member, place, in_lists_only=in_lists_only, must_complain=must_complain)


def _of_list(members: list[Any], place: tuple[str | int, ...], in_lists_only: bool) -> Iterator[Mention]:
    first = members[0] if members else None
    is_other = (
        in_lists_only
        and isinstance(first, dict)
        and (_NAMES_ERRORS.search(str(place[-1])) or not {fold(str(k)) for k in first} <= _OF_ERRORS)
    )
    said = "" if is_other else _sentence(first, 1)
    if said and (" " in said or not in_lists_only):
        yield Mention(place, said)
        return
    for index, member in enumerate(members):
        if isinstance(member, dict):
            is_step = not all(str(key).isdecimal() for key in member)  # Cerberus: [{0: ...}]
            yield from _of_map(member, (*place, index) if is_step else place, in_lists_only=in_lists_only)


def _sentence(value: Any, levels: int = 2) -> str:
    """Return the sentence that a value is or contains, or `""`."""
    if isinstance(value, list):
        value = next((v for v in value if isinstance(v, str)), "")
    if isinstance(value, dict) and levels:
        folded = {fold(str(k)): v for k, v in reversed(value.items())}
        return next((said for key in _SENTENCE_KEYS if (said := _sentence(folded.get(key), levels - 1))), "")
    return value if isinstance(value, str) else ""


def _steps(place: Any) -> str | tuple[str | int, ...]:
    """Return a place from a body: a text, or a list of steps, each of which may be an object with a `key`."""
    if isinstance(place, str):
        return place
    if not isinstance(place, list):
        return ""
    steps = [step.get("key") if isinstance(step, dict) else step for step in place]
    return tuple(s for s in steps if isinstance(s, (str, int)) and not isinstance(s, bool))


def sentences(body: Any) -> Iterator[str]:
    """Yield the sentences and codes (`channel_not_found`) of a body, in order, except echoes of the request."""
    for value in _values(body, lambda *_: False):
        if isinstance(value, str) and (" " in value or _CODE.fullmatch(value)):
            yield value
