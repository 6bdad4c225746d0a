"""Log calls, and run the hooks of the application.

The logger `toolgen_runtime.calls` writes one WARNING for each failed call, with these values in `extra`: `tool`,
`call_id`, `kind`, `executed`, `recovery`, `fields`, `error_type`, `duration_ms`. Nothing is written if logging is not
set up. Values of payloads and results, and texts of exceptions, are logged only at DEBUG level: a second record
contains the error's message, the payload and the traceback, with secrets masked.

If a hook raises an exception, it is logged and otherwise ignored, because a hook must not break a call.
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

_MAX_LOGGED_NAME = 64  # names that a model makes up can be of any length
_MAX_FIELDS = 10


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call that has arrived but is not yet checked. `at` is the time in seconds since the epoch.

    If `elsewhere` is true, another program runs the call. A hook then sees the call only once, at its end: when the
    check rejects it, or when it has returned. In that case `at` is the time of the check. A call that is not done is
    shown again each time it continues.
    """

    tool: str
    call_id: str | None
    arguments: Any = field(repr=False)
    at: float = field(default=0.0, compare=False)
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class IssueFound:
    """One issue in the arguments of a call, as data for a hook."""

    tool: str
    call_id: str | None
    issue: ValidationIssue


OnEnd = Callable[["ToolOutput | None"], object]
"""A function that is called when the call has ended; its argument is None if the call raised (`CancelledError`, ...).
"""
OnCall = Callable[[CallStarted], OnEnd | None]
"""A function that is called when a call arrives, in the caller's thread and task; it may return an `OnEnd`."""
OnIssue = Callable[[IssueFound], object]


def is_heard() -> bool:
    """Return whether any log handler would receive the record of a failed call.

    Making a record takes a tenth of the time of a failed call.
    """
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
    """Call a hook and return its result. If the hook raises an exception, log it and return None."""
    try:
        return hook(event)
    except Exception as error:
        log.warning("a hook failed with %s", type(error).__name__, extra={"error_type": type(error).__name__})
        log.debug("the hook's failure", exc_info=error)
        return None


def log_failure(output: ToolOutput, seconds: float) -> None:
    """Log that a call has failed after this number of seconds."""
    cause = output.error.cause if output.error else None
    tool, fields = output.tool[:_MAX_LOGGED_NAME], []
    if isinstance(cause, InvalidPayload):
        fields = [issue.field[:_MAX_LOGGED_NAME] for issue in cause.issues()[:_MAX_FIELDS]]
    elif isinstance(cause, MalformedCallError):
        fields = [cause.field]
    log.warning(
        "%s: %s",
        tool,
        output.kind,
        extra={
            "tool": tool,
            "call_id": output.call_id[:_MAX_LOGGED_NAME] if isinstance(output.call_id, str) else None,
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
