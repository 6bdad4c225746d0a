"""Headers that repeat arguments of a call (MCP 2026-07-28, transports, "Custom Headers from Tool
Parameters").

A tool marks a parameter with `x-mcp-header`. A client then also sends the value as the header `Mcp-Param-<name>`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from toolgen.commands.servers.messages import Json, object_of, tools_on
from toolgen_runtime.schema.raw import each_schema

HEADER_MISMATCH: Final = -32020
"""The error code that a server sends if a header is missing or has a different value."""
PREFIX: Final = "mcp-param-"
MARK: Final = "x-mcp-header"
"""The keyword that marks a parameter."""
HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Matches a valid name for a header (RFC 9110, section 5.6.2)."""
MIRRORED_TYPES: Final = ("string", "integer", "boolean")
"""The types for which MCP allows such headers. SDKs also send them for `number`."""
_MOST_SCHEMAS: Final = 10_000

Path = tuple[str, ...]


def headers_of_tools(pages: Sequence[Json]) -> dict[str, dict[Path, str]]:
    """Return the `declared_headers` of each tool that has any, from the pages of a list."""
    found = {str(tool.get("name")): declared_headers(tool.get("inputSchema")) for tool in tools_on(pages)}
    return {name: headers for name, headers in found.items() if headers}


def declared_headers(schema: Any) -> dict[Path, str]:
    """Return the header for each parameter that a tool's input schema marks. Invalid marks are ignored."""
    found: dict[Path, str] = {}
    for steps, node in islice(each_schema(schema), _MOST_SCHEMAS):
        name, is_field = node.get(MARK), {*steps[::2]} == {"properties"}
        if (
            is_field
            and isinstance(name, str)
            and HEADER_NAME.fullmatch(name)
            and node.get("type") in MIRRORED_TYPES
        ):
            found[tuple(map(str, steps[1::2]))] = PREFIX + name.lower()
    counts = Counter(found.values())
    return {path: name for path, name in found.items() if counts[name] == 1}


def param_headers(declared: Mapping[Path, str], arguments: Any) -> dict[str, str]:
    """Return the headers for a call. Parameters that are missing or null have none."""
    headers: dict[str, str] = {}
    for path, name in declared.items():
        value = arguments
        for key in path:
            value = object_of(value).get(key)
        text = _text_of(value)
        if text is not None:
            headers[name] = encoded(text)
    return headers


def _text_of(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int):
        with suppress(ValueError):  # it has thousands of digits
            return str(value)
    return value if isinstance(value, str) else None


def encoded(text: str) -> str:
    """Encode a text as the value of a header, as base64 if a header could not contain it otherwise."""
    is_plain = text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?")
    if is_plain:
        return text
    return f"=?base64?{b64encode(text.encode()).decode()}?="


def is_header_mismatch(response: Json) -> bool:
    """Return whether a response says that the headers of a request do not match the server's tools."""
    return bool(object_of(response.get("error")).get("code") == HEADER_MISMATCH)
