"""The tools of one generated package (`Toolset`), and the toolsets of a package built with `--namespace`
(`Toolsets`).

Every generated package loads this module when it is imported, so the module imports very little itself and loads no
tool.
"""

from __future__ import annotations

# As in `collections.abc`, without loading `collections` for a package's first check (see `helpers`).
from _collections_abc import Mapping

from toolgen_runtime.exports import ModuleObject, imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from toolgen_runtime.payloads.payload import Payload
    from toolgen_runtime.validation.tool import Tool


class UnknownNameError(KeyError):
    """The error for an unknown name. Its text lists similar names."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        super().__init__(name)
        self._kind = kind
        self._known = known

    def __str__(self) -> str:
        from toolgen_runtime.hints.names import by_likeness, likeness

        name, known = self.args[0], list(self._known)
        near = []
        if type(name) is str:
            near = [n for n in by_likeness(name, known, likeness)[:3] if likeness(name, n) is not None]
        asked = ""
        if near:
            asked = f"; did you mean {' or '.join(map(repr, near))}?"
        return f"there is no {self._kind} {name!r}{asked}"

    def __reduce__(self) -> tuple[Any, ...]:
        return UnknownNameError, (self._kind, self.args[0], list(self._known))


class _Named(ModuleObject):
    """The base class of toolsets: a package, and the module for each name in it."""

    __slots__ = ("__weakref__", "modules", "package")
    _holds = "tools"

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        self.package = package
        self.modules = modules
        """The module of each name; for a tool, its name as a Python identifier."""

    def __contains__(self, name: object) -> bool:
        return name in self.modules

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)

    def _place(self) -> tuple[str, str]:
        return self.package, type(self).__name__.lower()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.package!r}, {len(self)} {self._holds})"


class Toolset(_Named, Mapping["str", "Tool[Payload]"]):
    """The tools of one generated package, as a mapping by name. A tool's module is loaded on first use.

    Every access to a name returns the same `Tool`, in all threads.
    """

    __slots__ = ("_load", "_tools")

    def __init__(
        self,
        package: str,
        modules: Mapping[str, str],
        load: Callable[[str], Tool[Payload]] | None = None,
    ) -> None:
        """Create a toolset.

        `modules` maps each tool to its module in `package`, and `load` returns the tool of a module.
        """
        super().__init__(package, modules)
        self._tools: dict[str, Tool[Payload]] = {}
        self._load = load or self._import

    def _import(self, module: str) -> Tool[Payload]:
        tool: Tool[Payload] = imported(f"{self.package}.{module}", "tool")
        return tool

    def __getitem__(self, name: str) -> Tool[Payload]:
        tool = self._tools.get(name)
        if tool is None:
            module = self.modules.get(name)
            if module is None:
                raise UnknownNameError("tool", name, self.modules)
            tool = self._tools.setdefault(name, self._load(module))
        return tool


class Toolsets(_Named, Mapping["str", "Toolset"]):
    """The toolsets of a package built with `--namespace`, by the names of their spec files (without the
    extension).
    """

    __slots__ = ()
    _holds = "toolsets"

    def __getitem__(self, stem: str) -> Toolset:
        package = self.modules.get(stem)
        if package is None:
            raise UnknownNameError("toolset", stem, self.modules)
        toolset: Toolset = imported(f"{self.package}.{package}", "toolset")
        return toolset


def are_toolsets(tools: object) -> bool:
    """Return whether a mapping contains toolsets, not tools."""
    if isinstance(tools, Toolsets):
        return True
    if isinstance(tools, Mapping) and type(tools) is dict:
        first = next(iter(tools.values()), None)
    else:
        first = None
    return isinstance(first, Toolset)
