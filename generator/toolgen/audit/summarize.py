"""`summarize`: one part of the recorded calls -> what is known of it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, Final, Protocol, runtime_checkable

from toolgen.audit.bounded_sample import Smallest
from toolgen.audit.mistakes import MAX_ECHO, Break, Mistake, key_of, mistake_of
from toolgen.audit.records import calls_of, value_of
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
BATCH: Final = 256
"""Records that are in memory at once as values, and invalid calls of one tool."""
_CALL: Final = itemgetter("tool", "arguments")
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


class _Seen:
    """The calls of one part that make the same mistake: how many, and those that may be examples."""

    __slots__ = ("calls", "mistake", "sample")

    def __init__(self, mistake: Mistake, most: int) -> None:
        self.mistake = mistake
        self.calls = 0
        self.sample: Sample = Smallest(most, _first)


class _Counted:
    """A tool whose calls are counted; until all records are read, its mistakes and the calls that may be examples."""

    __slots__ = ("check", "found", "invalid", "samples", "seen", "summary")

    def __init__(self, found: AuditedTool, summary: ToolSummary) -> None:
        self.found, self.summary = found, summary
        self.check: Callable[[Any], list[ValidationIssue]] = found.tool.validate
        self.invalid: list[_Invalid] = []
        self.seen: dict[Hashable, _Seen] = {}
        self.samples: dict[Broken, Sample] = {}


class _Audit:
    """Fills one summary."""

    def __init__(self, tools: LoadedTools, file: str) -> None:
        self.tools, self.file = tools, file
        self.summary = Summary()
        self.sent: dict[str, _Counted] = {}
        self.executed: dict[str, _Counted] = {}

    def add_all(self, records: Iterable[tuple[int, Any]]) -> None:
        """Add the calls of records, many at once if all are texts of the most frequent shape, for speed."""
        parse = partial(json_text.parse or json_text.load_parser(), cache_strings="keys")
        left = iter(records)
        while batch := list(islice(left, BATCH)):
            self.summary.records += len(batch)
            by_tool: defaultdict[Any, list[tuple[int, Any]]] = defaultdict(list)
            lines, texts = zip(*batch, strict=True)
            try:
                for line, (tool, arguments) in zip(lines, map(_CALL, map(parse, texts)), strict=True):
                    by_tool[tool].append((line, arguments))
            except (ValueError, TypeError, LookupError):
                self.add_each(batch)
                continue
            if not all(isinstance(tool, str) for tool in by_tool):
                self.add_each(batch)
                continue
            for tool, calls in by_tool.items():
                self.add_calls(tool, calls, False)
        for counted in (*self.sent.values(), *self.executed.values()):
            self.add_problems(counted)
            self.add_examples(counted)

    def add_each(self, records: Iterable[tuple[int, Any]]) -> None:
        """Add the calls of records of any shape."""
        for line, record in records:
            try:
                calls = calls_of(value_of(record.strip()) if isinstance(record, bytes) else record)
            except ValueError as error:
                self.summary.malformed += 1
                self.summary.malformed_at.add(Place(self.file, line), str(error))
                continue
            for call in calls:
                self.add_calls(call.tool, [(line, call.arguments)], call.executed)

    def add_calls(self, name: str, calls: list[tuple[int, Any]], executed: bool) -> None:
        """Add calls of one tool, each with its line and its arguments as they were recorded."""
        by_name = self.executed if executed else self.sent
        counted = by_name.get(name)
        if counted is None:
            found = self.tools.find(name)
            if found is None:
                self.summary.unknown += len(calls)
                self.summary.unknown_names.add(name[:MAX_ECHO], len(calls))
                return
            summary = self.summary.tools[name, executed] = ToolSummary()
            counted = by_name[name] = _Counted(found, summary)
        counted.summary.calls += len(calls)
        check = counted.check
        for line, arguments in calls:
            payload, issues = arguments, None
            if type(arguments) is not dict:
                payload, issues = decoded(arguments)
            if issues := issues or check(payload):
                counted.invalid.append(_Invalid(name, line, payload, issues))
        if len(counted.invalid) > BATCH:
            self.add_problems(counted)

    def add_invalid(self, counted: _Counted, invalid: _Invalid) -> None:
        key = key_of(invalid.payload, invalid.issues)
        seen = counted.seen.get(key)
        if seen is None:
            mistake, is_kept = mistake_of(counted.found, key, invalid.payload, invalid.issues)
            seen = _Seen(mistake, self.tools.data.examples)
            # One that is not kept is of this call alone.
            counted.seen[key if is_kept else invalid] = seen
        seen.calls += 1
        text = _shown(invalid, counted.found, repr)  # faster than JSON, and as good for an order
        seen.sample.add((len(text), text[:MAX_EXAMPLE]), invalid)

    def add_problems(self, counted: _Counted) -> None:
        """Count the mistakes of the invalid calls that wait, and forget these calls."""
        for invalid in counted.invalid:
            self.add_invalid(counted, invalid)
        counted.invalid.clear()
        summary = counted.summary
        for seen in counted.seen.values():
            calls, mistake = seen.calls, seen.mistake
            repaired = calls if mistake.rules else 0
            summary.invalid += calls
            summary.repaired += repaired
            summary.rules.update(dict.fromkeys(mistake.rules, calls))
            named: set[Broken] = set()
            for broken in mistake.breaks:
                problem = self.problem_of(counted, broken)
                problem.issues += calls
                if broken.sent is not None:
                    problem.sent.add(broken.sent, calls)
                if broken.key not in named:
                    named.add(broken.key)
                    problem.calls += calls
                    problem.repaired += repaired
                    counted.samples[broken.key].merge(seen.sample)
        counted.seen.clear()

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
                arguments = cut(_shown(invalid, counted.found, _ENCODER.encode), MAX_EXAMPLE)
                examples.add(by, Example(place, arguments, invalid.hint(self.tools, counted.found)))
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
    try:
        return json_text.decode(arguments), None
    except json_text.UnreadableText as unreadable:
        is_empty = not arguments or arguments.isspace()
        return ({}, None) if is_empty else (arguments, unreadable.issues)


def _shown(invalid: _Invalid, found: AuditedTool, text_of: Callable[[Any], str]) -> str:
    """Return the arguments of a call as text without secrets; of a text that is not JSON, its beginning."""
    payload, secrets = invalid.payload, found.secrets
    if invalid.issues[0].constraint in OF_TEXT:
        return MASK if secrets is not None else cut(str(payload), MAX_ECHO)
    try:
        return text_of(payload if secrets is None else secrets.redacted(payload))
    except (ValueError, RecursionError, TypeError):
        return "(cannot be shown)"
