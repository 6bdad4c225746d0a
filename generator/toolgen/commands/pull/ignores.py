"""Keep `x-toolgen-ignore` in a spec file that is pulled again."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from toolgen.commands.lint.run import IGNORE
from toolgen_runtime.schema.raw import each_schema


def with_ignores(tools: Sequence[dict[str, Any]], before: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add the ignored codes of the earlier schemas to a server's tools, wherever the schemas still exist."""
    ignored = {str(tool.get("name")): _ignores(tool.get("inputSchema")) for tool in before}
    found: list[dict[str, Any]] = []
    for tool in tools:
        kept = ignored.get(str(tool["name"]), {})
        if kept:
            tool = deepcopy(tool)
            for steps, schema in each_schema(tool["inputSchema"]):
                if steps in kept:
                    schema.setdefault(IGNORE, kept[steps])
        found.append(tool)
    return found


def _ignores(schema: Any) -> dict[tuple[str | int, ...], Any]:
    return {steps: each[IGNORE] for steps, each in each_schema(schema) if IGNORE in each}
