"""Find out where a payload may have secrets.

Generated code passes the resulting table to the runtime's `redaction`.
"""

from __future__ import annotations

from typing import Any

from toolgen.compiler.schema.cycles import edges_of, everything, leading_to, same_value
from toolgen.compiler.schema.ir import Schema
from toolgen_runtime.schema import raw
from toolgen_runtime.schema.keywords import GRAPH
from toolgen_runtime.validation.issues import ANY_ITEM
from toolgen_runtime.validation.redaction import LEADING, SECRET


def is_secret(schema: Schema) -> bool:
    """Return whether a schema marks values as secret."""
    return isinstance(schema.raw, dict) and raw.is_secret(schema.raw)


class SecretTable:
    """A table of the schemas that lead to a secret, from which generated code finds the secrets of a payload.

    It is empty if the tool has no secrets.
    """

    def __init__(self, root: Schema) -> None:
        schemas = list(everything(root))
        secret = [schema for schema in schemas if is_secret(schema)]
        if secret:
            self._leading = leading_to(edges_of(root), secret)
        else:
            self._leading = set[Schema]()
        related = set(same_value(self._leading))
        self._numbers = {schema: at for at, schema in enumerate(s for s in schemas if s in related)}
        self._beneath = {below for schema in secret for below in everything(schema)}

    def __bool__(self) -> bool:
        return bool(self._numbers)

    @property
    def nodes(self) -> tuple[Any, ...]:
        """The rows of the table, starting with the root; see `toolgen_runtime.validation.redaction.Node`."""
        return tuple(self._node(schema) for schema in self._numbers)

    def start(self, schema: Schema) -> tuple[int, ...] | None:
        """Return the arguments of `Secrets.at` for the values of a schema.

        Return None if they cannot contain a secret.
        """
        parts: tuple[Schema, ...] = (schema,)
        if schema not in self._numbers:  # a class may show several schemas
            parts = schema.conjoined()
        if not self._beneath.isdisjoint(parts):
            return ()
        return tuple(self._numbers[one] for one in parts if one in self._leading) or None

    def _node(self, schema: Schema) -> tuple[Any, ...]:
        in_place: list[int] = []
        steps: dict[str | int, tuple[int, ...]] = {}
        keys: list[int] = []
        items: list[int] = []
        for (keyword, *rest), child in schema.children():
            subject = GRAPH[keyword].subject
            in_scope = child in self._leading or subject == "value"
            found: tuple[int, ...] = ()
            if in_scope:
                found = (self._numbers[child],)
            match subject:
                case "value":
                    in_place += found
                case "member":
                    steps[rest[0]] = found
                case "item":
                    steps[int(rest[0])] = found
                case "any member":
                    keys += found
                case "any item":
                    items += found
                    # An item that no schema allows is not declared: it may be a secret in the wrong place.
                    if keyword != "contains" and child.raw is not False:
                        steps[ANY_ITEM] = ()
                case _:
                    pass  # property names are not values
        return self._rank(schema), tuple(in_place), steps, tuple(keys), tuple(items)

    def _rank(self, schema: Schema) -> int:
        if is_secret(schema):
            return SECRET
        return LEADING if schema in self._leading else 0
