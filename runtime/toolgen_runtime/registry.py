"""`Registry`: the tools that a model may call, with the rules for calling them and the hints when a call fails.

Registering adds only names. A tool is loaded when it is first used, and its schema is read when a fact about it is
first needed.
"""

from __future__ import annotations

from _collections_abc import Mapping  # as in `collections.abc`, without loading `collections`
from _thread import allocate_lock  # as in `threading`

from toolgen_runtime.calls.policy import OneProcess, Policy, refuse_unknown
from toolgen_runtime.exports import loaded_late
from toolgen_runtime.validation.issues import MISSING
from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import UnknownNameError, are_toolsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Unpack

    from toolgen_runtime.calls.adjustments import Adjuster
    from toolgen_runtime.calls.attempt import Attempt
    from toolgen_runtime.calls.handler_facts import Handler
    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.conversation import CallOptions, Conversation, Options
    from toolgen_runtime.hints.retry_hint import RetryHint
    from toolgen_runtime.schema.facts import SchemaFacts
    from toolgen_runtime.validation.issues import ValidationIssue

_calls = loaded_late("toolgen_runtime.calls.call")
_conversations = loaded_late("toolgen_runtime.conversation")


class Registry(OneProcess):
    """Registered toolsets, their facts, and the rules for calling them; lives as long as the application.

    A registry does not remember calls; a conversation does (`conversation()`). Iterating over a registry yields the
    names of its tools. Reading it during a registration is safe, because all names are added in one step.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        """Create a registry without tools and, by default, without limits.

        Args:
            allow: the names that may be called; other registered tools are `not_permitted`.
            calls_per_turn: how many tools may run in one turn of a conversation; the next call is
                `limit_exceeded`.
            timeout: seconds that a handler may take.
            repair: fix wrong arguments that have only one possible reading; False by default.
            repairs: "tell", the default, adds a line to the text for the model that says what was repaired; "silent"
                adds none. `ToolOutput.repairs` lists every change.
            absent: "empty", the default, treats a call without arguments (`None`, `""`) as `{}`; "reject" rejects
                it.
            defaults: "fill", the default, gives a required field that was not sent the default of its schema, if no
                undeclared key may be meant for the field; "require" reports an issue.
            nulls: "schema", the default, reports an issue for null that the schema does not take; "omit" leaves it
                out if the field is optional and its description does not say what absence means.
            unknown_keys: for keys that the schema does not declare: "note", the default, accepts keys that the schema
                allows, and adds a note for the model about each that is probably a misspelled field; "schema" adds
                none; "reject" reports an issue with the constraint `unknownKey`; "drop" removes them with a note if
                the rest is valid, but rejects the call if the key could restrict the call or be a misspelled field.
            max_chars: the maximum length of a hint's text, 600 by default.
            max_failures: after this many failed calls of a tool in a turn, with no valid one between, the hint tells
                the model to stop, whatever was wrong; 5 by default.
            check_results: how to treat a structured result that breaks the tool's output schema: "note", the default,
                adds the differences to the text for the model; with "reject" the call has failed; "off" does not
                check. It needs `toolgen[dynamic]`; without that, results are not checked by default.
            trust_annotations: rely on a tool's annotations. A tool that is read-only or idempotent may then be called
                again after a timeout or a broken connection, and `repair` removes a forbidden null from a call of a
                tool that only reads. Use it for servers that you trust; by default annotations are not relied on.
            ask: ask the user, through the host, for a value that only they can know; see the adapters that can.
            per_tool: options for single tools, by the names that the model sees:
                `{"git_log": {"unknown_keys": "reject", "timeout": 5}}`.
            on_call, on_issue: hooks that see every call and every issue; see `toolgen_runtime.calls.hooks`.
            secrets: keys, in any spelling (`api_key`, `apiKey`), whose values are masked in hints, issues, logs and
                repairs. Values that the schemas declare secret are masked too.

        Raises:
            TypeError: there is no such option; the message names the one that may be meant.
            ValueError: a setting is invalid.
        """
        refuse_unknown("Registry()", options)
        self.policy = Policy(**options)
        """The settings, checked."""
        self._tools: dict[str, tuple[Mapping[str, Tool[Any]], str]] = {}
        self._found: dict[str, Tool[Any]] = {}
        self._facts: dict[str, SchemaFacts] = {}
        self._hints: dict[tuple[Any, ...], Callable[..., RetryHint]] = {}
        self.declared_only: dict[str, Callable[[Any], bool]] = {}
        """For each tool that was called, a quick test of whether a payload has only declared keys."""
        self._adjusters: dict[tuple[str, str, str], Adjuster] = {}
        self._registering = allocate_lock()

    def with_tools(self, toolset: Mapping[str, Tool[Any]]) -> Registry:
        """Return a registry of other tools with the settings of this registry."""
        other = Registry()
        other.policy = self.policy
        other.register(toolset)
        return other

    def register(self, toolset: Mapping[str, Tool[Any]], prefix: str = "") -> None:
        """Add all tools of a toolset; each gets the name `prefix` + its name in the toolset.

        A mapping of several toolsets by name, as a package of namespaces has it, may be passed too. The toolset's
        name then comes before the tool's: `github_create_issue`.

        Raises:
            TypeError: `toolset` is not a mapping from names to tools, or to toolsets.
            ValueError: a name is already registered, or comes twice; no tool is added then.
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
        """Return the tool with this name, as the model sees it, or None."""
        tool = self._found.get(name)
        if tool is None and name in self._tools:
            toolset, own_name = self._tools[name]
            tool = self._found[name] = toolset[own_name]
        return tool

    def function_name(self, name: str) -> str:
        """Return the name of a tool as a Python identifier: its module's name, which clients and stubs use too."""
        toolset, own_name = self._tools[name]
        module = getattr(toolset, "modules", {}).get(own_name, own_name)
        prefix = "".join(c if c.isalnum() else "_" for c in name.removesuffix(own_name))
        return f"{prefix}{module}"

    def names(self) -> list[str]:
        """Return all names, as the model sees them, in the order of registration."""
        return list(self._tools)

    def tools(self) -> dict[str, Tool[Any]]:
        """Return all tools by name."""
        return {name: toolset[own_name] for name, (toolset, own_name) in self._tools.items()}

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __repr__(self) -> str:
        return f"Registry({len(self)} tools)"

    def required_property_keys(self, tool: str) -> tuple[str, ...]:
        """Return the keys that every payload of the tool must have, in the schema's order.

        This method and the following ones raise `KeyError` if the tool does not exist.
        """
        return self.facts_of(tool).required_keys()

    def property_description(self, tool: str, key: str) -> str | None:
        """Return a property's description, or None; keys are dotted: `parent.child`, `rows[].qty`."""
        return self.facts_of(tool).text_of(key, "description")

    def allowed_enum_values(self, tool: str, key: str) -> tuple[Any, ...]:
        """Return the values that `enum` or `const` allow, including null; () if the schema does not list them."""
        return self.facts_of(tool).allowed_values(key)

    def format_for(self, tool: str, key: str) -> str | None:
        """Return the `format` of a property, or None."""
        return self.facts_of(tool).text_of(key, "format")

    def canonical_key(self, tool: str, key: str) -> str | None:
        """Return the schema's spelling of a dotted key, or None if the key matches no property or several.

        Case and separators do not count: `startDate`, `start-date` and `START_DATE` are the same key.
        """
        return self.facts_of(tool).canonical_key(key)

    def facts_of(self, tool: str) -> SchemaFacts:
        """Return the facts of a tool's schema."""
        facts = self._facts.get(tool)
        if facts is None:
            found = self.find(tool)
            if found is None:
                raise UnknownNameError("tool", tool, self._tools)
            from toolgen_runtime.schema import facts as schema_facts

            names = self.policy.secrets
            facts = schema_facts.SchemaFacts(found.schema, names) if names else schema_facts.facts_of(found)
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
        """Return the hint for a call that failed.

        Args:
            tool: the name that the model called; it may be unknown.
            problem: the issues, an exception (`issues()` has priority over its message), or an error message.
            payload: the arguments, parsed, if they are known.
            previous: the previous hint, if this is not the model's first attempt.
            ran: whether the tool ran; the hint then says "failed" instead of "was not run".
        """
        known = self._hints.get((tool,)) or self._hint_function(tool, None)
        return known(problem, payload=payload, previous=previous, ran=ran)

    def hint_for(
        self, name: str, policy: Policy, problem: Any, payload: Any, previous: RetryHint | None
    ) -> RetryHint:
        """Return the hint for a call under a conversation's policy, which may put some of its issues right."""
        known = self._hints.get((name, policy.defaults, policy.nulls, policy.trust_annotations))
        if known is None:
            known = self._hint_function(name, policy)
        return known(problem, payload=payload, previous=previous)

    def _hint_function(self, name: str, policy: Policy | None) -> Callable[..., RetryHint]:
        """Return the function that builds the hints of a tool; it is made at the tool's first failure."""
        from functools import partial

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
        """Return the test in `declared_only` for a tool, and keep it there."""
        from toolgen_runtime.schema.unknown_keys import declared_only

        self.declared_only[name] = test = declared_only(self.facts_of(name))
        return test

    def adjuster(self, name: str, policy: Policy) -> Adjuster:
        """Return what changes the arguments of a tool as options allow; it is made at the tool's first failure."""
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

    def conversation(
        self, *, forget_after: float | None = None, **options: Unpack[CallOptions]
    ) -> Conversation:
        """Return a new conversation with these tools; `options` are those of `Conversation`."""
        begun: Conversation = _conversations().Conversation(self, forget_after=forget_after, **options)
        return begun

    def check(self, tool: str, arguments: Any, *, call_id: str | None = None) -> ToolOutput:
        """Decode and check one call without running it.

        The output's `executed` is False. If `ok` is true, the call may run with `payload`, which includes repairs.
        """
        attempt: Attempt = _calls().Attempt(self, self.policy, tool, arguments, call_id, checking=True)
        output: ToolOutput = _calls().check(attempt)
        return output

    def call(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """Decode, check, run and encode one call. Every failure is returned as data.

        Args:
            tool: the name that the model called.
            arguments: the arguments that the model sent, as JSON text or as an object.
            handler: runs the tool, sync or async; its annotation selects the payload model or the plain payload
                (docs/calls/handlers.md).
            call_id: the provider's id of the call.
            timeout: seconds for this call, instead of the registry's.

        Raises:
            TypeError: the handler cannot take this tool's payload.
        """
        attempt: Attempt = _calls().Attempt(self, self.policy, tool, arguments, call_id, timeout=timeout)
        output: ToolOutput = _calls().call(attempt, handler)
        return output

    async def acall(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """Do the same as `call` in the running event loop; a sync handler runs in its own thread.

        After `timeout` seconds, the argument's or the registry's, an async handler is canceled, and a sync one
        continues in its thread; the output's kind is `timeout`.
        """
        attempt: Attempt = _calls().Attempt(self, self.policy, tool, arguments, call_id, timeout=timeout)
        output: ToolOutput = await _calls().acall(attempt, handler)
        return output
