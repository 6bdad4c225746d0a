"""What the modules of a compiled tool are written from, kept as a text once they are there."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from toolgen.diagnostics import Place
from toolgen.python.identifiers import Identifier, class_name
from toolgen.python.package import ToolSource
from toolgen.schema.lower import LowerOptions, lower
from toolgen.specs.tool_spec import ToolSpec


class CompactSource:
    """The source of one tool: a schema graph, and after `shrink` a JSON text, which takes a tenth of the memory."""

    __slots__ = ("_graph", "_options", "_spec", "metadata", "module", "schema")

    def __init__(self, source: ToolSource, options: LowerOptions) -> None:
        """Begin with the graph that a spec was lowered to, with these options."""
        self._graph: ToolSource | None = source
        self._options = options
        self._spec = source.spec
        self.module: Identifier = source.module
        self.schema = ""
        """The input schema as JSON, once the source is shrunk."""
        self.metadata = ""
        """What the spec has besides as JSON, where it has anything; once the source is shrunk."""

    @property
    def name(self) -> str:
        """The tool's name."""
        return self._spec.name

    @property
    def description(self) -> str:
        """The tool's description."""
        return self._spec.description

    @property
    def schema_place(self) -> Place:
        """The place of the schema that the tool was lowered from."""
        return self._spec.schema_place

    @property
    def payload_class(self) -> Identifier:
        """The name of the tool's own payload class."""
        return class_name(self.name)

    def checks_text(self) -> str:
        """Return the module of the tool's checks, the same text at each call."""
        return self._made().memory_text()

    def models_text(self) -> str:
        """Return the module of the payload classes, the same text at each call."""
        return self._made().models_text()

    def shrink(self) -> None:
        """Let the graph go; where it was lowered from files, which may change, it is kept."""
        spec = self._spec
        self.schema = _json(spec.schema)
        self.metadata = _json(spec.metadata) if spec.metadata else ""
        if not self._options.ref_dirs:
            self._spec = ToolSpec(spec.name, spec.description, True, spec.place, spec.schema_place)
            self._graph = None

    def _made(self) -> ToolSource:
        graph = self._graph
        if graph is None:
            spec = replace(self._spec, schema=json.loads(self.schema))
            root = lower(spec, self._options).root
            assert root is not None, "it has been lowered before"
            graph = ToolSource(spec, root, self.module)
        return graph


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
