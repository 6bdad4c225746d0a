"""A check while it is being written from keywords.

Keywords are grouped by the kind of value. With `type: string`, the length is checked in the branch for strings, and a
value of any other kind breaks only `type` (and `enum`).

For `not`, `if`, `contains` and the branches of a union, only the result matters and not the issues. If such a schema
has only types, allowed values, limits and required keys, it becomes a condition, without a function or issues. Values
under keys are checked by statements, so that there is only one way to write `properties`.
"""

from __future__ import annotations

from collections.abc import Set
from contextlib import nullcontext
from functools import partial
from typing import Final

from toolgen.compiler.codegen.body import Body, Value
from toolgen.compiler.codegen.code import TRUE, Code, both, called, code, either, fragment, negated
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.meanings import Vocabulary
from toolgen.compiler.codegen.module import Module, about, about_verdict
from toolgen.compiler.codegen.values import (
    any_type,
    choice_issue,
    is_listed,
    type_issue,
    without_integer,
)
from toolgen.compiler.codegen.writer import Branches, path_code
from toolgen.compiler.schema.facts import kind_of_choices, sole_kind
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import Kind, kind_of_type

MAX_NESTING: Final = 25
"""The number of nested schemas that one function checks. The next gets a function that others can also call."""
MAX_BLOCK_DEPTH: Final = 4
"""The maximum number of nested blocks around a schema with subschemas that is written inline."""
MAX_SIZE: Final = 12
"""The maximum number of keywords and keys of a schema that becomes a condition."""
_MAX_CONDITION_DEPTH: Final = 4
"""The maximum depth of nested schemas in a condition."""
_WITH_KEYWORDS: Final = (Kind.STRING, Kind.NUMBER, Kind.OBJECT, Kind.ARRAY)
_V: Final = Code("v")


