"""The schemas for one path of a payload, and what they say about the value there.

Schemas come from untrusted sources: a keyword may have a value of any type, so the code does not rely on one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, wraps
from itertools import islice
from typing import Any, Protocol, TypeVar

from toolgen_runtime.schema.keywords import OTHER_KEYS
from toolgen_runtime.schema.raw import (
    Leaf,
    Raw,
    admits,
    children_of,
    is_null,
    is_secret,
    json_type,
    listed,
    named,
    required_of,
    types_of,
    undeclared_of,
    values_of,
)
from toolgen_runtime.validation.branches import choose
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING

Path = tuple[str | int, ...]
Derived = TypeVar("Derived")

MAX_LEAVES = 64
_UNDECLARED = -2
"""The key in `_children` under which all undeclared properties are stored."""


class Schema(Protocol):
    """The attributes of `SchemaFacts` that its nodes use."""

    has_secrets: bool
    root: SchemaNode

    def names_secret(self, step: object) -> bool:
        """Return whether the value under a key is secret, judging by the key's name."""
        ...

    def node(
        self, schemas: Iterable[Any], unions: list[list[Leaf]], base: SchemaNode | None = None
    ) -> SchemaNode:
        """Return the node for values to which all of `schemas`, and all schemas of `base`, apply.

        Exactly one branch of each union applies too.
        """
        ...

    def leaves_below(self, leaf: Leaf, step: str | int) -> list[Leaf]:
        """Return the branches for a property or item, as one branch of a union describes it."""
        ...


