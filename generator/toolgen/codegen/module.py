"""`Module`: the functions, constants and imports that one tool's checks need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from toolgen.codegen.code import Code, code, constant_name, fragment, name, snake_case
from toolgen.codegen.literals import docstring, literal
from toolgen.codegen.writer import Line, Writer, source
from toolgen.patterns.translate import translate
from toolgen.schema.cycles import Edges, edges_of, is_tree, leading_to, recursions
from toolgen.schema.ir import Schema
from toolgen.schema.repeated_checks import crowded, forking
from toolgen.schema.vocabulary import ASKING_EVALUATED
from toolgen_runtime import generated

HELPERS: Final = {"Any": "typing", **dict.fromkeys(vars(generated)["__all__"], generated.__name__)}
"""What generated code may import, and from where."""
_HELPER_NAMES: Final = {helper: name(helper) for helper in HELPERS}
_KIND_HELPERS: Final = frozenset(("as_object", "is_array", "is_integer", "is_number", "is_string"))
_NOTE: Final = Code(
    "# `v.__class__ is str or is_string(v)` is `isinstance(v, str)`: its first half is quicker, and decides as a rule."
)
"""What is said of conditions where one of these helpers is called."""

VALIDATE: Final = Code("validate")
"""The check of a tool's whole payload."""
_ISSUES: Final = Code("list[ValidationIssue]")
_ABOUT_ROOT: Final = docstring("Return an issue for each constraint of the schema that the payload breaks.")
_STEPS: Final = {"items": "item", "additionalProperties": "value", "oneOf": "", "anyOf": "", "allOf": ""}
"""Keywords on the way to a schema as words of a name."""
_SMALL: Final = 3
"""Assertions up to which a shared schema without subschemas is inlined at each use."""
MAX_SIZE: Final = 80
"""Schemas and keywords that one function checks, as long as there are parts to check apart."""
_MIN_SIZE: Final = 8
"""A part of fewer is not checked apart for the length of the function."""
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


def check_function(
    name: Code, parameter: Code, about: Code, body: Code, returns: Code = _ISSUES
) -> CheckFunction:
    """Return a function from any value to its issues, or to something else."""
    return CheckFunction(name, fragment("{p}: Any", p=parameter), returns, about, body)


