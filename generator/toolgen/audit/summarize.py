"""`summarize`: one part of the recorded calls -> what is known of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from toolgen.audit.bounded_sample import Smallest
from toolgen.audit.mistakes import MAX_ECHO, Break, mistake_of
from toolgen.audit.records import calls_of
from toolgen.audit.schema_place import OF_TEXT
from toolgen.audit.summary import Broken, Example, Place, ProblemSummary, Summary, ToolSummary
from toolgen.audit.tools import AuditedTool, AuditTools, LoadedTools
from toolgen.short_text import cut
from toolgen_runtime.calls.policy import MAX_CHARS
from toolgen_runtime.validation import json_text
from toolgen_runtime.validation.issues import ValidationIssue
from toolgen_runtime.validation.redaction import MASK

MAX_EXAMPLE: Final = 400
"""Characters of an example's arguments."""
MAX_HINT: Final = MAX_CHARS
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)


@runtime_checkable
class Records(Protocol):
    """A part of files: what `partitions` makes."""

    @property
    def file(self) -> str:
        """The file of the records."""
        ...

    def records(self) -> Iterator[tuple[int, Any]]:
        """Yield the number and the value of each record: the text of a line, or a row."""
        ...


def summarize(partition: Records | Iterable[Any], tools: AuditTools) -> Summary:
    """Return what is known of the calls of a part of the records.

    The result depends on the records alone. The summaries of all parts, merged in any order, are that of the whole.

    Args:
        partition: records: mappings, or their JSON texts, of any shape that `toolgen audit` reads; or a part of files.
        tools: whose calls they are.
    """
    if isinstance(partition, Records):
        audit = _Audit(tools.load(), partition.file)
        audit.add_all(partition.records())
    else:
        audit = _Audit(tools.load(), "")
        audit.add_all((0, record) for record in partition)
    return audit.summary


Sample = Smallest[tuple[int, str], "_Invalid"]


class _Counted(NamedTuple):
    """A tool whose calls are counted; the calls that may be examples, until all records are read."""

    found: AuditedTool
    check: Callable[[Any], list[ValidationIssue]]
    summary: ToolSummary
    samples: dict[Broken, Sample]


