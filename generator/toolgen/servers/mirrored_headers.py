"""What a request repeats in HTTP headers (MCP 2026-07-28, basic/transports/streamable-http, "Request Headers").

`Mcp-Method` and `Mcp-Name` repeat the method and the name, `Mcp-Param-X` an argument whose property says
`"x-mcp-header": "X"`. The rules are those of mcp 2; with mcp 1, which does not speak this version, only the first two.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from toolgen.servers.messages import params_of

METHOD: Final = "mcp-method"
NAME: Final = "mcp-name"
PARAM: Final = "mcp-param-"
PROTOCOL_VERSION: Final = "mcp-protocol-version"
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter `Mcp-Name` repeats."""


@cache
def _rules() -> Any:
    """Return the rules of mcp 2, None with mcp 1; loading it takes 30 MiB, which few requests need."""
    try:
        from mcp.shared import inbound
    except ImportError:
        return None
    return inbound


def mirrored(message: Mapping[str, Any], schema: Any) -> dict[str, str]:
    """Return the headers that repeat parts of a request, by their names in lower case.

    `schema` is the input schema of the tool that a call names; None where it is not known.
    """
    headers = {METHOD: str(message.get("method"))}
    rules = _rules()
    name = params_of(message).get(_NAMED.get(headers[METHOD], ""))
    if isinstance(name, str):
        headers[NAME] = name if rules is None else rules.encode_header_value(name)
    return headers | param_headers(params_of(message).get("arguments"), schema)


def param_headers(arguments: Any, schema: Any) -> dict[str, str]:
    """Return the headers that repeat arguments, by their names in lower case."""
    if not isinstance(arguments, dict) or not isinstance(schema, dict) or _rules() is None:
        return {}
    rules = _rules()
    if rules.find_invalid_x_mcp_header(schema) is not None:
        return {}
    found = rules.mcp_param_headers(rules.x_mcp_header_map(schema), arguments)
    return {name.lower(): value for name, value in found.items()}


def agree(headers: Mapping[str, str], message: Mapping[str, Any], schema: Any) -> bool:
    """Return whether headers of a request, their names in lower case, say what its body says.

    A request with none of them is of an earlier protocol, and agrees.
    """
    sent = {
        name: value for name, value in headers.items() if name in (METHOD, NAME) or name.startswith(PARAM)
    }
    if not sent or _rules() is None:
        return True
    due = mirrored(message, None)
    arguments = params_of(message).get("arguments")
    if any(sent.get(name) != due.get(name) for name in (METHOD, NAME)) or not isinstance(arguments, dict):
        return False
    return bool(_rules().validate_mcp_param_headers(schema, arguments, sent) is None)
