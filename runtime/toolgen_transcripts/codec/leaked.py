"""Find calls that a local server left in the text because it did not parse what its model wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final, Literal

from toolgen_runtime.validation.json_text import read as read_json
from toolgen_transcripts.codec.received_call import Fault, Member, NativeCall

Leaked = Literal["report", "read", "ignore"]
"""How to treat such calls: `report` lists them as calls that are not ready, `read` reads them, `ignore` leaves them
out.
"""


@dataclass(frozen=True, slots=True)
class LeakedCall:
    """A call that was found in a text: the name of its tool, and its arguments as an object or as text.

    `form` says in which format the call is written. The call is not `exact` if it has no end, or if its arguments have
    no types.
    """

    name: str
    arguments: Any
    form: str
    exact: bool = True


_MAX_LEAKED_CALLS: Final = 100
"""The maximum number of calls to find in one text."""
_NAME: Final = re.compile(r"[\w.:/-]{1,128}")


def find_leaked_calls(text: str) -> list[LeakedCall]:
    """Find the calls that a text contains, in the format of the first model whose markers occur in it."""
    for mark, read in _FORMS.items():
        if mark in text:
            found = [call for call, _ in zip(read(text), range(_MAX_LEAKED_CALLS), strict=False)]
            return [call for call in found if _NAME.fullmatch(call.name)]
    return []


def leaked_natives(calls: list[LeakedCall], place: str, leaked: Leaked) -> Iterator[NativeCall]:
    """Yield the calls that were found in a text as if the API had sent them.

    A call is ready only if it is exact and `read` was requested.

    The API has given them no id, so a call that is read gets one from its position.
    """
    for index, call in enumerate(calls):
        members = {"id": f"leaked_{index}", "name": call.name, "arguments": call.arguments}
        why = f"the server left this call in its text ({call.form})"
        if leaked == "report":
            why += "; turn its tool parser on, or pass leaked='read'"
        elif not call.exact:
            why += " without its end or without types, so it cannot be read"
        faults: tuple[Fault, ...] = ()
        if leaked != "read" or not call.exact:
            faults = (Fault(place, why, "content"),)
        yield NativeCall(
            Member(members, "id", place) if leaked == "read" else None,
            Member(members, "name", place),
            Member(members, "arguments", place),
            as_text=isinstance(call.arguments, str),
            faults=faults,
        )


def _of_json(value: Any, form: str) -> Iterator[LeakedCall]:
    """Yield the call in an object with `name` and `arguments`. Other values are not calls."""
    if isinstance(value, Mapping) and isinstance(value.get("name"), str):
        arguments = value.get("arguments", value.get("parameters", {}))
        yield LeakedCall(value["name"], arguments, form)


_TAGGED: Final = re.compile(r'<function=([^<>]*)>|([\w.-]+)\s*<arg_key>|\{\s*"name"\s*:\s*"([^"]*)"')


def _in_tags(text: str) -> Iterator[LeakedCall]:
    """Yield calls of Hermes and Qwen (JSON), Qwen Coder (`<function=name>`) and GLM (`name<arg_key>`)."""
    for piece in text.split("<tool_call>")[1:]:
        body = piece.partition("</tool_call>")[0]
        value, issues = read_json(body.strip())
        if not issues:
            yield from _of_json(value, "<tool_call>")
            continue
        named = _TAGGED.match(body.strip())
        if named is not None:
            name = next(filter(None, named.groups()), "")
            yield LeakedCall(name, body.strip(), "<tool_call>", exact=False)


_RECIPIENT: Final = re.compile(r"to=functions\.([\w.-]+)[^{}]{0,80}?<\|message\|>")


def _in_harmony(text: str) -> Iterator[LeakedCall]:
    """Yield calls of gpt-oss: `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{...}<|call|>`."""
    for found in _RECIPIENT.finditer(text):
        body = text[found.end() :].split("<|", 1)
        is_ended = len(body) == 2 and body[1].startswith("call|>")
        yield LeakedCall(found[1], body[0].strip(), "harmony", exact=is_ended)


_BAR: Final = r"\s*[\uff5c|]\s*DSML\s*[\uff5c|]\s*"
_INVOKE: Final = re.compile(rf'<{_BAR}invoke name="([^"<>]*)"\s*>')
_INVOKE_END: Final = re.compile(rf"<\s*/{_BAR}invoke\s*>")
_PARAMETER: Final = re.compile(rf'<{_BAR}parameter name="([^"<>]*)"(?: string="(true|false)")?\s*>')
_PARAMETER_END: Final = re.compile(rf"<\s*/{_BAR}parameter\s*>")


def _elements(
    text: str, start: re.Pattern[str], end: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], str, bool]]:
    """Yield the start of each element, its content, and whether it ends before the next one starts."""
    starts = list(start.finditer(text))
    for opened, limit in zip(starts, [*(later.start() for later in starts[1:]), len(text)], strict=False):
        content = end.split(text[opened.end() : limit], maxsplit=1)
        yield opened, content[0], len(content) > 1


def _in_dsml(text: str) -> Iterator[LeakedCall]:
    """Yield calls of DeepSeek: `<|DSML|invoke name="f"><|DSML|parameter name="a" string="true">`, with wide bars."""
    for opened, body, exact in _elements(text, _INVOKE, _INVOKE_END):
        arguments: dict[str, Any] = {}
        for parameter, value, is_ended in _elements(body, _PARAMETER, _PARAMETER_END):
            arguments[parameter[1]] = value
            if parameter[2] == "false":  # not a string, but JSON
                arguments[parameter[1]], issues = read_json(value)
                exact = exact and not issues
            exact = exact and is_ended and parameter[2] is not None
        yield LeakedCall(opened[1], arguments if exact else body.strip(), "DSML", exact)


def _in_mistral(text: str) -> Iterator[LeakedCall]:
    """Yield calls of Mistral: `[TOOL_CALLS][{"name": "f", "arguments": {}}]` or `[TOOL_CALLS]f[ARGS]{}`."""
    for piece in text.split("[TOOL_CALLS]")[1:]:
        body = piece.strip()
        if body.startswith("["):
            for value in _first_value(body) or ():
                yield from _of_json(value, "[TOOL_CALLS]")
            continue
        name = re.match(r"([\w.-]+)\s*(?:\[CALL_ID\][\w-]*)?\s*(?:\[ARGS\])?\s*(?=\{)", body)
        if name is not None:
            rest = body[name.end() :]
            value = _first_value(rest)
            yield LeakedCall(name[1], rest if value is None else value, "[TOOL_CALLS]", value is not None)


def _first_value(text: str) -> Any:
    """Return the JSON value with which a text begins; None if there is none."""
    try:
        return JSONDecoder().raw_decode(text)[0]
    except (JSONDecodeError, RecursionError):
        return None


_FORMS: Final[Mapping[str, Callable[[str], Iterator[LeakedCall]]]] = {
    "<tool_call>": _in_tags,
    "to=functions.": _in_harmony,
    "DSML": _in_dsml,
    "[TOOL_CALLS]": _in_mistral,
}
"""The marks of each format, and the function that reads it: vllm#44522, #47903, #39649, #40806, vllm-mlx#50,
TensorRT-LLM#9256.
"""
