"""Read the error texts of validation libraries and the error bodies of services.

The result is a list of mentions. Each mention names a place in the arguments and quotes what the error says about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from toolgen_runtime.hints.foreign.places import steps_in
from toolgen_runtime.hints.names import word_set
from toolgen_runtime.schema.spelling import fold
from toolgen_runtime.validation.embedded import unescaped


class Mention(NamedTuple):
    """A sentence from an error of another program, and the path in the arguments that it is about."""

    steps: tuple[str | int, ...]
    sentence: str
    keyword: str = ""
    """`required` or `additionalProperties`, if a library reports one of them."""
    is_certain: bool = True
    """Whether the place can only be a field."""
    may_begin_later: bool = False
    """Whether the first steps may only lead to a map of fields."""


MAX_MENTIONS = 1_000
MAX_ERROR_TEXT = 20_000
"""The most characters of a text that are read."""
_ANNOUNCEMENT = re.compile(
    r"(?:(?:McpError|ToolError|Error|ValidationError|ZodError):?\s*+)?"
    r"(?:MCP error -?\d{1,9}|Error (?:executing|calling) tool [^\n:]{0,200}|Input validation error"
    r"|Invalid arguments(?: for tool)? [^\n:\[{]{0,200}|Validation (?:error|failed)|Invalid input): ?"
)
_KEYWORD = re.compile(r"""^Failed validating ['"](\w+)['"] in """, re.MULTILINE)
_INSTANCE = re.compile(r"^On \w+((?:\[[^\n]{1,300}\])?):$", re.MULTILINE)
_QUOTED = re.compile(r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+\"""")
_FASTJSONSCHEMA = re.compile(
    r"data(?P<place>[.\[/][^\n]{0,300}?)? "
    r"(?P<said>(?:must (?:be|contain|not contain|not be|NOT|match) |cannot be validated by )[^\n]*)"
)
_PYDANTIC_HEAD = re.compile(
    r"(?<!\d)\d{1,6} validation errors? for (?![^\n]{0,200}(?:Output|Response|Result|Reply)\b)[^\n]*\n"
)
_PYDANTIC = re.compile(
    r"^(?:(?P<place>\S[^\n]*)\n)?  (?P<said>[^\n]*?) \[type=(?P<kind>\w{1,60}), input_value=", re.MULTILINE
)
_KEYWORDS = {
    **dict.fromkeys(word_set("required dependentRequired dependencies must_contain"), "required"),
    **dict.fromkeys(word_set("missing missing_argument missing_keyword_only_argument"), "required"),
    **dict.fromkeys(
        word_set("additionalProperties unevaluatedProperties must_not_contain"), "additionalProperties"
    ),
    **dict.fromkeys(word_set("extra_forbidden unexpected_keyword_argument"), "additionalProperties"),
}
"""The names of libraries for a missing key or a key that is not allowed."""


def unwrapped(text: str) -> str:
    """Remove the prefixes that frameworks put before a text, such as `MCP error -32602: `."""
    text = text[:MAX_ERROR_TEXT].strip()
    for _ in range(5):
        if (match := _ANNOUNCEMENT.match(text)) is not None:
            text = text[match.end() :].lstrip()
    return text


def of_library(text: str) -> list[Mention]:
    """Parse an error text of pydantic, jsonschema, jsonschema-rs or fastjsonschema.

    For any other text, return no mentions.
    """
    head = _PYDANTIC_HEAD.search(text)
    if head is not None:  # also inside FastMCP's and the MCP SDK's messages
        found = [*_PYDANTIC.finditer(text, head.end())][:MAX_MENTIONS]
        return [Mention(steps_in(m["place"] or ""), m["said"], _KEYWORDS.get(m["kind"], "")) for m in found]
    keyword, instance = _KEYWORD.search(text), _INSTANCE.search(text)
    if keyword is not None and instance is not None:
        return _of_keys(instance[1], text[: keyword.start()].rstrip(), keyword[1])
    if (one := _FASTJSONSCHEMA.fullmatch(text.strip())) is not None:  # ajv's texts are similar
        kind = "_".join(re.split(r" [{\[]", one["said"])[0].split())
        return _of_keys(one["place"] or "", one["said"], kind)
    return []


def _of_keys(place: str, said: str, keyword: str) -> list[Mention]:
    """Return a mention for each key that a sentence calls missing or unknown.

    If the sentence names no such key, return one mention of the place itself.
    """
    kind, steps = _KEYWORDS.get(keyword, ""), steps_in(place)
    if kind:
        quoted = re.split(r" is a dependency of | match any of the regexes", said)[0]
    else:
        quoted = ""
    names = [unescaped(name[0][1:-1]) for name in _QUOTED.finditer(quoted)][:MAX_MENTIONS]
    return [Mention((*steps, name), said, kind) for name in names] or [Mention(steps, said)]


_FIELDS = (
    "field fieldname fieldpath param parameter parametername paramname argument argumentname loc pointer jsonpointer"
    " instancepath datapath jsonpath propertypath apiname columnname property propertyname attribute attr"
    " instancelocation pointerviolation"
)
_FIELD_KEYS = word_set(_FIELDS)
_PLACE_KEYS = f"{_FIELDS} target path location key name variable column context".split()
"""Keys that may name the field, the most certain first; those after `_FIELD_KEYS` have other meanings too."""
_SENTENCES = (
    "message msg defaultmessage description detail details explanation errormessage errordescription reason issue"
    " problem text title summary constraints messages error errors code type kind"
)
_SENTENCE_KEYS = _SENTENCES.split()
"""Keys that contain the sentence, folded, the best first."""
_CONTAINERS = word_set(
    "error errors fielderrors fielderror fields validationerrors validation message messages details detail json nested"
    " invalidfields invalidparams failures violations modelstate inner parameters body query form extra data"
)
"""Keys that may contain a map from fields to sentences."""
_ABOUT_ALL = word_set(
    "errors error messages message errormessages nonfielderrors details detail warnings formerrors"
)
"""Keys for sentences about the arguments as a whole."""
_CODES = word_set("code errorcode status statuscode type kind name error reason")
_OF_ONE_ERROR = _CODES | word_set(
    "message msg description detail errormessage params constraint rule value limit min max validation context"
)
"""Keys of an object that is one error."""
_LISTS_ERRORS = re.compile(
    r"(?<!^_)(?:error|violation|failure|issue|problem|detail|message)s?$", re.IGNORECASE
)
"""Matches keys for lists of errors about anything."""
_ECHOES = word_set(
    "input value rejectedvalue ctx received got request requested requestbody stack stacktrace trace"
)
"""Keys under which services repeat the request."""
_CODE = re.compile(r"[a-z]{1,40}(?:_[a-z]{1,40}){1,6}")


def of_body(body: Any) -> Iterator[Mention]:
    """Yield the paths and sentences in an error body, in the order of the body.

    A mention comes from an object that names a field, or from a map whose keys are fields.
    """
    for path, value in _walk(body):
        if not isinstance(value, dict):
            continue
        folded = {fold(str(key)): member for key, member in reversed(value.items())}
        said = sentence_of(value)
        for key in _PLACE_KEYS:
            is_url = key == "path" and folded.keys() & {"timestamp", "status", "statuscode"}
            if not is_url and (steps := _steps(folded.get(key))):
                if said or not any(isinstance(member, list) for member in value.values()):
                    yield Mention(steps, said, is_certain=key in _FIELD_KEYS)
                break
        is_map = not _is_one_error(folded) and not _CONTAINERS.isdisjoint(fold(str(step)) for step in path)
        for name, member in value.items():
            if said := _said_of_field(str(name), member, is_map):
                if path and str(name).startswith("_"):
                    steps = path
                else:
                    steps = (*path, str(name))
                yield Mention(
                    steps, said, is_certain=fold(str(name)) not in _SENTENCE_KEYS, may_begin_later=True
                )


def _said_of_field(name: str, member: Any, is_map: bool) -> str:
    """Return the sentence of an entry whose key may be a field; an empty string if the entry is something else."""
    if isinstance(member, str):
        if is_map:
            return member
        return ""
    if not isinstance(member, list) or not member or (fold(name) in _ABOUT_ALL and not name.startswith("_")):
        return ""
    if isinstance(member[0], dict) and (
        _LISTS_ERRORS.search(name) or not {fold(str(key)) for key in member[0]} <= _OF_ONE_ERROR
    ):
        return ""
    said = sentence_of(member[0], 1)
    if " " in said:
        return said
    return ""


def _is_one_error(folded: dict[str, Any]) -> bool:
    """Return whether an object is a single error with a code and a sentence, and not a map from fields to sentences."""
    codes = [folded[key] for key in _CODES & folded.keys()]
    said = [text for key in _SENTENCE_KEYS[:12] if isinstance(text := folded.get(key), str)]
    if any(isinstance(code, int) for code in codes) and said:
        return True
    return any(" " in text for text in said) and any(isinstance(c, str) and " " not in c for c in codes)


def _walk(body: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield each value in a body with its path, in order. Copies of the request are skipped."""
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), body)]
    while todo:
        path, value = todo.pop()
        yield path, value
        if isinstance(value, list):
            todo += reversed([((*path, index), member) for index, member in enumerate(value)])
        elif isinstance(value, dict):
            members = [(str(name), member) for name, member in reversed(value.items())]
            todo += [
                ((*path, name), member) for name, member in members if not _is_left_out(fold(name), member)
            ]


