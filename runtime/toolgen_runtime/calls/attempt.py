"""`CallRequest`: one call as it came in; `Attempt`: what is known of it so far, and how it can end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgen_runtime.calls.errors import (
    TOOL_ERROR_KIND_MEANINGS,
    MalformedResponseError,
    Recovery,
    ToolErrorKind,
)
from toolgen_runtime.calls.hooks import Observer
from toolgen_runtime.calls.output import ToolError, ToolOutput
from toolgen_runtime.calls.policy import Policy
from toolgen_runtime.exports import loaded_late
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.calls.policy import Absent
    from toolgen_runtime.calls.turn_ledger import CallIdentity
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.hints.retry_hint import FieldHint, RetryHint
    from toolgen_runtime.mcp_result import McpResult
    from toolgen_runtime.registry import Registry
    from toolgen_runtime.validation.redaction import Secrets
    from toolgen_runtime.validation.tool import Tool

MAX_MESSAGE = 200
"""Characters of a `ToolError.message`."""
_texts = loaded_late("toolgen_runtime.hints.text")


class CallRequest(NamedTuple):
    """The tool's name, its arguments as text or as an object, the provider's call id.

    `previous` is the hint that the last call of this tool ended with, if any; `timeout`, in seconds, and `absent`
    take the place of the policy's.
    """

    tool: str
    arguments: Any
    call_id: str | None = None
    previous: RetryHint | None = None
    timeout: float | None = None
    absent: Absent | None = None

    @property
    def name(self) -> str:
        """The tool's name, `""` where what came in is not a text."""
        return self.tool if isinstance(self.tool, str) else ""


class Attempt:
    """One call under way: what came in, and what each step has learned of it."""

    __slots__ = (
        "name",
        "notes",
        "observer",
        "payload",
        "policy",
        "registry",
        "repairs",
        "request",
        "secrets",
        "timeout",
        "tool",
    )

    def __init__(
        self,
        registry: Registry,
        policy: Policy,
        request: CallRequest,
        *,
        checking: bool = False,
        checked_at: float | None = None,
    ) -> None:
        """See `Observer` for what is the same there."""
        self.registry = registry
        self.request = request
        self.name = request.tool if isinstance(request.tool, str) else ""
        """The name that was called; empty where what came in is not a text."""
        self.policy = policy.of(self.name) if policy.per_tool else policy
        self.timeout = self.policy.timeout if request.timeout is None else request.timeout
        """Seconds that the handler may take."""
        self.observer = Observer(policy, request, checking=checking, checked_at=checked_at)
        self.tool: Tool[Any] | None = None
        """The tool that is called; None until it is found."""
        self.payload: Any = None
        """The arguments, parsed; None until they are read."""
        self.secrets: Secrets | None = None
        """Where the payload's secrets are, if it can have any."""
        self.repairs: tuple[Change, ...] = ()
        self.notes: tuple[str, ...] = ()
        """Lines for the model beside the result."""

    @property
    def identity(self) -> CallIdentity:
        """What tells this call from others of its conversation."""
        return self.request.tool, self.request.call_id, self.payload

    def done(self, *, executed: bool, result: Any = None, at: float = 0.0) -> ToolOutput:
        """Return the output of a call that went well, or of a check that lets it run."""
        return ToolOutput(
            self.name,
            self.request.call_id,
            self.payload,
            result,
            executed=executed,
            repairs=self.repairs,
            notes=self.notes,
            max_chars=self.policy.max_chars,
            at=at,
            secrets=self.secrets,
        )

    def checked(self) -> ToolOutput:
        """Return the output of a check that lets the call run."""
        return self.done(executed=False, at=time.time())

    def unfinished(self, read: McpResult, result: Any) -> ToolOutput:
        """Return the output of a call that needs input, or runs on as a task."""
        return replace(
            self.done(executed=True, result=result),
            state=read.state,
            input_requests=read.requests,
            request_state=read.request_state,
        )

    def refused(
        self,
        kind: ToolErrorKind,
        message: str | None,
        cause: Exception | None = None,
        *,
        hint: RetryHint | None = None,
        recovery: Recovery | None = None,
        result: Any = None,
    ) -> ToolOutput:
        """Return the output of a call that failed; what is not given comes from the hint or the kind's meaning."""
        texts = _texts()
        if message is None:
            first: str = hint.headline() if hint else ""
            message = first or str(cause)
        if self.secrets is not None:
            message = self.secrets.scrubbed(message, self.payload)
        meaning = TOOL_ERROR_KIND_MEANINGS[kind]
        return ToolOutput(
            self.name,
            self.request.call_id,
            self.payload,
            result,
            ToolError(texts.prose(message, MAX_MESSAGE), cause),
            hint,
            kind,
            meaning.executed,
            recovery or (hint.recovery if hint else meaning.recovery),
            self.repairs,
            notes=self.notes,
            max_chars=self.policy.max_chars,
            secrets=self.secrets,
        )

    def invalid(self, issues: Sequence[ValidationIssue], cause: Exception) -> ToolOutput:
        """Return the output of a call whose arguments have these issues."""
        self.observer.issues(issues)
        return self.refused(ToolErrorKind.INVALID_PARAMETERS, None, cause, hint=self.hint(issues))

    def note(self, issues: Sequence[ValidationIssue]) -> None:
        """Note issues that do not keep the call from being run."""
        issues = self.concealed(issues)
        self.observer.issues(issues)
        hint = self.registry.hint(self.name, issues, payload=self.payload)
        self.notes += tuple(map(_note, hint.fields))
        if hint.omitted:
            self.notes += (f"Note: {hint.omitted} other keys are not fields either.",)

    def malformed(
        self,
        message: str,
        result: Any,
        issues: Sequence[ValidationIssue],
        cause: MalformedResponseError | None = None,
    ) -> ToolOutput:
        """Return the output of a call whose result is not what it should be."""
        self.observer.issues(issues, in_result=True)
        cause = cause or MalformedResponseError(message, result)
        hint = self.hint(cause)
        return self.refused(ToolErrorKind.EXECUTION_ERROR, message, cause, hint=hint, result=result)

    def hint(self, problem: Any) -> RetryHint:
        """Return what to tell the model about issues, an exception or a text."""
        payload = self.payload
        if payload is None:
            payload = MISSING if self.text is None else self.text
        return self.registry.hint(self.name, problem, payload=payload, previous=self.request.previous)

    @property
    def text(self) -> str | bytes | None:
        """The arguments, if they came as text that is not JSON; None otherwise."""
        given = self.request.arguments
        if self.payload is not None or not isinstance(given, (str, bytes, bytearray)) or not given.strip():
            return None
        return given if isinstance(given, str) else bytes(given)

    def concealed(self, issues: Sequence[ValidationIssue]) -> list[ValidationIssue]:
        """Return the issues without the values that are secret."""
        return list(issues) if self.secrets is None else self.secrets.conceal(list(issues))


def _note(field: FieldHint) -> str:
    from toolgen_runtime.hints.text import shown

    asked = "." if field.did_you_mean is None else f"; did you mean {shown(field.did_you_mean)}?"
    return f"Note: {shown(field.field)} is not a field of this tool{asked}"
