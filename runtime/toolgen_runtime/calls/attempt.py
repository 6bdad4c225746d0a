"""`Attempt`: the state of one call, from its arguments to its output."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls import hooks
from toolgen_runtime.calls.errors import (
    TOOL_ERROR_KIND_MEANINGS,
    MalformedResponseError,
    Recovery,
    ToolErrorKind,
)
from toolgen_runtime.calls.output import ToolError, ToolOutput, made
from toolgen_runtime.calls.results import differences_in_words
from toolgen_runtime.hints.quoting import prose, shown
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.calls.adjustments import Adjuster
    from toolgen_runtime.calls.policy import Policy
    from toolgen_runtime.calls.turn_ledger import CallIdentity, TurnLedger
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.hints.retry_hint import RetryHint
    from toolgen_runtime.registered_tools import RegisteredTools
    from toolgen_runtime.validation.redaction import Secrets
    from toolgen_runtime.validation.tool import Tool

MAX_MESSAGE = 200
"""The maximum length of a `ToolError.message`."""


class Attempt:
    """The state of one call: its input, and the result of each step.

    Always call `ended` at the end. If a call is only checked, `on_call` sees it in `ended`, and only if it was
    rejected. An accepted call is shown to `on_call` when it returns.
    """

    def __init__(
        self,
        registry: RegisteredTools,
        policy: Policy,
        called: Any,
        arguments: Any,
        call_id: str | None = None,
        *,
        previous: RetryHint | None = None,
        ledger: TurnLedger | None = None,
        timeout: float | None = None,
        checking: bool = False,
        checked: ToolOutput | None = None,
    ) -> None:
        """Begin a call.

        Args:
            registry: the registry with the tools.
            policy: the settings, of the registry or of a conversation.
            called: the tool's name, as it came in.
            arguments: the arguments, as text or as an object.
            call_id: the provider's id of the call.
            previous: the hint for the last call of this tool, if any.
            ledger: the ledger that counts the call; without one the call is not counted.
            timeout: seconds that the handler may take, instead of the policy's.
            checking: whether the call is only checked, not run or counted.
            checked: the output of the check that accepted the call, if another program has run it.
        """
        self.registry = registry
        self.called = called
        self.name = name = called if isinstance(called, str) else ""
        """The name that was called, or the tool that it means; empty if it is not a string."""
        self.policy = policy = policy.of_tools.get(name, policy) if policy.of_tools else policy
        self.arguments = arguments
        self.call_id = call_id
        self.previous = previous
        self.ledger = ledger
        self.timeout = policy.timeout if timeout is None else timeout
        self.checking = checking
        self.tool: Tool[Any] | None = None
        """The called tool; None until it is found."""
        self.payload: Any = None
        """The parsed arguments; None until they are read."""
        self.secrets: Secrets | None = None
        """The places of the payload's secrets, if it can have any."""
        self.repairs: tuple[Change, ...] = ()
        self.notes: tuple[str, ...] = ()
        """Lines for the model in addition to the result."""
        self.issues: tuple[ValidationIssue, ...] = ()
        """The issues of the arguments, even if the call runs; the hook sees them at the end."""
        self._on_end: hooks.OnEnd | None = None
        self._began = time.perf_counter()
        if checked is not None:
            self.tool = registry.find(name)
            self.payload, self.secrets = checked.payload, checked.secrets
            self.repairs, self.notes = checked.repairs, checked.notes
        if policy.on_call is not None and not checking:
            self._show(checked)

    def _show(self, checked: ToolOutput | None) -> None:
        """Pass the call to `on_call`. `checked` is set if another program runs the call or if the check rejected it."""
        if self.policy.on_call is not None:
            if checked is not None and checked.at:
                at = checked.at
            else:
                at = time.time()
            elsewhere = checked is not None
            started = hooks.CallStarted(self.name, self.call_id, self.arguments, at, elsewhere)
            on_end = hooks.shielded(self.policy.on_call, started)
            self._on_end = on_end if callable(on_end) else None

    def ended(self, output: ToolOutput | None) -> None:
        """Count the call, log a failure and run the hooks. `output` is None if the call raised an exception."""
        if not self.checking and self.ledger is not None and output is not None:
            self.ledger.record(output)
        if output is not None and output.error is not None:
            if hooks.is_heard():
                hooks.log_failure(output, time.perf_counter() - self._began)
            if self.checking:
                self._show(output)
        if self.issues and self.policy.on_issue is not None:
            for issue in self.issues:
                hooks.shielded(self.policy.on_issue, hooks.IssueFound(self.name, self.call_id, issue))
        if self._on_end is not None:
            hooks.shielded(self._on_end, output)

    def rename(self, meant: str) -> None:
        """Continue with the tool that the called name means, and record the renaming as a repair."""
        self.repairs = ({"path": (), "from": self.name, "to": meant, "rule": "tool"},)
        self.name = meant
        self.policy = self.policy.of_tools.get(meant, self.policy)

    @property
    def identity(self) -> CallIdentity:
        """Return the values that distinguish this call from the other calls of its conversation."""
        return self.called, self.call_id, self.payload

    def output(self, *, executed: bool, result: Any = None, **facts: Any) -> ToolOutput:
        """Return the output of this call in its present state. `facts` sets further attributes of the output."""
        return made({
            "tool": self.name,
            "call_id": self.call_id,
            "payload": self.payload,
            "result": result,
            "executed": executed,
            "repairs": self.repairs,
            "notes": self.notes,
            "max_chars": self.policy.max_chars,
            "secrets": self.secrets,
            **facts,
        })  # fmt: skip

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
        """Return the output of a failed call.

        `message` and `recovery` default to those of the hint, the cause or the kind.
        """
        if message is None:
            message = (hint.headline() if hint else "") or str(cause)
        if self.secrets is not None:
            message = self.secrets.scrubbed(message, self.payload)
        meaning = TOOL_ERROR_KIND_MEANINGS[kind]
        return self.output(
            executed=meaning.executed,
            result=result,
            error=ToolError(prose(message, MAX_MESSAGE), cause),
            retry_hint=hint,
            kind=kind,
            recovery=recovery or (hint.recovery if hint else meaning.recovery),
        )

    def invalid(self, issues: Sequence[ValidationIssue], cause: Exception) -> ToolOutput:
        """Return the output of a call whose arguments have these issues."""
        self.issues += tuple(issues)
        return self.refused(ToolErrorKind.INVALID_PARAMETERS, None, cause, hint=self.hint(issues))

    def malformed(self, error: MalformedResponseError, result: Any) -> ToolOutput:
        """Return the output of a call whose result is malformed."""
        hint = self.hint(error)
        return self.refused(ToolErrorKind.EXECUTION_ERROR, error.message, error, hint=hint, result=result)

    @property
    def adjuster(self) -> Adjuster:
        """The object that changes arguments as the options allow; see `adjustments`."""
        return self.registry.adjuster(self.name, self.policy)

    def note(self, issues: Sequence[ValidationIssue]) -> None:
        """Add a note for the model about each unknown key that is probably a misspelled field."""
        if not issues:
            return
        issues = self.concealed(issues)
        hint = self.registry.hint(self.name, issues, payload=self.payload)
        misspelled = {
            field.field: field.did_you_mean for field in hint.fields if field.did_you_mean is not None
        }
        self.issues += tuple(issue for issue in issues if issue.field in misspelled)
        for field, meant in misspelled.items():
            self.notes += (f"Note: {shown(field)} is not a field of this tool; did you mean {shown(meant)}?",)

    def note_result(self, issues: Sequence[ValidationIssue]) -> None:
        """Add a note for the model about the differences between the result and the tool's output schema."""
        self.notes += (f"Note: {differences_in_words(issues)}.",)

    def hint(self, problem: Any) -> RetryHint:
        """Return the hint for issues, an exception or an error message."""
        payload = self.payload
        if payload is None:
            payload = MISSING if self.raw_text is None else self.raw_text
        hint = self.registry.hint_for(self.name, self.policy, problem, payload, self.previous)
        return hint.limited(self.policy.max_failures)

    @property
    def raw_text(self) -> str | bytes | None:
        """The text in which the arguments were sent; None if they were not sent as text or `payload` has been
        set.
        """
        given = self.arguments
        if self.payload is not None or not isinstance(given, (str, bytes, bytearray)) or not given.strip():
            return None
        if isinstance(given, str):
            return given
        return bytes(given)

    def concealed(self, issues: Sequence[ValidationIssue]) -> list[ValidationIssue]:
        """Return the issues with each secret value wrapped in a `Secret`."""
        if self.secrets is None:
            return list(issues)
        return self.secrets.conceal(list(issues), self.payload)
