"""Log records and hooks for calls.

Each failed call is one WARNING of the logger `toolgen_runtime.calls`, with these facts in `extra`: `tool`, `call_id`,
`kind`, `executed`, `recovery`, `fields`, `error_type`, `duration_ms`. If logging is not set up, no records are
written. Values of payloads and results and texts of exceptions are logged only at DEBUG: a second record has the
error's message, the payload and the traceback, with secret values masked.

An exception in a hook is logged and otherwise ignored: hooks must not break a call.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls.errors import MalformedCallError
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue
from toolgen_runtime.validation.printing import printed

if TYPE_CHECKING:
    from toolgen_runtime.calls.output import ToolOutput

logging.getLogger("toolgen_runtime").addHandler(logging.NullHandler())  # silent unless logging is set up
log = logging.getLogger("toolgen_runtime.calls")

_MAX_NAME = 64  # names that a model makes up can be of any length
_MAX_FIELDS = 10


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call that has come in, before it is checked; `at` is the time, in seconds since the epoch.

    `elsewhere` means that another program runs the call. A hook then sees the call once, at its end: when the check
    rejects it or when it has returned; `at` is the time of the check. A call that is not done is seen again each time
    it continues.
    """

    tool: str
    call_id: str | None
    arguments: Any = field(repr=False)
    at: float = field(default=0.0, compare=False)
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class IssueFound:
    """One broken constraint of a call's arguments."""

    tool: str
    call_id: str | None
    issue: ValidationIssue


OnEnd = Callable[["ToolOutput | None"], object]
"""Called when the call has ended; None means that it raised an exception (`CancelledError`, ...)."""
OnCall = Callable[[CallStarted], OnEnd | None]
"""Called when a call comes in, in the caller's thread and task; the function that it returns is called at the end."""
OnIssue = Callable[[IssueFound], object]


def is_heard() -> bool:
    """Return whether a record would be handled: making one takes a tenth of the time of a failed call."""
    if not log.isEnabledFor(logging.WARNING):
        return False
    logger: logging.Logger | None = log
    while logger is not None:
        for handler in logger.handlers:
            if type(handler) is not logging.NullHandler:
                return True
        if logger.filters:
            return True
        logger = logger.parent if logger.propagate else None
    return False


def shielded(hook: Callable[[Any], Any], event: object) -> Any:
    """Return the result of a hook; if it raises an exception, log it and return None."""
    try:
        return hook(event)
    except Exception as error:
        log.warning("a hook failed with %s", type(error).__name__, extra={"error_type": type(error).__name__})
        log.debug("the hook's failure", exc_info=error)
        return None


def log_failure(output: ToolOutput, seconds: float) -> None:
    """Log a failed call, which took this number of seconds."""
    cause = output.error.cause if output.error else None
    tool, fields = output.tool[:_MAX_NAME], []
    if isinstance(cause, InvalidPayload):
        fields = [issue.field[:_MAX_NAME] for issue in cause.issues()[:_MAX_FIELDS]]
    elif isinstance(cause, MalformedCallError):
        fields = [cause.field]
    log.warning(
        "%s: %s",
        tool,
        output.kind,
        extra={
            "tool": tool,
            "call_id": output.call_id[:_MAX_NAME] if isinstance(output.call_id, str) else None,
            "kind": str(output.kind),
            "executed": output.executed,
            "recovery": output.recovery,
            "fields": fields,
            "error_type": None if cause is None else type(cause).__name__,
            "duration_ms": round(seconds * 1000, 3),
        },
    )
    if not log.isEnabledFor(logging.DEBUG):
        return
    payload = printed(output.redacted())
    if output.secrets is None:
        log.debug("%s; payload %s", output.error, payload, exc_info=cause)
        return
    if cause is None:
        trace = ""
    else:
        trace = "".join(traceback.format_exception(cause))
    log.debug("%s; payload %s\n%s", output.error, payload, output.secrets.scrubbed(trace, output.payload))