class Function(Body):
    """Writes the body of one check. The code for each keyword calls it to write the checks of values and
    subschemas.
    """

    def __init__(
        self,
        module: Module,
        vocabulary: Vocabulary,
        parameter: Code = _V,
        gives_issues: bool = True,
        apart: Set[Schema] = frozenset(),
    ) -> None:
        """Begin a body. The schemas in `apart` are checked by separate functions."""
        super().__init__(module, parameter, gives_issues)
        self.vocabulary = vocabulary
        self.apart = apart
        self._nesting = 0

    def check_of(self, schema: Schema, gives_issues: bool = True) -> Code:
        """Return the name of the function that checks a schema, and write that function if necessary.

        Without `gives_issues`, it is the function that returns whether the schema accepts a value.
        """
        write = partial(write_function, self.module, self.vocabulary, gives_issues=gives_issues)
        return self.module.function(schema, "check" if gives_issues else "accepts", write)

    # -- subschemas

    def apply(self, schema: Schema, value: Value) -> None:
        """Write code that checks a value against a schema."""
        if self.module.is_trivial(schema):
            return
        if value.on_missing is not None and not self._takes_missing(schema):
            with self.when(code("{v} is {missing}", v=value, missing=self.missing)):
                value.on_missing()
            value = value._replace(on_missing=None)
            with self.otherwise():
                self.apply(schema, value)
            return
        if not self._is_in_place(schema):
            if self.gives_issues:
                self.call(self.check_of(schema), value)
            else:
                self.demand(self.accepts(schema, value))
            return
        self._nesting += 1
        with self.own_names():
            self.write(schema, value)
        self._nesting -= 1

    def _is_in_place(self, schema: Schema) -> bool:
        if self._nesting >= MAX_NESTING or self.module.is_shared(schema):
            return False
        return schema.is_plain or (self.depth < MAX_BLOCK_DEPTH and schema not in self.apart)

    def _takes_missing(self, schema: Schema) -> bool:
        """Return whether the branch for values of the wrong type can also handle `MISSING`."""
        return self._is_in_place(schema) and schema.types is not None and not _asks_others(schema)

    def call(self, function: Code, value: Value) -> None:
        """Write a call of another check, and handle what it returns: issues, or whether the value is valid."""
        result = called(function, value.var)
        if self.gives_issues:
            self.take_over(result, value)
        else:
            self.demand(result)

    def take_over(self, issues: Code, value: Value) -> None:
        """Write code that adds issues of a value to those of this function. Their paths start at the value."""
        if not value.path:
            self.line("issues += {issues}", issues=issues)
            return
        with self.when(fragment("found := {issues}", issues=issues)):
            under = self.module.runtime("under")
            self.line("issues += {under}({path}, found)", under=under, path=path_code(value.path))

    # -- conditions

    def accepts(self, schema: Schema, value: Value) -> Code:
        """Return code that tests whether a schema accepts the value."""
        if schema.verdict is not None or self.module.is_trivial(schema):
            return literal(schema.verdict is not False)
        inline = self.condition(schema, value)
        if inline is not None:
            return inline
        if self.module.has_check(schema):
            return negated(called(self.check_of(schema), value.var))
        return called(self.check_of(schema, gives_issues=False), value.var)

    def condition(self, schema: Schema, value: Value) -> Code | None:
        """Return an expression that tests whether a schema accepts the value.

        Return None if the schema is too large for this.
        """
        if self._size(schema) > MAX_SIZE:
            return None
        present = set(schema.keywords)
        found = [row for row in self.vocabulary.said if row.name in present]
        parts: list[Code] = []
        if schema.types is not None:
            parts.append(any_type(self, schema.types, value, schema.whole_floats))
            value = value._replace(kind=value.kind or sole_kind(schema))

        def said(kind: str, in_place: bool = False) -> list[Code]:
            rows = [row for row in found if row.facts.kind == kind and row.facts.in_place is in_place]
            return [row.holds(self, schema, value) for row in rows if row.holds is not None]

        parts += said("any")
        for kind in (Kind.STRING, Kind.NUMBER, Kind.OBJECT):
            own = both(said(kind.value))
            if own is not TRUE:
                parts.append(either([negated(self.is_kind(kind, value)), own]))
        return both([*parts, *said("any", in_place=True)])

    def _size(self, schema: Schema, level: int = 0) -> int:
        """Return the number of keywords and keys in a schema.

        Return more than `MAX_SIZE` if a condition cannot express the schema.
        """
        if schema.verdict is not None:
            return 1
        names = set(schema.keywords)
        if not names <= self.vocabulary.said_names or level > _MAX_CONDITION_DEPTH:
            return MAX_SIZE + 1
        size = len(names) + len(schema.assertions.get("required", ()))
        for _, child in schema.children():
            if size > MAX_SIZE:
                break  # the same definition may be reached in very many ways
            size += 1 + self._size(child, level + 1)
        return size

    # -- the keywords of a schema

    def write(self, schema: Schema, value: Value) -> None:
        """Write the checks for all keywords of a schema.

        Those for the value's kind come first, and those for all kinds follow.
        """
        if schema.verdict is not None:
            if schema.verdict is False:  # "false" means "not": {} (2020-12 core, section 4.3.2)
                self.issue(value, "not", literal({}))
            return
        if value.kind is not None:
            self._within(schema, value, value.kind)
            if value.kind not in (Kind.STRING, Kind.NUMBER):
                self._choices(schema, value)
        else:
            self._by_kind(schema, value)
        for write in self.vocabulary.writers(schema).get(None, ()):
            write(self, schema, value)

    def _by_kind(self, schema: Schema, value: Value) -> None:
        """Write `type`, `enum`, `const` and the keywords of single kinds."""
        writers = self.vocabulary.writers(schema)
        work = [kind for kind in _WITH_KEYWORDS if kind in writers]
        kind_of_values = kind_of_choices(schema)
        if kind_of_values is not None and kind_of_values not in work:
            work.append(kind_of_values)
        if schema.types is None:
            self._chain(schema, value, work, kind_of_values)
        elif not work:
            with self.when(negated(any_type(self, schema.types, value, schema.whole_floats))):
                self._wrong_type(schema, value, kind_of_values)
        elif work == [sole_kind(schema)]:
            # The longer branch comes last, so that a value of the right type does not jump over it.
            with self.when(negated(self.is_kind(work[0], value))):
                self._wrong_type(schema, value, kind_of_values)
            with self.otherwise():
                self._within(schema, value, work[0])
        else:
            branches = self._chain(schema, value, work, kind_of_values)
            others = [name for name in without_integer(schema.types) if kind_of_type(name) not in work]
            with (
                branches.when(negated(any_type(self, others, value, schema.whole_floats)))
                if others
                else branches.otherwise()
            ):
                self._wrong_type(schema, value, kind_of_values)
        if kind_of_values is None:
            self._choices(schema, value)

    def _choices(self, schema: Schema, value: Value) -> None:
        for constraint, values in schema.choices:
            unlisted = negated(is_listed(self, values, value))
            with nullcontext() if unlisted is TRUE else self.when(unlisted):
                choice_issue(self, constraint, values, value)

    def _wrong_type(self, schema: Schema, value: Value, kind_of_values: Kind | None) -> None:
        """Write the issues of a value of the wrong type, or of a missing value."""
        assert schema.types is not None
        branches = Branches(self)
        if value.on_missing is not None and kind_of_values is not None:
            with branches.when(code("{v} is {missing}", v=value, missing=self.missing)):
                value.on_missing()
            value = value._replace(on_missing=None)
        with branches.otherwise():
            type_issue(self, schema.types, value)
            if kind_of_values is not None:
                for constraint, values in schema.choices:
                    choice_issue(self, constraint, values, value)

    def _chain(self, schema: Schema, value: Value, work: list[Kind], kind_of_values: Kind | None) -> Branches:
        """Write `if string: ... elif object: ...`."""
        branches = Branches(self)
        for kind in work:
            with branches.when(self.is_kind(kind, value)):
                self._within(schema, value, kind, with_choices=kind is kind_of_values)
        return branches

    def _within(self, schema: Schema, value: Value, kind: Kind, with_choices: bool = True) -> None:
        """Write the checks that remain for a value whose kind is known."""
        value = value._replace(on_missing=None)
        if schema.types is not None and kind.value not in schema.types:
            is_integer = kind is Kind.NUMBER and "integer" in schema.types
            if is_integer:
                unfit = negated(self.is_integer(value, schema.whole_floats))
            else:
                unfit = TRUE
            with nullcontext() if unfit is TRUE else self.when(unfit):
                type_issue(self, schema.types, value)
        if with_choices and kind in (Kind.STRING, Kind.NUMBER):
            self._choices(schema, value._replace(kind=kind))
        for write in self.vocabulary.writers(schema).get(kind, ()):
            write(self, schema, value._replace(kind=kind))


def write_function(
    module: Module,
    vocabulary: Vocabulary,
    schema: Schema,
    name: Code,
    parameter: Code = _V,
    gives_issues: bool = True,
) -> None:
    """Write the function that checks a schema.

    Without `gives_issues`, it only returns whether a value is valid.
    """
    if gives_issues:
        name = module.remembering(schema, name, parameter)
    f = Function(module, vocabulary, parameter, gives_issues, module.apart(schema))
    f.write(schema, Value(parameter, hint="" if parameter == _V else parameter.text))
    say = about if gives_issues else about_verdict
    module.functions.append(f.written(name, parameter, say(schema)))


def _asks_others(schema: Schema) -> bool:
    """Return whether a schema has checks outside the branches for single kinds of values."""
    is_sole = sole_kind(schema) is not None  # then unions are checked in the branch of that kind
    chooses = bool(schema.choices) and kind_of_choices(schema) is None
    return chooses or any(
        facts.in_place and facts.kind == "any" and not (is_sole and facts.is_union) for facts in schema.facts
    )
