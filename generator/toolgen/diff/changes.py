"""The changes between two sets of tools, each classed by what it means for those who call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from toolgen.compiled_check import compiled_check
from toolgen.diagnostics import SpecError
from toolgen.diff.conjunction import Conjunction
from toolgen.diff.containment import is_contained
from toolgen.diff.edits import ABSENT, Edit, edits
from toolgen.diff.likeness import same
from toolgen.diff.samples import payloads
from toolgen.schema import facts
from toolgen.schema.ir import Schema
from toolgen.schema.lower import LowerOptions, lower
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime.validation.issues import ValidationIssue

MAX_EDITS: Final = 100
"""Differences of one schema that are judged one by one; of more the whole is judged."""
Part = Literal["tool", "input", "output"]
Meaning = Literal["breaking", "unknown", "safe", "annotation"]
Check = Callable[[Any], list[ValidationIssue]]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a lowered schema, and its exact check."""

    root: Schema
    validate: Check


@dataclass(frozen=True, slots=True)
class Verdict:
    """`safe`: all that the old schema takes is proved to be taken; `breaking`: `witness` is not; else `unknown`.

    A change of words alone is an `annotation`; `judge` does not ask for that.
    """

    meaning: Meaning
    witness: Any = None
    issues: tuple[ValidationIssue, ...] = ()


def judge(old: Side, new: Side, also: tuple[Side, Side] | None = None) -> Verdict:
    """Return the verdict on what the old side takes.

    With `also`, a payload is to break the change between two other sides, too: one of several changes breaks where
    all of them together do.
    """
    if is_contained(old.root, new.root):
        return Verdict("safe")
    listed = Conjunction.of(facts.conjuncts(old.root)).values
    found: Verdict | None = None
    size, breaks_alone = 0, False
    for payload in payloads(old.root, new.root) if listed is None else listed:
        if old.validate(payload):
            continue
        issues = new.validate(payload)
        if issues and (found is None or len(repr(payload)) < size):
            if also is not None and (also[0].validate(payload) or not also[1].validate(payload)):
                breaks_alone = True
                continue
            found, size = Verdict("breaking", payload, tuple(issues)), len(repr(payload))
    return found or Verdict("unknown" if listed is None or breaks_alone else "safe")


@dataclass(frozen=True, slots=True)
class Change:
    """One change: `witness` is a value that one side takes and the other does not, with the `issues` that say why.

    Of `input` it is a payload that was valid and no longer is; of `output` a result that can come now and could not.
    """

    tool: str
    kind: Meaning
    part: Part
    message: str
    pointer: str = ""
    witness: Any = None
    issues: tuple[ValidationIssue, ...] = ()


def changes(old: Sequence[ToolSpec], new: Sequence[ToolSpec], options: LowerOptions) -> Iterator[Change]:
    """Yield the changes of each tool, in the order of names.

    Raises:
        SpecError: a schema of either side cannot be built.
    """
    before, after = ({spec.name: spec for spec in specs} for specs in (old, new))
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield Change(name, "breaking", "tool", "the tool was removed")
        elif name not in before:
            _root(after[name], options)
            yield Change(name, "safe", "tool", "a new tool")
        else:
            yield from _of_tool(before[name], after[name], options)


def _of_tool(old: ToolSpec, new: ToolSpec, options: LowerOptions) -> Iterator[Change]:
    for word in ("description", "title", "annotations"):
        if getattr(old, word) != getattr(new, word):
            yield Change(old.name, "annotation", "tool", f"{word} changed")
    yield from _Comparison("input", old, new.schema, options).changes()
    before, after = old.output_schema, new.output_schema
    if before is None and after is not None:
        yield Change(old.name, "safe", "output", "the tool now has an output schema")
    elif before is not None and after is None:
        yield Change(old.name, "breaking", "output", "the tool no longer has an output schema")
    elif before is not None and after is not None:
        yield from _Comparison("output", replace(old, schema=before), after, options).changes()


def _root(spec: ToolSpec, options: LowerOptions) -> Schema:
    """Return the graph of a tool's schema.

    Raises:
        SpecError: it cannot be built.
    """
    lowered = lower(spec, options)
    if lowered.root is None:
        raise SpecError(lowered.diagnostics)
    return lowered.root


class _Comparison:
    """The changes of one schema. Payloads go from the old to the new one, results the other way."""

    def __init__(self, part: Part, spec: ToolSpec, new: Any, options: LowerOptions) -> None:
        self.part: Part = part
        self.spec = spec
        self.old = spec.schema
        self.new = new
        self.options = options

    def changes(self) -> Iterator[Change]:
        every = list(edits(self.old, self.new))
        words = self._without_meaning([edit for edit in every if edit.is_annotation])
        for edit in words:
            yield self._change(edit, Verdict("annotation"))
        without_meaning = set(map(id, words))
        meant = [edit for edit in every if id(edit) not in without_meaning]
        if not meant:
            return
        whole = judge(*self._sides(self.new))
        if len(meant) == 1 or len(meant) > MAX_EDITS:
            edit = meant[0] if len(meant) == 1 else Edit((), self.old, self.new)
            yield self._change(edit, whole)
            return
        yield from self._each(meant, whole)

    def _without_meaning(self, words: Sequence[Edit]) -> Sequence[Edit]:
        """Return those changes of words that change no constraint: a reference may lead into a default, or by an id."""
        if not words or self._says_the_same(words):
            return words
        if len(words) > MAX_EDITS:
            return ()
        return [edit for edit in words if self._says_the_same([edit])]

    def _says_the_same(self, some: Sequence[Edit]) -> bool:
        """Return whether the old schema, so edited, has the constraints that it had."""
        schema = self.old
        for edit in some:
            schema = edit.applied(schema)
        old, new = (lower(replace(self.spec, schema=s), self.options).root for s in (self.old, schema))
        return old is not None and new is not None and same(old, new)

    def _each(self, meant: Sequence[Edit], whole: Verdict) -> Iterator[Change]:
        """Yield each edit with its own meaning; where only together they break, that they do."""
        if whole.meaning == "safe":
            yield from (self._change(edit, whole) for edit in meant)
            return
        both = self._sides(self.new)
        found = [(edit, self._alone(edit, both)) for edit in meant]
        for edit, verdict in found:
            yield self._change(edit, verdict)
        if not {"breaking", whole.meaning} & {verdict.meaning for _, verdict in found}:
            yield self._change(Edit((), ABSENT, ABSENT), whole, "the changes together")

    def _alone(self, edit: Edit, both: tuple[Side, Side]) -> Verdict:
        """Return what an edit means alone; it breaks where its payload does not come from, or through, the others."""
        try:
            return judge(*self._sides(edit.applied(self.old)), both)
        except SpecError:  # such as a reference to a definition that another edit adds
            return Verdict("unknown")

    def _sides(self, new: Any) -> tuple[Side, Side]:
        """Return who sends and who receives, where the new schema is this one."""
        before, after = self._side(self.old), self._side(new)
        return (before, after) if self.part == "input" else (after, before)

    def _side(self, schema: Mapping[str, Any] | bool) -> Side:
        root = _root(replace(self.spec, schema=schema), self.options)
        return Side(root, compiled_check(root))

    def _change(self, edit: Edit, verdict: Verdict, message: str = "") -> Change:
        return Change(
            self.spec.name,
            verdict.meaning,
            self.part,
            message or str(edit),
            edit.pointer,
            verdict.witness,
            verdict.issues,
        )
