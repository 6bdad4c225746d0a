"""Send payloads that are not objects inside an object, because providers accept nothing else."""

from __future__ import annotations

from typing import Any

WRAPPED = "_payload"
"""The only property of the object in which a payload that is not an object is sent."""


def encode_input(payload: Any) -> dict[str, Any]:
    """Return the payload as an object, as providers require.

    A value of another type is put under the key `WRAPPED`.
    """
    if isinstance(payload, dict) and set(payload) != {WRAPPED}:
        return payload
    return {WRAPPED: payload}


def decode_input(sent: Any) -> Any:
    """Return the payload of a call: the value under `WRAPPED`, or the whole object if it has no such key."""
    if isinstance(sent, dict) and set(sent) == {WRAPPED}:
        return sent[WRAPPED]
    return sent
