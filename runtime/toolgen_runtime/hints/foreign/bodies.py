"""Read the error texts of validation libraries and the error bodies of services.

The result is a list of mentions. Each mention names a place in the arguments and quotes what the error says about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


_PLACES = (
    "field fieldname fieldpath param parameter parametername paramname argument argumentname loc pointer jsonpointer"
    " instancepath datapath jsonpath propertypath apiname columnname property propertyname attribute attr"
    " instancelocation pointerviolation target path location key name variable column context"
)
_PLACE_KEYS = _PLACES.split()
"""Keys that may name the field, folded, the most certain first."""
_OF_RESPONSES = {"timestamp", "status", "statuscode"}
"""Keys of an object whose path is that of a URL."""
_SENTENCES = (
    "message msg defaultmessage description detail details explanation errormessage errordescription reason issue"
    " problem text title summary constraints messages error errors code type kind"
)
_SENTENCE_KEYS = _SENTENCES.split()
"""Keys that contain the sentence, folded, the best first."""
_CONTAINERS = word_set(
    "error errors fielderror fielderrors fields formerrors nonfielderrors validation validationerrors message messages"
    " detail details json nested invalidfields invalidparams failures violations modelstate inner parameters query form"
    " extra warnings"
)
"""Keys that may contain a map from fields to sentences."""
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
        if isinstance(value, dict):
            yield from _of_object(value)
        if path and str(path[-1]).startswith("_"):  # {"title": {"_errors": [...]}}
            path = path[:-1]
        if path and isinstance(path[-1], str) and (said := _said_of_field(path, value)):
            if fold(str(path[0])) in _CONTAINERS:
                path = path[1:]
            yield Mention(tuple(part for step in path for part in steps_in(str(step))), said)


def _of_object(value: dict[Any, Any]) -> Iterator[Mention]:
    """Yield the mention of an object that names a field. It may have no sentence, but no further errors either."""
    folded = {fold(str(key)): member for key, member in reversed(value.items())}
    if "path" in folded and not _OF_RESPONSES.isdisjoint(folded):
        del folded["path"]
    steps = next(filter(None, (_steps(folded.get(key)) for key in _PLACE_KEYS)), ())
    said = _sentence_of(folded)
    if steps and (said or not any(isinstance(member, list) for member in value.values())):
        yield Mention(steps, said)


def _said_of_field(path: Sequence[str | int], value: Any) -> str:
    """Return the sentence about the field that is the last key; an empty string if the entry is something else."""
    keys = [fold(str(step)) for step in path]
    if isinstance(value, str):
        may_be_field = keys[-1] not in _SENTENCE_KEYS or "errors" in keys[-2:-1]
        is_map = may_be_field and not _CONTAINERS.isdisjoint(keys[:-1])
    else:
        is_map = isinstance(value, list) and keys[-1] not in _CONTAINERS
    said = _sentence_of(value)
    if is_map and " " in said:
        return said
    return ""


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


def _sentence_of(value: Any) -> str:
    """Return the sentence that a value is or contains; an empty string if it has none."""
    if isinstance(value, list):
        value = next((v for v in value if isinstance(v, str) or (isinstance(v, dict) and "message" in v)), "")
    if isinstance(value, dict):
        return next((said for key in _SENTENCE_KEYS if (said := _sentence_of(value.get(key)))), "")
    if isinstance(value, str):
        return value
    return ""


def _steps(place: Any) -> tuple[str | int, ...]:
    """Return the steps of a place in an error body: a string, or a list of steps that may be objects with a `key`."""
    if isinstance(place, str):
        return steps_in(place)
    if not isinstance(place, list):
        return ()
    steps = [step.get("key") if isinstance(step, dict) else step for step in place]
    if any(isinstance(step, str) and " " in step for step in steps):
        return ()  # sentences about a field that is called "name"
    return tuple(step for step in steps if isinstance(step, (str, int)))


def sentences_of(body: Any) -> Iterator[str]:
    """Yield the sentences and error codes (`channel_not_found`) in a body, in order, without copies of the
    request.
    """
    for _, value in _walk(body):
        if isinstance(value, str) and (" " in value or _CODE.fullmatch(value)):
            yield value
