"""What differs between a structured result and the output schema of its tool: notes, never a failure.

MCP asks clients to check structured results (2025-11-25, server/tools, "Output Schema"); a result that differs is still
what the tool gave.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from toolgen_runtime.mcp_result import McpResult
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, field_of
from toolgen_runtime.validation.tool import Tool

MAX_NOTED = 3
"""Differences that the notes name."""
_log = logging.getLogger("toolgen_runtime.calls")
_checks: WeakKeyDictionary[Tool[Any], Tool[Any] | None] = WeakKeyDictionary()
"""The tools of output schemas by the tools that have them; None where one cannot be compiled."""
_compiling = Lock()


def differences(tool: Tool[Any], value: Any, read: McpResult | None) -> Sequence[ValidationIssue]:
    """Return what differs between a result and its tool's output schema.

    Args:
        tool: the tool; one without an output schema says nothing of its results.
        value: the result as JSON.
        read: the same as an MCP result, whose structured content counts, if there is any.

    Raises:
        ImportError: there is a schema to compile, and `toolgen[dynamic]` is not installed.
    """
    if read is not None:
        value = read.structured
    elif not isinstance(value, (dict, list)):
        return ()
    if value is MISSING:
        return ()
    check = _check_of(tool)
    return () if check is None else check.validate(value)


def notes(issues: Sequence[ValidationIssue]) -> list[str]:
    """Return the differences as lines for the model."""
    from toolgen_runtime.hints.text import shown

    named = [f"{shown(field_of(i.path)) if i.path else 'it'} ({i.constraint})" for i in issues[:MAX_NOTED]]
    more = f" and {len(issues) - MAX_NOTED} more" if len(issues) > MAX_NOTED else ""
    return [f"Note: the result is not as the tool declares it: {', '.join(named)}{more}."]


def _check_of(tool: Tool[Any]) -> Tool[Any] | None:
    with _compiling:
        if tool not in _checks:
            _checks[tool] = _compiled(tool)
        return _checks[tool]


def _compiled(tool: Tool[Any]) -> Tool[Any] | None:
    from toolgen_runtime.dynamic import tools_of

    schema = tool.output_schema
    if schema is None:
        return None
    tools = tools_of([{"name": tool.name, "schema": schema}], keep_going=True)
    if not tools:
        _log.warning("%s: its output schema cannot be compiled, so its results are not checked", tool.name)
    return tools.get(tool.name)
