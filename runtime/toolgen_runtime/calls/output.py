"""The output of one call (`ToolOutput`), and the message and cause of a failed one (`ToolError`)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls.errors import Recovery, ToolErrorKind
from toolgen_runtime.hints.recovery import MAX_CHARS
from toolgen_runtime.mcp_result import InputRequest, State, recognize

if TYPE_CHECKING:
    from toolgen_runtime.hints.repair import Change
    from toolgen_runtime.hints.retry_hint import RetryHint
    from toolgen_runtime.validation.redaction import Secrets

_NEXT: dict[Recovery | None, str] = {
    "retry": "It may be called again.",
    "check_first": "It may have taken effect: look before you repeat it.",
    "ask_user": "Ask the user.",
    "give_up": "Calling it again will not help.",
}


@dataclass(frozen=True, slots=True)
class ToolError:
    """The error of a failed call. `message` is one short line, and `cause` is the exception behind the error,
    or None.

    The output of the call and its hint contain everything else about the failure.
    """

    message: str
    cause: BaseException | None = field(default=None, compare=False)  # an exception does not equal its copy

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        # Without the text of the cause, since exceptions quote values.
        if self.cause is None:
            cause = None
        else:
            cause = type(self.cause).__name__
        return f"ToolError({self.message!r}, cause={cause})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ToolError, (self.message, None if self.cause is None else _portable(self.cause))


def _portable(cause: BaseException) -> BaseException:
    """Return the exception if it can be pickled, otherwise a `RuntimeError` with its class name and text."""
    import pickle

    try:
        pickle.loads(pickle.dumps(cause))
    except Exception:  # foreign classes may raise any exception
        return RuntimeError(f"{type(cause).__name__}: {cause}")
    return cause


@dataclass(frozen=True)
class ToolOutput:
    """The output of a call.

    `kind` (the type of failure), `executed` (whether the tool ran) and `recovery` (the recommended next step) are
    separate facts. If the call succeeded, `kind`, `recovery` and `error` are None. `payload` contains the checked
    arguments with all repairs, or None if they could not be read; log `redacted()` instead of it. `result` is a JSON
    value, which a failed call may have too. `repairs` lists the changes to the arguments. `notes` contains further
    lines for the model.

    `state` is `done`, `needs_input` or `running`. The last two occur with MCP tools that ask for input first or run as
    a task. Such a call has neither succeeded nor failed yet. `input_requests` lists the questions. Send `request_state`
    back to the server with the answers; texts, `repr`, logs and `result` do not contain it. Then pass this output and
    the tool's next response to `Conversation.returned`, so that both count as one call. `max_chars` is the maximum
    length of a hint in `text`.
    """

    tool: str
    call_id: str | None = None
    payload: Any = field(default=None, repr=False)
    result: Any = None
    error: ToolError | None = None
    retry_hint: RetryHint | None = None
    kind: ToolErrorKind | None = None
    executed: bool = False
    recovery: Recovery | None = None
    repairs: tuple[Change, ...] = ()
    state: State = "done"
    input_requests: tuple[InputRequest, ...] = ()
    request_state: str | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    max_chars: int = field(default=MAX_CHARS, repr=False, compare=False)
    at: float = field(default=0.0, repr=False, compare=False)
    """The time at which a check accepted the call, in seconds since the epoch."""
    secrets: Secrets | None = field(default=None, repr=False, compare=False)
    """The locations of secrets in the payload, if the schema declares any."""

    def redacted(self) -> Any:
        """Return the payload, with `**********` in place of every value that is or may be secret."""
        if self.secrets is None:
            return self.payload
        return self.secrets.redacted(self.payload)

    @property
    def ok(self) -> bool:
        """Whether the call has no error. In the output of `check`, this means that the call may run. See also
        `state`.
        """
        return self.error is None

    def facts(self) -> dict[str, Any]:
        """Return the details of a rejected call that an application may need, as JSON values.

        These facts are not meant for the model.
        """
        kind = None if self.kind is None else self.kind.value
        if self.retry_hint is None:
            fields = []
        else:
            fields = [field.field for field in self.retry_hint.fields]
        return {"kind": kind, "recovery": self.recovery, "executed": self.executed, "fields": fields}

    def text(self, max_chars: int | None = None) -> str:
        """Return the text to send to the model: the result, or the error with its hint.

        A string result is returned as it is, an MCP result as the text of its content, and any other result as JSON.
        The hint has at most `max_chars` characters (600 by default).
        """
        said = self._said(max_chars)
        if self.notes and self.executed:
            return "\n".join((said, *self.notes))
        return said

    def _said(self, max_chars: int | None) -> str:
        if self.error is None:
            return self._answer()
        if self.result is None:
            answer = ""
        else:
            answer = self._answer()
        if self.retry_hint is not None:
            failure = self.retry_hint.render(self.max_chars if max_chars is None else max_chars)
        elif answer and (read := recognize(self.result)) is not None and read.is_error:
            return answer  # the tool's own report
        else:
            what = "failed" if self.executed else "was not run"
            why = f"{self.tool or 'the call'} {what} ({self.kind}): {self.error.message.rstrip('.')}."
            failure = f"{why} {_NEXT.get(self.recovery, '')}".rstrip()
        if answer:
            return f"{failure}\n{answer}"
        return failure

    def _answer(self) -> str:
        """Return the result as text for the model."""
        read = recognize(self.result)
        if read is not None:
            return read.text()
        if isinstance(self.result, str):
            return self.result
        return json.dumps(self.result, ensure_ascii=False)


def made(facts: dict[str, Any]) -> ToolOutput:
    """Create an output with these attributes, ten times faster than the constructor does.

    All other fields have their defaults.
    """
    output = ToolOutput.__new__(ToolOutput)
    object.__setattr__(output, "__dict__", facts)
    return output
