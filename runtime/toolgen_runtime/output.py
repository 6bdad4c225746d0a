"""`ToolOutput`: how one call ended, as data; `ToolError`: what to say of a failure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolgen_runtime.errors import Recovery, ToolErrorKind

if TYPE_CHECKING:
    from toolgen_runtime.hints.model import RetryHint
    from toolgen_runtime.redaction import Secrets
    from toolgen_runtime.repairs import Change

_NEXT: dict[Recovery | None, str] = {
    "retry": "It may be called again.",
    "ask_user": "Ask the user.",
    "give_up": "Calling it again will not help.",
}


@dataclass(frozen=True, slots=True)
class ToolError:
    """`message`: one short line, the first pertinent problem; `cause`: the exception behind it, if any.

    Nothing more: the structure of a failure is in the output's facts and in its hint.
    """

    message: str
    cause: BaseException | None = None

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        # Not the cause's own text: exceptions quote values.
        cause = None if self.cause is None else type(self.cause).__name__
        return f"ToolError({self.message!r}, cause={cause})"


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """How a call ended.

    `kind` (what happened), `executed` (whether the tool ran) and `recovery` (what to do next) are separate
    facts; `kind`, `recovery` and `error` are None for a success. `payload` is what was checked, repairs
    included; None where nothing could be read; `redacted()` is what may be logged of it. `result` is a JSON
    value; it stands beside the error too where the tool answered something. `repairs` are the changes made to
    the arguments, if it was asked for.
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
    secrets: Secrets | None = field(default=None, repr=False, compare=False)
    """Where the payload's secrets are, if it can have any."""

    def redacted(self) -> Any:
        """Return the payload with `**********` in place of every value that is secret, or may be."""
        return self.payload if self.secrets is None else self.secrets.redacted(self.payload)

    @property
    def ok(self) -> bool:
        """The tool ran and its result is whole."""
        return self.error is None

    def text(self, max_chars: int = 600) -> str:
        """What to tell the model: the hint (at most `max_chars`) or the error, and the result as JSON."""
        parts: list[str] = []
        if self.retry_hint is not None:
            parts.append(self.retry_hint.render(max_chars))
        elif self.error is not None:
            what = "failed" if self.executed else "was not run"
            said = f"{self.tool or 'the call'} {what} ({self.kind}): {self.error.message.rstrip('.')}."
            parts.append(f"{said} {_NEXT.get(self.recovery, '')}".rstrip())
        if self.error is None or self.result is not None:
            parts.append(
                self.result if isinstance(self.result, str) else json.dumps(self.result, ensure_ascii=False)
            )
        return "\n".join(parts)
