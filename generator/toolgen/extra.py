"""The `generator` extra: which packages it is, and what to say where one is missing."""

from __future__ import annotations

from collections.abc import Set

EXTRA = frozenset((
    "click", "datamodel_code_generator", "jinja2", "jsonschema", "jsonschema_specifications", "referencing",
    "yaml",
))  # fmt: skip
"""The packages of the `generator` extra that the generator imports, by import name."""
CLIENTS = frozenset({"mcp"})
"""The packages of other extras, each imported where a command needs it: the client of MCP servers."""
IN_MEMORY = EXTRA - {"click"}
"""Those that `compile_tools` needs."""


def advice(name: str) -> str:
    """Return the line that says what to install where the package `name` is missing."""
    return f"{name} is not installed; run: pip install 'toolgen[generator]'"


def require(names: Set[str]) -> None:
    """Refuse to go on without some packages of the extra; imports none of them.

    Raises:
        ImportError: one is missing; the message is one line that says what to install.
    """
    from importlib.util import find_spec

    for name in sorted(names):
        if find_spec(name) is None:
            raise ImportError(advice(name), name=name)
