"""`MergedSchemas`: a schema as it reads to people, with what its references and `allOf` say; for lists and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen_runtime.schema.pointer import PointerError, parse_fragment, resolve

MAX_MERGED: Final = 24
"""Schemas that are merged into one."""


class MergedSchemas:
    """The schemas of one document."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def merged(self, schema: Any) -> Mapping[str, Any]:
        """Return a schema with what its references and `allOf` say, its own words first; empty for a boolean."""
        if not isinstance(schema, Mapping):
            return {}
        found, waiting, seen = dict[str, Any](), [schema], set[int]()
        while waiting and len(seen) < MAX_MERGED:
            here = waiting.pop(0)
            if not isinstance(here, Mapping) or id(here) in seen:
                continue
            seen.add(id(here))
            found["properties"] = _both(here.get("properties"), found.get("properties"))
            required = [*listed(found.get("required")), *listed(here.get("required"))]
            found = {**here, **found, "required": required}
            waiting += [self._target(here.get("$ref")), *listed(here.get("allOf"))]
        return found

    def _target(self, ref: Any) -> Any:
        if not isinstance(ref, str) or not ref.startswith("#"):
            return None
        try:
            return resolve(self._root, parse_fragment(ref[1:]))
        except PointerError:  # an anchor, or nothing
            return None


def listed(value: Any) -> list[Any]:
    """Return a value that is a list, else an empty one."""
    return value if isinstance(value, list) else []


def _both(first: Any, second: Any) -> dict[str, Any]:
    return {
        **(first if isinstance(first, Mapping) else {}),
        **(second if isinstance(second, Mapping) else {}),
    }
