"""What a tool's schema says about each place of its payloads, found once and kept.

A `SchemaNode` is a place of the schema with its local references, `allOf` and "X or null" folded into one.
Places are made when they are first asked for and are shared: the number of places is bounded by the
schema, whatever payloads come. Schemas are hostile input: references may run in circles and any value may
stand where another belongs, so nothing here trusts a keyword's type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from toolgen_runtime.schema.raw import (
    Document,
    Leaf,
    Raw,
    admits,
    as_raw,
    children_of,
    is_null,
    is_secret,
    json_type,
    listed,
    named,
    required_of,
    types_of,
    values_of,
)
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.redaction import fold_name
from toolgen_runtime.validation.tool import Tool

Path = tuple[str | int, ...]

MAX_LEAVES = 64
MAX_UNIONS = 8
MAX_UNION_DEPTH = 16
MAX_STEPS = 400
"""Branches, and branches of branches, that are opened for one place; a schema can be a maze."""
MAX_NODES = 20_000

_UNDECLARED = -2
"""The slot of a place's children that all undeclared properties share."""


class SchemaNode:
    """One place: `raws` all apply, of each of `unions` one leaf does, `extras` may (`then`, `dependentSchemas`)."""

    def __init__(
        self,
        schema: SchemaFacts,
        raws: Leaf,
        unions: tuple[tuple[Leaf, ...], ...],
        extras: Leaf,
        or_null: bool,
    ) -> None:
        self.schema = schema
        self.raws = raws
        self.unions = unions
        self.extras = extras
        self.or_null = or_null
        """Whether a branch of a union was null alone; it stands in none of the others."""
        self.kept: dict[str, Any] = {}
        """What others have derived from this place (`memo`)."""
        self._children: dict[str | int, SchemaNode] = {}
        self._narrowed: dict[tuple[tuple[int, ...], ...], SchemaNode] = {}

    # -- the way down ---------------------------------------------------------------------------------------

    def child(self, step: str | int) -> SchemaNode:
        """The place of a property or item; an undeclared property gets what `additionalProperties` says."""
        slot = self._slot(step)
        node = self._children.get(slot)
        if node is None:
            budget = _Budget(MAX_STEPS)
            raws, unions = self._below(step, budget)
            node = self._children.setdefault(slot, self.schema.node(raws, unions, budget=budget))
        return node

    def _slot(self, step: str | int) -> str | int:
        if type(step) is int:
            return step if 0 <= step < self._prefix else ANY_ITEM
        return step if isinstance(step, str) and step in self.properties else _UNDECLARED

    def _below(self, step: str | int, budget: _Budget) -> tuple[list[Any], list[list[Leaf]]]:
        raws = [s for raw in self.raws for s in children_of(raw, step)]
        unions = []
        for union in self.unions:
            leaves = [below for leaf in union if (below := self.schema.leaves_below(leaf, step, budget))]
            if leaves:
                unions.append([leaf for below in leaves for leaf in below])
        if not raws and not unions:
            raws = [s for raw in self.extras for s in children_of(raw, step)]
        return raws, unions

    def narrow(self, value: Any) -> tuple[SchemaNode, str]:
        """This place with the union branches that a payload's value can mean, and the tag that decided (`kind="a"`)."""
        if not self.unions or value is MISSING:
            return self, ""
        tag = ""
        choice = []
        for profiles in self.profiles:
            kept, by = _meant(profiles, value)
            tag = tag or by
            choice.append(tuple(kept or range(len(profiles))))
        return self._chosen(tuple(choice)), tag

    def _chosen(self, choice: tuple[tuple[int, ...], ...]) -> SchemaNode:
        """This place with these leaves of each union; the first few choices are kept."""
        node = self._narrowed.get(choice)
        if node is None:
            unions = [[union[i] for i in kept] for union, kept in zip(self.unions, choice, strict=True)]
            node = self.schema.node([], unions, self)
            if len(self._narrowed) < MAX_LEAVES:
                node = self._narrowed.setdefault(choice, node)
        return node

    @cached_property
    def profiles(self) -> list[list[Profile]]:
        """What tells the branches of each union apart."""
        return [[Profile(self.schema.node(leaf, [])) for leaf in union] for union in self.unions]

    @cached_property
    def leaf_nodes(self) -> list[SchemaNode]:
        """This place once for each branch of its first union; itself where there is none."""
        rest = [list(union) for union in self.unions[1:]]
        return [self.schema.node([], [[leaf], *rest], self) for leaf in (self.unions or ((),))[0]] or [self]

    @cached_property
    def _prefix(self) -> int:
        lists = (len(listed(raw, k)) for raw in self._all for k in ("prefixItems", "items"))
        return max(lists, default=0)

    @cached_property
    def _all(self) -> tuple[Raw, ...]:
        """Every schema that can have a say here, the certain ones first."""
        return (*self.raws, *(raw for union in self.unions for leaf in union for raw in leaf), *self.extras)

    # -- what is known here ---------------------------------------------------------------------------------

    @cached_property
    def properties(self) -> dict[str, None]:
        """The declared property names, in the schema's order, those of every branch included."""
        return {str(name): None for raw in self._all for name in named(raw, "properties")}

    @cached_property
    def required(self) -> frozenset[str]:
        """The names that every payload must have here, whatever branch is meant."""
        return frozenset(required_of(self.raws))

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The type names admitted here, `null` left aside; none where any type is."""
        own = types_of(self.raws)
        if own is None:
            own = ()
            for union in self.unions:
                per_leaf = [types_of(leaf) for leaf in union]
                if all(per_leaf):
                    own = tuple(dict.fromkeys(n for names in per_leaf for n in names or ()))
                    break
        return tuple(dict.fromkeys(n for n in own if n != "null")) or own

    @cached_property
    def allowed(self) -> tuple[Any, ...]:
        """The values of `enum` or `const`, null left aside; none where they are not listed."""
        values = values_of(self.raws)
        if values is None:
            for union in self.unions:
                per_leaf = [values_of(leaf) for leaf in union]
                if all(v is not None for v in per_leaf):
                    values = [v for leaf_values in per_leaf for v in leaf_values or ()]
                    break
        return tuple(v for v in values or () if v is not None) or tuple(values or ())

    @cached_property
    def nullable(self) -> bool:
        """Whether null is admitted."""
        return self.or_null or any("null" in (types_of((raw,)) or ()) for raw in self._all)

    @property
    def null_listed(self) -> bool:
        """Whether null is one of the values listed."""
        return any(None in (values_of((raw,)) or ()) for raw in self._all)

    @cached_property
    def write_only(self) -> bool:
        """Whether values here are secret: any schema that can have a say says `writeOnly`, or that it is a password."""
        return any(map(is_secret, self._all))

    @cached_property
    def secret(self) -> bool:
        """Whether what is sent here may be or hold a secret: a container of a schema that has any is not echoed."""
        holds = not self.types or "object" in self.types or "array" in self.types
        return self.write_only or (holds and self.schema.has_secrets)

    @cached_property
    def closed(self) -> bool:
        """Whether undeclared properties are forbidden."""
        keys = ("additionalProperties", "unevaluatedProperties")
        return any(raw.get(k) is False for raw in self._all for k in keys)

    def first(self, keyword: str, kind: type | tuple[type, ...]) -> Any:
        """A keyword's value, if it is of this Python type; where the branches of a union disagree, None."""
        for raw in self.raws:
            if isinstance(value := raw.get(keyword), kind) and not (
                isinstance(value, bool) and kind is not bool
            ):
                return value
        for union in self.unions:
            leaves = [leaf for leaf in union if not is_null(leaf)]
            if len(leaves) == 1:
                return next((v for raw in leaves[0] if isinstance(v := raw.get(keyword), kind)), None)
        return None

    @cached_property
    def suggestions(self) -> list[Any]:
        """Values that the schema itself offers: `default`, then `examples`, then `example`."""
        out = [raw["default"] for raw in self._all if "default" in raw]
        for raw in self._all:
            out += listed(raw, "examples")
        return out + [raw["example"] for raw in self._all if "example" in raw]

    def memo(self, key: str, make: Any) -> Any:
        """What `make(self)` gives, computed once: a slot for texts that others derive from a place."""
        try:
            return self.kept[key]
        except KeyError:
            return self.kept.setdefault(key, make(self))


