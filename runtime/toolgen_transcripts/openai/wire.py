"""OpenAI's Chat Completions API as data: its names, shapes and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_transcripts.codec import media
from toolgen_transcripts.codec.media import MediaForm, Slot
from toolgen_transcripts.codec.shapes import NAME, TOOLS, MessageShape, RequestShape, ToolShape, under
from toolgen_transcripts.codec.wire import CallShape, StreamFormat, Wire, WireRule, paths, reasons
from toolgen_transcripts.messages import MediaKind
from toolgen_transcripts.strict.subsets import OPENAI


def _linked(kind: MediaKind, *urls: Slot) -> list[MediaForm]:
    """Return the forms of media by URL, in which the URL is either in an object or is the value itself."""
    return [
        MediaForm({"type": f"{kind}_url", f"{kind}_url": inner}, kind)
        for url in urls
        for inner in ({"url": url}, url)
    ]


_LINK = Slot("uri", lambda id: id if isinstance(id, str) and "://" in id else None, media.never)
_FILES: tuple[tuple[Mapping[str, Any], MediaKind | None], ...] = (
    ({"file_id": _LINK, "format": media.READ_TYPE}, None),  # LiteLLM accepts URLs as ids
    ({"file_id": media.FILE, "format": Slot("media_type", write=media.never)}, None),
    ({"file_id": media.FILE}, "document"),
)

WIRE = Wire(
    provider="openai",
    name_rule=WireRule(r"[A-Za-z0-9_-]+", 64),
    id_rule=WireRule(r"[!-~]+", 64),  # not published: a safe limit
    stop_key="finish_reason",
    # openai 3.54.0, types.chat.ChatCompletion, 2026-11-23; `error` is OpenRouter's, `model_length` Mistral's,
    # `insufficient_system_resource` DeepSeek's. `function_call` is for the deprecated form of calls, which is not read.
    stops={
        **reasons("stop", "stop", whole=True),
        **reasons("tool_calls", "tool_calls", whole=True),
        **reasons("tool_calls", "function_call"),
        **reasons("length", "length model_length"),
        **reasons("content_filter", "content_filter"),
        **reasons("error", "error insufficient_system_resource"),
    },
    usage={
        "input_tokens": "prompt_tokens",
        "output_tokens": "completion_tokens",
        "cache_read_tokens": "prompt_tokens_details.cached_tokens",
        "cache_write_tokens": "prompt_tokens_details.cache_write_tokens",
        "reasoning_tokens": "completion_tokens_details.reasoning_tokens",
    },
    messages=MessageShape(
        system_text=True,
        system_first=True,
        system_messages=True,
        block_places=False,
        roles={
            "system": "system",
            "developer": "system",
            "user": "user",
            "assistant": "assistant",
            "tool": "tool",
        },
        other_roles=True,
        content_for=frozenset({"user", "system", "developer", "tool"}),
        text_type={"": "text"},
        calls_key="tool_calls",
        reads={
            "message": paths(
                "role content tool_calls refusal cache_control "
                "thinking_blocks reasoning_details reasoning_content reasoning"
            ),
            "tool_message": paths("role tool_call_id content name cache_control"),
            "tool_call": paths(
                "id type function.name function.arguments custom.name custom.input cache_control"
            ),
            "text": paths("type text cache_control"),
            "guarded_text": paths("text cache_control"),
            "refusal": paths("type refusal"),
            "cache_control": paths("type ttl"),
        },
        media=(
            *_linked("image", media.DATA_URL, media.URL),
            *_linked("video", Slot("data_url", media.from_data_url), Slot("uri", write=media.never)),
            MediaForm(
                {"type": "file", "file": {"filename": media.FILE_NAME, "file_data": media.DATA_URL}},
                "document",
            ),
            *(
                MediaForm({"type": "file", "file": {"filename": media.NAME, **file}}, kind)
                for file, kind in _FILES
            ),
            MediaForm(
                {
                    "type": "input_audio",
                    "input_audio": {"data": media.BASE64, "format": media.format_slot("audio", "mp3", "wav")},
                },
                "audio",
            ),
        ),
        attributes=paths("document.name custom"),
        reasoning_key="reasoning_content",
    ),
    request=RequestShape(
        merged=("extra_body",),
        paths=under(
            same="temperature top_p stop presence_penalty frequency_penalty seed",
            max_tokens="max_completion_tokens",
        ),
        read_as={("max_tokens",): "max_tokens", ("top_k",): "top_k"},
    ),
    calls=CallShape(
        call_key="function",
        other_keys={"function": "custom"},
        call_types={"function": "function", "custom": "custom"},
        id_outside=True,
        result_id_key="tool_call_id",
        input_key="arguments",
        text_arguments=True,
        result_role="tool",
        results_follow=True,
    ),
    tools=ToolShape(
        reads=paths(
            "type function.name function.description function.parameters function.strict "
            "custom.name custom.description cache_control"
        ),
        types=frozenset({"function"}),
        schema_optional=True,
        always=frozenset({"properties", "items"}),  # OpenAI refuses objects and arrays without them
        choice_path=("tool_choice",),
        choices={
            **{word: word for word in ("auto", "required", "none")},
            **{
                word: {"type": kind, kind: {"name": NAME}}
                for word, kind in (("tool", "function"), ("custom", "custom"))
            },
            **{
                word: {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": TOOLS}}
                for word, mode in (("allowed", "required"), ("allowed_auto", "auto"))
            },
        },
        definition_key="function",
        refused_at_root=("anyOf", "oneOf", "allOf", "enum", "not"),
        strict=OPENAI,
        max_tools=128,
    ),
    stream=StreamFormat(end="finish_reason", calls="choices[0].message.tool_calls"),
    family="openai",
    of_many=True,
)
"""For the stop reasons see https://platform.openai.com/docs/api-reference/chat/object, `finish_reason`."""

SIGNERS: Mapping[str, str] = {
    "anthropic-claude-v1": "anthropic",
    "openai-responses-v1": "openai_responses",
    "google-gemini-v1": "gemini",
}
"""The signer for each `format` of a detail: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens."""

THINKING_SIGNER = "anthropic"
"""The signer of the signatures in LiteLLM's `thinking_blocks`."""
