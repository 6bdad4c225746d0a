"""What an API says on the wire, as data: the type of each provider's `WIRE`, and the one rule for stop reasons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wire:
    """The facts about one provider's API.

    After a stop reason of `whole_stop_reasons` all of the message is there. After any other, known or not,
    or after none, a call may be cut, and no call of the message may be run. `malformed_stop_reasons` say that
    the model's output itself was malformed, `call_stop_reasons` that the model stopped in order to call.
    """

    provider: str
    stop_key: str
    whole_stop_reasons: frozenset[str]
    malformed_stop_reasons: frozenset[str] = frozenset()
    call_stop_reasons: frozenset[str] = frozenset()

    def is_whole(self, stop: object) -> bool:
        """Whether all of a message is there that stopped for this reason; null and unknown reasons say no."""
        return stop_reason(stop) in self.whole_stop_reasons

    def why_cut(self, stop: object) -> str:
        """Why a message that stopped for this reason may not be all there; `""` if it is whole."""
        reason = stop_reason(stop)
        if self.is_whole(reason):
            return ""
        return (
            "the message ended without a stop reason"
            if reason is None
            else f"the model stopped with {reason[:60]}"
        )


def stop_reason(stop: object) -> str | None:
    """A stop reason as text, an SDK's enum by its value; None where there is none."""
    value = getattr(stop, "value", stop)
    return value if isinstance(value, str) and value else None
