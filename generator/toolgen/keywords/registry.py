"""Where the units of the keywords are filed, in the order in which their issues come."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from toolgen.codegen.function import Function, Value
from toolgen.schema.ir import VOCABULARY, Schema
from toolgen.schema.kinds import Kind, sole_kind

Emit = Callable[[Function, Schema, Value], None]


@dataclass(frozen=True, slots=True)
class Unit:
    """Writes the check of one keyword, or of a few that only make sense together."""

    keywords: frozenset[str]
    emit: Emit
    companions: frozenset[str] = frozenset()
    """Keywords that say nothing without the former, and are written with them."""

    def applies(self, schema: Schema) -> bool:
        """Whether a schema has one of the keywords."""
        return not self.keywords.isdisjoint(schema.keywords)


_UNIONS: Final = frozenset({"anyOf", "oneOf"})
UNITS: Final[dict[Kind | None, list[Unit]]] = {kind: [] for kind in (*Kind, None)}
"""By the kind of value that the keywords look at; None: any value."""


def keyword(*names: str, kind: Kind | None, companions: Iterable[str] = ()) -> Callable[[Emit], Emit]:
    """File a function as the unit of these keywords; units of a kind run in the order they are filed."""

    def file(emit: Emit) -> Emit:
        UNITS[kind].append(Unit(frozenset(names), emit, frozenset(companions)))
        return emit

    return file


def units(kind: Kind | None, schema: Schema) -> list[Unit]:
    """The units that a schema has work for where the value is of a kind; None: whatever the kind is.

    Where `type` leaves a single kind, unions are looked at in that kind's branch: of a value of another kind
    the issue of `type` has said enough.
    """
    sole = sole_kind(schema)
    beside = [unit for unit in UNITS[None] if unit.applies(schema)]
    inside = [unit for unit in beside if sole is not None and unit.keywords <= _UNIONS]
    if kind is None:
        return [unit for unit in beside if unit not in inside]
    own = [unit for unit in UNITS[kind] if unit.applies(schema)]
    return own + inside if kind is sole else own


def gaps(others: Iterable[str]) -> frozenset[str]:
    """The keywords of the graph that no unit writes, and those of units that the graph does not have.

    `others` are written apart from the units.
    """
    written = {k for units in UNITS.values() for unit in units for k in (*unit.keywords, *unit.companions)}
    return VOCABULARY.symmetric_difference({*written, *others})
