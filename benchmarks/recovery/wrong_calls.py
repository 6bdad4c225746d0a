"""The wrong calls of `cases.json`, and the judgement of what a model writes after an error text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jsonschema

CASES = Path(__file__).parent / "cases.json"

Outcome = Literal["intended", "same", "other valid", "other invalid", "no call"]


@dataclass(frozen=True)
class Call:
    """A call as a model writes it."""

    name: str
    arguments: Any

    def text(self) -> str:
        """Return the call as JSON with a space after colons and commas, as most models write it."""
        return json.dumps({"name": self.name, "arguments": self.arguments}, ensure_ascii=False)


@dataclass(frozen=True)
class Case:
    """A wrong call, and the call that was intended."""

    id: str
    kind: str
    request: str | None
    """What the user asked for; None if the intention is in the wrong call alone."""
    tools: tuple[dict[str, Any], ...]
    """The tools that the model may call."""
    wrong: Call
    intended: Call

    def schema(self, name: str) -> Any:
        """Return the input schema of a tool; None if there is no such tool."""
        return next((tool["inputSchema"] for tool in self.tools if tool["name"] == name), None)


def load(path: Path = CASES) -> list[Case]:
    """Return the cases of a file; it is the project's own file by default."""
    data = json.loads(path.read_text("utf-8"))
    tools = {tool["name"]: tool for tool in data["tools"]}
    return [
        Case(
            id=case["id"],
            kind=case["kind"],
            request=case["request"],
            tools=tuple(tools[name] for name in case["tools"]),
            wrong=Call(**case["wrong"]),
            intended=Call(**case["intended"]),
        )
        for case in data["cases"]
    ]


def read_call(text: str) -> Call | None:
    """Return the call at the start of a text; None if there is none."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text.strip())
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or "arguments" not in value:
        return None
    return Call(value["name"], value["arguments"])


def judge(case: Case, call: Call | None) -> Outcome:
    """Return what a call is, compared with the intended call; jsonschema with formats decides about validity."""
    if call is None:
        return "no call"
    if is_same(call, case.intended):
        return "intended"
    if is_same(call, case.wrong):
        return "same"
    return "other valid" if is_valid(case, call) else "other invalid"


def is_valid(case: Case, call: Call) -> bool:
    """Whether the tool exists and accepts the arguments."""
    schema = case.schema(call.name)
    if schema is None:
        return False
    kind = jsonschema.Draft202012Validator
    return kind(schema, format_checker=kind.FORMAT_CHECKER).is_valid(call.arguments)


def is_same(left: Call, right: Call) -> bool:
    """Whether two calls are equal as JSON: the order of keys does not count, `1.0` is `1`, `true` is not `1`."""
    return left.name == right.name and same_json(left.arguments, right.arguments)


def same_json(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    return bool(left == right)


def holds_answer(case: Case, text: str) -> bool:
    """Whether a text contains every key, value and tool name of the intended call that the wrong call lacks."""
    if case.kind == "name":
        return case.intended.name in text
    known = dict(_leaves(case.wrong.arguments))
    new = [
        (path, value)
        for path, value in _leaves(case.intended.arguments)
        if path not in known or not same_json(known[path], value)
    ]
    if not new:
        return False
    was = json.dumps(case.wrong.arguments, ensure_ascii=False)
    keys = {key for path, _ in new for key in path if isinstance(key, str) and f'"{key}"' not in was}
    return all(key in text for key in keys) and all(_is_in(value, text) for _, value in new)


def _is_in(value: Any, text: str) -> bool:
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return written in text


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the scalars (and empty containers) of a value with their paths."""
    parts: Any = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    if not parts:
        yield path, value
    for key, part in parts:
        yield from _leaves(part, (*path, key))
