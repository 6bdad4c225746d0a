"""One call on its way through the boundary: up to the handler, and back from it.

The only thing that is not here is the running itself, which is sync or async.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from toolgen_runtime.calls import handlers
from toolgen_runtime.calls.errors import (
    TOOL_ERROR_KIND_MEANINGS,
    MalformedCallError,
    MalformedResponseError,
    Recovery,
    ToolErrorKind,
    ToolExecutionError,
)
from toolgen_runtime.calls.hooks import Watch
from toolgen_runtime.calls.ledger import TurnLedger
from toolgen_runtime.calls.limits import Policy
from toolgen_runtime.calls.output import ToolError, ToolOutput
from toolgen_runtime.calls.results import encode
from toolgen_runtime.classify import classify_handler_error
from toolgen_runtime.mcp_result import as_mapping, recognize
from toolgen_runtime.validation.issues import MISSING, InvalidPayload, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.hints.model import RetryHint
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.validation.redaction import Secrets
    from toolgen_runtime.validation.tool import Tool

MAX_MESSAGE = 200
"""Characters of a `ToolError.message`."""


class Catalog(Protocol):
    """What the boundary needs of a registry."""

    def find(self, name: str) -> Tool[Any] | None:
        """The tool of this name, if there is one."""
        ...

    def names(self) -> list[str]:
        """Every name."""
        ...

    def hint(
        self, tool: str, problem: Any, *, payload: Any = ..., previous: RetryHint | None = ...
    ) -> RetryHint:
        """What to tell the model about issues, an exception or a text."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """One call as it came in: the tool's name, its arguments as text or as an object, the provider's call id.

    `previous` is the hint that the last call of this tool ended with, if any; `timeout`, in seconds, stands in
    for the policy's.
    """

    tool: str
    arguments: Any
    call_id: str | None = None
    previous: RetryHint | None = None
    timeout: float | None = None

    @property
    def name(self) -> str:
        """The tool's name, `""` where what came in is no name at all."""
        return self.tool if isinstance(self.tool, str) else ""


