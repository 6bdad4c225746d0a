"""The tools whose calls are audited.

They are plain data that can be sent to other processes and machines.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, Self

from toolgen.commands.audit.summary import DEFAULT_EXAMPLES, MAX_EXAMPLES
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.specs.objects import to_spec
from toolgen.compiler.tool_graph import graph_of
from toolgen.package.built_package import locate_package, tools_by_name, toolsets_of_package
from toolgen.package.compile import compile_tools
from toolgen_runtime.calls.policy import secret_keys
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.issues import ValidationIssue
from toolgen_runtime.validation.redaction import Secrets
from toolgen_runtime.validation.tool import Tool


@dataclass(frozen=True, slots=True)
class AuditTools:
    """The tools of a package or of specs, and the options for showing their calls.

    It can be hashed and pickled.
    """

    package: str = ""
    """The import name of a built package; empty if `specs` contains the tools of each file as JSON."""
    folder: str = ""
    """The folder of the package, if the package is not on Python's path."""
    specs: str = ""
    formats: Literal["assert", "annotate"] = "assert"
    ref_dirs: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    """Keys whose values are never shown, besides those that the schemas declare secret."""
    examples: int = DEFAULT_EXAMPLES
    """The number of examples to keep for each constraint."""

    @classmethod
    def of_specs(
        cls,
        specs: Any,
        *,
        formats: Literal["assert", "annotate"] = "assert",
        ref_dir: Mapping[str, str | Path] | None = None,
        secrets: Iterable[str] = (),
        examples: int = DEFAULT_EXAMPLES,
        by_file: bool = False,
    ) -> Self:
        """Create an `AuditTools` from anything that `compile_tools` accepts.

        With `by_file`, `specs` maps the name of each file to its tools. They have the names that the tools of a package
        have that was built with `--namespace`.

        Raises:
            SpecError: a tool cannot be built.
            ValueError: a name in `secrets` has no letter or digit, or `examples` is too large.
        """
        pairs = tuple((uri, str(folder)) for uri, folder in (ref_dir or {}).items())
        files = specs if by_file else {"": to_spec(specs)}
        given = cls(specs=json.dumps(files), formats=formats, ref_dirs=pairs)
        return given._shown(secrets, examples)

    @classmethod
    def of_package(
        cls, package: str, *, secrets: Iterable[str] = (), examples: int = DEFAULT_EXAMPLES
    ) -> Self:
        """Create an `AuditTools` from a built package, given its import name or its folder.

        Raises:
            SpecError: `bad-package`: the package cannot be imported, or was not built by toolgen.
            ValueError: as for `of_specs`.
        """
        return cls(*locate_package(package))._shown(secrets, examples)

    def _shown(self, secrets: Iterable[str], examples: int) -> Self:
        """Load these tools, and return them with the options for showing their calls."""
        if not 0 <= examples <= MAX_EXAMPLES:
            raise ValueError(f"examples: a number from 0 to {MAX_EXAMPLES}")
        tools = replace(self, secrets=tuple(sorted(secret_keys(secrets))), examples=examples)
        tools.load()
        return tools

    def load(self) -> LoadedTools:
        """Load and return the tools. Each process does this only once."""
        return _loaded(self)


@dataclass
class AuditedTool:
    """One tool, with everything that an audit needs."""

    tool: Tool[Any]
    data: AuditTools
    secrets: Secrets | None
    """The secrets in the schema, and the keys that the user named."""
    mistakes: dict[Hashable, Any] = field(default_factory=dict)
    """The mistakes that have been analyzed, by `key_of`."""

    def concealed(self, issues: Sequence[ValidationIssue], payload: Any) -> Sequence[ValidationIssue]:
        """Return the issues of a payload, with secrets masked."""
        return issues if self.secrets is None else self.secrets.conceal(list(issues), payload)

    @cached_property
    def schema(self) -> Schema | None:
        """The tool's schema as a graph, which is built when it is first needed."""
        return graph_of(self.tool, self.data.formats, self.data.ref_dirs)


class LoadedTools:
    """The tools of an audit by name, with a registry that writes their hints."""

    def __init__(self, tools: Mapping[str, Tool[Any]], data: AuditTools) -> None:
        self.tools = tools
        self.data = data
        self.registry = Registry(secrets=data.secrets)
        self.registry.register(tools)
        self._found: dict[str, AuditedTool] = {}

    def find(self, name: str) -> AuditedTool | None:
        """Return the tool with a given name, or None."""
        if name not in self._found and name in self.tools:
            tool = self.tools[name]
            self._found[name] = AuditedTool(tool, self.data, self.registry.policy.secrets_of(tool))
        return self._found.get(name)


@lru_cache(maxsize=8)
def _loaded(data: AuditTools) -> LoadedTools:
    if data.package:
        toolsets = toolsets_of_package(data.package, data.folder)
    else:
        toolsets = {
            file: compile_tools(specs, formats=data.formats, ref_dir=dict(data.ref_dirs))
            for file, specs in json.loads(data.specs).items()
        }
    return LoadedTools(tools_by_name(toolsets), data)