class Module:
    """Collects what the checks of some schemas need, in a stable order."""

    def __init__(self, roots: Iterable[Schema]) -> None:
        self.constants: dict[Code, Code] = {}
        self.functions: list[CheckFunction] = []
        self._imports: set[str] = set()
        self._names: dict[tuple[Schema, str], Code] = {}
        self._taken: dict[Code, int] = {}
        self._pending: list[Callable[[], None]] = []
        self._constant_names: dict[tuple[str, Code], Code] = {}
        self.secrets: Code | None = None
        """What conceals the secrets in the issues of the root, where there are any."""
        self.count_keys: Code | None = None
        """What counts the keys of a valid payload, if anything does."""
        self._roots = set(roots)
        self._references = Counter[Schema]()
        self.endless = set[Schema]()
        """The schemas that lead into a recursion."""
        self.crowded = set[Schema]()
        """The schemas to which a value may come in very many ways."""
        self._remembered = set[Schema]()
        self.edges: Edges = {}
        edges = self.edges
        for root in self._roots:
            below = edges_of(root)
            self._references.update([child for children in below.values() for _, child in children])
            edges.update(below)
        asks_again = any(not ASKING_EVALUATED.isdisjoint(schema.keywords) for schema in edges)
        if len(self._roots) > 1 or asks_again or not is_tree(edges):
            self._find_repeated(edges)
        self._sizes: dict[Schema, int] = {}
        """Schemas and keywords that are written with each schema."""
        for schema in reversed(edges):  # parts before what they are part of
            own = [child for _, child in edges[schema] if not self.is_shared(child)]
            self._sizes[schema] = 1 + len(schema.assertions) + sum(self._sizes.get(child, 2) for child in own)

    def _find_repeated(self, edges: Edges) -> None:
        """Find the schemas that parts of a payload may come to again and again."""
        parts = list(recursions(edges))
        self.endless = leading_to(edges, set[Schema]().union(*parts))
        self.crowded = {s for s in crowded(edges, parts, self._roots) if s.verdict is None}
        self._remembered = {s for s in forking(edges, parts) if s in self._roots or self._references[s] > 1}

    # -- imports and constants

    def runtime(self, helper: str) -> Code:
        """Return a helper of the runtime, imported by the module that is written."""
        assert helper in HELPERS, helper
        self._imports.add(helper)
        return _HELPER_NAMES[helper]

    def note(self) -> Code | None:
        """Return a comment about conditions that need one."""
        return None if self._imports.isdisjoint(_KIND_HELPERS) else _NOTE

    def imports(self) -> list[tuple[Code, list[Code]]]:
        """Return (module, names) of the imports."""
        return [(name(HELPERS[helper]), [_HELPER_NAMES[helper]]) for helper in self._imports]

    def constant(self, kind: str, hint: str, value: Code) -> Code:
        """Return a module-level constant with this value; the same value is kept once."""
        constant = self._constant_names.get((kind, value))
        if constant is None:
            wanted = fragment("_{name}", name=constant_name(f"{kind} {hint}"))
            constant = self._constant_names[kind, value] = distinct(wanted, self._taken)
            self.constants[constant] = value
        return constant

    def values(self, hint: str, values: tuple[Any, ...]) -> Code:
        """Return a tuple of JSON values: in place where it is short, a constant where it is long."""
        if len(values) <= _SHORT:
            return literal(values)
        return self.constant("enum", hint, literal(values))

    def format_check(self, format_name: str) -> Code:
        """Return the predicate of a format."""
        maker = code("{make}({name})", make=self.runtime("format_check"), name=literal(format_name))
        return self.constant("is", format_name, maker)

    def pattern(self, pattern: str, hint: str) -> Code:
        """Return the search function of an ECMA-262 pattern."""
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
        """Return whether a schema takes every value without a look at it."""
        if schema.verdict is not None:
            return schema.verdict
        return not (schema.assertions or schema.single or schema.listed or schema.named)

    def is_shared(self, schema: Schema) -> bool:
        """Return whether a schema is checked by a function of its own."""
        if schema in self._roots or schema in self.crowded:
            return True
        small = len(schema.assertions) <= _SMALL and schema.is_plain
        return not small and self._references[schema] > 1

    def has_check(self, schema: Schema) -> bool:
        """Return whether a check is at hand that gives the verdict as cheaply as a function of its own would."""
        return schema in self._roots or schema in self._remembered or schema in self.crowded

    def function(self, schema: Schema, role: str, write: Callable[[Schema, Code], None]) -> Code:
        """Return the name of a function for a schema in some role; `write` is called once to write it."""
        function = self._names.get((schema, role))
        if function is None:
            wanted = fragment("_{words}", words=snake_case(f"{role} {place_hint(schema)}"))
            function = self._names[schema, role] = distinct(wanted, self._taken)
            self._pending.append(lambda: write(schema, function))
        return function

    def name_check(
        self, schema: Schema, function: Code, write: Callable[[Schema, Code], None] | None = None
    ) -> None:
        """Give the check of a root its name; without `write`, the module that is written imports it."""
        self._names[schema, "check"] = function
        self._taken[function] = 1
        if write is not None:
            self._pending.append(lambda: write(schema, function))

    def checks_at_hand(self) -> dict[Schema, Code]:
        """Return the checks of single schemas by their names, but for those that a recursion needs more around."""
        return {
            schema: function
            for (schema, role), function in self._names.items()
            if role == "check" and schema not in self._roots and schema not in self.endless
        }

    def finish(self) -> None:
        """Write every function that was asked for."""
        while self._pending:
            self._pending.pop(0)()

    def returned(self, name: Code) -> Code:
        """Return the statement that a check of this name ends with; that of the whole payload conceals secrets."""
        if self.secrets is None or name != VALIDATE:
            return Code("return issues")
        return fragment("return {secrets}.conceal(issues) if issues else issues", secrets=self.secrets)

    def apart(self, root: Schema) -> set[Schema]:
        """Return the parts of a schema that have functions of their own for the length of its function: the largest."""
        left = self._sizes[root]
        parts = {child: self._sizes[child] for _, child in root.children() if not self.is_shared(child)}
        apart: set[Schema] = set()
        for part in sorted(parts, key=lambda one: -parts[one]):
            if left <= MAX_SIZE or parts[part] < _MIN_SIZE:
                break
            apart.add(part)
            left -= parts[part]
        return apart

    def remembering(self, schema: Schema, name: Code, parameter: Code) -> Code:
        """Return the name to write a check under; its own is that of a function that remembers, if one has to."""
        if schema not in self.crowded and schema not in self._remembered:
            return name
        helper = self.runtime("remember_all" if schema in self.crowded else "remember")
        other = distinct(fragment("{name}_once", name=name), self._taken)
        line = Line(fragment("return {remember}({other}, {v})", remember=helper, other=other, v=parameter))
        self.functions.append(check_function(name, parameter, about(schema), source([line])))
        return other


def guarded_check(check: Code, deep: Code, module: Module) -> CheckFunction:
    """Return `validate` of a deep schema: payloads too deep for the interpreter's limit go the slower way."""
    writer = Writer()
    with writer.block("try:"):
        writer.line("issues = {check}(payload)", check=check)
    with writer.block("except RecursionError:"):
        writer.line("issues = {deep}({check}, payload)", deep=deep, check=check)
    writer.leave(module.returned(VALIDATE))
    return check_function(VALIDATE, Code("payload"), _ABOUT_ROOT, source(writer.nodes))


def place_hint(schema: Schema) -> str:
    """Words for the place of a schema: the names on the way to it."""
    steps = [s for s in schema.pointer.replace("#", "/").split("/") if s]
    named = [_STEPS.get(s, s) for s in steps if s not in ("properties", "$defs", "definitions")]
    return " ".join(named[-4:]) or "root"


def about(schema: Schema, value: str = "a value") -> Code:
    """Return the docstring of a check."""
    where = place(schema)
    is_root = where == "#" and value == "a value"
    return _ABOUT_ROOT if is_root else docstring(f"Return the issues of {value} under {where}.")


def about_verdict(schema: Schema, value: str = "a value") -> Code:
    """Return the docstring of a function that gives the verdict alone."""
    return docstring(f"Whether {value} is valid under {place(schema)}.")


def place(schema: Schema) -> str:
    """Return the document of a schema and the JSON pointer into it."""
    return f"{schema.document}#{schema.pointer.removeprefix('#')}"


def distinct(wanted: Code, taken: dict[Code, int]) -> Code:
    """Return the wanted name, numbered where it is taken; `taken` keeps the last number given to each name."""
    free, number = wanted, taken.get(wanted, 1)
    while free in taken:
        number += 1
        free = fragment("{wanted}_{number}", wanted=wanted, number=number)
    taken[wanted] = number
    taken.setdefault(free, 1)
    return free
