"""The statements of a generated function (`Body`), and the values that they check (`Value`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, LiteralString, NamedTuple

from toolgen.compiler.codegen.code import TRUE, Code, called, code, fragment, negated, snake_case
from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.codegen.module import CheckFunction, Module, check_function, distinct
from toolgen.compiler.codegen.writer import Line, Writer, path_code, source, tidied
from toolgen.compiler.schema.kinds import Kind

_RETURN_FALSE: Final = Code("return False")
_RETURN_TRUE: Final = Code("return True")
_TESTS: Final[dict[Kind, tuple[LiteralString, tuple[str, ...]]]] = {
    Kind.NULL: ("{v} is None", ()),
    Kind.BOOLEAN: ("{v} is True or {v} is False", ()),
    Kind.NUMBER: (
        "{v}.__class__ is int or {v}.__class__ is float and {isfinite}({v}) or {is_number}({v})",
        ("isfinite", "is_number"),
    ),
    Kind.STRING: ("{v}.__class__ is str or {is_string}({v})", ("is_string",)),
    Kind.ARRAY: ("{v}.__class__ is list or {is_array}({v})", ("is_array",)),
    # A subclass is copied: reading a key of it may run code, or add the key (`defaultdict`).
    Kind.OBJECT: ("{v}.__class__ is dict or ({v} := {as_object}({v})).__class__ is dict", ("as_object",)),
}
"""The condition that a value is of each kind, and the helpers that it calls."""


class Value(NamedTuple):
    """A value that generated code checks: its variable, and its path relative to the function's parameter."""

    var: Code
    path: tuple[Code, ...] = ()
    hint: str = ""
    """Words that name the value; empty for the function's argument."""
    kind: Kind | None = None
    """The kind of the value, if a test has determined it."""
    on_missing: Callable[[], None] | None = None
    """Writes the issue of a missing required key; set only if the variable may be `MISSING`."""
    shown: frozenset[str] = frozenset()
    """Keys that a test has found in the value, which is an object."""
    tag: tuple[str, frozenset[str]] | None = None
    """A key of the value, which is an object, and some strings; a test has found one of them under the key."""


class Body(Writer):
    """The statements of a generated function while they are being written."""

    def __init__(self, module: Module, parameter: Code, gives_issues: bool = True) -> None:
        """Begin a body that collects `issues`.

        Without `gives_issues`, the function returns False at the first error.
        """
        super().__init__()
        self.module = module
        self.gives_issues = gives_issues
        self._taken = {parameter: 1, Code("issues"): 1}
        self._scope: list[tuple[Code, int | None]] = []

    # -- names and lines

    def local(self, prefix: LiteralString, hint: str = "", lasting: bool = False) -> Code:
        """Return a new local variable. It is named after a property if there is one.

        The name can be used again after the part of the check in which it was created, unless the variable is
        `lasting`.
        """
        words = snake_case(hint)
        if words.text:
            wanted = fragment("{prefix}_{words}", prefix=Code(prefix), words=words)
        else:
            wanted = Code(prefix)
        before = self._taken.get(wanted)
        variable = distinct(wanted, self._taken)
        if not lasting:
            self._scope += [(wanted, before)] if variable == wanted else [(wanted, before), (variable, None)]
        return variable

    @contextmanager
    def own_names(self) -> Iterator[None]:
        """Write part of a check in this block. Afterwards, the names of its variables can be used again."""
        outer, self._scope = self._scope, []
        yield
        for variable, before in reversed(self._scope):
            if before is None:
                self._taken.pop(variable, None)
            else:
                self._taken[variable] = before
        self._scope = outer

    def value(self, hint: str, path: tuple[Code, ...] = ()) -> Value:
        """Return a new value with a variable that the caller must assign."""
        return Value(self.local("v", hint), path, hint)

    def member(self, value: Value, key: Code, hint: str = "") -> Value:
        """Write code that assigns the value at a key or index to a new variable, and return this value."""
        child = self.value(hint, (*value.path, key))
        self.line("{var} = {v}[{key}]", var=child, v=value, key=key)
        return child

    def written(self, name: Code, parameter: Code, about: Code) -> CheckFunction:
        """Return the finished function, with its first and last statements."""
        if not self.gives_issues:
            body = source([*tidied(self.nodes), Line(_RETURN_TRUE)])
            return check_function(name, parameter, about, body, returns=Code("bool"))
        first = fragment("issues: list[{issue}] = []", issue=self.module.runtime("ValidationIssue"))
        end = self.module.returned(name)
        return check_function(
            name, parameter, about, source([Line(first), *tidied(self.nodes, end), Line(end)])
        )

    def plain_body(self) -> Code:
        """Return the statements alone, for a function that returns nothing."""
        return source(tidied(self.nodes))

    # -- issues

    def issue(
        self, value: Value, constraint: str, expected: Code, got: Code | None = None, step: Code | None = None
    ) -> None:
        """Write code that reports one broken constraint of the value, or of something one step below it."""
        if not self.gives_issues:
            self.leave(_RETURN_FALSE)
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
        """The code for the `got` of an issue about a value that is missing."""
        return self.module.runtime("MISSING")

    def demand(self, condition: Code) -> None:
        """Write code that returns False unless a condition is true, in a function without issues."""
        if condition is not TRUE:
            with self.when(negated(condition)):
                self.leave(_RETURN_FALSE)

    # -- kinds

    def is_kind(self, kind: Kind, value: Value) -> Code:
        """Return code that tests whether a value is of the given kind.

        It is fast for plain types, and correct for their subclasses.

        If the condition is true for an object, the variable holds a plain `dict` afterwards.
        """
        if value.kind is not None:
            return literal(value.kind is kind)
        template, helpers = _TESTS[kind]
        return code(template, v=value, **{helper: self.module.runtime(helper) for helper in helpers})

    def is_type(self, type_name: str, value: Value, whole_floats: bool = True) -> Code:
        """Return code that tests whether a value has a JSON Schema type. With `whole_floats`, 1.0 is an
        integer.
        """
        if type_name != "integer":
            return self.is_kind(Kind(type_name), value)
        if value.kind not in (None, Kind.NUMBER):
            return literal(False)
        return self.is_integer(value, whole_floats)

    def is_integer(self, value: Value, whole_floats: bool) -> Code:
        """Return code that tests whether a value is an integer."""
        v = value.var
        other = called(self.module.runtime("is_integer"), v)
        if not whole_floats:
            other = code("{other} and not isinstance({v}, float)", other=other, v=v)
        return code("{v}.__class__ is int or {other}", v=v, other=other)
