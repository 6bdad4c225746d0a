"""What OpenAI's Chat Completions say on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.shared.strict import OPENAI
from toolgen_runtime.providers.shared.wire import (
    CallShape,
    MessageShape,
    RequestShape,
    StreamFormat,
    ToolShape,
    Wire,
    WireRule,
)

WIRE = Wire(
    provider="openai",
    name_rule=WireRule(r"[A-Za-z0-9_-]+", 64),
    id_rule=WireRule(r"[!-~]+", 64),  # not published: what is safe
    stop_key="finish_reason",
    # Not whole: length, content_filter; function_call announces the deprecated form, which is not read.
    whole_stop_reasons=frozenset({"stop", "tool_calls"}),
    call_stop_reasons=frozenset({"tool_calls"}),
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
        other_calls={"custom": ""},
        call_wrapper="tool_call",
        function_key="function_call",
        function_role="function",
    ),
    tools=ToolShape(
        types=frozenset({"function"}),
        schema_optional=True,
        definition_key="function",
        refused_at_root=("anyOf", "oneOf", "allOf", "enum", "not"),
        flat_root=True,
        strict=OPENAI,
        max_tools=128,
        max_description=1024,
    ),
    stream=StreamFormat(end="finish_reason"),
    family="openai",
)
"""https://platform.openai.com/docs/api-reference/chat/object, `finish_reason`."""
