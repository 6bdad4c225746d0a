"""Run every lint rule on every tool. Findings that are ignored are left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from itertools import chain
from typing import Any, Final, cast

from toolgen.commands.lint import directories, duplicates, provider_rules, shapes, texts, values
from toolgen.commands.lint.subject import Steps, Subject
from toolgen.commands.remembered import Remember, find_now
from toolgen.compiler.diagnostics import Diagnostic, Place, with_counts
from toolgen.compiler.lint_codes import LINT_CODES, ONCE_A_FILE
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.schema.output_schemas import check_output_root, check_output_schema
from toolgen.compiler.specs.tool_spec import ToolSpec

Row = Sequence[Any]
"""The parts of a diagnostic and of its place, as JSON."""
IGNORE: Final = "x-toolgen-ignore"
"""The keyword under which a schema lists codes that are not reported for the schema or anything inside it."""
RULES: Final[Sequence[Callable[[Subject], Iterator[Diagnostic]]]] = (
    texts.descriptions,
    texts.texts,
    texts.size,
    texts.listed_values,
    shapes.root,
    shapes.required_keys,
    shapes.depth,
    shapes.arrays,
    shapes.bounds,
    shapes.contradictions,
    shapes.unions,
    values.defaults,
    values.required_defaults,
    values.choices,
    values.formats,
    provider_rules.names,
    provider_rules.strict,
    provider_rules.headers,
    directories.contradictions,
    directories.requirements,
)
"""Every rule about one tool."""


@dataclass(frozen=True, slots=True)
class Linted:
    """The findings for some tools, and the problems that a build would report."""

    findings: tuple[Diagnostic, ...]
    problems: tuple[Diagnostic, ...]


def lint(
    specs: Iterable[ToolSpec],
    options: LowerOptions,
    *,
    providers: Sequence[str] = (),
    ignore: Collection[str] = (),
    remember: Remember = find_now,
) -> Linted:
    """Return the findings for some tools, in the order of the tools.

    Args:
        specs: the tools; a tool whose schema cannot be lowered has only problems.
        options: the options of a build.
        providers: the providers whose strict modes and names are checked, and the directories whose requirements are
            checked. If no provider is given, names are checked for all.
        ignore: codes that are not reported.
        remember: a function that returns the earlier findings for a tool, or else finds them.
    """
    named = [provider for provider in providers if provider in directories.DIRECTORIES]
    apis = [provider for provider in providers if provider not in named]
    subjects: list[Subject] = []
    problems: list[Diagnostic] = []
    found: dict[int, list[Diagnostic]] = {}
    for spec in specs:
        find = partial(_rows, spec, options, apis, named)
        own_problems, own_findings = remember(spec, find)
        problems += map(_diagnostic, own_problems)
        if own_findings is not None:
            no_root = cast("Schema", None)  # the rules that compare tools do not read it
            subjects.append(Subject(spec, no_root, apis, named))
            found[id(subjects[-1])] = [*map(_diagnostic, own_findings)]
    shared: dict[Place, list[Diagnostic]] = {}
    over_tools = (duplicates.near_duplicates, duplicates.same_names, duplicates.large_servers)
    for several in chain.from_iterable(rule(subjects) for rule in over_tools):
        shared.setdefault(several.place, []).append(several)
    findings: list[Diagnostic] = []
    for subject in subjects:
        own = [*found[id(subject)], *shared.get(subject.spec.place, ())]
        findings += _kept(subject, own, ignore)
    return Linted(tuple(with_counts(findings, _once_a_file)), tuple(problems))


def _once_a_file(finding: Diagnostic) -> tuple[str, str] | None:
    """Return what is counted instead of repeated; None if each finding is shown."""
    if finding.code in ONCE_A_FILE:
        return finding.place.file, finding.message
    return None


def _rows(
    spec: ToolSpec, options: LowerOptions, apis: Sequence[str], named: Sequence[str]
) -> tuple[list[Row], list[Row] | None]:
    """Return the problems and findings of a tool as JSON; None if its schema cannot be lowered."""
    lowered = lower(spec, options)
    problems = [*lowered.diagnostics, *check_output_schema(spec, options), *check_output_root(spec)]
    if lowered.root is None:
        return [*map(astuple, problems)], None
    subject = Subject(spec, lowered.root, apis, named)
    every = (finding for rule in RULES for finding in rule(subject))
    once = {(d.place, d.code, d.message): d for d in every}
    return [*map(astuple, problems)], [*map(astuple, once.values())]


def _diagnostic(row: Row) -> Diagnostic:
    place, *rest = row
    return Diagnostic(Place(*place), *rest)


def _kept(subject: Subject, findings: list[Diagnostic], ignore: Collection[str]) -> Iterator[Diagnostic]:
    """Yield the findings that no `x-toolgen-ignore` names, then the codes that it names without effect."""
    ignored = {
        subject.spec.schema_place.below(*s): codes for s, each in subject.schemas if (codes := _codes(each))
    }
    by_pointer = {place.pointer: codes for place, codes in ignored.items()}
    used: set[tuple[str, str]] = set()
    for finding in findings:
        hits = {
            (pointer, finding.code)
            for pointer in (_covering(finding, subject) if by_pointer else ())
            if finding.code in by_pointer.get(pointer, ())
        }
        used |= hits
        if not hits and finding.code not in ignore:
            yield finding
    for place, codes in ignored.items():
        for code, steps in codes.items():
            if (place.pointer, code) not in used and "unused-ignore" not in ignore:
                what = "is not reported here" if code in LINT_CODES else "is not a code of toolgen lint"
                at = place.below(*steps)
                yield Diagnostic(
                    at, "unused-ignore", f"{code!r} {what}", "remove it", subject.spec.name, "note"
                )


def _covering(finding: Diagnostic, subject: Subject) -> Iterator[str]:
    """Yield the pointers at and above a finding; the root of the schema also covers the tool itself."""
    if finding.place == subject.spec.place:
        yield subject.spec.schema_place.pointer
    pointer = finding.place.pointer
    yield pointer
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


def _codes(schema: dict[str, Any]) -> dict[str, Steps]:
    """Return the codes that a schema ignores, each with the steps to it."""
    listed = schema.get(IGNORE)
    if isinstance(listed, str):
        return {listed: (IGNORE,)}
    codes = enumerate(listed) if isinstance(listed, list) else ()
    return {code: (IGNORE, index) for index, code in codes if isinstance(code, str)}
