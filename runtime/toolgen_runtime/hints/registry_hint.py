"""The hint of a registered tool's call: what the registry knows of the tool, for `build` and for `foreign`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgen_runtime.hints.build import build_hint, unknown_tool
from toolgen_runtime.hints.model import DEFAULT_CAPS, Caps, RetryHint
from toolgen_runtime.hints.readings import changes_things

if TYPE_CHECKING:
    from toolgen_runtime.registry import Registry
    from toolgen_runtime.schema.facts import SchemaFacts
    from toolgen_runtime.validation.issues import ValidationIssue
    from toolgen_runtime.validation.redaction import Secrets


class HintedTool(NamedTuple):
    """What every hint about a registered tool needs to know of it."""

    facts: SchemaFacts
    check: Callable[[Any], list[ValidationIssue]]
    """The tool's own; what it says of secrets is concealed."""
    secrets: Secrets | None
    changes: bool
    """Whether the tool changes what is there; its annotations say so only where the caller trusts them."""


def hinted_tool(registry: Registry, name: str) -> HintedTool | None:
    """Return what hints about a tool need to know; None where there is no tool of that name."""
    tool = registry.find(name)
    if tool is None:
        return None
    secrets = registry.policy.secrets_of(tool)
    check = tool.validate if secrets is None else lambda value: secrets.conceal(tool.validate(value))
    trusted = registry.policy.of(name).trust_annotations
    changes = changes_things(tool.name, tool.description, tool.annotations if trusted else None)
    return HintedTool(registry.facts_of(name), check, secrets, changes)


def registry_hint(
    registry: Registry,
    name: str,
    problem: Iterable[ValidationIssue] | BaseException | str,
    *,
    known: HintedTool | None,
    caps: Caps | None,
    payload: Any,
    previous: RetryHint | None,
    ran: bool,
) -> RetryHint:
    """Return what to tell the model about a call that failed; see `Registry.hint`."""
    caps = caps or DEFAULT_CAPS
    if known is None:
        return unknown_tool(name, registry.names(), previous, caps)
    facts, check, secrets, changes = known
    if isinstance(problem, (BaseException, str)):
        from toolgen_runtime.hints.foreign import foreign_hint

        return foreign_hint(
            facts,
            check,
            problem,
            payload=payload,
            secrets=secrets,
            previous=previous,
            name=name,
            caps=caps,
            ran=ran,
            changes=changes,
        )
    return build_hint(
        facts,
        problem if secrets is None else secrets.conceal(list(problem)),
        payload=payload,
        previous=previous,
        name=name,
        caps=caps,
        check=check,
        ran=ran,
        changes=changes,
    )
