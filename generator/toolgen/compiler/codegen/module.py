"""The functions, constants and imports that the checks of one tool need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from toolgen.compiler.codegen.code import Code, called, constant_name, fragment, name, snake_case
from toolgen.compiler.codegen.literals import docstring, literal
from toolgen.compiler.codegen.writer import Line, Writer, source
from toolgen.compiler.patterns.translate import EngineText, translate
from toolgen.compiler.schema.cycles import Edges, edges_of, is_tree, leading_to, recursions
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.repeated_checks import crowded, forking
from toolgen.compiler.schema.vocabulary import ASKING_EVALUATED
from toolgen_runtime import generated

HELPERS: Final = {"Any": "typing", **dict.fromkeys(vars(generated)["__all__"], generated.__name__)}
"""The names that generated code may import, each with its module."""
_HELPER_NAMES: Final = {helper: name(helper) for helper in HELPERS}
_KIND_HELPERS: Final = frozenset(("as_object", "is_array", "is_integer", "is_number", "is_string"))
_NOTE: Final = Code(
    "# `v.__class__ is str or is_string(v)` is `isinstance(v, str)`: its first half is quicker, and decides as a rule."
)
"""The comment on conditions, which is needed if one of them calls one of these helpers."""

VALIDATE: Final = Code("validate")
"""The check of a tool's whole payload."""
_ISSUES: Final = Code("list[ValidationIssue]")
_ABOUT_ROOT: Final = docstring("Return an issue for each constraint of the schema that the payload breaks.")
_STEPS: Final = {"items": "item", "additionalProperties": "value", "oneOf": "", "anyOf": "", "allOf": ""}
"""The words that stand in a name for keywords in a schema's path."""
_SMALL: Final = 3
"""The maximum number of assertions of a shared schema without subschemas that is inlined at each use."""
MAX_SIZE: Final = 80
"""The number of schemas and keywords above which parts of a function get functions of their own."""
_MIN_SIZE: Final = 8
"""The minimum number of schemas and keywords of a part that gets its own function."""
_SHORT: Final = 12
"""The maximum number of values of an `enum` that is written in its check and not as a constant."""


class CheckFunction(NamedTuple):
    """One function of a generated module: its name, its docstring and its body."""

    name: Code
    parameters: Code
    returns: Code
    about: Code
    body: Code


def check_function(
    name: Code, parameter: Code, about: Code, body: Code, returns: Code = _ISSUES
) -> CheckFunction:
    """Create a function that takes a value of any type, and returns issues or a value of the type `returns`."""
    return CheckFunction(name, fragment("{p}: Any", p=parameter), returns, about, body)


