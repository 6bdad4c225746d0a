"""`Function`: the body of one generated check while it is written."""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, LiteralString

from toolgen.codegen.code import Code, code, fragment, negated, snake_case
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.codegen.writer import Line, Writer, path_code, source, tidied
from toolgen.schema.facts import kind_of_choices, sole_kind
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind

if TYPE_CHECKING:
    from toolgen.codegen.module import Module

_RETURN_FALSE: Final = Code("return False")
_RETURN_TRUE: Final = Code("return True")
MAX_NESTING: Final = 25
"""Schemas written within one another before the next is written apart, where others can use it, too."""
MAX_DEPTH: Final = 4
"""Blocks within one another in which a schema with subschemas is still written in place."""


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """One function of a generated module: its name, a line about it, and its body."""

    name: Code
    parameters: Code
    returns: Code
    about: Code
    body: Code


def check_function(name: Code, parameter: Code, about: Code, body: Code) -> CheckFunction:
    """Return a function from any value to its issues."""
    parameters = fragment("{p}: Any", p=parameter)
    return CheckFunction(name, parameters, Code("list[ValidationIssue]"), about, body)


def verdict_function(name: Code, parameter: Code, about: Code, body: Code) -> CheckFunction:
    """Return a function from any value to whether it is valid."""
    return CheckFunction(name, fragment("{p}: Any", p=parameter), Code("bool"), about, body)