def _is_left_out(key: str, member: Any) -> bool:
    """Return whether an entry repeats the request, or gives a place as a list of steps."""
    return key in _ECHOES or (key in _PLACE_KEYS and isinstance(member, list) and bool(_steps(member)))


def sentence_of(value: Any, levels: int = 2) -> str:
    """Return the sentence that a value is or contains; an empty string if it has none."""
    if isinstance(value, list):
        value = next((v for v in value if isinstance(v, str)), "")
    if isinstance(value, dict) and levels:
        folded = {fold(str(k)): v for k, v in reversed(value.items())}
        return next(
            (said for key in _SENTENCE_KEYS if (said := sentence_of(folded.get(key), levels - 1))), ""
        )
    if isinstance(value, str):
        return value
    return ""


def _steps(place: Any) -> tuple[str | int, ...]:
    """Return the steps of a place in an error body.

    The place is a string, or a list of steps that may be objects with a `key`.
    """
    if isinstance(place, str):
        return (place,)
    if not isinstance(place, list):
        return ()
    steps = [step.get("key") if isinstance(step, dict) else step for step in place]
    return tuple(s for s in steps if isinstance(s, (str, int)) and not isinstance(s, bool))


def is_container(step: str | int) -> bool:
    """Return whether a key or index in an error body only leads to a map of fields, and is not a field
    itself.
    """
    return isinstance(step, int) or fold(step) in _CONTAINERS


def sentences_of(body: Any) -> Iterator[str]:
    """Yield the sentences and error codes (`channel_not_found`) in a body, in order, without copies of the
    request.
    """
    for _, value in _walk(body):
        if isinstance(value, str) and (" " in value or _CODE.fullmatch(value)):
            yield value