class _Audit:
    """Fills one summary."""

    def __init__(self, tools: LoadedTools, file: str) -> None:
        self.tools, self.file = tools, file
        self.summary = Summary()
        self.sent: dict[str, _Counted] = {}
        self.executed: dict[str, _Counted] = {}

    def add_all(self, records: Iterable[tuple[int, Any]]) -> None:
        """Add the calls of records; the steps of the most frequent record are written out, for speed."""
        parse, sent, summary = json_text.parse or json_text.load_parser(), self.sent, self.summary
        for line, record in records:
            summary.records += 1
            value = record
            if type(record) is bytes:
                try:
                    value = parse(record, cache_strings="keys")
                except ValueError:
                    self.add(line, record)
                    continue
            if type(value) is dict and type(tool := value.get("tool")) is str:
                arguments = value.get("arguments")
                if type(arguments) is dict and (counted := sent.get(tool)) is not None:
                    counted.summary.calls += 1
                    if issues := counted.check(arguments):
                        self.add_invalid(counted, _Invalid(tool, line, arguments, issues))
                else:
                    self.add_call(line, tool, arguments, False)
            else:
                self.add(line, value)
        for counted in (*self.sent.values(), *self.executed.values()):
            self.add_examples(counted)

    def add(self, line: int, record: Any) -> None:
        try:
            calls = calls_of(record)
        except ValueError as error:
            self.summary.malformed += 1
            self.summary.malformed_at.add(Place(self.file, line), str(error))
            return
        for call in calls:
            self.add_call(line, *call)

    def add_call(self, line: int, name: str, arguments: Any, executed: bool) -> None:
        by_name = self.executed if executed else self.sent
        counted = by_name.get(name)
        if counted is None:
            found = self.tools.find(name)
            if found is None:
                self.summary.unknown += 1
                self.summary.unknown_names.add(name[:MAX_ECHO], 1)
                return
            summary = self.summary.tools[name, executed] = ToolSummary()
            counted = by_name[name] = _Counted(found, found.tool.validate, summary, {})
        counted.summary.calls += 1
        payload, issues = (arguments, None) if type(arguments) is dict else decoded(arguments)
        issues = issues or counted.check(payload)
        if issues:
            self.add_invalid(counted, _Invalid(name, line, payload, issues))

    def add_invalid(self, counted: _Counted, invalid: _Invalid) -> None:
        found, summary = counted.found, counted.summary
        mistake = mistake_of(found, invalid.payload, invalid.issues)
        is_repaired = bool(mistake.rules)
        summary.invalid += 1
        summary.repaired += is_repaired
        if is_repaired:
            summary.rules.update(mistake.rules)
        text = _shown(invalid, found)
        key = (len(text), cut(text, MAX_EXAMPLE))
        seen: set[Broken] = set()
        for broken in mistake.breaks:
            problem = self.problem_of(counted, broken)
            problem.issues += 1
            if broken.sent is not None:
                problem.sent.add(broken.sent, 1)
            if broken.key not in seen:
                seen.add(broken.key)
                problem.calls += 1
                problem.repaired += is_repaired
                counted.samples[broken.key].add(key, invalid)

    def problem_of(self, counted: _Counted, broken: Break) -> ProblemSummary:
        shortest = (len(broken.field), broken.field)
        problem = counted.summary.problems.get(broken.key)
        if problem is None:
            most = self.tools.data.examples
            problem = ProblemSummary(Smallest(most, min), shortest=shortest, expected=broken.expected)
            counted.summary.problems[broken.key] = problem
            counted.samples[broken.key] = Smallest(most, _first)
        problem.shortest = min(problem.shortest, shortest)
        problem.expected = min(problem.expected, broken.expected)
        return problem

    def add_examples(self, counted: _Counted) -> None:
        """Make the hints of the calls that are examples."""
        for key, sample in counted.samples.items():
            examples = counted.summary.problems[key].examples
            for by, invalid in sample.items():
                place = Place(self.file, invalid.line)
                examples.add(by, Example(place, invalid.hint(self.tools, counted.found)))
            examples.more = sample.more


class _Invalid:
    """One invalid call; its hint is made when something asks for it."""

    def __init__(self, tool: str, line: int, payload: Any, issues: list[ValidationIssue]) -> None:
        self.tool, self.line, self.payload, self.issues = tool, line, payload, issues
        self._hint: str | None = None

    def hint(self, tools: LoadedTools, found: AuditedTool) -> str:
        if self._hint is None:
            issues = self.issues if found.secrets is None else found.secrets.conceal(self.issues)
            hint = tools.registry.hint(self.tool, issues, payload=self.payload)
            self._hint = hint.render(MAX_HINT)
        return self._hint


def _first(earlier: _Invalid, _: _Invalid) -> _Invalid:
    return earlier


def decoded(arguments: Any) -> tuple[Any, list[ValidationIssue] | None]:
    """Return the payload that arguments hold, and the issues of their text; where they are absent, `{}`."""
    if isinstance(arguments, bytes):
        arguments = arguments.decode("utf-8", "replace")
    if arguments is None:
        return {}, None
    if not isinstance(arguments, str):
        return arguments, None
    if not arguments or arguments.isspace():
        return {}, None
    payload, issues = json_text.read(arguments)
    return (arguments, issues) if issues else (payload, None)


def _shown(invalid: _Invalid, found: AuditedTool) -> str:
    """Return the arguments of a call as JSON text without secrets; of a text that is not JSON, its beginning."""
    payload, secrets = invalid.payload, found.secrets
    if invalid.issues[0].constraint in OF_TEXT:
        return MASK if secrets is not None else cut(str(payload), MAX_ECHO)
    try:
        return _ENCODER.encode(payload if secrets is None else secrets.redacted(payload))
    except (ValueError, RecursionError, TypeError):
        return "(cannot be shown)"
