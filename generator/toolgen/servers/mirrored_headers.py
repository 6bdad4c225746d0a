"""What a request repeats in HTTP headers (MCP 2026-07-28, basic/transports/streamable-http, "Request Headers").

`Mcp-Method` and `Mcp-Name` repeat the method and the name, `Mcp-Param-X` an argument whose property says
`"x-mcp-header": "X"`. The rules are those of mcp 2; with mcp 1, which does not speak this version, only the first two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.servers.messages import params_of

try:
    from mcp.shared import inbound
except ImportError:  # mcp 1
    inbound = None  # type: ignore[assignment]

METHOD: Final = "mcp-method"
NAME: Final = "mcp-name"
PARAM: Final = "mcp-param-"
PROTOCOL_VERSION: Final = "mcp-protocol-version"
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter `Mcp-Name` repeats."""


def mirrored(message: Mapping[str, Any], schema: Any) -> dict[str, str]:
    """Return the headers that repeat parts of a request, by their names in lower case.

    `schema` is the input schema of the tool that a call names; None where it is not known.
    """
    headers = {METHOD: str(message.get("method"))}
    name = params_of(message).get(_NAMED.get(headers[METHOD], ""))
    if isinstance(name, str):
        headers[NAME] = name if inbound is None else inbound.encode_header_value(name)
    return headers | param_headers(params_of(message).get("arguments"), schema)


def param_headers(arguments: Any, schema: Any) -> dict[str, str]:
    """Return the headers that repeat arguments, by their names in lower case."""
    if inbound is None or not isinstance(arguments, dict) or inbound.find_invalid_x_mcp_header(schema):
        return {}
    found = inbound.mcp_param_headers(inbound.x_mcp_header_map(schema), arguments)
    return {name.lower(): value for name, value in found.items()}


def agree(headers: Mapping[str, str], message: Mapping[str, Any], schema: Any) -> bool:
    """Return whether headers of a request, their names in lower case, say what its body says.

    A request with none of them is of an earlier protocol, and agrees.
    """
    sent = {
        name: value for name, value in headers.items() if name in (METHOD, NAME) or name.startswith(PARAM)
    }
    if not sent or inbound is None:
        return True
    due = mirrored(message, None)
    arguments = params_of(message).get("arguments")
    if any(sent.get(name) != due.get(name) for name in (METHOD, NAME)) or not isinstance(arguments, dict):
        return False
    return inbound.validate_mcp_param_headers(schema, arguments, sent) is None
