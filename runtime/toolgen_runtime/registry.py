"""`Registry`: the tools that a model may call, by the names that it sees, with what their schemas say.

A name is all that registering costs: a tool is loaded when it is first asked for, its schema read when the
first fact of it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls.limits import (
    Absent,
    CheckResults,
    Policy,
    UnknownKeys,
    allowed_names,
    secret_keys,
)
from toolgen_runtime.calls.one_process import OneProcess
from toolgen_runtime.calls.request import CallRequest
from toolgen_runtime.hints.build import build_hint, unknown_tool
from toolgen_runtime.hints.model import Caps, RetryHint
from toolgen_runtime.schema import lookup
from toolgen_runtime.schema.facts import SchemaFacts, facts_of
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.tool import Tool, Toolsets, UnknownNameError

if TYPE_CHECKING:
    from toolgen_runtime.calls.handler_facts import Handler
    from toolgen_runtime.calls.hooks import OnCall, OnIssue
    from toolgen_runtime.calls.ledger import TurnLedger
    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.conversation import Conversation


class Registry(OneProcess):
    """Registered toolsets, their facts, and the rules for calling them; lives as long as the application.

    It keeps nothing of a conversation: `conversation()` makes what does. It is a collection of tools' names.
    Reading during registration is safe: names are added all at once.
    """

    def __init__(
        self,
        *,
        caps: Caps | None = None,
        allow: Iterable[str] | None = None,
        calls_per_turn: int | None = None,
        timeout: float | None = None,
        repair: bool = False,
        absent: Absent = "empty",
        unknown_keys: UnknownKeys = "schema",
        max_chars: int = 600,
        check_results: CheckResults = "ignore",
        trust_annotations: bool = False,
        per_tool: Mapping[str, Mapping[str, Any]] | None = None,
        on_call: OnCall | None = None,
        on_issue: OnIssue | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        """Make a registry without tools; by default nothing is limited.

        Args:
            caps: how much the hints say.
            allow: the names that may be called; any other that is registered is `not_permitted`.
            calls_per_turn: how many tools may run in one turn of a conversation; the next call is
                `limit_exceeded`.
            timeout: seconds that a handler may take.
            repair: whether arguments that fail their check are fixed, where only one reading is possible.
            absent: what a call without arguments (`None`, `""`) is: "empty", the same as `{}`, or one to
                "refuse".
            unknown_keys: what a key is that the schema neither names nor describes: what the "schema" says; a
                "note" to the model beside the result; or one to "refuse", an issue of constraint `unknownKey`.
            max_chars: how long the text of a hint may be.
            check_results: "note" compares a structured result with the tool's output schema and notes for the
                model what differs; nothing is refused.
            trust_annotations: whether a tool that says that it only reads, or is idempotent, may be called again
                after a timeout or a broken transport. Say so for servers that you trust.
            per_tool: options for single tools, by the names that the model sees:
                `{"git_log": {"unknown_keys": "refuse", "timeout": 5}}`.
            on_call, on_issue: hooks that see every call and every issue; see `toolgen_runtime.calls.hooks`.
            secrets: keys whose values are shown in no hint, issue, log or repair, wherever they stand and
                however they are spelt (`api_key`, `apiKey`), beside those that the schemas declare secret.

        Raises:
            ValueError: a setting that cannot work.
        """
        self._caps = caps or Caps()
        self.policy = Policy(
            allow=allowed_names(allow),
            calls_per_turn=calls_per_turn,
            timeout=timeout,
            repair=repair,
            absent=absent,
            unknown_keys=unknown_keys,
            max_chars=max_chars,
            check_results=check_results,
            trust_annotations=trust_annotations,
            per_tool=per_tool or {},
            on_call=on_call,
            on_issue=on_issue,
            secrets=secret_keys(secrets),
        )
        """The settings, checked."""
        self._tools: dict[str, tuple[Mapping[str, Tool[Any]], str]] = {}
        self._found: dict[str, Tool[Any]] = {}
        self._facts: dict[str, SchemaFacts] = {}
        self._registering = Lock()

    def register(self, toolset: Mapping[str, Tool[Any]], prefix: str = "") -> None:
        """Add all tools of a toolset, each as `prefix` + its own name.

        Raises:
            TypeError: `toolset` is not a mapping from names to tools.
            ValueError: a name is there already; nothing is added then.
        """
        _refuse_other_things(toolset)
        added = {prefix + name: (toolset, name) for name in toolset}
        with self._registering:
            taken = [name for name in added if name in self._tools]
            if taken:
                names = ", ".join(map(repr, taken[:5])) + (", …" if len(taken) > 5 else "")
                raise ValueError(f"already registered: {names}; give this toolset a prefix")
            self._tools = {**self._tools, **added}

    def with_tools(self, toolset: Mapping[str, Tool[Any]]) -> Registry:
        """Return a registry of other tools with the settings of this one."""
        other = Registry(caps=self._caps)
        other.policy = self.policy
        other.register(toolset)
        return other

    def find(self, name: str) -> Tool[Any] | None:
        """Return the tool that the model knows by this name."""
        tool = self._found.get(name)
        if tool is None and name in self._tools:
            toolset, own_name = self._tools[name]
            tool = self._found[name] = toolset[own_name]
        return tool

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
        return f"Registry({len(self)} tools)"

    # -- schema facts ---------------------------------------------------------------------------------------

    def required_property_keys(self, tool: str) -> tuple[str, ...]:
        """Return the keys that every payload of the tool must have, in the schema's order.

        This and the methods below raise `KeyError` where there is no such tool.
        """
        return lookup.required_keys(self._facts_of(tool))

    def property_description(self, tool: str, key: str) -> str | None:
        """Return a property's description, None without one; keys are dotted: `parent.child`, `rows[].qty`."""
        return lookup.description(self._facts_of(tool), key)

    def allowed_enum_values(self, tool: str, key: str) -> tuple[Any, ...]:
        """Return the values that `enum` or `const` allow, null included; none where they are not listed."""
        return lookup.allowed_values(self._facts_of(tool), key)

    def format_for(self, tool: str, key: str) -> str | None:
        """Return the `format` of a property; None where it has none."""
        return lookup.format_of(self._facts_of(tool), key)

    def canonical_key(self, tool: str, key: str) -> str | None:
        """Return the schema's own spelling of a dotted key; None where no property, or more than one, is meant.

        `startDate`, `start-date` and `START_DATE` are spellings of each other: case and separators are folded.
        """
        return lookup.canonical_key(self._facts_of(tool), key)

    def unknown_keys(self, tool: str, payload: Any) -> list[ValidationIssue]:
        """Return an issue for each key that the tool's schema lets pass and neither names nor describes.

        Their constraint is `unknownKey`. `payload` is expected to be valid.
        """
        from toolgen_runtime.schema.unknown_keys import unknown_keys

        return unknown_keys(self._facts_of(tool), payload)

    def _facts_of(self, tool: str) -> SchemaFacts:
        facts = self._facts.get(tool)
        if facts is None:
            found = self.find(tool)
            if found is None:
                raise UnknownNameError("tool", tool, self._tools)
            names = self.policy.secrets
            facts = self._facts[tool] = SchemaFacts(found.schema, names) if names else facts_of(found)
        return facts

    # -- hints ----------------------------------------------------------------------------------------------

    def hint(
        self,
        tool: str,
        problem: Iterable[ValidationIssue] | BaseException | str,
        *,
        payload: Any = MISSING,
        previous: RetryHint | None = None,
        ran: bool = False,
    ) -> RetryHint:
        """Return what to tell the model about a call that failed.

        Args:
            tool: the name that the model called; one that is not registered is a problem of its own.
            problem: the issues; or an exception, whose `issues()` are preferred to its text; or a text.
            payload: the arguments, parsed, if they are known.
            previous: the hint of the call before, if the model has tried already.
            ran: whether the tool ran; the hint says that it failed then, otherwise that it was not run.
        """
        place = self._tools.get(tool)
        if place is None:
            return unknown_tool(tool, self.names(), previous, self._caps)
        facts = self._facts_of(tool)
        found = place[0][place[1]]
        secrets = self.policy.secrets_of(found)
        if isinstance(problem, (BaseException, str)):
            from toolgen_runtime.hints.foreign import foreign_hint

            return foreign_hint(
                facts,
                found.validate,
                problem,
                payload=payload,
                secrets=secrets,
                previous=previous,
                name=tool,
                caps=self._caps,
                ran=ran,
            )
        issues = problem if secrets is None else secrets.conceal(list(problem))
        check = found.validate if secrets is None else lambda value: secrets.conceal(found.validate(value))
        return build_hint(
            facts,
            issues,
            payload=payload,
            previous=previous,
            name=tool,
            caps=self._caps,
            check=check,
            ran=ran,
        )

    # -- calls ----------------------------------------------------------------------------------------------

    def conversation(self, **options: Any) -> Conversation:
        """Return a new conversation over these tools; `options` are those of `Conversation`."""
        from toolgen_runtime.conversation import Conversation

        return Conversation(self, **options)

    def check(
        self,
        tool: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        previous: RetryHint | None = None,
        turns: TurnLedger | None = None,
        absent: Absent | None = None,
    ) -> ToolOutput:
        """Decode and check one call; run nothing and count nothing.

        The output's `executed` is False. `ok` says whether the call may be run; `payload` then holds the
        arguments to run it with, repairs included. The other arguments are those of `call`; a limit of calls
        is asked of `turns`.
        """
        from toolgen_runtime.calls.call import check

        request = CallRequest(tool, arguments, call_id, previous, absent=absent)
        return check(self, self.policy, request, turns)

    def call(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        previous: RetryHint | None = None,
        turns: TurnLedger | None = None,
        timeout: float | None = None,
        absent: Absent | None = None,
    ) -> ToolOutput:
        """Decode, check, run and encode one call. A failure comes out as data, whoever is to blame for it.

        Args:
            tool: the name that the model called.
            arguments: what it sent, as JSON text or as an object.
            handler: what runs the tool, sync or async; it takes the payload model or the plain payload, as its
                annotation says (`toolgen_runtime.calls.handlers`).
            call_id: the provider's id of the call.
            previous: the hint that the last call of this tool ended with.
            turns: the ledger to count the call in; without one nothing is kept of it. A `Conversation` passes
                this and `previous` by itself.
            timeout: seconds for this call, where the registry's own do not fit.
            absent: what a call without arguments is, where the registry's own setting does not fit.

        Raises:
            TypeError: the handler cannot take this tool's payload.
        """
        from toolgen_runtime.calls.call import call

        request = CallRequest(tool, arguments, call_id, previous, timeout, absent)
        return call(self, self.policy, request, handler, turns)

    async def acall(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        previous: RetryHint | None = None,
        turns: TurnLedger | None = None,
        timeout: float | None = None,
        absent: Absent | None = None,
    ) -> ToolOutput:
        """Return `call` in the running event loop; a sync handler runs in a thread of its own."""
        from toolgen_runtime.calls.call import acall

        request = CallRequest(tool, arguments, call_id, previous, timeout, absent)
        return await acall(self, self.policy, request, handler, turns)


def _refuse_other_things(toolset: object) -> None:
    """Raise a `TypeError` that says what to register in place of a tool, a list of them, or toolsets."""
    if isinstance(toolset, Toolsets):
        raise TypeError("register each toolset of the package: for stem, toolset in toolsets.items(): ...")
    if isinstance(toolset, Tool):
        raise TypeError(f"register takes a toolset: for one tool, {{{toolset.name!r}: tool}}")
    if not isinstance(toolset, Mapping):
        kind = type(toolset).__name__
        raise TypeError(f"register takes a toolset or a mapping from names to tools, not a {kind}")
