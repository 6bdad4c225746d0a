"""What OpenAI's Chat Completions say on the wire."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen_runtime.providers.shared.tools.shape import NAME
from toolgen_runtime.providers.shared.tools.subsets import OPENAI
from toolgen_runtime.providers.shared.wire import (
    CallShape,
    MessageShape,
    RequestShape,
    StreamFormat,
    ToolShape,
    Wire,
    WireRule,
    paths,
    reasons,
)

WIRE = Wire(
    provider="openai",
    name_rule=WireRule(r"[A-Za-z0-9_-]+", 64),
    id_rule=WireRule(r"[!-~]+", 64),  # not published: what is safe
    stop_key="finish_reason",
    # openai 3.54.0, types.chat.ChatCompletion, 2026-11-23; `error` is OpenRouter's, `model_length` Mistral's,
    # `insufficient_system_resource` DeepSeek's. `function_call` announces the deprecated form, which is not read.
    stops={
        **reasons("stop", "stop", whole=True),
        **reasons("tool_calls", "tool_calls", whole=True),
        **reasons("tool_calls", "function_call"),
        **reasons("length", "length model_length"),
        **reasons("content_filter", "content_filter"),
        **reasons("error", "error insufficient_system_resource"),
    },
    messages=MessageShape(
        system_messages=True,
        block_places=False,
        roles={
            "system": "system",
            "developer": "system",
            "user": "user",
            "assistant": "assistant",
            "tool": "tool",
            "function": "tool",
        },
        other_roles=True,
        content_for=frozenset({"user", "system", "developer", "tool"}),
        text_type={"": "text"},
        members={"type": str, "text": str},
        required=("type",),
        calls_key="tool_calls",
        reads={
            "message": paths(
                "role content tool_calls function_call refusal cache_control "
                "thinking_blocks reasoning_details reasoning_content reasoning"
            ),
            "tool_message": paths("role tool_call_id content name cache_control"),
            "tool_call": paths(
                "id type function.name function.arguments custom.name custom.input cache_control "
                "function_call.name function_call.arguments"
            ),
            "text": paths("type text cache_control"),
            "guarded_text": paths("text cache_control"),
            "refusal": paths("type refusal"),
            "image_url": paths("type image_url.url cache_control"),
            "video_url": paths("type video_url.url cache_control"),
            "file": paths("type file.filename file.file_data file.file_id file.format cache_control"),
            "input_audio": paths("type input_audio.data input_audio.format cache_control"),
            "cache_control": paths("type ttl"),
        },
        attributes=paths("document.name custom"),
        reasoning_key="reasoning_content",
    ),
    request=RequestShape(merged=("extra_body",)),
    calls=CallShape(
        call_key="function",
        result_id_key="tool_call_id",
        input_key="arguments",
        text_arguments=True,
        result_role="tool",
        results_follow=True,
        function_key="function_call",
        function_role="function",
    ),
    tools=ToolShape(
        reads=paths(
            "type function.name function.description function.parameters function.strict "
            "custom.name custom.description cache_control"
        ),
        types=frozenset({"function"}),
        schema_optional=True,
        always=frozenset({"properties"}),  # OpenAI refuses an object without
        choice_path=("tool_choice",),
        choices={
            **{word: word for word in ("auto", "required", "none")},
            **{
                word: {"type": kind, kind: {"name": NAME}}
                for word, kind in (("tool", "function"), ("custom", "custom"))
            },
        },
        definition_key="function",
        refused_at_root=("anyOf", "oneOf", "allOf", "enum", "not"),
        flat_root=True,
        strict=OPENAI,
        max_tools=128,
    ),
    stream=StreamFormat(end="finish_reason", calls=("choices", 0, "message", "tool_calls")),
    family="openai",
    of_many=True,
)
"""https://platform.openai.com/docs/api-reference/chat/object, `finish_reason`."""

SIGNERS: Mapping[str, str] = {
    "anthropic-claude-v1": "anthropic",
    "openai-responses-v1": "openai_responses",
    "google-gemini-v1": "gemini",
}
"""https://openrouter.ai/docs/guides/best-practices/reasoning-tokens, `format` of a detail."""

THINKING_SIGNER = "anthropic"
"""Whose signatures LiteLLM puts into `thinking_blocks`."""

SERVICE_TIERS = ("auto", "default", "flex", "scale", "priority", "fast")
"""Of both APIs: `service_tier` of `openai.types.chat.CompletionCreateParams` and `openai.types.responses.Response`."""