class SchemaNode:
    """What a schema says about one path, with local references, `allOf` and "X or null" resolved.

    All `raws` apply, and exactly one branch of each union in `unions`. `extras` apply only under a condition (`then`,
    `dependentSchemas`).
    """

    def __init__(
        self,
        schema: Schema,
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
        """Whether a branch that allows only null was removed from a union."""
        self.derived: dict[Any, Any] = {}
        """The results of the functions that `once_per_node` decorates."""
        self._children: dict[str | int, SchemaNode] = {}
        self._narrowed: dict[tuple[tuple[int, ...], ...], SchemaNode] = {}

    def child(self, step: str | int) -> SchemaNode:
        """Return the node for a property or item. For a property that is not declared, this is the node of
        `additionalProperties`.
        """
        if type(step) is str and (node := self._children.get(step)) is not None:
            return node  # Only declared properties are cached by their names.
        slot = self._slot(step)
        node = self._children.get(slot)
        if node is None:
            raws, unions = self._below(step)
            node = self._children.setdefault(slot, self.schema.node(raws, unions))
        return node

    def describes(self, key: str) -> bool:
        """Return whether the schemas declare a key, by its name, by a pattern, or as any key of a map."""
        return key in self.properties or bool(self.child(key).raws)

    def _slot(self, step: str | int) -> str | int:
        if type(step) is int:
            return step if 0 <= step < self._prefix else ANY_ITEM
        return step if isinstance(step, str) and step in self.properties else _UNDECLARED

    def _below(self, step: str | int) -> tuple[list[Any], list[list[Leaf]]]:
        raws = [s for raw in self._speaking_of(step) for s in children_of(raw, step)]
        unions = []
        for union in self.unions:
            leaves = [below for leaf in union if (below := self.schema.leaves_below(leaf, step))]
            if leaves:
                unions.append([leaf for below in leaves for leaf in below])
        if not raws and not unions:
            raws = [s for raw in self.extras for s in children_of(raw, step)]
        return raws, unions

    def _speaking_of(self, step: str | int) -> Iterable[Raw]:
        """Return the schemas of `raws` that may have a keyword for a key, in order.

        If there are many, return a selection.
        """
        if type(step) is not str or len(self.raws) <= MAX_LEAVES:
            return self.raws
        naming, others = self._declaring
        return (self.raws[i] for i in sorted({*naming.get(step, ()), *others}))

    @cached_property
    def _declaring(self) -> tuple[dict[str, list[int]], list[int]]:
        """For each property, the positions in `raws` of the schemas that name it.

        The second value has the positions of the schemas for other keys.
        """
        naming: dict[str, list[int]] = {}
        for position, raw in enumerate(self.raws):
            for name in named(raw, "properties"):
                naming.setdefault(name, []).append(position)
        speaking = (i for i, raw in enumerate(self.raws) if undeclared_of(raw))
        return naming, list(islice(speaking, MAX_LEAVES))

    def narrow(self, value: Any) -> tuple[SchemaNode, str]:
        """Keep only the union branches that fit a value. Also return the key (such as `kind`) that decided
        this.
        """
        if not self.unions or value is MISSING:
            return self, ""
        tag, name = "", json_type(value)
        choice = []
        for branches in self.branches:
            kept = [i for i, node in enumerate(branches) if admits(types_of(node.raws) or (), name)]
            if isinstance(value, dict) and len(kept) > 1:
                kept, by, wrong = choose(value, [node.declared for node in branches], kept)
                tag = tag or ("" if wrong else by)
            choice.append(tuple(kept or range(len(branches))))
        return self._chosen(tuple(choice)), tag

    def _chosen(self, choice: tuple[tuple[int, ...], ...]) -> SchemaNode:
        """Return this node with the chosen branches of each union. The first `MAX_LEAVES` choices are cached."""
        node = self._narrowed.get(choice)
        if node is None:
            unions = [[union[i] for i in kept] for union, kept in zip(self.unions, choice, strict=True)]
            node = self.schema.node([], unions, self)
            if len(self._narrowed) < MAX_LEAVES:
                node = self._narrowed.setdefault(choice, node)
        return node

    @cached_property
    def branches(self) -> list[list[SchemaNode]]:
        """A list of nodes for each union, one for each of its branches. They leave out the keywords next to
        the union.
        """
        return [[self.schema.node(leaf, []) for leaf in union] for union in self.unions]

    @cached_property
    def all_branches(self) -> list[SchemaNode]:
        """The branches of all unions."""
        return [branch for union in self.branches for branch in union]

    @cached_property
    def declared(self) -> dict[str, tuple[Any, ...] | None]:
        """The keys by which this node can be told apart from other branches, each with its allowed scalars,
        or None.
        """
        found: dict[str, tuple[Any, ...] | None] = dict.fromkeys((*self.properties, *sorted(self.required)))
        for name in self.properties:
            values = self.child(name).allowed
            if values and all(isinstance(v, str | int | float) for v in values):
                found[name] = values
        return found

    @cached_property
    def leaf_nodes(self) -> list[SchemaNode]:
        """The nodes for the branches of the first union, or this node alone if there is no union."""
        rest = [list(union) for union in self.unions[1:]]
        return [self.schema.node([], [[leaf], *rest], self) for leaf in (self.unions or ((),))[0]] or [self]

    @cached_property
    def _prefix(self) -> int:
        lists = (len(listed(raw, k)) for raw in self._all for k in ("prefixItems", "items"))
        return max(lists, default=0)

    @cached_property
    def _all(self) -> tuple[Raw, ...]:
        """Every schema that may apply: first those that always do, then those of unions, then the conditional ones."""
        return (*self.raws, *(raw for union in self.unions for leaf in union for raw in leaf), *self.extras)

    @cached_property
    def properties(self) -> dict[str, None]:
        """The names of the declared properties, including those of every branch, in the schema's order."""
        return {str(name): None for raw in self._all for name in named(raw, "properties")}

    @cached_property
    def required(self) -> frozenset[str]:
        """The keys that are required, whichever branch of a union applies."""
        return frozenset(required_of(self.raws))

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The names of the allowed types, or an empty tuple if any type is allowed. `null` is left out unless
        it is the only one.
        """
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
        """The values that `enum` or `const` lists, or an empty tuple. Null is left out unless it is the only
        one.
        """
        return tuple(v for v in self._values if v is not None) or self._values

    @cached_property
    def allowed_or_null(self) -> tuple[Any, ...]:
        """The values in `allowed`, followed by null if that is allowed too."""
        lists_null = None in self._values and admits(types_of(self.raws) or (), "null")
        if (lists_null or self.or_null) and None not in self.allowed and self.allowed:
            return (*self.allowed, None)
        return self.allowed

    @cached_property
    def _values(self) -> tuple[Any, ...]:
        values = values_of(self.raws)
        if values is not None:
            return tuple(values)
        for union in self.unions:
            per_leaf = [values_of(leaf) for leaf in union]
            if all(v is not None for v in per_leaf):
                return tuple(v for leaf_values in per_leaf for v in leaf_values or ())
        return ()

    @cached_property
    def nullable(self) -> bool:
        """Whether null is allowed."""
        return self.or_null or any("null" in (types_of((raw,)) or ()) for raw in self._all)

    @property
    def null_listed(self) -> bool:
        """Whether `enum` or `const` lists null."""
        return any(None in (values_of((raw,)) or ()) for raw in self._all)

    @cached_property
    def write_only(self) -> bool:
        """Whether values are secret because of `writeOnly: true` or `format: password` in any schema that may
        apply.
        """
        return any(map(is_secret, self._all))

    @cached_property
    def secret(self) -> bool:
        """Whether a value may be a secret or contain one. If the schema has secrets, any list or object may."""
        holds = not self.types or "object" in self.types or "array" in self.types
        return self.write_only or (holds and self.schema.has_secrets)

    @cached_property
    def closed(self) -> bool:
        """Whether properties that are not declared are forbidden."""
        return any(raw.get(k) is False for raw in self._all for k in OTHER_KEYS)

    def first(self, keyword: str, kind: type | tuple[type, ...]) -> Any:
        """Return the value of a keyword from the first schema where it has this Python type.

        The branches of a union count only if exactly one of them is not null.

        In a union, only the one branch that is not null counts; if there are several, the result is None.
        """
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
        """The example values of the schema: `default` comes first, then `examples`, then `example`."""
        out = [raw["default"] for raw in self._all if "default" in raw]
        for raw in self._all:
            out += listed(raw, "examples")
        return out + [raw["example"] for raw in self._all if "example" in raw]


def once_per_node(derive: Callable[[SchemaNode], Derived]) -> Callable[[SchemaNode], Derived]:
    """Decorate a function of a node. Its result is computed once for each node, and is kept as long as the node."""

    @wraps(derive)
    def kept(node: SchemaNode) -> Derived:
        try:
            found: Derived = node.derived[derive]
        except KeyError:
            found = node.derived.setdefault(derive, derive(node))
        return found

    return kept
