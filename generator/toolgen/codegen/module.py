"""`Module`: the functions, constants and imports that one tool's checks need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from toolgen.codegen.code import Code, Writer, code, literal, name, shouted, spelled
from toolgen.codegen.function import Function, Value, distinct
from toolgen.patterns import translate
from toolgen.schema.cycles import everything
from toolgen.schema.forks import edges_of, forking, recursions
from toolgen.schema.ir import Schema
from toolgen_runtime import generated

HELPERS: Final = {"Any": "typing", **dict.fromkeys(vars(generated)["__all__"], generated.__name__)}
"""What generated code may import, and from where."""

VALIDATE: Final = Code("validate")
"""The check of a tool's whole payload."""
_V: Final = Code("v")
_SMALL: Final = 3
"""Assertions up to which a shared schema without subschemas is inlined at each use."""
_SHORT: Final = 12
"""Values up to which an `enum` stands where it is checked."""


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """One function of a generated module: its name, a line about it, and its body."""

    name: Code
    parameters: Code
    returns: Code
    about: Code
    body: Code


@dataclass(frozen=True, slots=True)
class Keywords:
    """What the keywords offer to whoever writes functions: a schema's check, or its verdict as a condition."""

    emit: Callable[[Function, Schema, Value], None]
    condition: Callable[[Function, Schema, Value], Code | None]


class Module:
    """Collects what the checks of some schemas need, in a stable order."""

    def __init__(self, keywords: Keywords, roots: Iterable[Schema]) -> None:
        self.keywords = keywords
        self.constants: dict[Code, Code] = {}
        self.functions: list[CheckFunction] = []
        self._imports: set[str] = set()
        self._names: dict[tuple[Schema, str], Code] = {}
        self._taken: dict[Code, int] = {}
        self._pending: list[Callable[[], None]] = []
        self._constant_names: dict[tuple[str, Code], Code] = {}
        self.secrets: Code | None = None
        """What conceals the secrets in the issues of the root, where there are any."""
        self._roots = set(roots)
        self._references = Counter(
            child for root in self._roots for s in everything(root) for _, child in s.children()
        )
        edges = edges_of(self._roots)
        parts = list(recursions(edges))
        self._recursive = frozenset[Schema]().union(*parts)
        self._remembered = {s for s in forking(edges, parts) if s in self._roots or self._references[s] > 1}

    # -- imports and constants

    def runtime(self, helper: str) -> Code:
        """A helper of the runtime, imported by the module that is written."""
        assert helper in HELPERS, helper
        self._imports.add(helper)
        return name(helper)

    def imports(self) -> list[tuple[Code, list[Code]]]:
        """(module, names) of the imports, sorted."""
        by_module: dict[str, list[str]] = {}
        for helper in sorted(self._imports, key=lambda h: (h.lower(), h)):
            by_module.setdefault(HELPERS[helper], []).append(helper)
        return [(name(m), [name(h) for h in by_module[m]]) for m in sorted(by_module)]

    def constant(self, kind: str, hint: str, value: Code) -> Code:
        """A module-level constant with this value; the same value is kept once."""
        known = self._constant_names.get((kind, value))
        if known is None:
            wanted = code("_{name}", name=shouted(f"{kind} {hint}"))
            known = self._constant_names[kind, value] = distinct(wanted, self._taken)
            self.constants[known] = value
        return known

    def values(self, hint: str, values: tuple[Any, ...]) -> Code:
        """A tuple of JSON values: in place where it is short, a constant where it is long."""
        if len(values) <= _SHORT:
            return literal(values)
        return self.constant("enum", hint, literal(values))

    def format_check(self, format_name: str) -> Code:
        """The predicate of a format."""
        maker = code("{make}({name})", make=self.runtime("format_check"), name=literal(format_name))
        return self.constant("is", format_name, maker)

    def pattern(self, pattern: str, hint: str) -> Code:
        """The search function of an ECMA-262 pattern."""
        translated = translate(pattern)
        maker = code(
            "{make}({text}, {engine})",
            make=self.runtime("compile_pattern"),
            text=literal(translated.text),
            engine=literal(translated.engine),
        )
        return self.constant("pattern", hint, maker)

    # -- functions

    def is_trivial(self, schema: Schema) -> bool:
        """Whether a schema takes every value without a look at it."""
        if schema.verdict is not None:
            return schema.verdict
        return not (schema.assertions or schema.single or schema.listed or schema.named)

    def is_shared(self, schema: Schema) -> bool:
        """Whether a schema is checked by a function of its own."""
        if schema in self._roots:
            return True
        small = len(schema.assertions) <= _SMALL and not (schema.single or schema.listed or schema.named)
        return not small and self._references[schema] > 1

    def has_check(self, schema: Schema) -> bool:
        """Whether a check is at hand that gives the verdict as cheaply as a function of its own would."""
        return schema in self._roots or schema in self._remembered

    def is_finite(self, schema: Schema) -> bool:
        """Whether a schema leads into no recursion."""
        return not self._recursive or self._recursive.isdisjoint(everything(schema))

    def verdict_of(self, schema: Schema) -> Code:
        """The name of the function that says whether a schema takes a value."""
        return self.function(schema, "accepts", self._write_verdict)

    def check_of(self, schema: Schema) -> Code:
        """The name of a schema's check; the function is written if it is not yet."""
        return self.function(schema, "check", self._write_check)

    def function(self, schema: Schema, role: str, write: Callable[[Schema, Code], None]) -> Code:
        """The name of a function for a schema in some role; `write` is called once to write it."""
        known = self._names.get((schema, role))
        if known is None:
            wanted = code("_{name}", name=spelled(f"{role} {place_hint(schema)}"))
            known = self._names[schema, role] = distinct(wanted, self._taken)
            self._pending.append(lambda: write(schema, known))
        return known

    def root_function(self, schema: Schema, known: Code, parameter: Code) -> None:
        """Write the check of a root under a given name; references back to the root use it too."""
        self._names[schema, "check"] = known
        self._taken[known] = 1
        self._pending.append(lambda: self._write_check(schema, known, parameter))

    def finish(self) -> None:
        """Write every function that was asked for."""
        while self._pending:
            self._pending.pop(0)()

    def _write_check(self, schema: Schema, known: Code, parameter: Code = _V) -> None:
        if schema in self._remembered:
            known = self._remembering(schema, known, parameter)
        function = Function(self, parameter)
        function.line("issues: list[{issue}] = []", issue=self.runtime("ValidationIssue"))
        self.keywords.emit(function, schema, Value(parameter))
        is_whole = self.secrets is not None and known == VALIDATE
        function.line("return {issues}", issues=self.concealed() if is_whole else Code("issues"))
        self.functions.append(check_function(known, parameter, about(schema), function.writer.body()))

    def concealed(self) -> Code:
        """The list `issues`, its secrets concealed if there are any."""
        if self.secrets is None:
            return Code("issues")
        return code("{secrets}.conceal(issues) if issues else issues", secrets=self.secrets)

    def _write_verdict(self, schema: Schema, known: Code) -> None:
        function = Function(self, _V, gives_issues=False)
        self.keywords.emit(function, schema, Value(_V))
        function.writer.end(Code("return True"))
        about = literal(f"Whether {_place(schema)} takes a value.")
        body = function.writer.body()
        self.functions.append(CheckFunction(known, code("{v}: Any", v=_V), Code("bool"), about, body))

    def _remembering(self, schema: Schema, known: Code, parameter: Code) -> Code:
        """Write a check that remembers what another found; the name of that other."""
        other = distinct(code("{known}_once", known=known), self._taken)
        writer = Writer()
        parts = {"remember": self.runtime("remember"), "other": other, "v": parameter}
        writer.line("return {remember}({other}, {v})", **parts)
        self.functions.append(check_function(known, parameter, about(schema), writer.body()))
        return other


