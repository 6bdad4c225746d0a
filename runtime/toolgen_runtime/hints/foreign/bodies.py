"""What a service's error body says of fields: objects of a field and a sentence, maps from fields to sentences.

No service is known here by name; `_PLACE_KEYS` and `_ERROR_MAPS` are the keys that services use for the same things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from toolgen_runtime.schema.spelling import fold

MAX_OBJECTS = 500
MAX_STRINGS = 40
MAX_LEVELS = 16


class Mention(NamedTuple):
    """A place that a service names, as text or as steps, and what it says of it."""

    place: str | tuple[str | int, ...]
    sentence: str
    is_certain: bool = True
    """Whether the key can only mean a field; `name` and `path` mean other things too."""


def _folded(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PLACE_KEYS = (
    *("field", "fieldname", "fieldpath", "param", "parameter", "parametername", "paramname"),
    *("argument", "argumentname", "loc", "pointer", "jsonpointer", "instancepath", "datapath", "jsonpath"),
    *(
        "propertypath",
        "apiname",
        "columnname",
        "property",
        "propertyname",
        "attribute",
        "attr",
        "target",
        "instancelocation",
    ),
    *("path", "location", "key", "name", "variable", "column", "context"),
)
"""Keys of the field, folded, the most certain first."""
_UNCERTAIN = _folded("path location key name variable column context target")
_LIST_KEYS = _folded("fields membernames members params paths fieldnames parameters attributes")
_SENTENCE_KEYS = (
    *("message", "msg", "defaultmessage", "description", "detail", "details", "explanation", "errormessage"),
    *(
        "errordescription",
        "reason",
        "issue",
        "problem",
        "text",
        "title",
        "summary",
        "constraints",
        "messages",
    ),
    *("error", "errors", "code", "type", "kind"),
)
"""Keys of the sentence, folded, the best first."""
_ERROR_MAPS = _folded(
    "error errors fielderrors fielderror fields validationerrors validation message messages details detail json"
    " invalidfields invalidparams failures violations modelstate inner parameters body query form extra data"
)
"""Keys under which a map from fields to sentences stands."""
_ENVELOPES = _folded(
    "errors error messages message errormessages nonfielderrors details detail warnings stack trace formerrors"
    " schema locations tags codes hints base suggestions"
)
_ECHOES = _folded(
    "input value rejectedvalue ctx received got request requested requestbody stack stacktrace trace"
)
"""Keys under which services repeat what they were sent."""
_UNSAID = _folded(
    "documentationurl url docurl moreinfo help requestid request_id traceid type timestamp instance"
)
_OWN_ERRORS = ("_errors", "errors")
"""Keys of the sentences about an object itself, in zod's trees and Discord's."""


def mentions(body: Any) -> Iterator[Mention]:
    """Yield what a body says of fields, in its order; bounded."""
    todo = [body]
    for _ in range(MAX_OBJECTS):
        if not todo:
            return
        value = todo.pop(0)
        if isinstance(value, list):
            todo[:0] = value[:MAX_OBJECTS]
        elif isinstance(value, dict):
            yield from _of_object(value)
            todo[:0] = [
                member
                for key, member in value.items()
                if isinstance(member, (dict, list)) and fold(str(key)) not in _ECHOES
            ]


def _of_object(value: dict[str, Any]) -> Iterator[Mention]:
    folded = {fold(str(key)): member for key, member in reversed(value.items())}
    said = _sentence(folded)
    for key in _PLACE_KEYS:
        place = folded.get(key)
        if key == "path" and (folded.keys() & {"timestamp", "status", "statuscode"} or _is_url(place)):
            continue  # of the request
        if steps := _steps(place):
            yield Mention(steps, said, key not in _UNCERTAIN)
            break
    source = folded.get("source")
    if isinstance(source, dict) and (steps := _steps(source.get("pointer", source.get("parameter")))):
        yield Mention(steps, said)
    for key in folded.keys() & _LIST_KEYS:
        names = folded[key]
        if isinstance(names, list) and all(isinstance(n, str) for n in names):
            yield from (Mention(name, said) for name in names[:MAX_STRINGS])
    for name, member in value.items():
        key = fold(str(name))
        if key in _ERROR_MAPS and isinstance(member, dict):
            yield from _of_map(member, ())
        elif key not in _ENVELOPES | _ECHOES and isinstance(member, (list, dict)):
            yield from _of_map({name: member}, (), in_lists_only=True)


def _is_url(place: Any) -> bool:
    return isinstance(place, str) and (place.startswith(("/api", "/v1", "/v2", "/rest", "http")))


def _of_map(
    members: dict[str, Any], above: tuple[str | int, ...], *, in_lists_only: bool = False
) -> Iterator[Mention]:
    """Yield what a map from fields to sentences says; `in_lists_only`: where it may be any other object too."""
    if len(above) > MAX_LEVELS:
        return
    for name, member in members.items():
        place = (*above, str(name))
        if isinstance(member, str):
            if not in_lists_only:
                yield Mention(place, member)
        elif isinstance(member, list):
            yield from _of_list(member, place, in_lists_only)
        elif isinstance(member, dict):
            own = next((member[k] for k in _OWN_ERRORS if isinstance(member.get(k), list)), None)
            direct = {fold(str(k)): v for k, v in member.items() if isinstance(v, (str, list))}
            said = _sentence_in(own[0]) if own else "" if in_lists_only else _sentence(direct)
            if said:
                yield Mention(place, said)
            inner = above if fold(str(name)) in ("properties", "items") else place
            yield from _of_map(member, inner, in_lists_only=in_lists_only)


def _of_list(members: list[Any], place: tuple[str | int, ...], in_lists_only: bool) -> Iterator[Mention]:
    said = (
        _sentence_in(members[0]) if members and not (in_lists_only and isinstance(members[0], dict)) else ""
    )
    if said and (" " in said or not in_lists_only):
        yield Mention(place, said)
        return
    for index, member in enumerate(members[:MAX_STRINGS]):
        if isinstance(member, dict):
            yield from _of_map(member, (*place, index), in_lists_only=in_lists_only)


def _sentence(folded: dict[str, Any]) -> str:
    return next((said for key in _SENTENCE_KEYS if (said := _sentence_in(folded.get(key)))), "")


def _sentence_in(value: Any) -> str:
    """Return the sentence that a value is or holds; `""` where there is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return next((v for v in value if isinstance(v, str)), "")
    if isinstance(value, dict):
        folded = {fold(str(k)): v for k, v in value.items()}
        direct = next((folded[k] for k in _SENTENCE_KEYS if isinstance(folded.get(k), str)), "")
        words = list(value.values())
        return direct or (words[0] if words and all(isinstance(w, str) for w in words) else "")
    return ""


def _steps(place: Any) -> str | tuple[str | int, ...]:
    """Return a place as others write it: a text, or a list of steps, each of which may be an object with a `key`."""
    if isinstance(place, str):
        return place
    if not isinstance(place, list):
        return ""
    steps = [step.get("key") if isinstance(step, dict) else step for step in place]
    return tuple(s for s in steps if isinstance(s, (str, int)) and not isinstance(s, bool))


_CODE = re.compile(r"[a-z]{1,40}(?:_[a-z]{1,40}){1,6}")


def sentences(body: Any) -> Iterator[str]:
    """Yield the sentences and codes (`channel_not_found`) of a body, in its order, but no echo of what was sent."""
    todo = [body]
    for _ in range(MAX_OBJECTS):
        if not todo:
            return
        value = todo.pop(0)
        if isinstance(value, str):
            if " " in value or _CODE.fullmatch(value):
                yield value
        elif isinstance(value, list):
            todo[:0] = value[:MAX_STRINGS]
        elif isinstance(value, dict):
            todo[:0] = [m for k, m in value.items() if fold(str(k)) not in _ECHOES | _UNSAID]
