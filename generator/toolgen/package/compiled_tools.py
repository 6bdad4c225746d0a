"""Keep tools that were compiled in memory, and decide how long they are kept."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from threading import Lock, RLock
from types import ModuleType
from typing import Any, Final

from toolgen.compiler.diagnostics import Diagnostic, Place
from toolgen.compiler.python.identifiers import Identifier, class_name
from toolgen.compiler.python.layout import MODELS as MODELS_FOLDER
from toolgen.compiler.python.package import ToolSource
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.package.extras import MODELS, require
from toolgen.package.memory_modules import load_module, release
from toolgen_runtime.validation.tool import Tool

MOST_KEPT: Final = 1_000
"""The number of tools that stay compiled without being referred to, if the caller asks for this."""

_numbers = count(1)


class _Source:
    """The source of a tool's modules: a schema graph or, after `shrink`, JSON text that is a tenth as large."""

    __slots__ = ("_graph", "_options", "metadata", "module", "schema", "spec")

    def __init__(self, source: ToolSource, options: LowerOptions) -> None:
        self._graph: ToolSource | None = source
        self._options = options
        self.spec = source.spec
        self.module: Identifier = source.module
        self.schema = ""
        """The input schema as JSON, once the source is shrunk."""
        self.metadata = ""
        """The spec's metadata as JSON, if it has any, once the source is shrunk."""

    def shrink(self) -> None:
        """Keep JSON text instead of the graph, to save memory, unless the schema depends on files that may
        change.
        """
        spec = self.spec
        self.schema = _json(spec.schema)
        if spec.metadata:
            self.metadata = _json(spec.metadata)
        if not self._options.has_other_documents:
            self.spec = ToolSpec(spec.name, spec.description, True, spec.place, spec.schema_place)
            self._graph = None

    def made(self) -> ToolSource:
        """Return the source of the tool's modules. The texts are the same each time."""
        if self._graph is not None:
            return self._graph
        spec = replace(self.spec, schema=json.loads(self.schema))
        root = lower(spec, self._options).root
        assert root is not None, "it has been lowered before"
        return ToolSource(spec, root, self.module)


class CompiledTool:
    """A package in memory with one tool. Each of its modules is compiled when it is first used.

    The modules are in `sys.modules`, where pydantic and pickle look for them, as long as something refers to this
    object, to its tool, or to a toolset with the tool.
    """

    def __init__(
        self, source: ToolSource, options: LowerOptions, key: bytes, diagnostics: Sequence[Diagnostic]
    ) -> None:
        """Create the package. `key` is the digest of its sources.

        The name contains the digest, so another process never loads a pickled payload as one of a different tool.
        """
        self.name = f"_toolgen_compiled_{next(_numbers)}_{key[:8].hex()}"
        self.key = key
        self._source = _Source(source, options)  # modules refer to this, and not to the CompiledTool
        self._diagnostics = tuple(diagnostics)
        self._tool: weakref.ref[Tool[Any]] | None = None  # weak, because the tool refers to this object
        self._kept: Tool[Any] | None = None
        self._keep = False
        self._modules: dict[str, ModuleType] = {}
        # Held while a module is run and its classes are completed: threads must not do that at the same time.
        self._lock = RLock()
        weakref.finalize(self, release, self._modules).atexit = False

    def tool(self) -> Tool[Any]:
        """Return the tool, which is the same object for all toolsets and threads."""
        with self._lock:
            if self._tool is None:
                tool = None
            else:
                tool = self._tool()
            if tool is None:
                tool = self._made()
                self._tool = weakref.ref(tool)
            if self._keep:
                self._kept = tool
            return tool

    def diagnostics(self, spec: ToolSpec) -> Iterator[Diagnostic]:
        """Yield the diagnostics of the compilation, with places in `spec`, which has the same text as the
        compiled spec.
        """
        before, now = self._source.spec.schema_place, spec.schema_place
        for diagnostic in self._diagnostics:
            below = diagnostic.place.pointer.removeprefix(before.pointer)
            yield replace(diagnostic, place=Place(now.file, now.pointer + below))

    def keep(self, keep: bool) -> None:
        """Set whether the tool stays compiled even if nothing else uses it.

        This takes effect once the tool is created.
        """
        with self._lock:
            self._keep = keep
            if keep and self._tool is not None:
                self._kept = self._tool()
            else:
                self._kept = None

    def _made(self) -> Tool[Any]:
        source = self._source
        module = self._module(source.module, lambda: source.made().memory_text())
        if not source.schema:
            source.shrink()
        vars(module)["SCHEMA"] = source.schema  # the payload classes import it
        return Tool(
            name=source.spec.name,
            description=source.spec.description,
            schema=source.schema,
            validate=module.validate,
            payload_type=self._payload_type,
            count_keys=getattr(module, "COUNT_KEYS", None),
            secrets=getattr(module, "SECRETS", None),
            metadata=source.metadata,
        )

    def _payload_type(self) -> type[Any]:
        require(MODELS)
        with self._lock:
            for package in (self.name, f"{self.name}.{MODELS_FOLDER}"):  # pickle imports these first
                self._modules[package] = sys.modules.setdefault(package, ModuleType(package))
            source = self._source
            compiled = self._module(f"{MODELS_FOLDER}.{source.module}", lambda: source.made().models_text())
            payload_type: type[Any] = getattr(compiled, class_name(source.spec.name))
            payload_type.model_rebuild()  # needs the module in `sys.modules`
            return payload_type

    def _module(self, path: str, text: Callable[[], str]) -> ModuleType:
        full = f"{self.name}.{path}"
        with self._lock:
            compiled = self._modules.get(full)
            if compiled is None:
                compiled = self._modules[full] = load_module(full, text)
            return compiled


class CompiledTools:
    """Compiled tools by digest: all that are in use, and the ones that were kept last."""

    def __init__(self, most_kept: int = MOST_KEPT) -> None:
        self._most_kept = most_kept
        self._held: weakref.WeakValueDictionary[bytes, CompiledTool] = weakref.WeakValueDictionary()
        self._kept: OrderedDict[bytes, CompiledTool] = OrderedDict()
        self._lock = Lock()

    def find(self, key: bytes) -> CompiledTool | None:
        """Return the tool with the digest `key`, if it is still compiled."""
        return self._held.get(key)

    def add(self, made: CompiledTool) -> CompiledTool:
        """Add a tool and return it. If another thread has added one with the same digest, return that one."""
        return self._held.setdefault(made.key, made)

    def keep(self, tools: Iterable[CompiledTool]) -> None:
        """Keep these tools compiled, and release those that have been kept for the longest time."""
        with self._lock:
            for tool in tools:
                tool.keep(True)
                self._kept[tool.key] = tool
                self._kept.move_to_end(tool.key)
            while len(self._kept) > self._most_kept:
                self._kept.popitem(last=False)[1].keep(False)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def digest_of(spec: ToolSpec, module: str, options: LowerOptions) -> bytes:
    """Return a digest of everything that a compiled tool depends on.

    If this includes files, which may change, the digest is new each time.
    """
    if options.has_other_documents:
        return os.urandom(32)
    parts = (spec.name, spec.description, spec.schema, spec.metadata)
    text = _json([module, options.formats, options.slow_patterns, options.slow_tools, *parts])
    return hashlib.sha256(text.encode()).digest()
