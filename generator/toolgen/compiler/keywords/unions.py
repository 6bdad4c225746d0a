"""Write the checks of `anyOf` and `oneOf`. Where possible, they test only the branch that a value was meant
for.

Branches are separated by the kind of value that they accept, and within a kind by the value of a tag. Other branches
are tried in turn, and the runtime finds the one that was meant (`toolgen_runtime.validation.branches`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import (
    Code,
    called,
    code,
    comma_separated,
    either,
    exactly_one,
    fragment,
    negated,
)
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.module import about, check_function, place_hint
from toolgen.compiler.codegen.values import any_type, choice_issue, type_issue
from toolgen.compiler.codegen.writer import Branches, Line, source
from toolgen.compiler.schema.facts import possible_kinds
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import ALL_KINDS, Kind
from toolgen.compiler.schema.union_tags import (
    Group,
    Tag,
    declared_keys,
    groups_of,
    literal_values,
    shared_tag,
)

_V: Final = Code("v")


def write(f: Function, schema: Schema, value: Value, constraint: str) -> None:
    """Write the check of a union."""
    branches = schema.listed[constraint]
    if constraint == "anyOf" and any(f.module.is_trivial(b) for b in branches):
        return
    groups = groups_of(branches)
    if not groups:
        f.issue(value, constraint, literal(tuple(_names(branches))))
        return
    union = _Union(f, schema, constraint, branches)
    if value.kind is not None:
        fitting = [group for group in groups if value.kind in group.kinds]
        if fitting:
            union.group(fitting[0], value)
        else:
            type_issue(f, union.type_names(groups), value)
        return
    nulls = [g for g in groups if g.kinds == {Kind.NULL} and [b.is_plain for b in g.branches] == [True]]
    others = [g for g in groups if g not in nulls]
    with ExitStack() as stack:
        if nulls:  # issues of "X or null" name only X
            stack.enter_context(f.when(code("{v} is not None", v=value)))
        if len(others) <= 1:
            union.group((others or nulls)[0], value)
        else:
            union.by_kind(others, value)


def _names(branches: Sequence[Schema]) -> list[str | int]:
    """Return how issues name the branches: by their titles if these are distinct, otherwise by their positions."""
    titles: list[str | int] = [
        title for b in branches if isinstance(title := b.annotations.get("title"), str)
    ]
    if len(set(titles)) == len(branches):
        return titles
    return list(range(len(branches)))


@dataclass
class _Union:
    """One union while it is being written."""

    f: Function
    schema: Schema
    constraint: str
    branches: tuple[Schema, ...]

    def by_kind(self, groups: list[Group], value: Value) -> None:
        """Write a chain of tests for the kind of value: `if string: ... elif object: ... else: wrong type`."""
        branches = Branches(self.f)
        for group in groups:
            names = [kind.value for kind in Kind if kind in group.kinds]
            with branches.when(any_type(self.f, names, value)):
                if len(group.kinds) == 1:
                    kind = next(iter(group.kinds))
                else:
                    kind = None
                self.group(group, value._replace(kind=kind))
        with branches.otherwise():
            type_issue(self.f, self.type_names(groups), value)

    def type_names(self, groups: list[Group]) -> tuple[str, ...]:
        """Return the types that the issue for a wrong type names. Null is accepted too, but not named."""
        names: list[str] = []
        for group in groups:
            for branch in group.branches:
                names += _declared_types(branch) or [kind.value for kind in Kind if kind in group.kinds]
        return tuple(name for name in dict.fromkeys(names) if name != "null")

    def group(self, group: Group, value: Value) -> None:
        """Write the checks of the branches that accept the same kinds of values.

        The branch is the only one, is selected by literal values, a tag or keys, or is found by trying branches in
        turn.
        """
        if len(group.branches) == 1:
            self.f.apply(group.branches[0], value)
        elif (values := literal_values(group.branches, distinct=self.constraint == "oneOf")) is not None:
            self._values(values, value)
        elif value.kind in (None, Kind.OBJECT) and (tag := self._tag(group)) is not None:
            self._tagged(tag, group, value)
        elif (keys := group.keys) is not None:
            self._keyed(keys, group, value)
        else:
            self._tried(group, value)

    def _tag(self, group: Group) -> Tag | None:
        declared = self.schema.annotations.get("discriminator")
        wanted = declared.get("propertyName") if isinstance(declared, dict) else None
        return shared_tag(group.branches, wanted, self.schema.required)

    def _values(self, values: tuple[str, ...], value: Value) -> None:
        f = self.f
        branches = Branches(f)
        if value.kind is None:
            with branches.when(negated(f.is_kind(Kind.STRING, value))):
                f.issue(value, "type", literal("string"))
                choice_issue(f, "enum", values, value)
        with branches.when(code("{v} not in {values}", v=value, values=literal(frozenset(values)))):
            choice_issue(f, "enum", values, value)

    def _tagged(self, tag: Tag, group: Group, value: Value) -> None:
        """Write one branch for each value of the tag, and for any other value an issue that lists the values."""
        f = self.f
        key, tags = literal(tag.key), tuple(tag.branches)
        branches = Branches(f)
        if value.kind is None:
            with branches.when(negated(f.is_kind(Kind.OBJECT, value))):
                if group.kinds == {Kind.OBJECT}:
                    type_issue(f, ("object",), value)
                else:  # branches that do not require an object may accept other values
                    self._tried(group, value)
        with branches.when(code("{key} not in {v}", key=key, v=value)):
            if tag.key not in self.schema.required:  # otherwise it is already reported
                f.issue(value, "required", f.module.values(tag.key, tags), f.missing, step=key)
        with branches.otherwise():
            self._by_tag(tag, value._replace(kind=Kind.OBJECT))

    def _by_tag(self, tag: Tag, value: Value) -> None:
        f = self.f
        chosen = f.member(value, literal(tag.key), hint=tag.key)
        # Not a chain of `elif`: Python cannot compile one as long as a hostile spec can make it.
        with f.block("match {chosen}:", chosen=chosen):
            for branch, values in tag.by_branch():
                with f.block("case {values}:", values=_alternatives(values)):
                    f.apply(branch, value._replace(tag=(tag.key, frozenset(values))))
            with f.block("case _:"):
                f.issue(chosen, "enum", f.module.values(tag.key, tuple(tag.branches)))

    def _keyed(self, keys: dict[Schema, str], group: Group, value: Value) -> None:
        """Write the branch whose key is present. If none of the keys is, report the issues of the nearest branch."""
        f = self.f
        branches = Branches(f)
        if value.kind is None:
            with branches.when(negated(f.is_kind(Kind.OBJECT, value))):
                type_issue(f, ("object",), value)
        known = value._replace(kind=Kind.OBJECT)
        for branch, key in keys.items():
            given = code("{key} in {v}", key=literal(key), v=value)
            if f.gives_issues:
                # Some models send null under the keys of other branches instead of leaving them out.
                given = code("{given} and {v}[{key}] is not None", given=given, v=value, key=literal(key))
            with branches.when(given):
                f.apply(branch, known._replace(shown=frozenset({key})))
        with branches.otherwise():
            if not f.gives_issues:
                f.issue(known, self.constraint, literal(True))
            elif f.module.endless.isdisjoint(group.branches):
                f.take_over(self._trial(group, known), known)
            else:
                f.take_over(self._remembered_trial(group, known), known)

    def _remembered_trial(self, group: Group, value: Value) -> Code:
        """Return the call of a trial whose result is cached, because branches may reach the same parts of a value.

        Only the trial is cached and not the whole union; an object with a branch's key is checked only once in any
        case.
        """
        module = self.f.module
        trial = module.function(self.schema, f"try {self.constraint}", partial(self._write_trial, group))
        return called(module.runtime("remember"), trial, value.var)

    def _write_trial(self, group: Group, schema: Schema, name: Code) -> None:
        body = source([Line(fragment("return {trial}", trial=self._trial(group, Value(_V))))])
        says = about(schema, "an object without the key of a branch")
        self.f.module.functions.append(check_function(name, _V, says, body))

    def _tried(self, group: Group, value: Value) -> None:
        """Write branches that are tried in turn, first only for the result, because usually one of them is valid."""
        f = self.f
        if f.gives_issues and not f.module.endless.isdisjoint(group.branches):
            # Verdict and issues at every level of a recursion would be quadratic in its depth.
            f.take_over(self._trial(group, value), value)
            return
        conditions = [f.accepts(branch, value) for branch in group.branches]
        if self.constraint == "anyOf":
            holds = either(conditions)
        else:
            holds = exactly_one(conditions)
        with f.when(negated(holds)):
            if f.gives_issues:
                f.take_over(self._trial(group, value), value)
            else:
                f.issue(value, self.constraint, literal(True))

    def _trial(self, group: Group, value: Value) -> Code:
        """Return a call that returns no issues if a branch is valid, otherwise those of the branch that was meant."""
        f = self.f
        parts = [value.var, _tuple_of([f.check_of(branch) for branch in group.branches])]
        if self.constraint == "oneOf":
            names = dict(zip(self.branches, _names(self.branches), strict=True))
            parts.append(literal(tuple(names[branch] for branch in group.branches)))
        keys = [declared_keys(branch) for branch in group.branches]
        if any(keys):
            parts.append(_tuple_of([self._keys(*pair) for pair in zip(group.branches, keys, strict=True)]))
        helper = f.module.runtime("any_of" if self.constraint == "anyOf" else "one_of")
        return called(helper, *parts)

    def _keys(self, branch: Schema, keys: dict[str, tuple[Any, ...] | None]) -> Code:
        """Return the declared keys of a branch, as a constant that other unions with the same branch can use."""
        if keys:
            return self.f.module.constant("keys", place_hint(branch), literal(keys))
        return literal({})


def _tuple_of(parts: list[Code]) -> Code:
    return fragment("({parts})", parts=comma_separated(parts))


def _alternatives(values: list[str]) -> Code:
    out = literal(values[0])
    for value in values[1:]:
        out = fragment("{out} | {value}", out=out, value=literal(value))
    return out


def _declared_types(schema: Schema) -> list[str]:
    for _ in range(10):
        if schema.types is not None:
            return list(schema.types)
        if schema.ref is None:
            break
        schema = schema.ref
    kinds = possible_kinds(schema)
    if kinds != ALL_KINDS:
        return [kind.value for kind in Kind if kind in kinds]
    return []
