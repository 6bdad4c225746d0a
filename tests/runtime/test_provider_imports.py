"""Providers and transcripts stand alone: no SDK, nothing of hints, no state."""

from __future__ import annotations

import sys

import pytest
from support import python

FOREIGN = ("boto3", "botocore", "openai", "anthropic", "google", "mcp")
ABOVE = tuple(
    f"toolgen_runtime.{name}"
    for name in ("hints", "payloads", "registry", "conversation", "calls", "classify", "adapters")
)
PROVIDERS = ["bedrock", "openai", "openai_responses", "anthropic", "gemini", "gemini_interactions", "mcp"]
MODULES = [
    *(f"toolgen_runtime.providers.{provider}" for provider in PROVIDERS),
    "toolgen_runtime.history.check",
    "toolgen_runtime.providers.shared.messages.prepared",
    "toolgen_runtime.transcript",
]


def test_the_modules_take_nothing_foreign_and_nothing_of_calls() -> None:
    program = f"import sys, {', '.join(MODULES)}; print('\\n'.join(sys.modules))"
    loaded = python("-c", program).stdout.split()
    tops = {name.partition(".")[0] for name in loaded}
    assert not tops & set(FOREIGN)
    assert not [name for name in loaded if name in ABOVE or name.startswith(tuple(f"{a}." for a in ABOVE))]


def test_what_the_package_promises_is_there_every_time() -> None:
    from toolgen_runtime import transcript

    for _ in range(2):  # a module of the same name must not take a function's place
        for name in transcript.__all__:
            assert getattr(transcript, name) is not sys.modules.get(f"toolgen_runtime.history.{name}")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        transcript.nothing  # noqa: B018
