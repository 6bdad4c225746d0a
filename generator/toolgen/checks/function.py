"""`Function`: the body of one generated check while it is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, LiteralString

from toolgen.checks.kinds import Kind
from toolgen.code import Code, Writer, code, literal, spelled
from toolgen.schema.ir import Schema

if TYPE_CHECKING:
    from toolgen.checks.module import Module

MAX_INDENT = 14
"""Blocks deep; what would stand deeper becomes a function of its own (CPython nests 20 loops at most)."""
MAX_NESTING = 25
"""Schemas inlined within one another before the next becomes a function of its own."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that generated code looks at: its variable, and the steps that lead to it in this function."""

    var: Code
    path: tuple[Code, ...] = ()
    type_var: Code | None = None
    """The variable that holds the value's type, once it is assigned."""

    def path_code(self, *steps: Code) -> Code:
        """The path as a tuple display."""
        parts = (*self.path, *steps)
        if not parts:
            return code("()")
        out = parts[0]
        for part in parts[1:]:
            out = code("{out}, {part}", out=out, part=part)
        return code("({out},)", out=out) if len(parts) == 1 else code("({out})", out=out)


class Function:
    """Writes the body of one check; keywords call back into it for values and subschemas."""

    def __init__(self, module: Module, parameter: Code) -> None:
        self.module = module
        self.writer = Writer()
        self._taken: set[Code] = {parameter, Code("issues")}
        self._nesting = 0

    # -- names and lines

    def local(self, prefix: LiteralString, hint: str = "") -> Code:
        """A new local variable, named after a property where there is one."""
        wanted = (
            code("{prefix}_{hint}", prefix=Code(prefix), hint=spelled(hint))
            if spelled(hint).text
            else Code(prefix)
        )
        return distinct(wanted, self._taken)

    def line(self, template: LiteralString, /, **parts: Code | int) -> None:
        """One line at the present depth."""
        self.writer.line(template, **parts)

    @contextmanager
    def block(self, template: LiteralString, /, **parts: Code | int) -> Iterator[None]:
        """A header and its indented block."""
        with self.writer.block(template, **parts):
            yield

    def hint(self, value: Value) -> str:
        """What a value's variable is named after."""
        return value.var.text.removeprefix("v").removeprefix("_")

    def member(self, value: Value, key: Code, hint: str = "") -> Value:
        """The value under a key or index, in a variable of its own."""
        var = self.local("v", hint)
        self.line("{var} = {v}[{key}]", var=var, v=value.var, key=key)
        return Value(var, (*value.path, key))

    # -- issues

    def issue(
        self, value: Value, constraint: str, expected: Code, got: Code | None = None, step: Code | None = None
    ) -> None:
        """Report one broken constraint at the value, or one step below it."""
        self.line(
            "issues.append({issue}({path}, {constraint}, {expected}, {got}))",
            issue=self.module.runtime("ValidationIssue"),
            path=value.path_code() if step is None else value.path_code(step),
            constraint=literal(constraint),
            expected=expected,
            got=value.var if got is None else got,
        )

    @property
    def missing(self) -> Code:
        """What an issue got where nothing is."""
        return self.module.runtime("MISSING")

    # -- kinds

    def typed(self, value: Value) -> Value:
        """The value with its type in a variable; to be called where all later uses come after it."""
        if value.type_var is not None:
            return value
        type_var = self.local("t", self.hint(value))
        self.line("{t} = {type_of}({v})", t=type_var, type_of=self.module.runtime("type_of"), v=value.var)
        return replace(value, type_var=type_var)

    def is_kind(self, kind: Kind, value: Value) -> Code:
        """The condition that a (typed) value is of a kind."""
        if kind is Kind.NULL:
            return code("{v} is None", v=value.var)
        assert value.type_var is not None
        t = value.type_var
        if kind is Kind.BOOLEAN:
            return code("{t} is bool", t=t)
        if kind is Kind.NUMBER:
            return code(
                "{t} is int or {t} is float and {v} - {v} == 0.0 or {is_number}({v})",
                t=t,
                v=value.var,
                is_number=self.module.runtime("is_number"),
            )
        builtin = {Kind.STRING: Code("str"), Kind.ARRAY: Code("list"), Kind.OBJECT: Code("dict")}[kind]
        return code("{t} is {builtin} or issubclass({t}, {builtin})", t=t, builtin=builtin)

    def is_type(self, type_name: str, value: Value) -> Code:
        """The condition that a (typed) value is of a JSON Schema type."""
        if type_name != "integer":
            return self.is_kind(Kind(type_name), value)
        assert value.type_var is not None
        return code(
            "{t} is int or {is_integer}({v})",
            t=value.type_var,
            v=value.var,
            is_integer=self.module.runtime("is_integer"),
        )

    # -- subschemas

    def apply(self, schema: Schema, value: Value) -> None:
        """Report what is wrong with the value under a schema."""
        if self.module.is_trivial(schema):
            return
        crowded = self.writer.depth >= MAX_INDENT or self._nesting >= MAX_NESTING
        if crowded or self.module.is_shared(schema):
            self._call(schema, value)
        else:
            self._nesting += 1
            self.module.emit(self, schema, value)
            self._nesting -= 1

    def _call(self, schema: Schema, value: Value) -> None:
        check = self.module.check_of(schema)
        if not value.path:
            self.line("issues += {check}({v})", check=check, v=value.var)
            return
        self.found(code("{check}({v})", check=check, v=value.var), value)

    def found(self, issues: Code, value: Value) -> None:
        """Take over issues that were found with paths relative to the value."""
        if not value.path:
            self.line("issues += {issues}", issues=issues)
            return
        found = self.local("found")
        self.line("{found} = {issues}", found=found, issues=issues)
        with self.block("if {found}:", found=found):
            self.line(
                "issues += {under}({path}, {found})",
                under=self.module.runtime("under"),
                path=value.path_code(),
                found=found,
            )

    def accepts(self, schema: Schema, value: Value) -> Code:
        """The condition that a schema takes the value."""
        if schema.verdict is not None or self.module.is_trivial(schema):
            return literal(schema.verdict is not False)
        return code("not {check}({v})", check=self.module.check_of(schema), v=value.var)


def distinct(wanted: Code, taken: set[Code]) -> Code:
    """The wanted name, numbered where it is taken; it is taken afterwards."""
    found, number = wanted, 1
    while found in taken:
        number += 1
        found = code("{wanted}_{number}", wanted=wanted, number=number)
    taken.add(found)
    return found