def check_function(known: Code, parameter: Code, about: str, body: Code) -> CheckFunction:
    """A function from any value to its issues."""
    return CheckFunction(
        known, code("{p}: Any", p=parameter), Code("list[ValidationIssue]"), literal(about), body
    )


def guarded_check(check: Code, deep: Code, module: Module) -> CheckFunction:
    """`validate` of a deep schema: payloads too deep for the interpreter's limit go the slower way."""
    writer = Writer()
    head = Code("return") if module.secrets is None else Code("issues =")
    with writer.block("try:"):
        writer.line("{head} {check}(payload)", head=head, check=check)
    with writer.block("except RecursionError:"):
        writer.line("{head} {deep}({check}, payload)", head=head, deep=deep, check=check)
    if module.secrets is not None:
        writer.line("return {issues}", issues=module.concealed())
    about = "Every constraint of the tool's schema that the payload breaks."
    return check_function(VALIDATE, Code("payload"), about, writer.body())


def place_hint(schema: Schema) -> str:
    """Words for the place of a schema: the names on the way to it."""
    steps = [s for s in schema.pointer.replace("#", "/").split("/") if s]
    plain = [s for s in steps if s not in ("properties", "$defs", "definitions")]
    return " ".join(plain[-4:]) or "root"


def about(schema: Schema) -> str:
    """One line for a generated function's docstring."""
    place = _place(schema)
    return (
        f"What is wrong with a value under {place}."
        if place != "#"
        else "Every constraint that the payload breaks."
    )


def _place(schema: Schema) -> str:
    return f"{schema.document}#{schema.pointer.removeprefix('#')}"
