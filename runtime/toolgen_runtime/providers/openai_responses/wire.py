"""What the OpenAI Responses API says on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    provider="openai_responses",
    name_rule=WireRule(r"[A-Za-z0-9_-]+", 64),
    id_rule=WireRule(r"[!-~]+", 64),  # not published: what is safe
    stop_key="status",
    # Not whole: incomplete, failed, cancelled, in_progress, queued.
    whole_stop_reasons=frozenset({"completed"}),
    messages=MessageShape(
        list_key="input",
        system_key="instructions",
        system_messages=True,
        block_places=False,
        roles={"user": "user", "assistant": "assistant", "system": "system", "developer": "system"},
        other_roles=True,
        content_for=frozenset({"user", "assistant", "system", "developer"}),
        text_type={"assistant": "output_text", "": "input_text"},
        members={"type": str, "text": str},
        required=("type",),
        item_key="type",
    ),
    request=RequestShape(
        merged=("extra_body",),
        state_keys=("previous_response_id", "conversation"),
        state_types=frozenset({"item_reference"}),
    ),
    calls=CallShape(
        id_key="call_id",
        result_id_key="call_id",
        input_key="arguments",
        text_arguments=True,
        result_role="tool",
        other_calls={"custom_tool_call": "custom_tool_call_output"},
    ),
    tools=ToolShape(
        types=frozenset({"function"}),
        schema_optional=True,
        refused_at_root=("anyOf", "oneOf", "allOf", "enum", "not"),
        flat_root=True,
        strict=OPENAI,
        max_tools=128,
        max_description=1024,
    ),
    stream=StreamFormat(end="response.completed", block_end="response.output_item.done"),
    family="openai",
)
"""https://platform.openai.com/docs/api-reference/responses/object, `status`."""


def stop_of(response: Mapping[str, Any], unsaid: object = None) -> object:
    """Why a response stopped: the reason why it is incomplete, else its status, `unsaid` where it has none."""
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    return reason or response.get(WIRE.stop_key, unsaid)


def item_is_whole(item: Mapping[str, Any]) -> bool:
    """Whether an output item is all there; one without a status is as whole as its response."""
    status = item.get(WIRE.stop_key)
    return status is None or WIRE.is_whole(status)


ENVELOPE = ("id", "model", "usage", "created_at")
"""What a response has, and output items by themselves have not."""
