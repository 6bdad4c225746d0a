"""Help for users' own tests: a Bedrock runtime that needs no account. Standard library only."""

from __future__ import annotations

from toolgen_runtime.testing.fake_bedrock import FakeBedrock, Request
from toolgen_runtime.testing.replies import Answer, HttpError, Reply, call, reasoning, stream_events, text

__all__ = [
    "Answer",
    "FakeBedrock",
    "HttpError",
    "Reply",
    "Request",
    "call",
    "reasoning",
    "stream_events",
    "text",
]