class Module:
    """Collects the functions, constants and imports for the checks of some schemas."""

    def __init__(self, roots: Iterable[Schema]) -> None:
        self.constants: dict[Code, Code] = {}
        self.functions: list[CheckFunction] = []
        self._imports: set[str] = set()
        self._names: dict[tuple[Schema, str], Code] = {}
        self._taken: dict[Code, int] = {}
        self._pending: list[Callable[[], None]] = []
        self._constant_names: dict[tuple[str, Code], Code] = {}
        self.secrets: Code | None = None
        """The object that conceals secrets in the issues of the root, if the root has any."""
        self.count_keys: Code | None = None
        """The function that counts the keys of a valid payload, if there is one."""
        self._roots = set(roots)
        self._references = Counter[Schema]()
        self.endless = set[Schema]()
        """The schemas that lead into a recursion."""
        self.crowded = set[Schema]()
        """The schemas that a value may reach in very many ways."""
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
        """The number of schemas and keywords that are written with each schema."""
        for schema in reversed(edges):  # children before their parents
            own = [child for _, child in edges[schema] if not self.is_shared(child)]
            self._sizes[schema] = 1 + len(schema.assertions) + sum(self._sizes.get(child, 2) for child in own)

    def _find_repeated(self, edges: Edges) -> None:
        """Find the schemas that parts of a payload may reach several times."""
        parts = list(recursions(edges))
        self.endless = leading_to(edges, set[Schema]().union(*parts))
        self.crowded = {s for s in crowded(edges, parts, self._roots) if s.verdict is None}
        self._remembered = {s for s in forking(edges, parts) if s in self._roots or self._references[s] > 1}

    # -- imports and constants

    def runtime(self, helper: str) -> Code:
        """Return the name of a helper from the runtime, which the generated module then imports."""
        assert helper in HELPERS, helper
        self._imports.add(helper)
        return _HELPER_NAMES[helper]

    def note(self) -> Code | None:
        """Return a comment that explains conditions in the module; None if it has no such conditions."""
        return None if self._imports.isdisjoint(_KIND_HELPERS) else _NOTE

    def imports(self) -> list[tuple[Code, list[Code]]]:
        """Return the modules to import, each with the names to import from it."""
        return [(name(HELPERS[helper]), [_HELPER_NAMES[helper]]) for helper in self._imports]

    def constant(self, kind: str, hint: str, value: Code) -> Code:
        """Return the name of a constant that has this value. Equal values share a constant."""
        constant = self._constant_names.get((kind, value))
        if constant is None:
            wanted = fragment("_{name}", name=constant_name(f"{kind} {hint}"))
            constant = self._constant_names[kind, value] = distinct(wanted, self._taken)
            self.constants[constant] = value
        return constant

    def values(self, hint: str, values: tuple[Any, ...]) -> Code:
        """Return code for a tuple of JSON values: a literal if it is short, otherwise a constant."""
        if len(values) <= _SHORT:
            return literal(values)
        return self.constant("enum", hint, literal(values))

    def format_check(self, format_name: str) -> Code:
        """Return the name of the function that tests a format."""
        maker = called(self.runtime("format_check"), literal(format_name))
        return self.constant("is", format_name, maker)

    def searches(self, pattern: str, hint: str) -> list[tuple[Code, bool]]:
        """Return the names of functions that together search for an ECMA-262 pattern.

        Also return whether each of them must find a match.
        """
        return [(self._search(one, hint), one.wanted) for one in translate(pattern).searches]

    def _search(self, one: EngineText, hint: str) -> Code:
        maker = called(self.runtime("compile_pattern"), literal(one.text), literal(one.engine))
        return self.constant("pattern" if one.wanted else "pattern not", hint, maker)

    # -- functions

    def is_trivial(self, schema: Schema) -> bool:
        """Return whether a schema accepts every value and needs no check."""
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
        """Return whether a schema has a check that can also tell, at no extra cost, whether a value is valid."""
        return schema in self._roots or schema in self._remembered or schema in self.crowded

    def function(self, schema: Schema, role: str, write: Callable[[Schema, Code], None]) -> Code:
        """Return the name of a schema's function for a role. The first time, call `write` to write the
        function.
        """
        function = self._names.get((schema, role))
        if function is None:
            wanted = fragment("_{words}", words=snake_case(f"{role} {place_hint(schema)}"))
            function = self._names[schema, role] = distinct(wanted, self._taken)
            self._pending.append(lambda: write(schema, function))
        return function

    def name_check(
        self, schema: Schema, function: Code, write: Callable[[Schema, Code], None] | None = None
    ) -> None:
        """Set the name of a root schema's check. Without `write`, the generated module imports the check."""
        self._names[schema, "check"] = function
        self._taken[function] = 1
        if write is not None:
            self._pending.append(lambda: write(schema, function))

    def checks_at_hand(self) -> dict[Schema, Code]:
        """Return the names of those checks that can be called for a single schema.

        Roots and schemas that lead to a recursion are left out.
        """
        return {
            schema: function
            for (schema, role), function in self._names.items()
            if role == "check" and schema not in self._roots and schema not in self.endless
        }

    def finish(self) -> None:
        """Write all functions that are still missing."""
        while self._pending:
            self._pending.pop(0)()

    def returned(self, name: Code) -> Code:
        """Return the last statement of the check that has this name.

        In the check of the whole payload, this statement conceals secrets.
        """
        if self.secrets is None or name != VALIDATE:
            return Code("return issues")
        return fragment(
            "return {secrets}.conceal(issues, payload) if issues else issues", secrets=self.secrets
        )

    def apart(self, root: Schema) -> set[Schema]:
        """If the function of a schema would be too long, choose its largest parts, which get functions of their own."""
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
        """Return the name under which to write the body of a check whose results may be cached.

        If results are cached, a function called `name` is put around the body.
        """
        if schema not in self.crowded and schema not in self._remembered:
            return name
        helper = self.runtime("remember_all" if schema in self.crowded else "remember")
        other = distinct(fragment("{name}_once", name=name), self._taken)
        line = Line(fragment("return {result}", result=called(helper, other, parameter)))
        self.functions.append(check_function(name, parameter, about(schema), source([line])))
        return other


def guarded_check(check: Code, deep: Code, module: Module) -> CheckFunction:
    """Write the function `validate` for a schema that may be nested deeply.

    It checks payloads that are too deep for the recursion limit in a slower way.
    """
    writer = Writer()
    with writer.block("try:"):
        writer.line("issues = {check}(payload)", check=check)
    with writer.block("except RecursionError:"):
        writer.line("issues = {deep}({check}, payload)", deep=deep, check=check)
    writer.leave(module.returned(VALIDATE))
    return check_function(VALIDATE, Code("payload"), _ABOUT_ROOT, source(writer.nodes))


def place_hint(schema: Schema) -> str:
    """Return a few words that say where a schema is, for use in a name."""
    steps = [s for s in schema.pointer.replace("#", "/").split("/") if s]
    named = [_STEPS.get(s, s) for s in steps if s not in ("properties", "$defs", "definitions")]
    return " ".join(named[-4:]) or "root"


def about(schema: Schema, value: str = "a value") -> Code:
    """Return the docstring of a check."""
    where = place(schema)
    is_root = where == "#" and value == "a value"
    if is_root:
        return _ABOUT_ROOT
    return docstring(f"Return the issues of {value} under {where}.")


def about_verdict(schema: Schema, value: str = "a value") -> Code:
    """Return the docstring of a function that only tells whether a value is valid."""
    return docstring(f"Whether {value} is valid under {place(schema)}.")


def place(schema: Schema) -> str:
    """Return the document that contains a schema, and the JSON pointer to it."""
    return f"{schema.document}#{schema.pointer.removeprefix('#')}"


def distinct(wanted: Code, taken: dict[Code, int]) -> Code:
    """Return a name that is not taken yet, by adding a number if necessary.

    `taken` has the last number for each name.
    """
    free, number = wanted, taken.get(wanted, 1)
    while free in taken:
        number += 1
        free = fragment("{wanted}_{number}", wanted=wanted, number=number)
    taken[wanted] = number
    taken.setdefault(free, 1)
    return free
