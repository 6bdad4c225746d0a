"""`Function`: the body of one generated check while it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, LiteralString

from toolgen.codegen.code import Code, Writer, code, comma_separated, literal, negated, spelled
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind, choices, home_of_values, sole_kind

if TYPE_CHECKING:
    from toolgen.codegen.module import Module

_TYPE: Final = Code("t")
"""The variable that the test for a number leaves the value's type in."""
MAX_INDENT: Final = 14
"""Blocks deep; what would stand deeper becomes a function of its own (CPython nests 20 loops at most)."""
MAX_NESTING: Final = 25
"""Schemas inlined within one another before the next becomes a function of its own."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that generated code looks at: its variable, and the steps that lead to it in this function."""

    var: Code
    path: tuple[Code, ...] = ()
    kind: Kind | None = None
    """The kind that the value is known to be of, where a test has told."""
    on_missing: Callable[[], None] | None = None
    """Set where the variable may hold `MISSING`: writes the issue of a required key that is not there."""
    tag: tuple[str, frozenset[str]] | None = None
    """A key of the value, an object, and the strings of which a test has told that one stands there."""

    def path_code(self, *steps: Code) -> Code:
        """The path as a tuple display."""
        parts = (*self.path, *steps)
        if not parts:
            return code("()")
        inner = comma_separated(parts)
        return code("({inner},)", inner=inner) if len(parts) == 1 else code("({inner})", inner=inner)


class Function:
    """Writes the body of one check; keywords call back into it for values and subschemas."""

    def __init__(self, module: Module, parameter: Code, gives_issues: bool = True) -> None:
        """`gives_issues`: what is wrong goes to the list `issues`; otherwise False is returned at once."""
        self.module = module
        self.gives_issues = gives_issues
        self.writer = Writer()
        self._taken = {parameter: 1, Code("issues"): 1}
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
        if not self.gives_issues:
            self.writer.end(Code("return False"))
            return
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

    def is_kind(self, kind: Kind, value: Value) -> Code:
        """The condition that a value is of a kind: cheap for plain types, right for their subclasses too.

        Where it holds for an object, the variable holds a plain `dict` afterwards.
        """
        v, runtime = value.var, self.module.runtime
        if value.kind is not None:
            return literal(value.kind is kind)
        if kind is Kind.NULL:
            return code("{v} is None", v=v)
        if kind is Kind.BOOLEAN:
            return code("{v} is True or {v} is False", v=v)
        if kind is Kind.NUMBER:
            return code(
                "({t} := {type_of}({v})) is int or {t} is float and {v} - {v} == 0.0 or {is_number}({v})",
                t=_TYPE,
                type_of=runtime("type_of"),
                v=v,
                is_number=runtime("is_number"),
            )
        if kind is Kind.OBJECT:
            # A subclass is copied: asking it for a key may run code, or add the key (`defaultdict`).
            return code(
                "{type_of}({v}) is dict or {type_of}({v} := {as_object}({v})) is dict",
                type_of=runtime("type_of"),
                v=v,
                as_object=runtime("as_object"),
            )
        builtin, helper = (Code("str"), "is_string") if kind is Kind.STRING else (Code("list"), "is_array")
        return code(
            "{type_of}({v}) is {builtin} or {helper}({v})",
            type_of=runtime("type_of"),
            v=v,
            builtin=builtin,
            helper=runtime(helper),
        )

    def is_type(self, type_name: str, value: Value, whole_floats: bool = True) -> Code:
        """The condition that a value is of a JSON Schema type; `whole_floats`: 1.0 is an integer."""
        if type_name != "integer":
            return self.is_kind(Kind(type_name), value)
        if value.kind not in (None, Kind.NUMBER):
            return literal(False)
        return self.is_integer(value, whole_floats)

    def is_integer(self, value: Value, whole_floats: bool, just_told: bool = False) -> Code:
        """The condition that a value is an integer; `just_told`: right after the test that it is a number."""
        v, known = value.var, _TYPE
        if not just_told:
            known = code("{type_of}({v})", type_of=self.module.runtime("type_of"), v=v)
        other = code("{is_integer}({v})", is_integer=self.module.runtime("is_integer"), v=v)
        if not whole_floats:
            other = code("{other} and not isinstance({v}, float)", other=other, v=v)
        return code("{known} is int or {other}", known=known, other=other)

    # -- subschemas

    def apply(self, schema: Schema, value: Value) -> None:
        """Report what is wrong with the value under a schema."""
        if self.module.is_trivial(schema):
            return
        if value.on_missing is not None and not self._takes_missing(schema):
            with self.block("if {v} is {missing}:", v=value.var, missing=self.missing):
                value.on_missing()
            value = replace(value, on_missing=None)
            with self.writer.otherwise():
                self.apply(schema, value)
            return
        if self._is_crowded() or self.module.is_shared(schema):
            self._call(schema, value)
        else:
            self._nesting += 1
            self.module.keywords.emit(self, schema, value)
            self._nesting -= 1

    def _is_crowded(self) -> bool:
        return self.writer.depth >= MAX_INDENT or self._nesting >= MAX_NESTING

    def _takes_missing(self, schema: Schema) -> bool:
        """Whether `MISSING` can be met where the value is of no type that the schema asks for."""
        inlined = not (self._is_crowded() or self.module.is_shared(schema))
        return inlined and schema.types is not None and not asks_others(schema)

    def _call(self, schema: Schema, value: Value) -> None:
        if not self.gives_issues:
            with self.block("if {fails}:", fails=negated(self.accepts(schema, value))):
                self.writer.end(Code("return False"))
            return
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
        inline = self.module.keywords.condition(self, schema, value)
        if inline is not None:
            return inline
        if self.module.has_check(schema):
            return code("not {check}({v})", check=self.module.check_of(schema), v=value.var)
        return code("{accepts}({v})", accepts=self.module.verdict_of(schema), v=value.var)


def asks_others(schema: Schema) -> bool:
    """Whether a schema looks at the value through keywords of no single kind."""
    asks = {"$ref", "$dynamicRef", "allOf", "not", "if"} | (
        set() if sole_kind(schema) else {"anyOf", "oneOf"}
    )
    chooses = bool(choices(schema)) and home_of_values(schema) is None
    return chooses or not asks.isdisjoint((*schema.single, *schema.listed))


def distinct(wanted: Code, taken: dict[Code, int]) -> Code:
    """The wanted name, numbered where it is taken; `taken` keeps the last number given to each name."""
    found, number = wanted, taken.get(wanted, 1)
    while found in taken:
        number += 1
        found = code("{wanted}_{number}", wanted=wanted, number=number)
    taken[wanted] = number
    taken.setdefault(found, 1)
    return found
