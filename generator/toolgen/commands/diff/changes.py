"""List the changes between two sets of tools, and how each affects callers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, Literal

from toolgen.commands.diff.edits import ABSENT, Edit, edits
from toolgen.commands.diff.narrowing import HELD_BY_ROOT, Narrowing, size_of
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

MAX_WORDS: Final = 100
"""The maximum number of changes to words that are examined one by one, if some of them change a constraint."""
MAX_JUDGED: Final = 500_000
"""The maximum number of schema values to compare for one tool's edits; later edits are not judged."""
EDIT_COST: Final = 50
"""The fixed cost of an edit, as the number of values that could be compared in the same time."""
MAX_UNCONFIRMED: Final = 50
"""The maximum number of payloads that break an edit alone, the shortest first, of which one must break the whole."""
_OTHER_KEYS: Final = ("additionalProperties", "patternProperties", "unevaluatedProperties")
"""Keywords that describe keys without a declared property."""
_IMPOSSIBLE: Final = {"type": "null", "enum": [0]}
"""A schema that rejects every value in every draft; draft-04 has no `false`."""
Part = Literal["tool", "input", "output"]
Meaning = Literal["breaking", "addition", "unknown", "safe", "annotation"]
Check = Callable[[Any], list[ValidationIssue]]
Confirm = Callable[[Any], Any]
"""A function that returns the payload to show for one that breaks a part; `ABSENT` if it does not break the whole."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a schema as a graph, and the check of its values."""

    root: Schema
    validate: Check


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a change affects callers: `safe`, `breaking`, `addition` or `unknown`.

    `safe` means that the new schema provably accepts all old values. `breaking` means that it rejects `witness`. An
    `addition` is a new optional property of an open object: it provably accepts all old values without this key, but
    rejects `witness`. `judge` returns no `addition`, and no `annotation`, which is a change to words alone.
    """

    meaning: Meaning
    witness: Any = None
    issues: tuple[ValidationIssue, ...] = ()


def judge(old: Side, new: Side, confirm: Confirm = lambda payload: payload) -> Verdict:
    """Decide how a change affects the values that the old schema accepts.

    A payload that breaks the new side counts only if it is confirmed.
    """
    if is_contained(old.root, new.root):
        return Verdict("safe")
    listed = Conjunction.of(facts.conjuncts(old.root)).values
    tried = payloads(old.root, new.root) if listed is None else listed
    accepted = (payload for payload in tried if not old.validate(payload))
    found = [(payload, issues) for payload in accepted if (issues := new.validate(payload))]
    found.sort(key=lambda one: len(repr(one[0])))
    for payload, issues in found[: MAX_UNCONFIRMED + 1]:
        shown = confirm(payload)
        if shown is not ABSENT:
            return Verdict("breaking", shown, tuple(issues))
    return Verdict("unknown" if listed is None or found else "safe")


@dataclass(frozen=True, slots=True)
class Change:
    """One change between two sets of tools.

    `witness` is a value that only one side accepts, and `issues` are the reasons why the other rejects it.

    For `input`, the value is a payload that is no longer valid. For `output`, it is a result that was not possible
    before.
    """

    tool: str
    kind: Meaning
    part: Part
    message: str
    pointer: str = ""
    witness: Any = None
    issues: tuple[ValidationIssue, ...] = ()


def changes(old: Sequence[ToolSpec], new: Sequence[ToolSpec], options: LowerOptions) -> Iterator[Change]:
    """Yield the changes to each tool. Tools are sorted by name.

    Raises:
        SpecError: a schema on either side cannot be built.
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
        SpecError: the schema cannot be built.
    """
    lowered = lower(spec, options)
    if lowered.root is None:
        raise SpecError(lowered.diagnostics)
    return lowered.root


class _Comparison:
    """The changes to one schema.

    The new schema must accept old payloads, and the old schema must accept new results.
    """

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
        whole = judge(*self.whole)
        if len(meant) == 1:
            yield self._change(meant[0], self.milder(whole, meant[0], self.old))
        else:
            yield from self._each(meant, whole)

    def _without_meaning(self, words: Sequence[Edit]) -> Sequence[Edit]:
        """Return the changes to words that change no constraint.

        A change may matter because a reference points into a default, or to an id.
        """
        if not words or self._says_the_same(words):
            return words
        if len(words) > MAX_WORDS:
            return ()
        return [edit for edit in words if self._says_the_same([edit])]

    def _says_the_same(self, some: Sequence[Edit]) -> bool:
        """Return whether the old schema still has the same constraints after these edits."""
        schema = self.old
        for edit in some:
            schema = edit.applied(schema)
        old, new = (lower(replace(self.spec, schema=s), self.options).root for s in (self.old, schema))
        return old is not None and new is not None and same(old, new)

    def _each(self, meant: Sequence[Edit], whole: Verdict) -> Iterator[Change]:
        """Yield each edit with its own effect.

        If none explains the effect of all together, yield one change for all.
        """
        if whole.meaning == "safe":
            yield from (self._change(edit, whole) for edit in meant)
            return
        alone = _EachAlone(self)
        found = [alone.judge(edit) for edit in meant]
        for edit, verdict in zip(meant, found, strict=True):
            yield self._change(edit, verdict)
        meanings = {verdict.meaning for verdict in found}
        added = [edit for edit, verdict in zip(meant, found, strict=True) if verdict.meaning == "addition"]
        if added and self._is_safe_without(added, self.old, self.new):
            meanings.add("breaking")
        if not {"breaking", whole.meaning} & meanings:
            yield self._change(Edit((), ABSENT, ABSENT), whole, "the changes together")

    def milder(self, verdict: Verdict, edit: Edit, old: Any) -> Verdict:
        """Return `addition` in place of `breaking` for a new optional property, if old values did not declare its key.

        `old` is the old schema, or the part of it on which the edit was judged.
        """
        if verdict.meaning != "breaking" or self.part == "output" or not edit.is_new_property:
            return verdict
        *above, _, name = edit.steps
        holder: Any = self.old
        for step in above:
            holder = holder[step]
        # In a map, every key is ordinary: it has a schema for its values, or declares no property at all.
        if any(holder.get(word, True) not in (True, {}) for word in _OTHER_KEYS):
            return verdict
        if above and "properties" not in holder:
            return verdict
        required = Edit((*above, "required"), ABSENT, [*holder.get("required", []), name]).applied(old)
        if self._is_contained(old, required) or not self._is_safe_without([edit], old, edit.applied(old)):
            return verdict
        return replace(verdict, meaning="addition")

    def _is_safe_without(self, added: Sequence[Edit], old: Any, new: Any) -> bool:
        """Return whether the new schema provably accepts all old values that have no key of the added properties."""
        for edit in added:
            old = replace(edit, new=_IMPOSSIBLE).applied(old)
        return self._is_contained(old, new)

    def _is_contained(self, old: Any, new: Any) -> bool:
        before, after = (_root(replace(self.spec, schema=schema), self.options) for schema in (old, new))
        return is_contained(before, after)

    @cached_property
    def whole(self) -> tuple[Side, Side]:
        """The sender's and the receiver's side if all edits are made together."""
        return self.sides(self.new)

    def sides(self, new: Any, old: Any = None) -> tuple[Side, Side]:
        """Return the sender's and the receiver's side for a new schema. `old` may replace the old one."""
        before, after = self.side(self.old if old is None else old), self.side(new)
        if self.part == "input":
            return (before, after)
        return (after, before)

    def side(self, schema: Mapping[str, Any] | bool) -> Side:
        """Return the side that belongs to a schema."""
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


class _EachAlone:
    """Judges each edit of a schema without the others, on the part of the schema that the edit concerns."""

    def __init__(self, comparison: _Comparison) -> None:
        self._comparison = comparison
        self._narrowing = Narrowing(comparison.old, comparison.new)
        self._sent: Any = comparison.old if comparison.part == "input" else comparison.new
        self._samples: dict[int, Any] = {}
        self._left = MAX_JUDGED

    def judge(self, edit: Edit) -> Verdict:
        """Decide how a single edit affects callers.

        An edit is breaking only if its payload is also rejected after all edits together.
        """
        if self._left <= 0:
            return Verdict("unknown")
        part = self._narrowing.part(self._comparison.old, edit.steps)
        self._left -= EDIT_COST + size_of(part)
        try:
            verdict = judge(*self._comparison.sides(edit.applied(part), part), partial(self._confirm, edit))
            return self._comparison.milder(verdict, edit, part)
        except SpecError:  # for example, a reference to a definition that another edit adds
            return Verdict("unknown")

    def _confirm(self, edit: Edit, payload: Any) -> Any:
        """Return a payload for the part as one for the whole.

        Return `ABSENT` if it is not also rejected after all edits together.
        """
        sender, receiver = self._comparison.whole
        complete = self._narrowing.completed(payload, self._sent, edit.steps, self._sample)
        is_breaking = not sender.validate(complete) and receiver.validate(complete)
        return complete if is_breaking else ABSENT

    def _sample(self, schema: Any) -> Any:
        """Return a value that a subschema of the sender's schema accepts; None if no such value is known."""
        if not isinstance(schema, Mapping):
            return ""
        if id(schema) not in self._samples:
            held = {word: value for word, value in self._sent.items() if word in HELD_BY_ROOT}
            side = self._comparison.side({**held, **schema})
            found = (value for value in payloads(side.root, side.root) if not side.validate(value))
            self._samples[id(schema)] = next(found, None)
        return self._samples[id(schema)]
