"""`patternProperties`, and what is left to `additionalProperties` beside it (2020-12 core, section 10.3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgen.codegen.branches import Branches
from toolgen.codegen.code import TRUE, Code, both, code, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.exclusive import are_exclusive
from toolgen.keywords.matching import mismatches
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind

if TYPE_CHECKING:
    from toolgen.keywords.members import Members


@dataclass(frozen=True, slots=True)
class KeyPatterns:
    """The check of an object's keys by their patterns while it is written."""

    f: Function
    members: Members
    value: Value
    additional: Callable[[Code], None]
    """Writes what is asked of a key that neither a property nor a pattern claims."""

    def write(self) -> None:
        """Every key against every pattern; what neither a property nor a pattern claims is additional."""
        f, members = self.f, self.members
        key = f.local("k")
        with f.block("for {k} in {v}:", k=key, v=self.value.var):
            if are_exclusive(tuple(members.patterns)):
                self._one_of_patterns(key)
            else:
                self._each_pattern(key)

    def _one_of_patterns(self, key: Code) -> None:
        """Write what is asked of a key that matches one pattern at most."""
        branches = Branches(self.f.writer)
        for pattern, schema in self.members.patterns.items():
            if self.members.rest is None and self.f.module.is_trivial(schema):
                continue
            with branches.when(self._matches(pattern, key)):
                self._matched(schema, key)
        if self.members.rest is None:
            return
        with branches.when(self._is_unnamed(key)) if self.members.properties else branches.otherwise():
            self.additional(key)

    def _each_pattern(self, key: Code) -> None:
        f, members = self.f, self.members
        free = None
        if members.rest is not None:
            free = f.local("free")
            f.line("{free} = {is_free}", free=free, is_free=self._is_unnamed(key))
        for pattern, schema in members.patterns.items():
            if free is None and f.module.is_trivial(schema):
                continue
            with f.when(self._matches(pattern, key)):
                if free is not None:
                    f.line("{free} = False", free=free)
                self._matched(schema, key)
        if free is not None:
            with f.when(free):
                self.additional(key)

    def _is_unnamed(self, key: Code) -> Code:
        """Return the condition that no property has the key."""
        known = literal(frozenset(self.members.properties))
        return code("{k} not in {known}", k=key, known=known) if self.members.properties else TRUE

    def _matches(self, pattern: str, key: Code) -> Code:
        is_name = self.f.is_kind(Kind.STRING, Value(key))  # Python's dicts can have other keys
        return both([is_name, negated(mismatches(self.f, pattern, key, "key", is_short=True))])

    def _matched(self, schema: Schema, key: Code) -> None:
        if not self.f.module.is_trivial(schema):
            self.f.apply(schema, self.f.member(self.value, key, hint=f"{self.value.hint} value"))
