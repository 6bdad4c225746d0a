"""Write the checks of `properties`, `required`, `patternProperties` and `additionalProperties` as one.

These keywords are written together because they apply to the same keys. The check looks up known keys by name and
counts them. It iterates over all keys only if there are others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import groupby
from typing import Final, LiteralString

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import TRUE, Code, both, code, either, negated
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.module import about, about_verdict
from toolgen.compiler.keywords.matching import mismatches
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind
from toolgen.compiler.schema.union_tags import takes_strings

_WORTH_SKIPPING = 2
"""The number of optional properties in a row from which it pays to test first whether the object has any optional keys.
"""


_MANY: Final = 12
"""The maximum number of properties for counting keys. More are checked in groups that read required keys together."""
_GROUP: Final = 8
"""The number of properties in a group."""
_MOST_TOGETHER: Final = 24
"""The maximum number of properties whose groups are all checked by one function."""


def write(f: Function, schema: Schema, value: Value) -> None:
    """Write the checks of an object's properties."""
    _MembersCheck(f, schema, value).write()


class _MembersCheck:
    """The check of one object's members while it is being written."""

    def __init__(self, f: Function, schema: Schema, value: Value) -> None:
        self.f = f
        self.schema = schema
        self.value = value
        self.properties = schema.properties
        self.required = dict.fromkeys(schema.required)
        self.declared = {name: None for name in self.required if name in self.properties}
        """The required names that are also properties."""
        self.patterns = schema.pattern_properties
        rest = schema.additional_properties
        self.rest = None if rest is None or f.module.is_trivial(rest) else rest
        """`additionalProperties`, unless it accepts every value."""
        self.counted = self.rest is not None and not self.patterns
        """Whether unknown keys are found by counting the known ones."""
        self.left: Code | None = None
        """The variable that counts the keys not yet checked; None if it is not needed."""
        self.tag = self._settled_tag()
        """The property that the union around this branch has already checked as its tag, if any."""

    def _settled_tag(self) -> str | None:
        if self.value.tag is None:
            return None
        key, values = self.value.tag
        schema = self.properties.get(key)
        return key if schema is None or takes_strings(schema, values) else None

    def write(self) -> None:
        """Write the whole check."""
        f = self.f
        is_large = len(self.properties) > _MANY
        if self.counted and len(self.declared) < len(self.properties) and not is_large:
            self.left = f.local("left", self.value.hint)
            f.line("{left} = {keys}", left=self.left, keys=self._keys_beyond("{keys} - {n}"))
        if is_large:
            fetched = {}
        else:
            fetched = self._fetch_required(self.properties)
        for is_tail, names in self._runs():
            if is_tail and len(names) >= _WORTH_SKIPPING and (self.left is not None or self.declared):
                with f.when(self._has_more()):
                    self._grouped(names) if is_large else self._each(names, fetched)
            elif is_large:
                self._grouped(names)
            else:
                self._each(names, fetched)
        if self.counted:
            with f.when(self._has_more()):
                self._over_keys()
        elif self.patterns:
            self._over_keys()

    # -- counting

    def _keys_beyond(self, template: LiteralString) -> Code:
        """Return `len(v) - 2` or `len(v) != 2`, for the keys of the object other than the expected ones."""
        keys = code("len({v})", v=self.value)
        if self.declared:
            return code(template, keys=keys, n=len(self.declared))
        return keys

    def _has_more(self) -> Code:
        """Return the condition that the object may have keys besides those checked so far.

        If a required key is missing, the count is wrong; but then there is an issue anyway, and all keys are checked.
        """
        left = self.left or self._keys_beyond("{keys} != {n}")
        may_miss = not self.value.shown.issuperset(self.declared)
        if may_miss and self.f.gives_issues:
            return either([left, Code("issues")])
        return left

    # -- required and optional keys

    def _fetch_required(self, names: Iterable[str]) -> dict[str, Value]:
        """Read the required keys together. Usually all of them are present, and no further test is needed."""
        f, value = self.f, self.value

        wanted = [
            name
            for name in names
            if name in self.declared and name != self.tag and not f.module.is_trivial(self.properties[name])
        ]
        shown = value.shown
        if not f.gives_issues:
            # Branches of unions often lack keys: tests cost less than an exception.
            f.demand(both([code("{key} in {v}", key=literal(n), v=value) for n in wanted if n not in shown]))
            shown = frozenset(wanted)
        found = {name: f.member(value, literal(name), name) for name in wanted if name in shown}
        fetched = {
            name: f.value(name, (*value.path, literal(name)))._replace(
                on_missing=partial(self._missing_issue, name)
            )
            for name in wanted
            if name not in shown
        }
        if fetched:
            with f.block("try:"):
                for name, child in fetched.items():
                    f.line("{var} = {v}[{key}]", var=child, v=value, key=literal(name))
            with f.block("except KeyError:"):
                for name, child in fetched.items():
                    parts = {"var": child.var, "v": value.var, "key": literal(name), "missing": f.missing}
                    f.line("{var} = {v}.get({key}, {missing})", **parts)
        return fetched | found

    def _missing_issue(self, name: str) -> None:
        self.f.issue(self.value, "required", literal(True), self.f.missing, step=literal(name))

    def _runs(self) -> Iterator[tuple[bool, list[str]]]:
        """Yield the names to check in runs: (True, optional names after the last required name), (False, others)."""
        last_names = [name for name in self.required if name not in self.properties]
        order = [name for name in (*self.properties, *last_names) if name != self.tag]
        last = max((i for i, name in enumerate(order) if name in self.required), default=-1)

        def is_tail(item: tuple[int, str]) -> bool:
            return item[0] > last

        for tail, items in groupby(enumerate(order), key=is_tail):
            names = [name for _, name in items if name in self.required or self._needs_look(name)]
            if names:
                yield tail, names

    def _needs_look(self, name: str) -> bool:
        """Return whether an optional property is counted, or has a schema that can reject a value."""
        return self.left is not None or not self.f.module.is_trivial(self.properties[name])

    def _each(self, names: Iterable[str], fetched: dict[str, Value]) -> None:
        f = self.f
        for name in names:
            if name in fetched:
                f.apply(self.properties[name], fetched[name])
            elif name in self.required:
                with f.when(code("{key} not in {v}", key=literal(name), v=self.value)):
                    self._missing_issue(name)
            else:
                self._optional(name)

    def _grouped(self, names: list[str]) -> None:
        """Write the properties in groups. A group can have a function of its own, because keys are not counted."""
        for start in range(0, len(names), _GROUP):
            group = names[start : start + _GROUP]
            if len(self.properties) > _MOST_TOGETHER:
                self._apart(group)
            else:
                self._each(group, self._fetch_required(group))

    def _apart(self, names: list[str]) -> None:
        """Write a separate function for some properties."""
        f, v = self.f, Code("v")

        def write(schema: Schema, function: Code) -> None:
            inner = Function(f.module, f.vocabulary, v, f.gives_issues, f.apart)
            part = _MembersCheck(inner, schema, self.value._replace(var=v, path=()))
            part._each(names, part._fetch_required(names))
            say = about if f.gives_issues else about_verdict
            f.module.functions.append(inner.written(function, v, say(schema, "some properties of a value")))

        role = f"{'check' if f.gives_issues else 'accepts'} {names[0]} to {names[-1]}"
        f.call(f.module.function(self.schema, role, write), self.value)

    def _optional(self, name: str) -> None:
        f, key = self.f, literal(name)
        schema = self.properties[name]
        with f.when(code("{key} in {v}", key=key, v=self.value)):
            if self.left is not None:
                f.line("{left} -= 1", left=self.left)
            if not f.module.is_trivial(schema):
                f.apply(schema, f.member(self.value, key, hint=name))

    # -- keys other than properties

    def _over_keys(self) -> None:
        """Write the checks of keys that match a pattern, and of keys that neither a property nor a pattern claims."""
        f, value = self.f, self.value
        key, known = f.local("k"), literal(frozenset(self.properties))
        if self.properties:
            is_free = code("{k} not in {known}", k=key, known=known)
        else:
            is_free = TRUE
        path = (*value.path, key)
        if self.counted and self.rest is not None and self.rest.verdict is False:
            child = Value(code("{v}[{k}]", v=value, k=key), path)
            loop = f.block("for {k} in {v}:", k=key, v=value)
        else:
            child = f.value(f"{value.hint} value", path)
            loop = f.block("for {k}, {child} in {v}.items():", k=key, child=child, v=value)
        with loop:
            if self.patterns:
                is_free = self._match_patterns(key, child, is_free)
            if self.rest is not None:
                with nullcontext() if is_free is TRUE else f.when(is_free):
                    self._additional(self.rest, child)

    def _match_patterns(self, key: Code, child: Value, is_free: Code) -> Code:
        """Write the checks of a key by its patterns.

        Return the condition that no property or pattern claims the key.
        """
        f, free = self.f, None
        if self.rest is not None:
            free = f.local("free")
            f.line("{free} = {is_free}", free=free, is_free=is_free)
        with f.when(f.is_kind(Kind.STRING, Value(key))):  # a dict can have other keys
            for pattern, schema in self.patterns.items():
                is_trivial = f.module.is_trivial(schema)
                if free is None and is_trivial:
                    continue
                with f.when(negated(mismatches(f, pattern, key, "key"))):
                    if free is not None:
                        f.line("{free} = False", free=free)
                    if not is_trivial:
                        f.apply(schema, child)
        return TRUE if free is None else free

    def _additional(self, rest: Schema, child: Value) -> None:
        if rest.verdict is False:
            self.f.issue(child, "additionalProperties", literal(False))
        else:
            self.f.apply(rest, child)
