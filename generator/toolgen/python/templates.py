"""Generated modules as text; a template sees one variable, `module`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from toolgen.codegen.check_function import CheckFunction
from toolgen.codegen.code import Code


@dataclass(frozen=True, slots=True)
class ToolModule:
    """What `tool.py.jinja` renders: one tool's checks and its `Tool`."""

    source_hash: Code
    docstring: Code
    name: Code
    tool_name: Code
    description: Code
    schema: Code
    metadata: Code | None
    """What the spec has besides: its title, annotations, output schema and icons."""
    models_package: Code
    payload_class: Code
    payload_class_literal: Code
    imports: Sequence[tuple[Code, Sequence[Code]]]
    constants: Sequence[tuple[Code, Code]]
    functions: Sequence[CheckFunction]
    notes: list[Code]
    """Whether the checks ask for types in the way that a comment explains."""
    count_keys: Code | None
    """The function that counts the keys of a valid payload, where there is one."""
    secrets: Code | None
    """The constant that says where a payload's secrets are, where it can have any."""


@dataclass(frozen=True, slots=True)
class MemoryModule:
    """What `memory.py.jinja` renders: one tool's checks alone, for a module without a file."""

    imports: Sequence[tuple[Code, Sequence[Code]]]
    constants: Sequence[tuple[Code, Code]]
    functions: Sequence[CheckFunction]
    notes: list[Code]
    count_keys: Code | None


@dataclass(frozen=True, slots=True)
class ModelsModule:
    """What `models.py.jinja` renders: one tool's payload classes, bound to their checks."""

    source_hash: Code
    docstring: Code
    name: Code
    tool_name: Code
    payload_class: Code
    classes: Code
    class_literals: Sequence[Code]
    imports: Sequence[tuple[Code, Sequence[Code]]]
    constants: Sequence[tuple[Code, Code]]
    functions: Sequence[CheckFunction]
    notes: list[Code]
    """Whether the checks ask for types in the way that a comment explains."""
    checks: Sequence[Code]
    """The checks of nested classes that the tool's module has."""
    bindings: Sequence[tuple[Code, Code, Code | None]]
    """(class, the name of its check, its secrets) of the nested classes."""
    secrets: Code | None
    """The tool's own, where a payload can have any."""


@dataclass(frozen=True, slots=True)
class IndexModule:
    """What `index.py.jinja` renders: (tool name, module) of one toolset."""

    api_version: Code
    tools: Sequence[tuple[Code, Code]]


@dataclass(frozen=True, slots=True)
class IndexStub:
    """What `index.pyi.jinja` renders: (tool name, module, payload class) of one toolset."""

    models: Code
    tools: Sequence[tuple[Code, Code, Code]]


@dataclass(frozen=True, slots=True)
class NamespacesModule:
    """What `namespaces.py.jinja` renders: (file stem, subpackage) of each toolset."""

    api_version: Code
    namespaces: Sequence[tuple[Code, Code]]


@dataclass(frozen=True, slots=True)
class ClientModule:
    """What `client.py.jinja` renders: (method, tool) of one toolset."""

    methods: Sequence[tuple[Code, Code]]


@dataclass(frozen=True, slots=True)
class ClientStub:
    """What `client.pyi.jinja` renders: the types of parameters and results, and the methods in both forms."""

    typing: Sequence[Code]
    types: Sequence[Code]
    blocking: Sequence[Code]
    methods: Sequence[Code]


Module = (
    ToolModule
    | MemoryModule
    | ModelsModule
    | IndexModule
    | IndexStub
    | NamespacesModule
    | ClientModule
    | ClientStub
)
_TEMPLATES: dict[type[Module], str] = {
    ToolModule: "tool.py.jinja",
    MemoryModule: "memory.py.jinja",
    ModelsModule: "models.py.jinja",
    IndexModule: "index.py.jinja",
    IndexStub: "index.pyi.jinja",
    NamespacesModule: "namespaces.py.jinja",
    ClientModule: "client.py.jinja",
    ClientStub: "client.pyi.jinja",
}


_BLANK_LINES = re.compile(r"\n{4,}")


def render(module: Module) -> str:
    """Return the text of a generated module.

    Raises:
        TypeError: a template was given text where it takes `Code`.
    """
    text = _environment().get_template(_TEMPLATES[type(module)]).render(module=module)
    return _BLANK_LINES.sub("\n\n\n", text).rstrip("\n") + "\n"


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("toolgen_templates", "."),
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        autoescape=False,  # nothing but Code gets through `_only_code`
        finalize=_only_code,
        trim_blocks=False,
        keep_trailing_newline=True,
    )


def _only_code(value: Any) -> str:
    if isinstance(value, Code):
        return value.text
    raise TypeError(f"a template may only render Code, not {type(value).__name__}")
