"""`summarize`: one part of the recorded calls -> what is known of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol, runtime_checkable

from toolgen.audit.bounded_sample import Smallest, digest
from toolgen.audit.records import Call, calls_of
from toolgen.audit.schema_place import OF_TEXT
from toolgen.audit.summary import Example, Place, ProblemSummary, Summary, ToolSummary
from toolgen.audit.tools import AuditedTool, AuditTools, LoadedTools
from toolgen.short_text import cut
from toolgen_runtime.calls.policy import MAX_CHARS
from toolgen_runtime.hints.repair import repair
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.redaction import MASK

MAX_ECHO: Final = 60
"""Characters of a value, of a name, or of arguments that are not JSON."""
MAX_EXAMPLE: Final = 400
"""Characters of an example's arguments."""
MAX_HINT: Final = MAX_CHARS
MAX_EXPECTED: Final = 120


@runtime_checkable
class Records(Protocol):
    """A part of files: what `partitions` makes."""

    def records(self) -> Iterator[tuple[Place, Any]]:
        """Yield the place and the value of each record: the text of a line, or a row."""
        ...


def summarize(partition: Records | Iterable[Any], tools: AuditTools) -> Summary:
    """Return what is known of the calls of a part of the records.

    The result depends on the records alone. The summaries of all parts, merged in any order, are that of the whole.

    Args:
        partition: records: mappings, or their JSON texts, of any shape that `toolgen audit` reads; or a part of files.
        tools: whose calls they are.
    """
    audit = _Audit(tools.load())
    records = partition.records() if isinstance(partition, Records) else _without_files(partition)
    for place, record in records:
        audit.add(place, record)
    return audit.summary


def _without_files(records: Iterable[Any]) -> Iterator[tuple[Place, Any]]:
    nowhere = Place("", 0)
    return ((nowhere, record) for record in records)


class _Audit:
    """Fills one summary."""

    def __init__(self, tools: LoadedTools) -> None:
        self.tools = tools
        self.summary = Summary()

    def add(self, place: Place, record: Any) -> None:
        summary = self.summary
        summary.records += 1
        try:
            calls = calls_of(record)
        except ValueError as error:
            summary.malformed += 1
            summary.malformed_at.add(place, str(error))
            return
        for call in calls:
            self.add_call(place, call)

    def add_call(self, place: Place, call: Call) -> None:
        found = self.tools.find(call.tool)
        if found is None:
            self.summary.unknown += 1
            self.summary.unknown_names.add(call.tool[:MAX_ECHO], 1)
            return
        key = (call.tool, call.executed)
        counted = self.summary.tools.get(key)
        if counted is None:
            counted = self.summary.tools[key] = ToolSummary()
        counted.calls += 1
        payload, issues = call.arguments, None
        if type(payload) is not dict:
            payload, issues = decoded(payload)
        issues = issues or found.tool.validate(payload)
        if issues:
            counted.invalid += 1
            self.add_invalid(counted, found, _Invalid(call, place, payload, issues))

    def add_invalid(self, counted: ToolSummary, found: AuditedTool, invalid: _Invalid) -> None:
        if found.secrets is not None:
            invalid.issues = found.secrets.conceal(invalid.issues)
        repaired = repair(found.tool, invalid.payload)
        is_repaired = bool(repaired.changes)
        counted.repaired += is_repaired
        counted.rules.update({change["rule"] for change in repaired.changes})
        text = _shown(invalid, found)
        seen: set[int] = set()
        for issue in invalid.issues:
            problem = self.problem_of(counted, found, issue)
            problem.issues += 1
            if (sent := _sent(issue)) is not None:
                problem.sent.add((digest(sent), sent), 1)
            if id(problem) not in seen:
                seen.add(id(problem))
                problem.calls += 1
                problem.repaired += is_repaired
                self.add_example(problem, text, invalid)

    def problem_of(self, counted: ToolSummary, found: AuditedTool, issue: ValidationIssue) -> ProblemSummary:
        pointer, field = found.locator.find(issue)
        key = (pointer, issue.constraint)
        expected = "" if issue.constraint in OF_TEXT else _short(issue.expected, MAX_EXPECTED)
        problem = counted.problems.get(key)
        if problem is None:
            examples: Smallest[tuple[int, str], Example] = Smallest(self.tools.data.examples, min)
            problem = ProblemSummary(examples, shortest=(len(field), field), expected=expected)
            counted.problems[key] = problem
        problem.shortest = min(problem.shortest, (len(field), field))
        problem.expected = min(problem.expected, expected)
        return problem

    def add_example(self, problem: ProblemSummary, text: str, invalid: _Invalid) -> None:
        key = (len(text), cut(text, MAX_EXAMPLE))
        if problem.examples.wants(key):
            problem.examples.add(key, Example(invalid.place, invalid.hint(self.tools)))


class _Invalid:
    """One invalid call; its hint is made when something asks for it."""

    def __init__(self, call: Call, place: Place, payload: Any, issues: list[ValidationIssue]) -> None:
        self.call, self.place, self.payload, self.issues = call, place, payload, issues
        self._hint: str | None = None

    def hint(self, tools: LoadedTools) -> str:
        if self._hint is None:
            hint = tools.registry.hint(self.call.tool, self.issues, payload=self.payload)
            self._hint = hint.render(MAX_HINT)
        return self._hint


def decoded(arguments: Any) -> tuple[Any, list[ValidationIssue] | None]:
    """Return the payload that arguments hold, and the issues of their text; where they are absent, `{}`."""
    if isinstance(arguments, bytes):
        arguments = arguments.decode("utf-8", "replace")
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return {}, None
    if not isinstance(arguments, str):
        return arguments, None
    payload, issues = read(arguments)
    return (arguments, issues) if issues else (payload, None)


def _shown(invalid: _Invalid, found: AuditedTool) -> str:
    """Return the arguments of a call as JSON text without secrets; of a text that is not JSON, its beginning."""
    payload, secrets = invalid.payload, found.secrets
    if invalid.issues[0].constraint in OF_TEXT:
        return MASK if secrets is not None else cut(str(payload), MAX_ECHO)
    try:
        return json.dumps(payload if secrets is None else secrets.redacted(payload), ensure_ascii=False)
    except (ValueError, RecursionError, TypeError):
        return "(cannot be shown)"


def _sent(issue: ValidationIssue) -> str | None:
    """Return what was sent in place of what was expected, in brief; None where nothing was."""
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
        return _kind(got)
    return _short(got, MAX_ECHO)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    for types, name in (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
    ):
        if isinstance(value, types):
            return name
    return "object"


def _short(value: Any, most: int) -> str:
    try:
        return cut(json.dumps(value, ensure_ascii=False, default=str), most)
    except (ValueError, RecursionError):
        return "(cannot be shown)"
