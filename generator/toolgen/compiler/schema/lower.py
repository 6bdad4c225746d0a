"""Convert a tool's schema in any dialect to a graph of `ir.Schema`.

Every keyword of the dialect that has an effect is either in the graph or reported. Subschemas are lowered from a work
list, so that a deeply nested schema cannot overflow the stack.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema.cycles import endless_reference
from toolgen.compiler.schema.dialects import Dialect
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.problems import (
    Problem,
    check_depth,
    check_fields,
    check_identifier,
    check_pattern,
    check_unknown,
    has_error,
    shown,
    wrong_shape,
)
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.schema.references import Resources, Scope
from toolgen.compiler.schema.resources import DynamicScope, ResolutionError, SchemaResource
from toolgen.compiler.schema.vocabulary import NEEDS
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.keywords import ANNOTATIONS, GRAPH
from toolgen_runtime.schema.shapes import Shape
from toolgen_runtime.validation.formats import FORMATS

MAX_SCOPED: Final = 1_000
"""The maximum number of subschemas that are lowered again because a dynamic scope may change their references."""


@dataclass(frozen=True, slots=True)
class LowerOptions:
    """The options with which a schema is converted to a graph.

    `formats` says whether `format` is a constraint (`assert`) or an annotation (`annotate`). `slow_patterns` says
    whether a pattern without a known bound for its time is an error (`refuse`) or a warning (`allow`). `slow_tools` are
    the names of tools for which it is always a warning.
    """

    formats: str = "assert"
    ref_dirs: Sequence[RefDir] = ()
    slow_patterns: str = "refuse"
    slow_tools: tuple[str, ...] = ()
    resources: Mapping[str, Any] = field(default_factory=dict)
    """The schemas in memory for references to other documents, by URI."""

    @property
    def has_other_documents(self) -> bool:
        """Whether a schema can depend on documents other than its own spec."""
        return bool(self.ref_dirs or self.resources)


class Lowered(NamedTuple):
    """The root of a graph, and the diagnostics. If one of them is an error, the root is None."""

    root: Schema | None
    diagnostics: tuple[Diagnostic, ...]


def lower(spec: ToolSpec, options: LowerOptions | None = None) -> Lowered:
    """Convert a tool's schema to a graph, and report its problems.

    If one of them is an error, there is no graph.
    """
    lowering = _Lowering(spec, options or LowerOptions())
    root = lowering.run()
    document = lowering.resources.root.document
    # A place is reported once, even if many references lead to it.
    found = dict.fromkeys(problem.diagnostic(spec, document) for problem in lowering.problems)
    return Lowered(None if has_error(lowering.problems) else root, tuple(found))


class _Lowering:
    """One schema while it is lowered. `problems` are those found so far, in the order of the document."""

    def __init__(self, spec: ToolSpec, options: LowerOptions) -> None:
        self.spec = spec
        self.options = options
        self.resources = Resources(spec.schema, options.ref_dirs, options.resources)
        self.allows_slow = options.slow_patterns == "allow" or spec.name in options.slow_tools
        self.problems: list[Problem] = []
        self.known: dict[tuple[SchemaResource, str, DynamicScope], Schema] = {}
        self.places: set[tuple[SchemaResource, str]] = set()
        self.scopes: dict[Schema, Scope] = {}
        self.refers = False
        self.pending: deque[tuple[Any, Scope, Schema]] = deque()

    def run(self) -> Schema:
        root = self.schema(self.spec.schema, self.resources.start)
        while self.pending:
            contents, scope, schema = self.pending.popleft()
            self.fill(contents, scope, schema)
        if self.refers and not has_error(self.problems) and (loop := endless_reference(root)) is not None:
            message = "the references here lead back to the same schema for the same value"
            fix = "remove the reference that closes the cycle"
            self.problems.append(Problem(self.scopes[loop], "endless-reference", message, fix))
        return root

    # -- schemas

    def schema(self, contents: Any, scope: Scope) -> Schema:
        """Return the node for a schema. Its keywords are added later, when its turn comes in the list of
        pending schemas.
        """
        if isinstance(contents, bool):
            return Schema(*scope.place, raw=contents, verdict=contents)
        if not isinstance(contents, dict):
            message = f"a schema must be an object or a boolean, not {shown(contents)}"
            self.problems.append(Problem(scope, "invalid-schema", message))
            return Schema(*scope.place, raw=contents, verdict=True)
        try:
            scope = self.resources.enter(contents, scope)
        except ResolutionError as error:
            self.problems.append(Problem(scope.below("$schema"), "unknown-dialect", f"{error}", error.fix))
            return Schema(*scope.place, raw=contents, verdict=True)
        return self.node(contents, scope)

    def node(self, contents: Any, scope: Scope) -> Schema:
        """Return the node for a schema whose scope is already known."""
        if not isinstance(contents, dict):
            return self.schema(contents, scope)
        # Not the object's identity: one object may be at two places (YAML aliases, Python specs).
        key = (scope.resource, scope.pointer, scope.dynamic)
        schema = self.known.get(key)
        if schema is None:
            schema = self.known[key] = Schema(*scope.place, raw=contents)
            self.scopes[schema] = scope
            if self.scopes_fit(scope):
                self.pending.append((contents, scope, schema))
        return schema

    def scopes_fit(self, scope: Scope) -> bool:
        """Return whether there is room for one more dynamic scope. If not, report this once."""
        self.places.add((scope.resource, scope.pointer))
        scoped = len(self.known) - len(self.places)
        if scoped == MAX_SCOPED + 1:
            message = f"dynamic references give more than {MAX_SCOPED} subschemas several meanings"
            fix = "refer to a fixed schema with '$ref' instead"
            self.problems.append(Problem(scope, "too-many-scopes", message, fix))
        return scoped <= MAX_SCOPED

    def fill(self, contents: dict[str, Any], scope: Scope, schema: Schema) -> None:
        dialect = scope.dialect
        self.problems += check_identifier(contents.get(dialect.id_keyword), scope)
        if dialect.ref_hides_siblings and "$ref" in contents:
            schema.annotations = {k: contents[k] for k in contents if k in ANNOTATIONS}
            contents = {"$ref": contents["$ref"]}
        keywords = dialect.keywords
        for keyword, value in contents.items():
            shape = keywords.get(keyword)
            if shape is not None and not shape.fits(value):
                self.problems.append(wrong_shape(keyword, value, shape, scope))
            elif shape is not None:
                if has_effect(keyword, contents, dialect):
                    self.add(keyword, shape, value, scope, schema)
            elif keyword in ANNOTATIONS:
                schema.annotations[keyword] = value
            else:
                self.problems += check_unknown(keyword, contents, scope)
        self.problems += check_fields(contents, scope)
        _settle(schema, dialect)
        for keyword in sorted(keyword for keyword in schema.keywords if keyword not in GRAPH):
            message = f"{keyword!r} is a keyword of the dialect, but toolgen does not enforce it"
            fix = "express the constraint with other keywords"
            self.problems.append(Problem(scope.below(keyword), "unsupported-keyword", message, fix))

    # -- keywords

    def add(self, keyword: str, shape: Shape, value: Any, scope: Scope, schema: Schema) -> None:
        """Add a keyword whose value has the right shape. `scope` is the scope of the schema."""
        if shape is shapes.TYPE:  # every other keyword is this one
            schema.assertions[keyword] = (value,) if isinstance(value, str) else tuple(value)
            return
        place = scope.below(keyword)
        match shape:
            case shapes.SCHEMA_MAP:
                self.add_schema_map(keyword, value, place, schema)
            case shapes.COUNT:
                schema.assertions[keyword] = int(value)
            case shapes.FORMAT if value not in FORMATS or not self.asserts_format(scope.dialect):
                pass  # an annotation
            case shapes.PATTERN if not self.can_run(value, place):
                pass
            case shapes.NAME_LISTS:
                schema.assertions[keyword] = {name: tuple(names) for name, names in value.items()}
            case shapes.ANY | shapes.VALUES if not self.is_writable(value, place):
                pass
            case shapes.SCHEMA:
                schema.single[keyword] = self.schema(value, place)
            case shapes.SCHEMAS:
                schema.listed[keyword] = self.schemas(value, place)
            case shapes.ITEMS if isinstance(value, list):
                schema.listed["prefixItems"] = self.schemas(value, place)
            case shapes.ITEMS:
                schema.single["items"] = self.schema(value, place)
            case shapes.DEPENDENCIES:
                self.add_dependencies(keyword, value, place, schema)
            case shapes.REFERENCE:
                self.add_reference(keyword, value, place, schema)
            case _:
                schema.assertions[keyword] = value

    def can_run(self, pattern: str, scope: Scope) -> bool:
        """Return whether a pattern can be run, and report a problem if it cannot."""
        found = list(check_pattern(pattern, scope, allows_slow=self.allows_slow))
        self.problems += found
        return all(problem.code != "invalid-pattern" for problem in found)

    def is_writable(self, constant: Any, scope: Scope) -> bool:
        """Return whether a constant can be written as code, and report a problem if it cannot."""
        found = list(check_depth(constant, scope))
        self.problems += found
        return not found

    def asserts_format(self, dialect: Dialect) -> bool:
        """Return whether `format` is a constraint, because of the options or the meta-schema."""
        return self.options.formats == "assert" or dialect.asserts_format

    def schemas(self, values: list[Any], scope: Scope) -> tuple[Schema, ...]:
        """Return the nodes for an array of schemas."""
        return tuple(self.schema(value, scope.below(index)) for index, value in enumerate(values))

    def add_schema_map(self, keyword: str, value: dict[str, Any], scope: Scope, schema: Schema) -> None:
        """Add the schemas of `properties`, `patternProperties` or `dependentSchemas`."""
        if keyword == "patternProperties":
            value = {p: v for p, v in value.items() if self.can_run(p, scope.below(p))}
        schema.named[keyword] = {name: self.schema(v, scope.below(name)) for name, v in value.items()}

    def add_dependencies(self, keyword: str, value: dict[str, Any], scope: Scope, schema: Schema) -> None:
        """Add `dependencies`, which combined two keywords up to draft-07 (draft-07 validation, section
        6.5.7).
        """
        names = {k: tuple(v) for k, v in value.items() if isinstance(v, list)}
        schemas = {k: self.schema(v, scope.below(k)) for k, v in value.items() if not isinstance(v, list)}
        if names:
            schema.assertions["dependentRequired"] = names
            schema.spelling["dependentRequired"] = keyword
        if schemas:
            schema.named["dependentSchemas"] = schemas

    def add_reference(self, keyword: str, value: str, scope: Scope, schema: Schema) -> None:
        """Resolve a `$ref`, `$dynamicRef` or `$recursiveRef`, and add its target to a node."""
        self.refers = True
        resolve = {
            "$ref": self.resources.resolve,
            "$dynamicRef": self.resources.resolve_dynamic,
            "$recursiveRef": self.resources.resolve_recursive,
        }[keyword]
        try:
            contents, target = resolve(value, scope)
        except ResolutionError as error:
            state = "cannot be resolved" if error.code == "unresolvable-reference" else "is ambiguous"
            message = f"{shown(value)} {state}: {error}"
            self.problems.append(Problem(scope, error.code, message, error.fix))
            return
        schema.single["$ref" if keyword == "$ref" else "$dynamicRef"] = self.node(contents, target)


def _settle(schema: Schema, dialect: Dialect) -> None:
    """Convert keywords that differ between dialects to the form that the graph uses."""
    assertions = schema.assertions
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        is_flag = isinstance(assertions.get(exclusive), bool)  # draft-04: a flag for the limit
        if is_flag and assertions.pop(exclusive) and limit in assertions:
            assertions[exclusive] = assertions.pop(limit)
    rest = schema.single.pop("additionalItems", None)
    if rest is not None:
        schema.single["items"] = rest
        schema.spelling["items"] = "additionalItems"
    schema.contains_evaluates = dialect.contains_evaluates
    schema.whole_floats = dialect.whole_floats


def has_effect(keyword: str, contents: dict[str, Any], dialect: Dialect) -> bool:
    """Return whether a keyword has any effect, given the other keywords of its schema."""
    if keyword == "additionalItems":  # 2019-09 core, section 9.3.1.2
        return isinstance(contents.get("items"), list)
    if keyword == "if" and "unevaluatedProperties" not in dialect.keywords:  # later it also evaluates
        return "then" in contents or "else" in contents
    return keyword not in NEEDS or NEEDS[keyword] in contents
