"""The tools that a model may call, with facts about their schemas, their hints and a policy.

Registering a tool adds only its name. The tool is loaded when it is first used, and its schema is read when a fact
about it is first needed. The code for hints is loaded when the first call fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from toolgen_runtime.calls.policy import OneProcess, Policy
from toolgen_runtime.calls.results import ResultCheck, result_check
from toolgen_runtime.schema.facts import SchemaFacts, facts_of
from toolgen_runtime.schema.unknown_keys import declared_only
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import UnknownNameError, are_toolsets

if TYPE_CHECKING:
    from toolgen_runtime.calls.adjustments import Adjuster
    from toolgen_runtime.hints.retry_hint import RetryHint


class RegisteredTools(OneProcess):
    """The registered toolsets and what is known about them. This is the part of a `Registry` that
    conversations use.

    Iterating yields the names of the tools. Other threads may read the names during a registration, because all of them
    are added in one step.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        """Begin without tools."""
        self.policy = policy or Policy()
        """The settings, checked."""
        self._tools: dict[str, tuple[Mapping[str, Tool[Any]], str]] = {}
        self._found: dict[str, Tool[Any]] = {}
        self._facts: dict[str, SchemaFacts] = {}
        self._hints: dict[tuple[Any, ...], Callable[..., RetryHint]] = {}
        self.declared_only: dict[str, Callable[[Any], bool]] = {}
        """For each tool that was called, a quick test of whether a payload has only declared keys."""
        self.result_checks: dict[str, ResultCheck | None] = {}
        """The check of the results of each tool that was called; None for a tool without a usable output schema."""
        self._adjusters: dict[tuple[str, str, str], Adjuster] = {}
        self._registering = Lock()

    def with_tools(self, toolset: Mapping[str, Tool[Any]]) -> Self:
        """Return a copy that has the same settings but other tools."""
        other = type(self)()
        other.policy = self.policy
        other.register(toolset)
        return other

    def register(self, toolset: Mapping[str, Tool[Any]], prefix: str = "") -> None:
        """Add all tools of a toolset. Each tool is named `prefix` followed by its name in the toolset.

        A mapping from names to toolsets, such as the `toolset` of a package with namespaces, is accepted too. The
        toolset's name then precedes the tool's name: `github_create_issue`.

        Raises:
            TypeError: `toolset` is not a mapping from names to tools or to toolsets.
            ValueError: a name is already registered or occurs twice; in this case, no tool is added.
        """
        if isinstance(toolset, Tool):
            raise TypeError(f"register takes a toolset: for one tool, pass {{{toolset.name!r}: tool}}")
        if not isinstance(toolset, Mapping):
            kind = type(toolset).__name__
            raise TypeError(f"register takes a toolset or a mapping from names to tools, not a {kind}")
        several: Any = toolset if are_toolsets(toolset) else {}
        parts = {f"{stem}_": each for stem, each in several.items()} or {"": toolset}
        added: dict[str, tuple[Mapping[str, Tool[Any]], str]] = {}
        twice: list[str] = []
        for before, each in parts.items():
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
            self._hints = {}  # their hints know the names of all tools

    def find(self, name: str) -> Tool[Any] | None:
        """Return the tool that the model sees under this name, or None.

        The tool also masks the registry's `secrets`.
        """
        tool = self._found.get(name)
        if tool is None and name in self._tools:
            toolset, own_name = self._tools[name]
            tool = toolset[own_name]
            secrets = self.policy.secrets_of(tool)
            if self.policy.secrets and secrets is not None:
                tool = tool.with_secrets(secrets)
            self._found[name] = tool
        return tool

    def function_name(self, name: str) -> str:
        """Return a tool's name as a Python identifier.

        It is also the name of the tool's module, as in clients and stubs.
        """
        toolset, own_name = self._tools[name]
        module = getattr(toolset, "modules", {}).get(own_name, own_name)
        prefix = "".join(c if c.isalnum() else "_" for c in name.removesuffix(own_name))
        return f"{prefix}{module}"

    def names(self) -> list[str]:
        """Return the names of all tools as the model sees them, in the order of registration."""
        return list(self._tools)

    def tools(self) -> dict[str, Tool[Any]]:
        """Return a dict of all tools by name."""
        return {name: toolset[own_name] for name, (toolset, own_name) in self._tools.items()}

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} tools)"

    def required_property_keys(self, tool: str) -> tuple[str, ...]:
        """Return the keys that every payload of the tool must have, in the schema's order.

        This method and the following ones raise `KeyError` if the tool does not exist.
        """
        return self.facts_of(tool).required_keys()

    def property_description(self, tool: str, key: str) -> str | None:
        """Return the description of a property, or None. Keys are dotted: `parent.child`, `rows[].qty`."""
        return self.facts_of(tool).text_of(key, "description")

    def allowed_enum_values(self, tool: str, key: str) -> tuple[Any, ...]:
        """Return the values that `enum` or `const` lists, including null; an empty tuple if there are none."""
        return self.facts_of(tool).allowed_values(key)

    def format_for(self, tool: str, key: str) -> str | None:
        """Return the `format` of a property, or None."""
        return self.facts_of(tool).text_of(key, "format")

    def canonical_key(self, tool: str, key: str) -> str | None:
        """Return a dotted key in the schema's spelling; None if the key matches no property or several.

        Case and separators are ignored: `startDate`, `start-date` and `START_DATE` are the same key.
        """
        return self.facts_of(tool).canonical_key(key)

    def facts_of(self, tool: str) -> SchemaFacts:
        """Return what is known about a tool's schema."""
        facts = self._facts.get(tool)
        if facts is None:
            found = self.find(tool)
            if found is None:
                raise UnknownNameError("tool", tool, self._tools)
            names = self.policy.secrets
            if names:
                facts = SchemaFacts(found.schema, names)
            else:
                facts = facts_of(found)
            self._facts[tool] = facts
        return facts

    def hint(
        self,
        tool: str,
        problem: Iterable[ValidationIssue] | BaseException | str,
        *,
        payload: Any = MISSING,
        previous: RetryHint | None = None,
        ran: bool = False,
    ) -> RetryHint:
        """Return the hint for a failed call.

        Args:
            tool: the name that the model called; the tool need not exist.
            problem: the issues, an exception (its `issues()` has priority over its message), or an error message.
            payload: the parsed arguments, if they are known.
            previous: the previous hint, if this is not the model's first attempt.
            ran: whether the tool ran; the hint then says "failed" instead of "was not run".
        """
        known = self._hints.get((tool,)) or self._hint_function(tool, None)
        return known(problem, payload=payload, previous=previous, ran=ran)

    def hint_for(
        self, name: str, policy: Policy, problem: Any, payload: Any, previous: RetryHint | None
    ) -> RetryHint:
        """Return the hint for a failed call in a conversation that has its own policy.

        The conversation's policy may resolve some of the issues.
        """
        known = self._hints.get((name, policy.defaults, policy.nulls, policy.trust_annotations))
        if known is None:
            known = self._hint_function(name, policy)
        return known(problem, payload=payload, previous=previous)

    def _hint_function(self, name: str, policy: Policy | None) -> Callable[..., RetryHint]:
        """Return the function that builds a tool's hints, and create it when the tool first fails."""
        from toolgen_runtime.hints.build import hint_of, unknown_tool
        from toolgen_runtime.hints.called_tool import CalledTool
        from toolgen_runtime.hints.repair import only_reads

        tool, kept, names = self.find(name), self._hints, self._tools.keys()
        if tool is None:
            return lambda *_, previous=None, **__: unknown_tool(name, self.names(), previous)
        key: tuple[Any, ...] = (name,)
        if policy is not None:
            key = (name, policy.defaults, policy.nulls, policy.trust_annotations)
            tool = self.adjuster(name, policy).tool
        policy = policy or self.policy.of_tools.get(name, self.policy)
        called = CalledTool(
            name,
            tool,
            self.facts_of(name),
            secrets=policy.secrets_of(tool),
            omits_null=policy.nulls == "omit" or (policy.trust_annotations and only_reads(tool)),
            names=names,
        )
        kept[key] = known = partial(hint_of, called)
        return known

    def learn_keys(self, name: str) -> Callable[[Any], bool]:
        """Create and store the function that tests a tool's payloads for unknown keys, and return it."""
        self.declared_only[name] = test = declared_only(self.facts_of(name))
        return test

    def learn_result_check(self, name: str) -> ResultCheck | None:
        """Create and store the function that checks a tool's results, and return it."""
        tool = self.find(name)
        self.result_checks[name] = check = None if tool is None else result_check(tool)
        return check

    def adjuster(self, name: str, policy: Policy) -> Adjuster:
        """Return the object that changes a tool's arguments as the options allow.

        Create it when the tool first fails.
        """
        key = (name, policy.defaults, policy.nulls)
        found = self._adjusters.get(key)
        if found is None:
            from toolgen_runtime.calls.adjustments import Adjuster

            tool = self.find(name)
            if tool is None:
                raise UnknownNameError("tool", name, self._tools)
            found = Adjuster(tool, self.facts_of(name), policy.defaults, policy.nulls)
            self._adjusters[key] = found
        return found
