"""Headers that repeat a request (MCP 2026-07-28, basic/transports/streamable-http, "Request Headers").

`Mcp-Method` and `Mcp-Name` repeat the method and the name, `Mcp-Param-X` an argument whose property has
`"x-mcp-header": "X"`. The rules are those of mcp 2; with mcp 1, which does not know this version, only the first two.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from toolgen.servers.http_client import Headers
from toolgen.servers.messages import Message

METHOD: Final = "mcp-method"
PARAM: Final = "mcp-param-"
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that `Mcp-Name` repeats."""


@cache
def _rules() -> Any:
    """Return the rules of mcp 2, None with mcp 1; they are loaded late, because they take 30 MiB."""
    try:
        from mcp.shared import inbound
    except ImportError:
        return None
    return inbound


def mirrored(message: Message, schema: Any) -> dict[str, str]:
    """Return the headers that repeat parts of a request; `schema` is the input schema of the called tool, or None."""
    headers, rules = {METHOD: str(message.method)}, _rules()
    name, arguments = message.params.get(_NAMED.get(str(message.method), "")), message.params.get("arguments")
    if isinstance(name, str):
        headers["mcp-name"] = name if rules is None else rules.encode_header_value(name)
    is_object = isinstance(arguments, dict) and isinstance(schema, dict)
    if not is_object or rules is None or rules.find_invalid_x_mcp_header(schema) is not None:
        return headers
    found = rules.mcp_param_headers(rules.x_mcp_header_map(schema), arguments)
    return headers | {name.lower(): value for name, value in found.items()}


def mirrored_again(headers: Headers, before: Message, after: Message, schema: Any) -> Headers:
    """Return the headers of a request that has changed.

    A header that repeated the old request repeats the new one. One that contradicted it stays, so that the server
    refuses the request.
    """
    if METHOD not in dict(headers) or before is after:
        return headers
    old, new = mirrored(before, schema), mirrored(after, schema)
    kept = [(name, new.get(name) if old.get(name) == value else value) for name, value in headers]
    added = [(name, value) for name, value in new.items() if name not in dict(headers) and name not in old]
    return [(name, value) for name, value in kept if value is not None] + added
