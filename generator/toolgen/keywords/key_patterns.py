"""`patternProperties`, and what is left to `additionalProperties` beside it (2020-12 core, section 10.3.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from toolgen.codegen.code import TRUE, Code, both, code, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.keywords.matching import mismatches
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind


@dataclass(frozen=True, slots=True)
class KeyPatterns:
    """The check of an object's keys by their patterns while it is written."""

    f: Function
    value: Value
    properties: Collection[str]
    patterns: Mapping[str, Schema]
    additional: Callable[[Code], None] | None
    """Writes what is asked of a key that neither a property nor a pattern claims, if anything is."""

    def write(self) -> None:
        """Write each key against each pattern; a key that no property and no pattern claims is additional."""
        key = self.f.local("k")
        with self.f.block("for {k} in {v}:", k=key, v=self.value.var):
            self._each_pattern(key)

    def _each_pattern(self, key: Code) -> None:
        f = self.f
        free = None
        if self.additional is not None:
            free = f.local("free")
            f.line("{free} = {is_free}", free=free, is_free=self._is_unnamed(key))
        for pattern, schema in self.patterns.items():
            if free is None and f.module.is_trivial(schema):
                continue
            with f.when(self._matches(pattern, key)):
                if free is not None and self.additional is not None:
                    f.line("{free} = False", free=free)
                self._matched(schema, key)
        if free is not None and self.additional is not None:
            with f.when(free):
                self.additional(key)

    def _is_unnamed(self, key: Code) -> Code:
        """Return the condition that no property has the key."""
        known = literal(frozenset(self.properties))
        return code("{k} not in {known}", k=key, known=known) if self.properties else TRUE

    def _matches(self, pattern: str, key: Code) -> Code:
        is_name = self.f.is_kind(Kind.STRING, Value(key))  # Python's dicts can have other keys
        return both([is_name, negated(mismatches(self.f, pattern, key, "key", is_short=True))])

    def _matched(self, schema: Schema, key: Code) -> None:
        if not self.f.module.is_trivial(schema):
            self.f.apply(schema, self.f.member(self.value, key, hint=f"{self.value.hint} value"))
