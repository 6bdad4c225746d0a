"""Frames of `application/vnd.amazon.eventstream`, as the Bedrock runtime sends them.

A frame is u32 total length, u32 headers length, u32 CRC32 of those eight bytes; the headers (u8 name length,
name, type 7 for a string, u16 value length, value); the payload; u32 CRC32 of all before. Big endian
throughout (https://smithy.io/2.0/aws/amazon-eventstream.html).
"""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from binascii import crc32
from collections.abc import Mapping
from typing import Any

_STRING = 7
_PRELUDE = 12
_TRAILER = 4


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """Return one frame with both of its checksums."""
    head = b"".join(_header(name, value) for name, value in headers.items())
    lengths = struct.pack(">II", _PRELUDE + len(head) + len(payload) + _TRAILER, len(head))
    body = lengths + struct.pack(">I", crc32(lengths)) + head + payload
    return body + struct.pack(">I", crc32(body))


def _header(name: str, value: str) -> bytes:
    raw_name, raw_value = name.encode(), value.encode()
    return (
        struct.pack(">B", len(raw_name)) + raw_name + struct.pack(">BH", _STRING, len(raw_value)) + raw_value
    )


def event_frame(event: Mapping[str, Any]) -> bytes:
    """Return the frame of one event as boto3 hands it over: `{"contentBlockDelta": {...}}`.

    An event whose name ends in `Exception` becomes an exception frame, which boto3 raises.
    """
    ((name, body),) = event.items()
    kind = "exception" if name.endswith("Exception") else "event"
    headers = {":message-type": kind, f":{kind}-type": name, ":content-type": "application/json"}
    return frame(headers, encode(body))


def encode(body: object) -> bytes:
    """Return a JSON body; bytes stand in it as base64, as the service sends blobs."""
    return json.dumps(body, default=lambda blob: b64encode(blob).decode()).encode()


def spoil(framed: bytes) -> bytes:
    """Return the frame with its last checksum wrong, as a damaged wire leaves it."""
    return framed[:-1] + bytes([framed[-1] ^ 0xFF])
