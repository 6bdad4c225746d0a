"""The definitions under `$defs` of a strict schema, each with the form of its payloads."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.tools.kinds import KINDS
from toolgen_runtime.providers.shared.tools.strict_forms import (
    EXPLICIT_NULL,
    MEMBERS,
    SAME,
    Branch,
    Form,
    Items,
    Look,
    Pairs,
    Shared,
    Union,
)
from toolgen_runtime.providers.shared.tools.strict_parts import Schema, closed, pairs_of


class Definitions:
    """The definitions of one strict schema: `schemas` and `forms` by name."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}
        self.forms: dict[str, Form] = {}
        self._names: dict[str, str] = {}

    def __contains__(self, ref: str) -> bool:
        return ref in self._names

    def name(self, ref: str) -> str:
        """Return the name of the definition for a reference: letters and digits, each its own."""
        if ref not in self._names:
            last = (
                "".join(c if c.isascii() and c.isalnum() else "_" for c in ref.rpartition("/")[2]) or "root"
            )
            taken = set(self._names.values())
            free = (f"{last}_{n}" if n else last for n in range(len(taken) + 1))
            self._names[ref] = next(name for name in free if name not in taken)
        return self._names[ref]

    def refer(self, name: str) -> tuple[Schema, Form]:
        """Return a reference to a definition, and the form of its payloads."""
        is_same = self.forms.get(name) is SAME
        return {"$ref": f"#/$defs/{name}"}, SAME if is_same else Shared(name, self.forms)

    def any_value(self) -> tuple[Schema, Form]:
        """Return any JSON value: a definition that refers to itself, in which an object is a list of pairs."""
        name = self.name("any value")
        itself, shared = {"$ref": f"#/$defs/{name}"}, Shared(name, self.forms)
        simple = [{"type": kind} for kind in ("string", "number", "boolean", "null")]
        items: Schema = {"type": "array", "items": itself}
        pairs = closed({MEMBERS: pairs_of({"type": "string"}, itself)})
        self.schemas[name] = {"anyOf": [*simple, items, pairs]}
        looks = {kind: Look(frozenset({kind})) for kind in KINDS}
        forms = {"array": Items(shared), "object": Pairs(shared, wrapped=True)}
        branches = (Branch(forms.get(kind, SAME), looks[kind], looks[kind]) for kind in sorted(KINDS))
        self.forms[name] = Union(tuple(branches))
        return itself, shared

    def explicit_null(self) -> Schema:
        """Return a reference to the value that says null where null itself means absence."""
        name = self.name("explicit null")
        marks = {key: {"type": "boolean", "const": value} for key, value in EXPLICIT_NULL.items()}
        self.schemas[name] = closed(marks) | {"description": "for the value null itself"}
        return {"$ref": f"#/$defs/{name}"}
