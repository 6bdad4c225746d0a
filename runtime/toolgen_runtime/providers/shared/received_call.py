"""A call that came from a provider, in a response or a stream, and what its arguments stand for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from toolgen_runtime.transcript.messages import Source
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.json_text import read as read_json


@dataclass(frozen=True, slots=True)
class ReceivedCall:
    """One call of a message that has ended, well or not.

    `arguments` is its JSON text (as it came, where the provider sends a text), `input` the payload that it
    stands for, `MISSING` where it stands for none. `issues` is what is wrong with the arguments (`truncated`,
    `json`, `duplicate_key`, `type` for a root that is not an object), `problems` what is wrong around them
    (no id, no name, an id used twice). `name` is the tool's own. Only a `ready` call may be run.

    The `kind` is `function`, or that of a tool with a form of its own: the input of a `custom` call is a text,
    that of `shell`, `apply_patch`, `computer` and `local_shell` what the API has. The result must be of the same
    kind. A tool of a `namespace` is called `<namespace>.<its name there>`. `source` has the native call.
    """

    id: str | None
    name: str | None
    arguments: str
    input: Any = MISSING
    issues: tuple[ValidationIssue, ...] = ()
    problems: tuple[str, ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)
    kind: str = field(default="function", kw_only=True)
    namespace: str | None = field(default=None, kw_only=True)

    @property
    def truncated(self) -> bool:
        """Whether the call was cut off, by the model's limit or by the wire."""
        return any(issue.constraint == "truncated" for issue in self.issues)

    @property
    def ready(self) -> bool:
        """Whether all of it arrived and its arguments are a JSON object."""
        return not self.issues and not self.problems


class ToolUseBlock(TypedDict):
    """One call of a response. `name` is the tool's own; `input` the payload, an object for most tools.

    A call that is not of a function has its `kind` (`ReceivedCall.kind`).
    """

    id: str
    name: str
    input: Any
    kind: NotRequired[str]


class UnnumberedToolUse(TypedDict):
    """One call where the API need not number it: `id` is None where the provider sent none."""

    id: str | None
    name: str
    input: Any


Read = tuple[Any, tuple[ValidationIssue, ...]]
"""The object that arguments stand for and no issues, or `MISSING` and the issues."""


def read_text(text: str) -> Read:
    """Return the object that an arguments text stands for; only the empty text means `{}`."""
    if not text:
        return {}, ()
    payload, issues = read_json(text)
    if issues:
        return MISSING, tuple(issues)
    return _as_object(payload)


def read_value(value: object) -> Read:
    """Return the object that arguments are which came as a value; `MISSING` is not a value."""
    if isinstance(value, dict) and json_text_of(value) is None:
        return MISSING, (ValidationIssue((), "json", "an object of JSON values alone"),)
    return _as_object(value)


def _as_object(value: object) -> Read:
    if not isinstance(value, dict):
        return MISSING, (ValidationIssue((), "type", "object", value),)
    return value, ()


def json_text_of(value: object) -> str | None:
    """Return a value as JSON text; None where it holds what JSON has not: bytes, NaN, keys that are not texts."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return text if json.loads(text) == value else None  # `dumps` turns other keys into texts
    except (TypeError, ValueError, RecursionError):
        return None
