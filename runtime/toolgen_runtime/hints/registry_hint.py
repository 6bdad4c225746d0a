"""The hint of a registered tool's call: what the registry knows of the tool, for `build`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgen_runtime.hints.build import build_hint, unknown_tool
from toolgen_runtime.hints.names import changes_things
from toolgen_runtime.hints.retry_hint import DEFAULT_CAPS, Caps, Reason, RetryHint

if TYPE_CHECKING:
    from toolgen_runtime.registry import Registry
    from toolgen_runtime.schema.facts import SchemaFacts
    from toolgen_runtime.validation.issues import ValidationIssue
    from toolgen_runtime.validation.redaction import Secrets


class HintedTool(NamedTuple):
    """What every hint about a registered tool needs to know of it."""

    name: str
    """As the model sees it."""
    caps: Caps
    facts: SchemaFacts
    check: Callable[[Any], list[ValidationIssue]]
    """The tool's own; what it says of secrets is concealed."""
    secrets: Secrets | None
    changes: bool
    """Whether the tool changes what is there; its annotations say so only where the caller trusts them."""
    tools: Collection[str]
    """The names of all tools."""

    def hint(
        self,
        problem: Iterable[ValidationIssue] | BaseException | str,
        *,
        payload: Any,
        previous: RetryHint | None,
        ran: bool,
    ) -> RetryHint:
        """Return what to tell the model about a call that failed; see `Registry.hint`."""
        reason: Reason | None = None
        detail = ""
        if isinstance(problem, (BaseException, str)):
            from toolgen_runtime.hints.foreign.reading import reported

            said = reported(problem, self.facts, self.check, payload, self.secrets)
            issues, payload, detail = said.issues, said.payload, said.detail
            reason = "malformed_response" if said.is_about_result else None
        else:
            issues = list(problem) if self.secrets is None else self.secrets.conceal(list(problem))
        return build_hint(
            self.facts,
            issues,
            payload=payload,
            previous=previous,
            name=self.name,
            reason=reason,
            detail=detail,
            caps=self.caps,
            check=self.check,
            ran=ran,
            changes=self.changes,
            tools=self.tools,
        )


def hinted_tool(registry: Registry, name: str, caps: Caps | None) -> HintedTool | None:
    """Return what hints about a tool need to know; None where there is no tool of that name."""
    tool = registry.find(name)
    if tool is None:
        return None
    secrets = registry.policy.secrets_of(tool)
    check = tool.validate if secrets is None else lambda value: secrets.conceal(tool.validate(value))
    trusted = registry.policy.of(name).trust_annotations
    changes = changes_things(tool.name, tool.description, tool.annotations if trusted else None)
    return HintedTool(name, caps or DEFAULT_CAPS, registry.facts_of(name), check, secrets, changes, registry)


def unknown_tool_hint(
    registry: Registry, name: str, caps: Caps | None, previous: RetryHint | None
) -> RetryHint:
    """Return what to tell the model about a call of a tool that is not registered."""
    return unknown_tool(name, registry.names(), previous, caps or DEFAULT_CAPS)
