"""Providers and transcripts stand alone: no SDK, nothing of hints, no state."""

from __future__ import annotations

import sys

import pytest
from helpers.support import python

FOREIGN = ("boto3", "botocore", "openai", "anthropic", "google", "mcp")
ABOVE = (
    *(
        f"toolgen_runtime.{name}"
        for name in ("hints", "payloads", "registry", "conversation", "calls", "classify")
    ),
    "toolgen_adapters",
)
PROVIDERS = ["bedrock", "openai", "openai_responses", "anthropic", "gemini", "gemini_interactions", "mcp"]
MODULES = [
    *(f"toolgen_transcripts.{provider}" for provider in PROVIDERS),
    "toolgen_transcripts.rules.check",
    "toolgen_transcripts.codec.prepared",
    "toolgen_transcripts",
]


def test_the_modules_take_nothing_foreign_and_nothing_of_calls() -> None:
    program = f"import sys, {', '.join(MODULES)}; print('\\n'.join(sys.modules))"
    loaded = python("-c", program).stdout.split()
    tops = {name.partition(".")[0] for name in loaded}
    assert not tops & set(FOREIGN)
    assert not [name for name in loaded if name in ABOVE or name.startswith(tuple(f"{a}." for a in ABOVE))]


def test_what_the_package_promises_is_there_every_time() -> None:
    import toolgen_transcripts

    for _ in range(2):  # a module of the same name must not take a function's place
        for name in toolgen_transcripts.__all__:
            assert getattr(toolgen_transcripts, name) is not sys.modules.get(f"toolgen_transcripts.{name}")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        toolgen_transcripts.nothing  # noqa: B018
