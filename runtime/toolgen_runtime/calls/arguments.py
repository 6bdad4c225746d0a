"""The steps before the handler runs: find the tool, then decode, check and repair the arguments.

Each step either stores its result in the `Attempt` or returns the `ToolOutput` that ends the call. Arguments are
repaired only if the policy allows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls.client_keys import is_client_key
from toolgen_runtime.calls.errors import MalformedCallError, ToolErrorKind
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.results import copied
from toolgen_runtime.schema.unknown_keys import unknown_keys
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue
from toolgen_runtime.validation.json_text import read

if TYPE_CHECKING:
    from toolgen_runtime.calls.attempt import Attempt
    from toolgen_runtime.calls.policy import Policy
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.registered_tools import RegisteredTools
    from toolgen_runtime.validation.tool import Tool


def find_tool(attempt: Attempt) -> Tool[Any] | ToolOutput:
    """Return the called tool, or the output that ends the call.

    The call ends if the name or id is malformed, or if the tool is unknown or not permitted.
    """
    name, call_id, policy = attempt.called, attempt.call_id, attempt.policy
    if not isinstance(name, str) or not name.strip():
        unnamed = MalformedCallError("name", "the call names no tool", name)
        return attempt.refused(ToolErrorKind.UNKNOWN_TOOL, str(unnamed), unnamed)
    if call_id is not None and not (isinstance(call_id, str) and call_id.strip()):
        error = MalformedCallError("id", "the call has no id", call_id)
        # Other arguments do not help: the request to the model must be repeated.
        return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, str(error), error, recovery="retry")
    tool = attempt.registry.find(name)
    if tool is None and (meant := name_meant(attempt.registry, policy, name)) is not None:
        attempt.rename(meant)
        name, tool = meant, attempt.registry.find(meant)
    if tool is None:
        from toolgen_runtime.hints import unknown_tool

        known = [each for each in attempt.registry if policy.allows(each)]
        hint = unknown_tool(attempt.name, known, attempt.previous).limited(policy.max_failures)
        return attempt.refused(ToolErrorKind.UNKNOWN_TOOL, f"there is no tool {name[:64]!r}", hint=hint)
    if policy.allow is not None and name not in policy.allow:
        return attempt.refused(ToolErrorKind.NOT_PERMITTED, "it may not be called here")
    attempt.tool = tool
    return tool


def name_meant(registry: RegisteredTools, policy: Policy, name: str) -> str | None:
    """Return the tool name that an unknown name stands for; None if this is unclear or the tool's calls may
    not be repaired.
    """
    if not policy.repair and not policy.of_tools:
        return None
    from toolgen_runtime.hints.tool_names import only_meaning

    def about(tool: str) -> str:
        found = registry.find(tool)
        return "" if found is None else found.description

    meant = only_meaning(name, [each for each in registry if policy.allows(each)], about)
    is_repaired = meant is not None and policy.of_tools.get(meant, policy).repair
    return meant if is_repaired else None


def check_arguments(attempt: Attempt, tool: Tool[Any]) -> ToolOutput | None:
    """Decode and check the arguments. Return an output if they are invalid.

    If the policy allows it, the arguments are first changed to make them valid.
    """
    policy, arguments = attempt.policy, attempt.arguments
    if policy.secrets:
        attempt.secrets = policy.secrets_of(tool)
    else:
        attempt.secrets = tool.secrets
    issues: Sequence[ValidationIssue] = ()
    if type(arguments) is dict:
        attempt.payload = copied(arguments)  # the caller may change the original
    elif policy.absent == "reject" and _is_absent(arguments):
        return _absent(attempt, tool)
    else:
        attempt.payload, issues = _decode(arguments)
    issues = issues or tool.validate(attempt.payload)
    if issues:
        issues = _issues_left(attempt, tool, issues)
    if not issues and (option := policy.unknown_keys) != "schema":
        registry, name = attempt.registry, attempt.name
        has_declared_only = registry.declared_only.get(name) or registry.learn_keys(name)
        if option != "note" or not has_declared_only(attempt.payload):
            issues = _undeclared(attempt, tool)
    if not issues:
        return None
    issues = attempt.concealed(issues)
    return attempt.invalid(issues, InvalidPayload(tool.name, issues))


def _is_absent(arguments: object) -> bool:
    if isinstance(arguments, (str, bytes, bytearray)):
        return not arguments.strip()
    return arguments is None


def _decode(arguments: Any) -> tuple[Any, Sequence[ValidationIssue]]:
    """Return the payload, and the issues found while parsing the arguments."""
    if _is_absent(arguments):
        return {}, ()
    if isinstance(arguments, (str, bytes, bytearray)):
        return read(arguments if isinstance(arguments, str) else bytes(arguments))
    return copied(dict(arguments) if isinstance(arguments, Mapping) else arguments), ()


def _absent(attempt: Attempt, tool: Tool[Any]) -> ToolOutput:
    message = "no arguments came with the call; send them as a JSON object, {} if there are none"
    error = MalformedCallError("input", message, attempt.arguments)
    hint = attempt.hint(tool.validate({}) or message)
    return attempt.refused(ToolErrorKind.INVALID_PARAMETERS, message, error, hint=hint)


def _issues_left(
    attempt: Attempt, tool: Tool[Any], issues: Sequence[ValidationIssue]
) -> Sequence[ValidationIssue]:
    """Return the issues that remain after every change that the policy allows.

    First the user's rules are tried, then the adjustments, a repair, and dropping the unknown keys.
    """
    if attempt.policy.rules and _apply_rules(attempt, tool, issues):
        return ()
    adjusted = attempt.adjuster.adjust(attempt.payload, issues)
    if not adjusted.issues:
        _accept(attempt, issues, adjusted.payload, adjusted.changes)
        return ()
    return () if _repair_or_drop(attempt, tool, issues) else adjusted.issues


def _undeclared(attempt: Attempt, tool: Tool[Any]) -> Sequence[ValidationIssue]:
    """Apply the `unknown_keys` option to a valid payload, and return an issue for each key that is rejected."""
    option, facts = attempt.policy.unknown_keys, attempt.registry.facts_of(attempt.name)
    issues = [i for i in unknown_keys(facts, attempt.payload) if not is_client_key(facts, i.path)]
    if option == "note":
        attempt.note(issues)
        return ()
    return () if option == "drop" and _drop(attempt, tool, issues) else issues


def _apply_rules(attempt: Attempt, tool: Tool[Any], issues: Sequence[ValidationIssue]) -> bool:
    """Apply the user's repair rules. Replace the payload if the result is valid, and return whether it is."""
    from toolgen_runtime.calls.rules import apply_rules

    payload, changes = apply_rules(attempt.policy.rules.get(attempt.name, ()), attempt.payload, issues)
    return bool(changes) and _accept_edited(attempt, tool, issues, payload, changes)


