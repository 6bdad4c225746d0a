"""Summarize the recorded calls in one part of the input."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.commands.audit.mistakes import MAX_ECHO, Mistake, key_of, mistake_of
from toolgen.commands.audit.partitions import Part
from toolgen.commands.audit.records.recognize import calls_of, value_of
from toolgen.commands.audit.schema_place import OF_TEXT
from toolgen.commands.audit.summary import (
    Broken,
    Example,
    Place,
    ProblemSummary,
    Smallest,
    Summary,
    ToolSummary,
)
from toolgen.commands.audit.tools import AuditedTool, AuditTools, LoadedTools
from toolgen.compiler.short_text import cut
from toolgen_runtime.calls.policy import MAX_CHARS
from toolgen_runtime.validation import json_text
from toolgen_runtime.validation.issues import ValidationIssue
from toolgen_runtime.validation.redaction import MASK

MAX_EXAMPLE: Final = 400
"""The maximum number of characters of an example's arguments."""
MAX_SEEN: Final = 256
"""The maximum number of mistakes of one tool that wait to be counted."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)


def summarize(partition: Part | Iterable[Any], tools: AuditTools) -> Summary:
    """Return a summary of the calls in one part of the input.

    The result depends only on the records. If all parts are summarized and the summaries are merged in any order, the
    result is the summary of the whole.

    Args:
        partition: records (mappings, or their JSON texts) in any format that `toolgen audit` reads; or a part of files.
        tools: the tools that the calls use.
    """
    if isinstance(partition, Part):
        file, records = partition.file, partition.records()
    else:
        file, records = "", ((0, record) for record in partition)
    audit = _Audit(tools.load(), file)
    audit.add_all(records)
    return audit.summary


_Invalid = tuple[int, Any, list[ValidationIssue]]
"""The line, the payload and the issues of an invalid call."""
_Sample = Smallest[tuple[int, str], _Invalid]


@dataclass(slots=True)
class _Seen:
    """Calls that make the same mistake: how many there are, and which ones may be used as examples."""

    mistake: Mistake
    sample: _Sample
    calls: int = 0


@dataclass(slots=True)
class _Counted:
    """A tool whose calls are being counted, with the mistakes that are not in its summary yet."""

    name: str
    found: AuditedTool
    check: Callable[[Any], list[ValidationIssue]]
    summary: ToolSummary
    seen: dict[Hashable, _Seen] = field(default_factory=dict)
    samples: dict[Broken, _Sample] = field(default_factory=dict)


class _Audit:
    """Fills one summary."""

    def __init__(self, tools: LoadedTools, file: str) -> None:
        self.tools, self.file = tools, file
        self.summary = Summary()
        self.sent: dict[str, _Counted] = {}
        self.executed: dict[str, _Counted] = {}

    def add_all(self, records: Iterable[tuple[int, Any]]) -> None:
        """Add the calls in all records, with a fast path for the most frequent format."""
        parse = json_text.parse or json_text.load_parser()
        sent, read = self.sent, 0
        for line, record in records:
            try:
                value = parse(record, cache_strings="keys")
                counted, payload = sent[value["tool"]], value["arguments"]
            except (ValueError, TypeError, LookupError):
                self.add_record(line, record)
                continue
            read += 1
            if type(payload) is dict:
                counted.summary.calls += 1
                if issues := counted.check(payload):
                    self.add_invalid(counted, line, payload, issues)
            else:
                self.add_call(counted, line, payload)
        self.summary.records += read
        for counted in (*self.sent.values(), *self.executed.values()):
            self.add_problems(counted)
            self.add_examples(counted)

    def add_record(self, line: int, record: Any) -> None:
        """Add the calls in one record of any format. Empty lines are skipped."""
        if isinstance(record, bytes):
            record = record.strip()
            if not record:
                return
        self.summary.records += 1
        try:
            calls = calls_of(value_of(record) if isinstance(record, bytes) else record)
        except ValueError as error:
            self.summary.malformed += 1
            self.summary.malformed_at.add(Place(self.file, line), str(error))
            return
        for call in calls:
            counted = self.counted(call.tool, call.executed)
            if counted is None:
                self.summary.unknown += 1
                self.summary.unknown_names.add(call.tool[:MAX_ECHO], 1)
            else:
                self.add_call(counted, line, call.arguments)

    def counted(self, name: str, executed: bool) -> _Counted | None:
        """Return the counter for a tool; None if there is no such tool."""
        by_name = self.executed if executed else self.sent
        if name not in by_name and (found := self.tools.find(name)) is not None:
            summary = self.summary.tools[name, executed] = ToolSummary()
            by_name[name] = _Counted(name, found, found.tool.validate, summary)
        return by_name.get(name)

    def add_call(self, counted: _Counted, line: int, payload: Any) -> None:
        """Add one call, with its recorded arguments."""
        counted.summary.calls += 1
        payload, issues = decoded(payload)
        if issues := issues or counted.check(payload):
            self.add_invalid(counted, line, payload, issues)

    def add_invalid(self, counted: _Counted, line: int, payload: Any, issues: list[ValidationIssue]) -> None:
        text = _shown(counted.found, payload, issues, repr)  # faster than JSON, and as good for an order
        key = key_of(payload, issues, len(text))
        seen = counted.seen.get(key)
        if seen is None:
            mistake, is_kept = mistake_of(counted.found, key, payload, issues)
            seen = _Seen(mistake, Smallest(self.tools.data.examples, _first))
            counted.seen[key if is_kept else object()] = seen  # if not kept, only this call has it
        seen.calls += 1
        seen.sample.add((len(text), text[:MAX_EXAMPLE]), (line, payload, issues))
        if len(counted.seen) > MAX_SEEN:
            self.add_problems(counted)

    def add_problems(self, counted: _Counted) -> None:
        """Add the mistakes that have been counted for a tool to its summary."""
        summary = counted.summary
        for seen in counted.seen.values():
            calls, mistake = seen.calls, seen.mistake
            repaired = calls if mistake.rules else 0
            summary.invalid += calls
            summary.repaired += repaired
            summary.rules.update(dict.fromkeys(mistake.rules, calls))
            named: set[Broken] = set()
            for key, shortest, expected, sent in mistake.breaks:
                if key not in summary.problems:
                    examples: Smallest[Any, Example] = Smallest(self.tools.data.examples, min)
                    summary.problems[key] = ProblemSummary(examples, shortest=shortest, expected=expected)
                    counted.samples[key] = Smallest(self.tools.data.examples, _first)
                problem = summary.problems[key]
                problem.shortest = min(problem.shortest, shortest)
                problem.expected = min(problem.expected, expected)
                problem.issues += calls
                if sent is not None:
                    problem.sent.add(sent, calls)
                if key not in named:
                    named.add(key)
                    problem.calls += calls
                    problem.repaired += repaired
                    counted.samples[key].merge(seen.sample)
        counted.seen.clear()

    def add_examples(self, counted: _Counted) -> None:
        """Add the calls that serve as examples, each with the hint for it."""
        found, hints = counted.found, dict[int, str]()
        for key, sample in counted.samples.items():
            examples = counted.summary.problems[key].examples
            for by, (line, payload, issues) in sample.items():
                if id(issues) not in hints:
                    concealed = found.concealed(issues, payload)
                    hint = self.tools.registry.hint(counted.name, concealed, payload=payload)
                    hints[id(issues)] = hint.render(MAX_CHARS)
                arguments = cut(_shown(found, payload, issues, _ENCODER.encode), MAX_EXAMPLE)
                examples.add(by, Example(Place(self.file, line), arguments, hints[id(issues)]))
            examples.more = sample.more


def _first(earlier: _Invalid, _: _Invalid) -> _Invalid:
    return earlier


def decoded(arguments: Any) -> tuple[Any, list[ValidationIssue] | None]:
    """Parse a call's arguments. Return the payload and the issues of its text.

    Missing arguments become `{}`.
    """
    if isinstance(arguments, bytes):
        arguments = arguments.decode("utf-8", "replace")
    if arguments is None:
        return {}, None
    if not isinstance(arguments, str):
        return arguments, None
    try:
        return json_text.decode(arguments), None
    except json_text.UnreadableText as unreadable:
        if not arguments or arguments.isspace():
            return {}, None
        return arguments, unreadable.issues


def _shown(
    found: AuditedTool, payload: Any, issues: list[ValidationIssue], text_of: Callable[[Any], str]
) -> str:
    """Return the arguments of a call as text without secrets. For text that is not JSON, return its beginning."""
    secrets = found.secrets
    if issues[0].constraint in OF_TEXT:
        return cut(str(payload), MAX_ECHO) if secrets is None else MASK
    try:
        return text_of(payload if secrets is None else secrets.redacted(payload))
    except (ValueError, RecursionError, TypeError):
        return "(cannot be shown)"