class Profile:
    """What tells one branch of a union from the others: its types, and properties of one fixed value."""

    __slots__ = ("node", "tags", "types")

    def __init__(self, node: SchemaNode):
        self.node = node
        self.types = types_of(node.raws) or ()
        self.tags: dict[str, tuple[Any, ...]] = {}
        for name in node.properties:
            values = node.child(name).allowed
            if values:
                self.tags[name] = values


def _meant(profiles: list[Profile], value: Any) -> tuple[list[int], str]:
    """The branches that a value can mean, by position, and the tag that told them apart."""
    name = json_type(value)
    kept = [i for i, p in enumerate(profiles) if admits(p.types, name)]
    if not isinstance(value, dict) or len(kept) < 2:
        return kept, ""
    by_tag = [i for i in kept if all(k not in value or value[k] in v for k, v in profiles[i].tags.items())]
    if not by_tag or len(by_tag) == len(kept):
        return kept, ""
    out = [profiles[i].tags for i in kept if i not in by_tag]
    for key in profiles[by_tag[0]].tags:
        if key in value and any(key in tags and value[key] not in tags[key] for tags in out):
            return by_tag, key
    return by_tag, ""


def _ids(schemas: Iterable[Raw]) -> tuple[int, ...]:
    return tuple(map(id, schemas))


