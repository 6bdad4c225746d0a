"""Look up what a schema says about a path. Each node is created when it is first used, and then cached.

Nodes are shared, so their number depends only on the schema and not on the payloads. References may be circular.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from toolgen_runtime.schema.keywords import UNIONS
from toolgen_runtime.schema.node import MAX_LEAVES, SchemaNode
from toolgen_runtime.schema.raw import Document, Leaf, Raw, as_raw, children_of, is_null, listed, named
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.issues import ANY_ITEM, field_of
from toolgen_runtime.validation.redaction import fold_name
from toolgen_runtime.validation.tool import Tool

MAX_UNIONS = 8
MAX_UNION_DEPTH = 16
MAX_NODES = 20_000
MAX_OPENED = 50_000
"""The maximum number of schemas opened in union branches for all nodes; each object adds `MAX_OPENED_EACH`."""
MAX_OPENED_EACH = 20

_STEP = re.compile(
    r"""\["(?P<quoted>(?:[^"\\]|\\.)*)"\]     # ["odd.key"]
      | \[(?P<index>\d{1,9})\]                # [3]
      | \[(?P<items>[^\["\]]*)\]              # [], [*], [0-29], [1,4]
      | \.?(?P<name>[^.\[\]]+)                # name, .name
    """,
    re.VERBOSE,
)


def _ids(schemas: Iterable[Raw]) -> tuple[int, ...]:
    return tuple(map(id, schemas))


class SchemaFacts:
    """The nodes of one schema, starting at `root`. `secret_names` are the keys with secret values, as
    `fold_name` returns them.
    """

    def __init__(self, schema: Mapping[str, Any] | bool, secret_names: frozenset[str] = frozenset()):
        self.document = Document(schema)
        self._secret_names = secret_names
        self.has_secrets = bool(secret_names) or self.document.has_secret
        self._nodes: dict[tuple[Any, ...], SchemaNode] = {}
        self._left = MAX_OPENED + MAX_OPENED_EACH * self.document.size
        self.root = self.node([self.document.root], [])

    @cached_property
    def declared_names(self) -> frozenset[str]:
        """The names of all properties in the schema, at any depth."""
        return frozenset(name for raw in self.document.every_schema() for name in named(raw, "properties"))

    def names_secret(self, step: object) -> bool:
        """Return whether the value under a key is secret, judging by the key's name."""
        return bool(self._secret_names) and fold_name(step) in self._secret_names

    def at(self, path: Iterable[str | int]) -> SchemaNode:
        """Return the node at a path, without narrowing any union. The step `ANY_ITEM` stands for any index."""
        node = self.root
        for step in path:
            node = node.child(step)
        return node

    def required_keys(self) -> tuple[str, ...]:
        """Return the keys that every payload must have: the declared ones in the schema's order, then the
        others.
        """
        declared = [name for name in self.root.properties if name in self.root.required]
        return (*declared, *sorted(self.root.required.difference(declared)))

    def text_of(self, key: str, keyword: str) -> str | None:
        """Return a property's text for a keyword such as `description` or `format`; None if there is none."""
        path = self._path_of(key)
        if path is None:
            text: str | None = None
        else:
            text = self.at(path).first(keyword, str)
        return text

    def allowed_values(self, key: str) -> tuple[Any, ...]:
        """Return the values that `enum` or `const` lists, including null; an empty tuple if there are none."""
        path = self._path_of(key)
        if path is None or not (node := self.at(path)).allowed:
            return ()
        if node.null_listed and None not in node.allowed:
            return (*node.allowed, None)
        return node.allowed

    def canonical_key(self, key: str) -> str | None:
        """Return a key in the schema's spelling; None if the key matches no property or several."""
        path = self._path_of(key, any_spelling=True)
        if path is None:
            return None
        return items_field(field_of(path))

    def _path_of(self, key: str, *, any_spelling: bool = False) -> tuple[str | int, ...] | None:
        """Return the path of a dotted key; None if one of its properties is not declared."""
        steps, given = list[str | int](), parse_field(key)
        node = self.root
        for step in given or ():
            if isinstance(step, str) and step not in node.properties:
                if any_spelling:
                    known = same_key(step, node.properties)
                else:
                    known = None
                if known is None:
                    return None
                step = known
            steps.append(step)
            node = node.child(step)
        if given is None:
            return None
        return tuple(steps)

    def node(
        self,
        schemas: Iterable[Any],
        unions: list[list[Leaf]],
        base: SchemaNode | None = None,
    ) -> SchemaNode:
        """Return the node for values to which all of `schemas`, and all schemas of `base`, apply.

        Exactly one branch of each union applies too.
        """
        left = self._left
        raws, own, extras = self._expand(schemas, ())
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
        else:
            self._left = left  # A node that exists already costs nothing.
        return node

    def leaves_below(self, leaf: Leaf, step: str | int) -> list[Leaf]:
        """Return the branches for a property or item, as one branch of a union describes it.

        The list is empty if these schemas say nothing about it.
        """
        if self._left <= 0:
            return []
        self._left -= len(leaf)
        found = [s for raw in leaf for s in children_of(raw, step)]
        if found:
            return self._leaves(found, ())
        return []

    def _expand(
        self, schemas: Iterable[Any], active: tuple[int, ...]
    ) -> tuple[list[Raw], list[list[Leaf]], list[Raw]]:
        """Follow references and `allOf`.

        Return the schemas that always apply, the branches of unions, and the conditional schemas.
        """
        raws: list[Raw] = []
        unions: list[list[Leaf]] = []
        extras: list[Raw] = []
        seen: set[int] = set()
        todo = [as_raw(s) for s in schemas]
        for raw in todo:
            if id(raw) in seen:
                continue
            seen.add(id(raw))
            ref = raw.get("$ref")
            if isinstance(ref, str):
                todo.append(self.document.resolve(ref))
                if self.document.replaces_siblings:
                    continue
            raws.append(raw)
            todo.extend(map(as_raw, listed(raw, "allOf")))
            for keyword in UNIONS:
                if branches := listed(raw, keyword):
                    unions.append(self._union(branches, active))
            extras += [as_raw(raw[k]) for k in ("then", "else") if k in raw]
            extras += map(as_raw, named(raw, "dependentSchemas").values())
        return raws, unions, extras

    def _union(self, branches: list[Any], active: tuple[int, ...]) -> list[Leaf]:
        out: list[Leaf] = []
        for branch in branches:
            if self._left <= 0:
                break
            if id(branch) not in active and len(active) < MAX_UNION_DEPTH:
                out += self._leaves([branch], (*active, id(branch)))
        return out[:MAX_LEAVES]

    def _leaves(self, schemas: list[Any], active: tuple[int, ...]) -> list[Leaf]:
        raws, unions, _ = self._expand(schemas, active)
        leaves: list[Leaf] = [tuple(raws)]
        for union in unions:
            if union and len(leaves) * len(union) <= MAX_LEAVES:
                leaves = [(*leaf, *more) for leaf in leaves for more in union]
        self._left -= sum(map(len, leaves))
        return leaves


_facts: WeakKeyDictionary[Tool[Any], SchemaFacts] = WeakKeyDictionary()


def facts_of(tool: Tool[Any]) -> SchemaFacts:
    """Return what is known about a tool's schema. This is computed once for each tool."""
    facts = _facts.get(tool)
    if facts is None:
        facts = _facts.setdefault(tool, SchemaFacts(tool.schema))
    return facts


def share_facts(tool: Tool[Any], other: Tool[Any]) -> None:
    """Let a second tool that has the same schema use the facts of the first."""
    _facts[other] = facts_of(tool)


def parse_field(field: str) -> tuple[str | int, ...] | None:
    """Convert a dotted field to a path: `rows[3].qty` to `("rows", 3, "qty")`.

    In the path of `rows[].qty`, `ANY_ITEM` replaces the 3. Return None if the text is not a field.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(field):
        match = _STEP.match(field, at)
        if match is None:
            return None
        at = match.end()
        if (name := match["name"]) is not None:
            steps.append(name)
        elif (index := match["index"]) is not None:
            steps.append(int(index))
        elif (quoted := match["quoted"]) is not None:
            try:
                steps.append(json.loads(f'"{quoted}"', strict=False))
            except ValueError:
                return None
        else:
            steps.append(ANY_ITEM)
    return tuple(steps)


def items_field(field: str) -> str:
    """Return a path in dotted form, with `[]` for `ANY_ITEM`: `rows[].qty`. (`field_of` would write
    `rows[-1].qty`.)
    """
    return field.replace(f"[{ANY_ITEM}]", "[]")
