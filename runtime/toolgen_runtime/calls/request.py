"""`CallRequest`: one call as it came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from toolgen_runtime.calls.policy import Absent
    from toolgen_runtime.hints.retry_hint import RetryHint


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
