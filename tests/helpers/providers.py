"""The providers' modules, tools for them, what assemblers make of events, what botocore says of a request."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from helpers.histories import PROVIDERS
from toolgen_runtime import Tool
from toolgen_transcripts.streams.result import Completed

MODULES: dict[str, Any] = {name: import_module(f"toolgen_transcripts.{name}") for name in PROVIDERS}

MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "bedrock": "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "gemini": "gemini-3-pro",
    "gemini_interactions": "gemini-2.5-pro",
    "openai": "gpt-5",
    "openai_responses": "gpt-5",
}
"""A model of each provider."""


def unchecked_tool(name: str, schema: Any, description: str = "") -> Tool[Any]:
    """Return a tool that takes every payload."""
    text = json.dumps(schema)
    return Tool(name=name, description=description, schema=text, validate=lambda _: [], payload_type=dict)


def assembled(provider: str, events: Iterable[Any]) -> Completed:
    """Return what a provider's assembler makes of these events."""
    assembler = MODULES[provider].StreamAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.finish()


@cache
def _converse() -> Any:
    session = pytest.importorskip("botocore.session", reason="botocore is not installed")
    return session.get_session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def assert_botocore_takes(request: dict[str, Any]) -> None:
    """Check a request to Bedrock against botocore's own model of its API."""
    shape = _converse()
    from botocore.validate import ParamValidator

    report = ParamValidator().validate(request, shape)
    assert not report.has_errors(), report.generate_report()