def _repair_or_drop(attempt: Attempt, tool: Tool[Any], issues: Sequence[ValidationIssue]) -> bool:
    """Repair the payload, or else drop its unknown keys, as far as the policy allows.

    Return whether a valid payload has replaced it.
    """
    policy = attempt.policy
    sent = attempt.payload if attempt.raw_text is None else attempt.raw_text
    if policy.repair and _accept_edited(attempt, tool, issues, sent, ()):
        return True
    return policy.unknown_keys == "drop" and _drop(attempt, tool, issues)


def _drop(attempt: Attempt, tool: Tool[Any], issues: Sequence[ValidationIssue]) -> bool:
    """Drop unknown keys that do not affect the call. Return False if one may affect it or the result is invalid."""
    from toolgen_runtime.calls.dropped_keys import without_unknown_keys

    issues = attempt.concealed(issues)  # notes name keys
    kept = without_unknown_keys(attempt.registry.facts_of(attempt.name), attempt.payload, issues)
    if kept is None or not _accept_edited(attempt, tool, issues, kept.payload, kept.changes, is_noted=True):
        return False
    attempt.notes += kept.notes
    return True


def _accept_edited(
    attempt: Attempt,
    tool: Tool[Any],
    issues: Sequence[ValidationIssue],
    arguments: Any,
    changes: tuple[Change, ...],
    *,
    is_noted: bool = False,
) -> bool:
    """Accept edited arguments that are valid, or that a repair makes valid. Return whether they were accepted.

    If `is_noted` is true, other notes already tell the model about `changes`.
    """
    from toolgen_runtime.hints.repair import repair

    adjuster = attempt.adjuster
    told = () if is_noted else changes
    if not changes or adjuster.tool.validate(arguments):
        if not attempt.policy.repair:
            return False
        repaired = repair(adjuster.tool, arguments, trust_annotations=attempt.policy.trust_annotations)
        if not repaired.changes:
            return False
        arguments, changes = repaired.payload, (*changes, *repaired.changes)
        told = (*told, *repaired.changes)
    adjusted = adjuster.adjust(arguments, tool.validate(arguments))
    _accept(attempt, issues, adjusted.payload, (*changes, *adjusted.changes), told)
    return True


def _accept(
    attempt: Attempt,
    issues: Sequence[ValidationIssue],
    payload: Any,
    changes: tuple[Change, ...],
    told: tuple[Change, ...] = (),
) -> None:
    """Replace the payload with a valid one and record the changes. The model is told about those in `told`."""
    from toolgen_runtime.hints.repair import concealed

    attempt.issues += tuple(attempt.concealed(issues))
    before, attempt.payload = attempt.payload, payload
    attempt.repairs += concealed(changes, attempt.secrets, before)
    if told and attempt.policy.repairs == "tell":
        from toolgen_runtime.calls.repair_note import repair_note

        attempt.notes += repair_note(concealed(told, attempt.secrets, before))
