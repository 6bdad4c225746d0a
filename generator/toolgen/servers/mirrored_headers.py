"""What a request repeats in HTTP headers (MCP 2026-07-28, basic/transports/streamable-http, "Request Headers").

`Mcp-Method` and `Mcp-Name` repeat the method and the name, `Mcp-Param-X` an argument whose property says
`"x-mcp-header": "X"`. A server refuses a request whose headers say something else than its body (-32020).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolgen.servers.messages import params_of

METHOD: Final = "mcp-method"
NAME: Final = "mcp-name"
PARAM: Final = "mcp-param-"
PROTOCOL_VERSION: Final = "mcp-protocol-version"
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter `Mcp-Name` repeats."""
_PLAIN: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?|")
_ENCODED: Final = re.compile(r"=\?base64\?(.*)\?=")
_DECIMAL: Final = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_MIRRORED: Final = ("string", "integer", "number", "boolean")
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
"""RFC 9110, section 5.6.2."""

Path = tuple[str, ...]


def mirrored(message: Mapping[str, Any], schema: Any) -> dict[str, str]:
    """Return the headers that repeat parts of a request, by their names in lower case.

    `schema` is the input schema of the tool that a call names; None where it is not known.
    """
    headers = {METHOD: str(message.get("method"))}
    params = params_of(message)
    name = params.get(_NAMED.get(headers[METHOD], ""))
    if isinstance(name, str):
        headers[NAME] = encoded(name)
    return headers | param_headers(params.get("arguments"), schema)


def param_headers(arguments: Any, schema: Any) -> dict[str, str]:
    """Return the headers that repeat arguments, by their names in lower case."""
    texts = {header: _text(_at(arguments, path)) for path, header in _places(schema).items()}
    return {header: encoded(text) for header, text in texts.items() if text is not None}


def agree(headers: Iterable[tuple[str, str]], message: Mapping[str, Any], schema: Any) -> bool:
    """Return whether headers of a request, their names in lower case, say what its body says.

    A request with none of them is of an earlier protocol, and agrees.
    """
    sent: dict[str, str] = {}
    for name, value in headers:
        if name in (METHOD, NAME) or name.startswith(PARAM):
            if name in sent:
                return False
            sent[name] = value
    if not sent:
        return True
    due = mirrored(message, schema)
    known = {METHOD, NAME, *_places(schema).values()}
    return all(_same(sent.get(name), due.get(name)) for name in known)


def encoded(text: str) -> str:
    """Return a text as the value of a header: as it is where it is plain, else in Base64."""
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


def _decoded(value: str) -> str | None:
    match = _ENCODED.fullmatch(value)
    if match is None:
        return value
    try:
        return base64.b64decode(match[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _same(sent: str | None, due: str | None) -> bool:
    if sent is None or due is None:
        return sent is due
    one, other = _decoded(sent.strip(" \t")), _decoded(due)
    return one is not None and other is not None and _canonical(one) == _canonical(other)


def _canonical(text: str) -> str:
    """Return a number without a fraction of zeros: 42.0 is 42 to the specification."""
    match = _DECIMAL.fullmatch(text)
    return match[1] if match else text


def _places(schema: Any) -> dict[Path, str]:
    """Return the header of each argument that has one, by the properties that lead to it.

    Only those that the specification allows: a property that nothing but `properties` leads to, of a simple type.
    """
    found: dict[Path, str] = {}
    waiting: list[tuple[Path, Any]] = [((), schema)]
    while waiting:
        path, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        header = node.get("x-mcp-header")
        if path and isinstance(header, str) and _TOKEN.fullmatch(header) and node.get("type") in _MIRRORED:
            found[path] = PARAM + header.lower()
        properties = node.get("properties")
        if isinstance(properties, dict):
            waiting += [((*path, key), value) for key, value in properties.items()]
    return found


def _at(arguments: Any, path: Path) -> Any:
    for key in path:
        arguments = arguments.get(key) if isinstance(arguments, dict) else None
    return arguments


def _text(value: Any) -> str | None:
    """Return what a header says of an argument; None where it is absent, null, or not a simple value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        try:
            return str(value)
        except ValueError:  # an integer of more digits than Python writes
            return None
    return None
