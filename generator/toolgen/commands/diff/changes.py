"""The changes between two sets of tools, each classified by its effect on callers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from toolgen.commands.diff.edits import ABSENT, Edit, edits
from toolgen.commands.samples import payloads
from toolgen.compiler.compiled_check import compiled_check
from toolgen.compiler.containment.conjunction import Conjunction
from toolgen.compiler.containment.containment import is_contained
from toolgen.compiler.containment.likeness import same
from toolgen.compiler.diagnostics import SpecError
from toolgen.compiler.schema import facts
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.validation.issues import ValidationIssue

MAX_EDITS: Final = 100
"""The maximum number of differences of one schema that are judged one by one; more are judged as a whole."""
MAX_PATTERN_EDITS: Final = 500
"""The maximum product of differences and patterns for names in one schema; beyond it, they are judged as a whole.
Without it 200 patterns of which a seventh changed took 24 seconds of processor time, and four times that for 400."""
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
    """`safe`: the new schema provably accepts all old values; `breaking`: it refuses `witness`; else `unknown`.

    A change of words alone is an `annotation`, which `judge` never returns.
    """

    meaning: Meaning
    witness: Any = None
    issues: tuple[ValidationIssue, ...] = ()


def judge(old: Side, new: Side, also: tuple[Side, Side] | None = None) -> Verdict:
    """Return the verdict on the values that the old side accepts.

    With `also`, the sides before and after all changes, a payload counts only if it breaks these, too: a change that
    breaks only without the others is not breaking.
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
    """One change: `witness` is a value that only one side accepts, and `issues` are the other side's reasons.

    For `input` it is a payload that is no longer valid; for `output` it is a result that was not possible before.
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


def _patterns_in(schema: Any) -> int:
    """Return the number of patterns for names in a schema and its subschemas."""
    count, pending = 0, [schema]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            patterns = each.get("patternProperties")
            count += len(patterns) if isinstance(patterns, Mapping) else 0
            pending += each.values()
        elif isinstance(each, list):
            pending += each
    return count


class _Comparison:
    """The changes of one schema. The new schema must accept old payloads, and the old one must accept new results."""

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
        if len(meant) == 1 or len(meant) > MAX_EDITS or self._is_costly(len(meant)):
            edit = meant[0] if len(meant) == 1 else Edit((), self.old, self.new)
            yield self._change(edit, whole)
            return
        yield from self._each(meant, whole)

    def _is_costly(self, edits: int) -> bool:
        """Return whether judging each edit alone takes long: each time, every pattern is compared with every key."""
        patterns = max(_patterns_in(self.old), _patterns_in(self.new))
        return edits * patterns > MAX_PATTERN_EDITS

    def _without_meaning(self, words: Sequence[Edit]) -> Sequence[Edit]:
        """Return the changes of words that change no constraint: a reference may point into a default, or to an id."""
        if not words or self._says_the_same(words):
            return words
        if len(words) > MAX_EDITS:
            return ()
        return [edit for edit in words if self._says_the_same([edit])]

    def _says_the_same(self, some: Sequence[Edit]) -> bool:
        """Return whether the old schema has the same constraints after these edits."""
        schema = self.old
        for edit in some:
            schema = edit.applied(schema)
        old, new = (lower(replace(self.spec, schema=s), self.options).root for s in (self.old, schema))
        return old is not None and new is not None and same(old, new)

    def _each(self, meant: Sequence[Edit], whole: Verdict) -> Iterator[Change]:
        """Yield each edit with its own verdict; if none explains the verdict on the whole, yield one change for all."""
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
        """Return the verdict on an edit alone; it breaks only if its payload also breaks all edits together."""
        try:
            return judge(*self._sides(edit.applied(self.old)), both)
        except SpecError:  # for example, a reference to a definition that another edit adds
            return Verdict("unknown")

    def _sides(self, new: Any) -> tuple[Side, Side]:
        """Return the sender's and the receiver's side, with this as the new schema."""
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