class Function:
    """Writes the body of one check; keywords call back into it for values and subschemas."""

    def __init__(
        self, module: Module, parameter: Code, gives_issues: bool = True, apart: Set[Schema] = frozenset()
    ) -> None:
        """Begin a body that lists what is wrong in `issues`; without `gives_issues`, one that returns False at once.

        The schemas `apart` are checked by functions of their own.
        """
        self.module = module
        self.gives_issues = gives_issues
        self.writer = Writer()
        self._taken = {parameter: 1, Code("issues"): 1}
        self._scope: list[tuple[Code, int | None]] = []
        self._nesting = 0
        self.apart = apart

    # -- names and lines

    def local(self, prefix: LiteralString, hint: str = "", lasting: bool = False) -> Code:
        """Return a local variable, named after a property where there is one.

        Outside of the part of the check that it is made in, its name can be used again, unless it is `lasting`.
        """
        words = snake_case(hint)
        wanted = (
            fragment("{prefix}_{words}", prefix=Code(prefix), words=words) if words.text else Code(prefix)
        )
        before = self._taken.get(wanted)
        variable = distinct(wanted, self._taken)
        if not lasting:
            self._scope += [(wanted, before)] if variable == wanted else [(wanted, before), (variable, None)]
        return variable

    @contextmanager
    def _own_names(self) -> Iterator[None]:
        """Write what has names of its own, which can be used again after it."""
        outer, self._scope = self._scope, []
        yield
        for variable, before in reversed(self._scope):
            if before is None:
                self._taken.pop(variable, None)
            else:
                self._taken[variable] = before
        self._scope = outer

    def line(self, template: LiteralString, /, **parts: Code | int) -> None:
        """Write one statement."""
        self.writer.line(template, **parts)

    def block(self, template: LiteralString, /, **parts: Code | int) -> AbstractContextManager[None]:
        """Write a header that is not a condition, and its indented block."""
        return self.writer.block(template, **parts)

    def when(self, condition: Code) -> AbstractContextManager[None]:
        """Write what is done if a condition holds."""
        return self.writer.when(condition)

    def value(self, hint: str, path: tuple[Code, ...] = ()) -> Value:
        """Return a value in a new variable, which is yet to be set."""
        return Value(self.local("v", hint), path, hint)

    def member(self, value: Value, key: Code, hint: str = "") -> Value:
        """Return the value under a key or index, in a variable of its own."""
        child = self.value(hint, (*value.path, key))
        self.line("{var} = {v}[{key}]", var=child.var, v=value.var, key=key)
        return child

    def written(self, name: Code, parameter: Code, about: Code) -> CheckFunction:
        """Return the finished function."""
        nodes = self.writer.nodes
        if not self.gives_issues:
            return verdict_function(name, parameter, about, source([*tidied(nodes), Line(_RETURN_TRUE)]))
        first = fragment("issues: list[{issue}] = []", issue=self.module.runtime("ValidationIssue"))
        end = self.module.returned(name)
        return check_function(name, parameter, about, source([Line(first), *tidied(nodes, end), Line(end)]))

    def plain_body(self) -> Code:
        """Return the statements as they are, of a function that checks nothing itself."""
        return source(tidied(self.writer.nodes))

    # -- issues

    def issue(
        self, value: Value, constraint: str, expected: Code, got: Code | None = None, step: Code | None = None
    ) -> None:
        """Report one broken constraint at the value, or one step below it."""
        if not self.gives_issues:
            self.writer.leave(_RETURN_FALSE)
            return
        self.line(
            "issues.append({issue}({path}, {constraint}, {expected}, {got}))",
            path=path_code(value.path if step is None else (*value.path, step)),
            issue=self.module.runtime("ValidationIssue"),
            constraint=literal(constraint),
            expected=expected,
            got=value.var if got is None else got,
        )

    @property
    def missing(self) -> Code:
        """What an issue has as `got` where there is no value."""
        return self.module.runtime("MISSING")

    # -- kinds

    def is_kind(self, kind: Kind, value: Value) -> Code:
        """Return the condition that a value is of a kind: cheap for plain types, right for their subclasses too.

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
                "{v}.__class__ is int or {v}.__class__ is float and {isfinite}({v}) or {is_number}({v})",
                v=v,
                isfinite=runtime("isfinite"),
                is_number=runtime("is_number"),
            )
        if kind is Kind.OBJECT:
            # A subclass is copied: asking it for a key may run code, or add the key (`defaultdict`).
            return code(
                "{v}.__class__ is dict or ({v} := {as_object}({v})).__class__ is dict",
                v=v,
                as_object=runtime("as_object"),
            )
        builtin, helper = (Code("str"), "is_string") if kind is Kind.STRING else (Code("list"), "is_array")
        return code(
            "{v}.__class__ is {builtin} or {helper}({v})",
            v=v,
            builtin=builtin,
            helper=runtime(helper),
        )

    def is_type(self, type_name: str, value: Value, whole_floats: bool = True) -> Code:
        """Return the condition that a value is of a JSON Schema type; `whole_floats`: 1.0 is an integer."""
        if type_name != "integer":
            return self.is_kind(Kind(type_name), value)
        if value.kind not in (None, Kind.NUMBER):
            return literal(False)
        return self.is_integer(value, whole_floats)

    def is_integer(self, value: Value, whole_floats: bool) -> Code:
        """Return the condition that a value is an integer."""
        v = value.var
        other = code("{is_integer}({v})", is_integer=self.module.runtime("is_integer"), v=v)
        if not whole_floats:
            other = code("{other} and not isinstance({v}, float)", other=other, v=v)
        return code("{v}.__class__ is int or {other}", v=v, other=other)

    # -- subschemas

    def apply(self, schema: Schema, value: Value) -> None:
        """Report what is wrong with the value under a schema."""
        if self.module.is_trivial(schema):
            return
        if value.on_missing is not None and not self._takes_missing(schema):
            with self.when(code("{v} is {missing}", v=value.var, missing=self.missing)):
                value.on_missing()
            value = replace(value, on_missing=None)
            with self.writer.otherwise():
                self.apply(schema, value)
            return
        if not self._is_in_place(schema):
            self._call(schema, value)
            return
        self._nesting += 1
        with self._own_names():
            self.module.keywords.write(self, schema, value)
        self._nesting -= 1

    def _is_in_place(self, schema: Schema) -> bool:
        if self._nesting >= MAX_NESTING or self.module.is_shared(schema):
            return False
        return schema.is_plain or (self.writer.depth < MAX_DEPTH and schema not in self.apart)

    def _takes_missing(self, schema: Schema) -> bool:
        """Return whether `MISSING` can be met where the value is of no type that the schema asks for."""
        return self._is_in_place(schema) and schema.types is not None and not asks_others(schema)

    def _call(self, schema: Schema, value: Value) -> None:
        if self.gives_issues:
            self.call(self.module.check_of(schema), value)
            return
        with self.when(negated(self.accepts(schema, value))):
            self.writer.leave(_RETURN_FALSE)

    def call(self, function: Code, value: Value) -> None:
        """Report what a function of the same kind as this finds wrong with the value."""
        called = code("{function}({v})", function=function, v=value.var)
        if self.gives_issues:
            self.take_over(called, value)
            return
        with self.when(negated(called)):
            self.writer.leave(_RETURN_FALSE)

    def take_over(self, issues: Code, value: Value) -> None:
        """Report issues whose paths are relative to the value."""
        if not value.path:
            self.line("issues += {issues}", issues=issues)
            return
        with self.when(fragment("found := {issues}", issues=issues)):
            under = self.module.runtime("under")
            self.line("issues += {under}({path}, found)", under=under, path=path_code(value.path))

    def accepts(self, schema: Schema, value: Value) -> Code:
        """Return the condition that a schema takes the value."""
        if schema.verdict is not None or self.module.is_trivial(schema):
            return literal(schema.verdict is not False)
        inline = self.module.keywords.condition(self, schema, value)
        if inline is not None:
            return inline
        if self.module.has_check(schema):
            return code("not {check}({v})", check=self.module.check_of(schema), v=value.var)
        return code("{accepts}({v})", accepts=self.module.verdict_of(schema), v=value.var)


def asks_others(schema: Schema) -> bool:
    """Return whether a schema looks at the value through keywords of no single kind."""
    is_sole = sole_kind(schema) is not None  # then unions are looked at in the branch of that kind
    chooses = bool(schema.choices) and kind_of_choices(schema) is None
    return chooses or any(
        facts.in_place and facts.kind == "any" and not (is_sole and facts.is_union) for facts in schema.facts
    )


def distinct(wanted: Code, taken: dict[Code, int]) -> Code:
    """Return the wanted name, numbered where it is taken; `taken` keeps the last number given to each name."""
    free, number = wanted, taken.get(wanted, 1)
    while free in taken:
        number += 1
        free = fragment("{wanted}_{number}", wanted=wanted, number=number)
    taken[wanted] = number
    taken.setdefault(free, 1)
    return free
