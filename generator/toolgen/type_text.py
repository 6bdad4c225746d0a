"""A value's type in a few words, for lists and pages: `array of integer`, `"low" | "high"`, `string | null`."""

from __future__ import annotations

import json
from typing import Any, Final

from toolgen.compiled_check import CompiledChecks
from toolgen.described import Described
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import ALL_TYPES, Types
from toolgen_runtime.schema.raw import json_type

MAX_MEMBERS: Final = 5
"""Values of an enum, or branches of a union, that are listed."""
MAX_DEPTH: Final = 4
"""Levels of arrays and unions that are described."""


def type_text(
    value: Described, depth: int = MAX_DEPTH, *, values: bool = True, within: Types = ALL_TYPES
) -> str:
    """Return the type of a value: `any` if every type is allowed, `nothing` if none is.

    Args:
        value: what is known of the value.
        depth: levels of arrays and unions that are described.
        values: whether allowed values are listed, or only their types.
        within: the types that are left by whatever the value is a branch of.
    """
    types = value.types & within
    if not types:
        return "nothing"
    if not depth:
        return "any"
    if value.values is not None:
        return _joined([_value(each) if values else json_type(each) for each in value.values]) or "nothing"
    for _, branches in value.unions:
        texts = [type_text(b, depth - 1, values=values, within=types) for b in branches if b.types & types]
        if "any" not in texts:
            return _joined(texts)
    if types == ALL_TYPES:
        return "any"
    names = [name for name in value.type_names if name in types or (name == "number" and "fraction" in types)]
    return _joined([_array(value, depth, values) if name == "array" else name for name in names])


def root_fields(root: Schema) -> list[dict[str, Any]]:
    """Return name, type, limits and whether it is required for each property at the root of a graph."""
    payload = Described([root], CompiledChecks())
    return [
        {
            "name": name,
            "type": type_text(member),
            "required": name in payload.required,
            "limits": [row.said(limit) for row, limit in member.limits() if member.values is None],
        }
        for name, member in payload.members.items()
    ]


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _array(value: Described, depth: int, values: bool) -> str:
    def text(item: Described) -> str:
        return type_text(item, depth - 1, values=values)

    rest = "any" if value.items is None else text(value.items)
    if value.prefix:
        first = [*map(text, value.prefix[:MAX_MEMBERS]), *(["…"] if len(value.prefix) > MAX_MEMBERS else [])]
        more = {"nothing": [], "any": ["…"]}.get(rest, [f"{rest}…"])
        return f"array of [{', '.join([*first, *more])}]"
    return "array" if rest == "any" else f"array of {f'({rest})' if ' | ' in rest else rest}"


def _joined(parts: list[str]) -> str:
    parts = list(dict.fromkeys(parts))
    more = [f"… {len(parts) - MAX_MEMBERS} more"] if len(parts) > MAX_MEMBERS else []
    return " | ".join([*parts[:MAX_MEMBERS], *more])