class Passage:
    """One call under way. `enter` either makes `arguments` ready for the handler or settles the output."""

    def __init__(
        self, catalog: Catalog, policy: Policy, request: Request, turns: TurnLedger, watch: Watch
    ) -> None:
        self.arguments: tuple[Any, ...] = ()
        self.timeout = policy.timeout if request.timeout is None else request.timeout
        self._catalog = catalog
        self._policy = policy
        self._request = request
        self._turns = turns
        self._watch = watch
        self._name = request.name
        self._tool: Tool[Any] | None = None
        self._payload: Any = None
        self._secrets: Secrets | None = None
        self._repairs: tuple[Change, ...] = ()

    def enter(self, handler: handlers.Handler) -> bool:
        """Decode, check and repair; whether the handler may run.

        Raises:
            TypeError: the handler cannot take this tool's payload.
        """
        if not self._ready() or self._tool is None:
            return False
        try:
            self.arguments = handlers.arguments_for(handler, self._tool, self._payload)
        except ValueError as error:  # pydantic's: a valid payload that no model can hold
            message = "the tool's payload model cannot hold these arguments"
            self._refuse(ToolErrorKind.INVALID_PARAMETERS, message, error)
            return False
        return self._turns.claim(self._policy.calls_per_turn) or self._refuse_limit()

    def check(self) -> ToolOutput:
        """Decode, check and repair; an output with the payload to run, or with what is wrong. Nothing is counted."""
        if self._ready() and (self._turns.has_room(self._policy.calls_per_turn) or self._refuse_limit()):
            self._settle()
        self._watch.output = self._output
        return self._output

    def resume(self, checked: ToolOutput) -> None:
        """Go on where `check` ended: the call has been run, elsewhere."""
        self._tool = self._catalog.find(checked.tool)
        self._secrets = checked.secrets
        self._payload, self._repairs = checked.payload, checked.repairs
        self._turns.claim(None)

    def _ready(self) -> bool:
        self._tool = tool = self._admitted(self._name)
        if tool is None:
            return False
        self._secrets = self._policy.secrets_of(tool)
        return self._decoded(tool)

    def _refuse_limit(self) -> bool:
        limit = self._policy.calls_per_turn
        self._refuse(ToolErrorKind.LIMIT_EXCEEDED, f"no more than {limit} tools may run in one turn")
        return False

    def _admitted(self, name: str) -> Tool[Any] | None:
        if not name.strip():
            error = MalformedCallError("name", "the call names no tool", self._request.tool)
            self._refuse(ToolErrorKind.UNKNOWN_TOOL, str(error), error)
            return None
        call_id = self._request.call_id
        if call_id is not None and not (isinstance(call_id, str) and call_id.strip()):
            error = MalformedCallError("id", "the call has no id", call_id)
            # Nothing in the arguments mends it: the model's answer has to be asked for again.
            self._refuse(ToolErrorKind.INVALID_PARAMETERS, str(error), error, recovery="retry")
            return None
        tool = self._catalog.find(name)
        if tool is None:
            hint = self._unknown_hint()
            self._refuse(ToolErrorKind.UNKNOWN_TOOL, f"there is no tool {name[:64]!r}", hint=hint)
        elif not self._allowed(name):
            self._refuse(ToolErrorKind.NOT_PERMITTED, "it may not be called here")
            return None
        return tool

    def _allowed(self, name: str) -> bool:
        return self._policy.allow is None or name in self._policy.allow

    def _decoded(self, tool: Tool[Any]) -> bool:
        given = self._request.arguments
        if given is None or (isinstance(given, (str, bytes, bytearray)) and not given.strip()):
            if self._policy.absent == "refuse":
                self._refuse_absent(tool)
                return False
            given = {}
        issues: Sequence[ValidationIssue] = ()
        if isinstance(given, (str, bytes, bytearray)):
            from toolgen_runtime.validation.json_text import read

            self._payload, issues = read(given if isinstance(given, str) else bytes(given))
        else:
            self._payload = dict(given) if isinstance(given, Mapping) and type(given) is not dict else given
        if not issues:
            issues = tool.validate(self._payload)
            if issues and self._policy.repair and self._repaired(tool):
                self._watch.issues(self._concealed(issues))
                return True
        if issues:
            issues = self._concealed(issues)
            self._invalid(issues, InvalidPayload(tool.name, issues))
        return not issues

    def _refuse_absent(self, tool: Tool[Any]) -> None:
        message = "no arguments came with the call; send them as a JSON object, {} if there are none"
        error = MalformedCallError("input", message, self._request.arguments)
        hint = self._hint(tool.validate({}) or message)
        self._refuse(ToolErrorKind.INVALID_PARAMETERS, message, error, hint=hint)

    def _repaired(self, tool: Tool[Any]) -> bool:
        from toolgen_runtime.hints.repair import concealed, repair

        repaired = repair(tool, self._payload)
        if repaired.changes:
            self._payload, self._repairs = repaired.payload, concealed(repaired.changes, self._secrets)
        return bool(repaired.changes)

    def _concealed(self, issues: Sequence[ValidationIssue]) -> list[ValidationIssue]:
        return list(issues) if self._secrets is None else self._secrets.conceal(list(issues))

    def leave(self, result: object) -> None:
        """The handler has returned."""
        encoded = encode(as_mapping(result))
        reported = recognize(encoded.value)
        if encoded.issues:
            first = encoded.issues[0]
            message = f"{first.field or 'the result'}: got {first.got}, expected {first.expected}"
            self._malformed(message, encoded.value, encoded.issues)
        elif reported is not None and reported.is_error:
            message = reported.text() or "the tool reports an error and does not say which"
            self._refuse(ToolErrorKind.EXECUTION_ERROR, message, result=encoded.value)
        else:
            self._settle(result=encoded.value, executed=True)

    def fail(self, error: Exception) -> None:
        """The handler has raised."""
        if isinstance(error, MalformedResponseError):
            encoded = encode(error.result)
            self._malformed(error.message, encoded.value, encoded.issues, error)
        elif isinstance(error, ToolExecutionError):
            overruled = error.recovery if error.recovery != error.meaning.recovery else None
            self._failed(error.kind, error.message, error, overruled)
        elif isinstance(error, InvalidPayload) and self._tool and error.tool == self._tool.name:
            known = error if self._secrets is None else self._secrets.conceal_error(error)
            self._invalid(known.issues(), known)  # what no schema says: the handler's own checks
        else:
            kind = classify_handler_error(error).kind
            self._failed(kind, _said(kind, error), error)

    def end(self) -> ToolOutput:
        """Count the call, show it to the watch, and give its output."""
        self._watch.output = self._output
        self._turns.record(self._output)
        return self._output

    def _failed(
        self, kind: ToolErrorKind, message: str, error: Exception, recovery: Recovery | None = None
    ) -> None:
        mendable = kind is ToolErrorKind.INVALID_PARAMETERS and recovery is None
        hint = self._hint(error) if mendable else None
        self._refuse(kind, message, error, hint=hint, recovery=recovery)

    def _invalid(self, issues: Sequence[ValidationIssue], cause: Exception) -> None:
        self._watch.issues(issues)
        hint = self._hint(issues)
        self._refuse(ToolErrorKind.INVALID_PARAMETERS, _headline(hint, cause), cause, hint=hint)

    def _malformed(
        self,
        message: str,
        result: Any,
        issues: Sequence[ValidationIssue],
        cause: MalformedResponseError | None = None,
    ) -> None:
        self._watch.issues(issues, in_result=True)
        cause = cause or MalformedResponseError(message, result)
        self._refuse(ToolErrorKind.EXECUTION_ERROR, message, cause, hint=self._hint(cause), result=result)

    def _refuse(
        self,
        kind: ToolErrorKind,
        message: str,
        cause: Exception | None = None,
        *,
        hint: RetryHint | None = None,
        recovery: Recovery | None = None,
        result: Any = None,
    ) -> None:
        from toolgen_runtime.hints.text import prose

        meaning = TOOL_ERROR_KIND_MEANINGS[kind]
        self._settle(
            result=result,
            error=ToolError(prose(self._scrubbed(message), MAX_MESSAGE), cause),
            retry_hint=hint,
            kind=kind,
            executed=meaning.executed,
            recovery=recovery or (hint.recovery if hint else meaning.recovery),
        )

    def _settle(self, **facts: Any) -> None:
        self._output = ToolOutput(
            self._name,
            self._request.call_id,
            payload=self._payload,
            repairs=self._repairs,
            max_chars=self._policy.max_chars,
            secrets=self._secrets,
            **facts,
        )

    def _scrubbed(self, message: str) -> str:
        """A message of anybody's, without the secrets of the payload."""
        return message if self._secrets is None else self._secrets.scrubbed(message, self._payload)

    def _hint(self, problem: Any) -> RetryHint:
        payload = MISSING if self._payload is None else self._payload
        return self._catalog.hint(self._name, problem, payload=payload, previous=self._request.previous)

    def _unknown_hint(self) -> RetryHint:
        from toolgen_runtime.hints import unknown_tool

        known = [name for name in self._catalog.names() if self._allowed(name)]
        return unknown_tool(self._name, known, self._request.previous)


def _headline(hint: RetryHint, cause: Exception) -> str:
    from toolgen_runtime.hints.render import line

    return line(hint.fields[0]) if hint.fields else hint.detail or str(cause)


def _said(kind: ToolErrorKind, error: Exception) -> str:
    """An exception's own words, but not those of a bug: they are about the code, and quote values."""
    name = type(error).__name__
    text = "" if kind is ToolErrorKind.INTERNAL_ERROR else str(error)
    return text or f"the tool failed with {name}"
