"""The errors of tool calls: their kinds, a table that explains each kind, and the exceptions.

The type of a failure (`kind`), whether the tool ran (`executed`) and the next step (`recovery`) are separate facts. The
table relates them, so a caller need not derive one from another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

from toolgen_runtime.hints.recovery import Recovery as Recovery


class ToolErrorKind(StrEnum):
    """The kinds of failed tool calls."""

    UNKNOWN_TOOL = "unknown_tool"
    NOT_PERMITTED = "not_permitted"
    INVALID_PARAMETERS = "invalid_parameters"
    LIMIT_EXCEEDED = "limit_exceeded"
    CANCELED = "canceled"
    TIMEOUT = "timeout"
    TRANSPORT_ERROR = "transport_error"
    EXECUTION_ERROR = "execution_error"
    INTERNAL_ERROR = "internal_error"


@dataclass(frozen=True, slots=True)
class KindMeaning:
    """What a kind of error means: whether the tool may have run, what to do next, and a sentence for people.

    If the tool's annotations are trusted and allow the call to be repeated, `recovery` is `retry` instead of
    `check_first`.
    """

    executed: bool
    recovery: Recovery
    description: str


_K = ToolErrorKind
TOOL_ERROR_KIND_MEANINGS: Final[Mapping[ToolErrorKind, KindMeaning]] = MappingProxyType({
    _K.UNKNOWN_TOOL: KindMeaning(False, "correct", "There is no tool with this name."),
    _K.NOT_PERMITTED: KindMeaning(False, "give_up", "The tool exists, but this agent may not call it."),
    _K.INVALID_PARAMETERS: KindMeaning(False, "correct", "The arguments break the tool's schema."),
    _K.LIMIT_EXCEEDED: KindMeaning(False, "give_up", "The limit of calls is reached."),
    _K.CANCELED: KindMeaning(False, "give_up", "The call was withdrawn before the tool ran."),
    _K.TIMEOUT: KindMeaning(
        True, "check_first", "The tool did not respond in time. It may have taken effect."
    ),
    _K.TRANSPORT_ERROR: KindMeaning(
        True, "check_first", "The connection to the tool broke. It may have taken effect."
    ),
    _K.EXECUTION_ERROR: KindMeaning(True, "correct", "The tool ran and reported a failure."),
    _K.INTERNAL_ERROR: KindMeaning(True, "give_up", "The tool has a bug. Different arguments will not help."),
})  # fmt: skip
"""Explains each kind: whether the tool ran, what to do next, and a sentence for people. The mapping is read-only."""


class ToolExecutionError(Exception):
    """A failure of a tool, with its kind. Raise this exception in a handler.

    `message` is one short sentence that the model will read. `code` is the original error code if there is one, such as
    an HTTP status or a JSON-RPC code. `recovery` replaces the default recovery of the kind.
    """

    def __init__(
        self,
        kind: ToolErrorKind,
        message: str,
        code: str | int | None = None,
        *,
        recovery: Recovery | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = ToolErrorKind(kind)
        self.message = message
        self.code = code
        self.stated_recovery: Recovery | None = recovery
        """The `recovery` argument; None means the recovery of the kind."""
        self.recovery: Recovery = recovery or self.meaning.recovery

    @property
    def meaning(self) -> KindMeaning:
        """The entry for this kind in `TOOL_ERROR_KIND_MEANINGS`."""
        return TOOL_ERROR_KIND_MEANINGS[self.kind]

    @property
    def executed(self) -> bool:
        """Whether the tool may have run, which depends only on the kind."""
        return self.meaning.executed

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), recovery=self.stated_recovery), (self.kind, self.message, self.code)


class MalformedResponseError(Exception):
    """The exception to raise in a handler if the tool ran but returned a malformed result.

    The model reads both the result and the error.
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message, result)
        self.message = message
        self.result = result

    def __str__(self) -> str:
        return self.message


class MalformedCallError(ValueError):
    """The exception for a tool call that has no `id`, `name` or `input`. `field` names the missing part, and
    `raw` is what was received.

    The message does not contain `raw`, because models and logs read the message.
    """

    def __init__(self, field: Literal["id", "name", "input"], message: str, raw: object = None) -> None:
        super().__init__(field, message, raw)
        self.field = field
        self.message = message
        self.raw = raw

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"

    def __repr__(self) -> str:
        return f"MalformedCallError({self.field!r}, {self.message!r})"
