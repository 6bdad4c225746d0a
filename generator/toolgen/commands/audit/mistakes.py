"""Analyze an invalid call for the report. Equal mistakes are analyzed only once in each process.

Most invalid calls repeat a few mistakes. Two calls make the same mistake if they break the same constraints with the
same values, and have the same keys, types and short words. Numbers and longer texts in valid places may differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

from toolgen.commands.audit.schema_place import OF_TEXT, locate
from toolgen.commands.audit.summary import Broken, digest
from toolgen.commands.audit.tools import AuditedTool
from toolgen.compiler.short_text import cut, short_json
from toolgen_runtime.hints.repair import repair
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text
from toolgen_runtime.validation.redaction import MASK

MAX_ECHO: Final = 60
"""The maximum number of characters of a value, a name, or arguments that are not JSON."""
MAX_EXPECTED: Final = 120
MAX_WORD: Final = 16
"""The maximum number of characters of a text that distinguishes mistakes wherever it is."""
MAX_KEPT: Final = 2_048
"""The maximum number of mistakes to keep for one tool."""
MAX_SIZE: Final = 4_000
"""The maximum number of characters of a payload whose mistake is kept; a larger payload is analyzed each time."""


class Break(NamedTuple):
    """One issue of a call, reduced to what the report counts."""

    key: Broken
    shortest: tuple[int, str]
    """The field, preceded by its length."""
    expected: str
    sent: tuple[bytes, str] | None


class Mistake(NamedTuple):
    """What a report says about an invalid call: its issues, and the rules that would repair it, if it can be
    repaired.
    """

    breaks: list[Break]
    rules: frozenset[str]


def mistake_of(
    found: AuditedTool, key: Hashable | None, payload: Any, issues: Sequence[ValidationIssue]
) -> tuple[Mistake, bool]:
    """Return the mistake that a call makes.

    Also return whether all calls with the same key (see `key_of`) make this mistake.
    """
    if key in found.mistakes:
        return found.mistakes[key], True
    rules = frozenset(change["rule"] for change in repair(found.tool, payload).changes)
    known = Mistake([_break(found, issue) for issue in found.concealed(issues, payload)], rules)
    # A renamed key must fit its new place: the repair of a call with unknown keys depends on their values.
    is_settled = not rules or not any(issue.constraint in UNKNOWN_KEYS for issue in issues)
    if key is None or not is_settled or len(found.mistakes) >= MAX_KEPT:
        return known, False
    found.mistakes[key] = known
    return known, True


def key_of(payload: Any, issues: Sequence[ValidationIssue], size: int) -> Hashable | None:
    """Return a key that is the same for equal mistakes.

    Return None for text that is not JSON, and for a payload that is too long.
    """
    if size > MAX_SIZE or issues[0].constraint in OF_TEXT:
        return None
    key = _shape(payload), tuple([(i.path, i.constraint, _got(i)) for i in issues])
    try:
        hash(key)  # a value that is not JSON may be unhashable
    except TypeError:
        return None
    return key


def _got(issue: ValidationIssue) -> Hashable:
    got = issue.got
    if isinstance(got, dict | list):
        return None
    if issue.constraint in UNKNOWN_KEYS and isinstance(got, str) and len(got) > MAX_WORD:
        return len(got)  # the length decides whether it fits another field
    return type(got), got


def _shape(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return value if len(value) <= MAX_WORD and value.isalpha() else 0
    if kind is dict:
        return tuple(value), tuple(map(_shape, value.values()))
    if kind is list:
        return tuple(map(_shape, value))
    if kind is bool:
        return (kind, value)
    return kind


def _break(found: AuditedTool, issue: ValidationIssue) -> Break:
    pointer, field = locate(found.schema, issue)
    expected = "" if issue.constraint in OF_TEXT else _short(issue.expected, MAX_EXPECTED)
    sent = _sent(issue)
    counted = None if sent is None else (digest(sent), sent)
    return Break((pointer, issue.constraint), (len(field), field), expected, counted)


def _sent(issue: ValidationIssue) -> str | None:
    """Return a short form of the value that was sent instead of the expected one; None if there was none."""
    got = issue.got
    if issue.constraint in OF_TEXT:
        return None
    if issue.constraint in UNKNOWN_KEYS and issue.path:
        return cut(key_text(issue.path[-1]), MAX_ECHO)
    if got is MISSING:
        return None
    if isinstance(got, Secret):
        return MASK
    if issue.constraint == "type" or isinstance(got, dict | list):
        return json_type(got) or "object"
    return _short(got, MAX_ECHO)


def _short(value: Any, most: int) -> str:
    try:
        return short_json(value, most)
    except (ValueError, RecursionError):
        return "(cannot be shown)"
