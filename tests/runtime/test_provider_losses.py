"""What a decoder saw is in the encoding or in its diagnostics, from every provider to every other.

Histories are put together from the blocks that the APIs have. Every text in them is a marker of its own, and
members that no API has yet are put anywhere, so that whatever gets lost in silence is found by its marker.
"""

from __future__ import annotations

from base64 import b64encode
from copy import deepcopy
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from losses import is_named, texts_of

from toolgen_runtime.providers.shared.messages.encoding import Encoded
from toolgen_runtime.transcript import Transcript

PROVIDERS = ("anthropic", "bedrock", "gemini", "openai", "openai_responses")
MODULES: dict[str, Any] = {name: import_module(f"toolgen_runtime.providers.{name}") for name in PROVIDERS}

# "?" is a text of its own, "?64" one in base64, "?b" one in bytes.
_BEDROCK_DOCUMENT = {
    "document": {
        "format": "pdf",
        "name": "?",
        "source": {"bytes": "?b"},
        "context": "?",
        "citations": {"enabled": True},
    }
}
_CLAUDE_DOCUMENT = {
    "type": "document",
    "title": "?",
    "context": "?",
    "citations": {"enabled": True},
    "source": {"type": "base64", "media_type": "application/pdf", "data": "?64"},
}
_CACHED = {"type": "ephemeral", "ttl": "1h"}
BLOCKS: dict[str, dict[str, list[Any]]] = {
    "bedrock": {
        "user": [
            {"text": "?"},
            {"cachePoint": {"type": "default", "ttl": "1h"}},
            {"guardContent": {"text": {"text": "?", "qualifiers": ["?"]}}},
            {"guardContent": {"image": {"format": "png", "source": {"bytes": "?b"}}}},
            {"searchResult": {"source": "?", "title": "?", "content": [{"text": "?"}]}},
            {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://?", "bucketOwner": "?"}}}},
            {"document": {"format": "txt", "name": "?", "source": {"text": "?"}}},
            {"toolAddition": {"tool": {"type": "tool_reference", "name": "?"}}},
            _BEDROCK_DOCUMENT,
        ],
        "assistant": [
            {"text": "?"},
            {"citationsContent": {"content": [{"text": "?"}], "citations": [{"title": "?", "source": "?"}]}},
            {"reasoningContent": {"reasoningText": {"text": "?", "signature": "?"}}},
            {"reasoningContent": {"redactedContent": "?b"}},
            {"toolUse": {"toolUseId": "?", "name": "s", "input": {"a": "?"}, "type": "server_tool_use"}},
        ],
        "call": [{"toolUse": {"toolUseId": "call_1", "name": "?", "input": {"a": "?"}}}],
        "result": [
            {
                "toolResult": {
                    "toolUseId": "call_1",
                    "status": "success",
                    "content": [
                        {"text": "?"},
                        {"json": {"a": "?"}},
                        {"searchResult": {"source": "?", "title": "?", "content": [{"text": "?"}]}},
                        {"image": {"format": "png", "source": {"bytes": "?b"}}},
                    ],
                }
            },
            {"toolResult": {"toolUseId": "call_1", "content": [{"json": {"a": "?"}}, _BEDROCK_DOCUMENT]}},
        ],
    },
    "anthropic": {
        "user": [
            {"type": "text", "text": "?", "cache_control": _CACHED},
            {
                "type": "search_result",
                "source": "?",
                "title": "?",
                "content": [{"type": "text", "text": "?"}],
            },
            {"type": "image", "source": {"type": "file", "file_id": "?"}},
            {"type": "image", "source": {"type": "url", "url": "https://?"}, "transformations": ["?"]},
            {"type": "container_upload", "file_id": "?"},
            {"type": "document", "title": "?", "source": {"type": "content", "content": "?"}},
            _CLAUDE_DOCUMENT,
        ],
        "assistant": [
            {"type": "text", "text": "?", "citations": [{"type": "char_location", "cited_text": "?"}]},
            {"type": "thinking", "thinking": "?", "signature": "?"},
            {"type": "redacted_thinking", "data": "?"},
            {"type": "server_tool_use", "id": "?", "name": "web_search", "input": {"query": "?"}},
            {"type": "web_search_tool_result", "tool_use_id": "?", "content": [{"title": "?"}]},
        ],
        "call": [
            {
                "type": "tool_use",
                "id": "call_1",
                "name": "?",
                "input": {"a": "?"},
                "caller": {"type": "code_execution_20260521", "tool_id": "?"},
                "toolset_name": "?",
                "cache_control": _CACHED,
            }
        ],
        "result": [
            {
                "type": "tool_result",
                "tool_use_id": "call_1",
                "is_error": True,
                "toolset_name": "?",
                "content": [
                    {"type": "text", "text": "?", "cache_control": _CACHED},
                    {"type": "tool_reference", "tool_name": "?"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "?64"}},
                    _CLAUDE_DOCUMENT,
                ],
            },
            {"type": "tool_result", "tool_use_id": "call_1", "content": "?", "cache_control": _CACHED},
        ],
    },
    "gemini": {
        "user": [
            {"text": "?"},
            {"inlineData": {"mimeType": "image/png", "data": "?64", "displayName": "?"}},
            {
                "file_data": {"mime_type": "video/mp4", "file_uri": "https://?"},
                "videoMetadata": {"start": "?"},
            },
        ],
        "assistant": [
            {"text": "?", "thoughtSignature": "?"},
            {"text": "?", "thought": True, "thoughtSignature": "?"},
            {"executableCode": {"language": "PYTHON", "code": "?"}},
        ],
        "call": [
            {"functionCall": {"id": "call_1", "name": "?", "args": {"a": "?"}}, "thoughtSignature": "?"},
            {"function_call": {"id": "call_1", "name": "?", "args": {"a": "?"}}, "thought_signature": "?"},
        ],
        "result": [
            {
                "functionResponse": {
                    "id": "call_1",
                    "name": "f",
                    "response": {"output": "?"},
                    "scheduling": "?",
                    "parts": [{"inlineData": {"mimeType": "image/png", "data": "?64", "displayName": "?"}}],
                }
            },
            {"function_response": {"id": "call_1", "name": "f", "response": {"error": "?"}}},
        ],
    },
    "openai": {
        "user": [
            {"type": "text", "text": "?", "cache_control": _CACHED},
            {"type": "guarded_text", "text": "?"},
            {"type": "image_url", "image_url": {"url": "https://?", "detail": "?"}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,?64"}},
            {"type": "file", "file": {"file_id": "?", "format": "application/pdf"}},
            {"type": "file", "file": {"filename": "?", "file_data": "data:application/pdf;base64,?64"}},
            {"type": "input_audio", "input_audio": {"data": "?64", "format": "wav"}},
        ],
        "assistant": [{"type": "text", "text": "?"}, {"type": "refusal", "refusal": "?"}],
        "call": [
            {
                "id": "call_1",
                "type": "function",
                "index": "?",
                "function": {"name": "?", "arguments": '{"a":"?"}'},
            },
            {"id": "call_1", "type": "custom", "custom": {"name": "?", "input": "?"}},
        ],
        "result": [
            {"role": "tool", "tool_call_id": "call_1", "content": "?", "cache_control": _CACHED},
            {
                "role": "tool",
                "tool_call_id": "call_1",
                "content": [{"type": "text", "text": "?"}],
                "extra": "?",
            },
        ],
    },
    "openai_responses": {
        "user": [
            {"type": "input_text", "text": "?", "prompt_cache_breakpoint": {"mode": "?"}},
            {"type": "input_image", "image_url": "https://?", "detail": "?"},
            {"type": "input_image", "file_id": "?"},
            {"type": "input_file", "file_url": "https://?"},
            {"type": "input_file", "filename": "?", "file_data": "data:application/pdf;base64,?64"},
        ],
        "assistant": [
            {"type": "output_text", "text": "?", "annotations": [{"type": "url_citation", "title": "?"}]},
            {"type": "refusal", "refusal": "?"},
        ],
        "call": [
            {"type": "function_call", "call_id": "call_1", "name": "?", "arguments": '{"a":"?"}', "id": "?"},
            {
                "type": "function_call",
                "call_id": "call_1",
                "name": "?",
                "namespace": "?",
                "arguments": "{}",
                "caller": {"type": "program", "caller_id": "?"},
            },
            {"type": "custom_tool_call", "call_id": "call_1", "name": "?", "input": "?"},
        ],
        "result": [{"output": "?", "status": "?"}, {"output": [{"type": "input_text", "text": "?"}]}],
    },
}
ITEMS = [
    {"type": "reasoning", "id": "?", "summary": [{"type": "summary_text", "text": "?"}]},
    {"type": "reasoning", "id": "?", "summary": [], "encrypted_content": "?"},
    {"type": "shell_call", "call_id": "?", "action": {"commands": ["?"]}},
    {"type": "web_search_call", "id": "?", "action": {"query": "?"}},
    {"type": "program", "call_id": "?", "code": "?"},
]
BESIDE = [
    {"reasoning_content": "?"},
    {"reasoning": "?"},
    {"reasoning_content": "?", "thinking_blocks": [{"type": "thinking", "thinking": "?", "signature": "?"}]},
    {"thinking_blocks": [{"type": "redacted_thinking", "data": "?"}]},
    {"reasoning_details": [{"type": "reasoning.text", "text": "?", "format": "anthropic-claude-v1"}]},
    {"reasoning_details": [{"type": "reasoning.encrypted", "data": "?", "id": "?"}]},
    {"refusal": "?"},
    {"audio": {"id": "?"}},
    {"name": "?"},
    {"cache_control": _CACHED},
]


class Marked:
    """Marks every text of a value, and puts members that no API has into its objects."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self.markers: list[str] = []

    def _marker(self) -> str:
        self.markers.append(f"mark{len(self.markers):03}x")
        return self.markers[-1]

    def __call__(self, value: Any) -> Any:
        if isinstance(value, dict):
            out = {key: self(item) for key, item in value.items()}
            if self._data.draw(st.integers(0, 5)) == 0:
                out["some_new_member"] = self._marker()
            return out
        if isinstance(value, list):
            return [self(item) for item in value]
        if not isinstance(value, str) or "?" not in value:
            return value
        if "?64" in value:
            return value.replace("?64", b64encode(self._marker().encode()).decode())
        return self._marker().encode() if value == "?b" else value.replace("?", self._marker())


def _content(provider: str, role: str, blocks: list[Any], more: dict[str, Any]) -> list[Any]:
    """A message with these blocks, or several items."""
    if provider == "gemini":
        return [{"role": "model" if role == "assistant" else "user", "parts": blocks}]
    return [{"role": role, "content": blocks, **more}]


def history(provider: str, data: st.DataObject, mark: Marked) -> list[Any]:
    kinds = BLOCKS[provider]
    pick = data.draw
    said = mark(pick(st.lists(st.sampled_from(kinds["user"]), min_size=1, max_size=3)))
    spoken = mark(pick(st.lists(st.sampled_from(kinds["assistant"]), max_size=3)))
    call = mark(pick(st.sampled_from(kinds["call"])))
    result = mark(pick(st.sampled_from(kinds["result"])))
    out = _content(provider, "user", said, {})
    if provider == "openai_responses":
        items = mark(pick(st.lists(st.sampled_from(ITEMS), max_size=2)))
        message = mark({"type": "message", "role": "assistant", "id": "?", "content": []}) if spoken else {}
        custom = call["type"] == "custom_tool_call"
        kind = "custom_tool_call_output" if custom else "function_call_output"
        spoken_items = [message | {"content": spoken}] if spoken else []
        return [*out, *items, *spoken_items, call, {"type": kind, "call_id": "call_1", **result}]
    if provider == "openai":
        more = mark(pick(st.sampled_from([{}, *BESIDE])))
        return [*out, {"role": "assistant", "content": spoken or None, "tool_calls": [call], **more}, result]
    out += _content(provider, "assistant", [*spoken, call], {})
    return [*out, *_content(provider, "user", [result], {})]


@pytest.mark.parametrize("source", PROVIDERS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_nothing_is_lost_in_silence(source: str, data: st.DataObject) -> None:
    mark = Marked(data)
    native = history(source, data, mark)
    before = deepcopy(native)
    transcript: Transcript = MODULES[source].decode_messages(native)
    back = MODULES[source].encode_messages(transcript)
    assert back.messages == before
    assert back.diagnostics == ()
    for target in PROVIDERS:
        if target == source:
            continue
        encoded: Encoded = MODULES[target].encode_messages(transcript)
        said = " ".join(texts_of(encoded.messages)) + " ".join(texts_of(encoded.system))
        for marker in mark.markers:
            assert marker in said or is_named(native, marker, encoded), (target, marker, encoded.diagnostics)
