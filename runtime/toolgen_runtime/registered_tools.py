"""`RegisteredTools`: tools by the names that a model sees, and what their schemas say.

A name is all that registering costs: a tool is loaded when it is first asked for, its schema read when the
first fact of it is.
"""

from __future__ import annotations

from _collections_abc import Mapping  # as in `collections.abc`, without loading `collections`
from _thread import allocate_lock  # as in `threading`

from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import Toolset, Toolsets, UnknownNameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from toolgen_runtime.schema.facts import SchemaFacts
    from toolgen_runtime.validation.issues import ValidationIssue


class RegisteredTools:
    """Toolsets under the names that a model sees. It is a collection of these names.

    Reading during registration is safe: names are added all at once.
    """

    def __init__(self, secret_names: frozenset[str] = frozenset()) -> None:
        """Make a collection without tools; `secret_names` are keys, folded, whose values are secret in any schema."""
        self.secret_names = secret_names
        self._tools: dict[str, tuple[Mapping[str, Tool[Any]], str]] = {}
        self._found: dict[str, Tool[Any]] = {}
        self._facts: dict[str, SchemaFacts] = {}
        self._registering = allocate_lock()

    def register(self, toolset: Mapping[str, Tool[Any]], prefix: str = "") -> None:
        """Add all tools of a toolset, each as `prefix` + its own name.

        The tools of several toolsets by their names, as a package of namespaces has them, get the toolset's name
        before their own: `github_create_issue`.

        Raises:
            TypeError: `toolset` is not a mapping from names to tools, or to toolsets.
            ValueError: a name is there already, or twice among these; nothing is added then.
        """
        _refuse_other_things(toolset)
        added: dict[str, tuple[Mapping[str, Tool[Any]], str]] = {}
        twice: list[str] = []
        for before, each in _each_toolset(toolset):
            for own_name in each:
                name = f"{prefix}{before}{own_name}"
                if name in self._tools or added.setdefault(name, (each, own_name)) != (each, own_name):
                    twice.append(name)
        with self._registering:
            taken = twice or [name for name in added if name in self._tools]
            if taken:
                names = ", ".join(map(repr, taken[:5])) + (", …" if len(taken) > 5 else "")
                raise ValueError(f"already registered: {names}; give this toolset a prefix")
            self._tools = {**self._tools, **added}

    def find(self, name: str) -> Tool[Any] | None:
        """Return the tool that the model knows by this name."""
        tool = self._found.get(name)
        if tool is None and name in self._tools:
            toolset, own_name = self._tools[name]
            tool = self._found[name] = toolset[own_name]
        return tool

    def function_name(self, name: str) -> str:
        """Return the name of a tool as Python can have it: that of its module, as clients and stubs use it."""
        toolset, own_name = self._tools[name]
        module = getattr(toolset, "modules", {}).get(own_name, own_name)
        prefix = "".join(c if c.isalnum() else "_" for c in name.removesuffix(own_name))
        return f"{prefix}{module}"

    def names(self) -> list[str]:
        """Return every name, as the model sees it, in the order of registration."""
        return list(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} tools)"

    # -- schema facts ---------------------------------------------------------------------------------------

    def required_property_keys(self, tool: str) -> tuple[str, ...]:
        """Return the keys that every payload of the tool must have, in the schema's order.

        This and the methods below raise `KeyError` where there is no such tool.
        """
        from toolgen_runtime.schema import lookup

        return lookup.required_keys(self.facts_of(tool))

    def property_description(self, tool: str, key: str) -> str | None:
        """Return a property's description, None without one; keys are dotted: `parent.child`, `rows[].qty`."""
        from toolgen_runtime.schema import lookup

        return lookup.description(self.facts_of(tool), key)

    def allowed_enum_values(self, tool: str, key: str) -> tuple[Any, ...]:
        """Return the values that `enum` or `const` allow, null included; none where they are not listed."""
        from toolgen_runtime.schema import lookup

        return lookup.allowed_values(self.facts_of(tool), key)

    def format_for(self, tool: str, key: str) -> str | None:
        """Return the `format` of a property; None where it has none."""
        from toolgen_runtime.schema import lookup

        return lookup.format_of(self.facts_of(tool), key)

    def canonical_key(self, tool: str, key: str) -> str | None:
        """Return the schema's own spelling of a dotted key; None where no property, or more than one, is meant.

        `startDate`, `start-date` and `START_DATE` are spellings of each other: case and separators are folded.
        """
        from toolgen_runtime.schema import lookup

        return lookup.canonical_key(self.facts_of(tool), key)

    def unknown_keys(self, tool: str, payload: Any) -> list[ValidationIssue]:
        """Return an issue for each key that the tool's schema lets pass and neither names nor describes.

        Their constraint is `unknownKey`. `payload` is expected to be valid.
        """
        from toolgen_runtime.schema.unknown_keys import unknown_keys

        return unknown_keys(self.facts_of(tool), payload)

    def facts_of(self, tool: str) -> SchemaFacts:
        """Return all facts of a tool's schema."""
        facts = self._facts.get(tool)
        if facts is None:
            found = self.find(tool)
            if found is None:
                raise UnknownNameError("tool", tool, self._tools)
            from toolgen_runtime.schema import facts as schema_facts

            names = self.secret_names
            facts = schema_facts.SchemaFacts(found.schema, names) if names else schema_facts.facts_of(found)
            self._facts[tool] = facts
        return facts


def _refuse_other_things(toolset: object) -> None:
    """Raise a `TypeError` that says what to register in place of a tool, or a list of them."""
    if isinstance(toolset, Tool):
        raise TypeError(f"register takes a toolset: for one tool, pass {{{toolset.name!r}: tool}}")
    if not isinstance(toolset, Mapping):
        kind = type(toolset).__name__
        raise TypeError(f"register takes a toolset or a mapping from names to tools, not a {kind}")


def are_toolsets(tools: object) -> bool:
    """Return whether something maps names to toolsets, not to tools."""
    if isinstance(tools, Toolsets):
        return True
    first = next(iter(tools.values()), None) if isinstance(tools, Mapping) and type(tools) is dict else None
    return isinstance(first, Toolset)


def _each_toolset(given: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Tool[Any]]]]:
    """Yield (the prefix of its tools, toolset) for one toolset or several."""
    if are_toolsets(given):
        for name, toolset in given.items():
            yield f"{name}_", toolset
    else:
        yield "", given
