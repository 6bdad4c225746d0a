"""The hint of a call of a registry's tool: what the registry knows of the tool, for `build`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from toolgen_runtime.hints.build import build_hint, unknown_tool
from toolgen_runtime.hints.names import changes_things
from toolgen_runtime.hints.retry_hint import DEFAULT_CAPS, Caps, RetryHint

if TYPE_CHECKING:
    from toolgen_runtime.registry import Registry


def hint_function(registry: Registry, name: str, caps: Caps | None) -> Callable[..., RetryHint]:
    """Return the function that makes the hints of a tool, by the name that the model called; see `Registry.hint`."""
    tool, caps = registry.find(name), caps or DEFAULT_CAPS
    if tool is None:
        return lambda *_, previous=None, **__: unknown_tool(name, registry.names(), previous, caps)
    secrets, trusted = registry.policy.secrets_of(tool), registry.policy.of(name).trust_annotations
    check = tool.validate if secrets is None else lambda value: secrets.conceal(tool.validate(value))
    changes = changes_things(tool.name, tool.description, tool.annotations if trusted else None)
    facts = registry.facts_of(name)
    build = partial(build_hint, facts, name=name, caps=caps, check=check, changes=changes, tools=registry)

    def hint(problem: Any, *, payload: Any, previous: RetryHint | None, ran: bool) -> RetryHint:
        if not isinstance(problem, (BaseException, str)):
            issues = list(problem) if secrets is None else secrets.conceal(list(problem))
            return build(issues, payload=payload, previous=previous, ran=ran)
        from toolgen_runtime.hints.foreign.reading import reported

        said = reported(problem, facts, check, payload, secrets)
        reason = "malformed_response" if said.is_about_result else None
        return build(
            said.issues, payload=said.payload, previous=previous, ran=ran, reason=reason, detail=said.detail
        )

    return hint