class _Budget:
    """The branches that one expansion may still open; what a maze of a schema has beyond them is left out."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class SchemaFacts:
    """The places of one schema, from `root` on; `secret_names` are keys, folded, whose values are secret."""

    def __init__(self, schema: Mapping[str, Any] | bool, secret_names: frozenset[str] = frozenset()):
        self.document = Document(schema)
        self._secret_names = secret_names
        self.has_secrets = bool(secret_names) or self.document.has_secret
        self._nodes: dict[tuple[Any, ...], SchemaNode] = {}
        self.root = self.node([self.document.root], [])

    def names_secret(self, step: object) -> bool:
        """Whether a step of a path is a key whose values are secret."""
        return bool(self._secret_names) and fold_name(step) in self._secret_names

    def at(self, path: Iterable[str | int]) -> SchemaNode:
        """The place that a path leads to, whatever the payload; `ANY_ITEM` stands for any index."""
        node = self.root
        for step in path:
            node = node.child(step)
        return node

    # -- making places --------------------------------------------------------------------------------------

    def node(
        self,
        schemas: Iterable[Any],
        unions: list[list[Leaf]],
        base: SchemaNode | None = None,
        budget: _Budget | None = None,
    ) -> SchemaNode:
        """The shared place where all `schemas` apply and one leaf of each union; `base` adds what applies too."""
        raws, own, extras = self._expand(schemas, (), budget or _Budget(MAX_STEPS))
        if base is not None:
            raws, extras = [*base.raws, *raws], [*base.extras, *extras]
        kept: dict[tuple[tuple[int, ...], ...], tuple[Leaf, ...]] = {}
        or_null = base is not None and base.or_null
        for union in [*own, *unions]:
            or_null = or_null or any(map(is_null, union))
            leaves = list({_ids(leaf): leaf for leaf in union if not is_null(leaf)}.values()) or union
            if len(leaves) == 1:
                raws.extend(raw for raw in leaves[0] if not any(raw is r for r in raws))
            elif leaves and len(kept) < MAX_UNIONS:
                kept.setdefault(tuple(map(_ids, leaves)), tuple(leaves))
        key = (or_null, _ids(raws), _ids(extras), tuple(kept))
        node = self._nodes.get(key)
        if node is None:
            node = SchemaNode(self, tuple(raws), tuple(kept.values()), tuple(extras), or_null)
            if len(self._nodes) < MAX_NODES:
                node = self._nodes.setdefault(key, node)
        return node

    def leaves_below(self, leaf: Leaf, step: str | int, budget: _Budget) -> list[Leaf]:
        """The leaves of what a branch says about a property or item; none where it says nothing."""
        found = [s for raw in leaf for s in children_of(raw, step)]
        return self._leaves(found, (), budget) if found else []

    def _expand(
        self, schemas: Iterable[Any], active: tuple[int, ...], budget: _Budget
    ) -> tuple[list[Raw], list[list[Leaf]], list[Raw]]:
        """Schemas with references and `allOf` followed: what applies, the unions as leaves, what may apply."""
        budget.left -= 1
        raws: list[Raw] = []
        unions: list[list[Leaf]] = []
        extras: list[Raw] = []
        seen: set[int] = set()
        todo = [as_raw(s) for s in schemas]
        for raw in todo:
            if id(raw) in seen:
                continue
            seen.add(id(raw))
            raws.append(raw)
            if isinstance(ref := raw.get("$ref"), str):
                todo.append(self.document.resolve(ref))
            todo.extend(map(as_raw, listed(raw, "allOf")))
            for keyword in ("anyOf", "oneOf"):
                if branches := listed(raw, keyword):
                    unions.append(self._union(branches, active, budget))
            extras += [as_raw(raw[k]) for k in ("then", "else") if k in raw]
            extras += map(as_raw, named(raw, "dependentSchemas").values())
        return raws, unions, extras

    def _union(self, branches: list[Any], active: tuple[int, ...], budget: _Budget) -> list[Leaf]:
        out: list[Leaf] = []
        for branch in branches:
            if budget.left > 0 and id(branch) not in active and len(active) < MAX_UNION_DEPTH:
                out += self._leaves([branch], (*active, id(branch)), budget)
        return out[:MAX_LEAVES]

    def _leaves(self, schemas: list[Any], active: tuple[int, ...], budget: _Budget) -> list[Leaf]:
        raws, unions, _ = self._expand(schemas, active, budget)
        leaves: list[Leaf] = [tuple(raws)]
        for union in unions:
            if union and len(leaves) * len(union) <= MAX_LEAVES:
                leaves = [(*leaf, *more) for leaf in leaves for more in union]
        return leaves


_facts: WeakKeyDictionary[Tool[Any], SchemaFacts] = WeakKeyDictionary()


def facts_of(tool: Tool[Any]) -> SchemaFacts:
    """The facts of a tool's schema, read on first use and kept as long as the tool lives."""
    facts = _facts.get(tool)
    if facts is None:
        facts = _facts.setdefault(tool, SchemaFacts(tool.schema))
    return facts
