"""The OpenAI Responses API as data: its names, shapes and limits."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen_transcripts.codec import media
from toolgen_transcripts.codec.media import MediaForm, Slot
from toolgen_transcripts.codec.members import JsonObject, at_path
from toolgen_transcripts.codec.shapes import NAME, TOOLS, MessageShape, RequestShape, ToolShape, under
from toolgen_transcripts.codec.wire import CallShape, StreamFormat, Wire, WireRule, paths, reasons
from toolgen_transcripts.strict.subsets import OPENAI

_DETAIL = Slot("kind", media.never, lambda _: "auto", needed="writing")
_IMAGES: tuple[JsonObject, ...] = (
    {"detail": _DETAIL, "image_url": media.DATA_URL},
    {"detail": _DETAIL, "image_url": media.URL},
    {"file_id": media.FILE},
)
_FILES: tuple[JsonObject, ...] = (
    {"filename": media.FILE_NAME, "file_data": media.DATA_URL},
    {"file_url": media.URL, "filename": media.NAME},
    {"file_id": media.FILE, "filename": media.NAME},
)

WIRE = Wire(
    provider="openai_responses",
    name_rule=WireRule(r"[A-Za-z0-9_-]+", 64),
    id_rule=WireRule(r"[!-~]+", 64),  # not published: a safe limit
    stop_key="status",
    # openai 3.54.0, types.responses.Response, 2026-11-23: its `status`, and the reasons of `incomplete_details`.
    stops={
        **reasons("stop", "completed", whole=True),
        **reasons("length", "max_output_tokens max_messages incomplete"),
        **reasons("content_filter", "content_filter"),
        **reasons("error", "failed cancelled"),
        **reasons("unknown", "steered in_progress queued"),
    },
    usage={
        "input_tokens": "input_tokens",
        "output_tokens": "output_tokens",
        "cache_read_tokens": "input_tokens_details.cached_tokens",
        "cache_write_tokens": "input_tokens_details.cache_write_tokens",
        "reasoning_tokens": "output_tokens_details.reasoning_tokens",
    },
    messages=MessageShape(
        list_key="input",
        system_key="instructions",
        system_text=True,
        system_messages=True,
        block_places=False,
        roles={"user": "user", "assistant": "assistant", "system": "system", "developer": "system"},
        other_roles=True,
        content_for=frozenset({"user", "assistant", "system", "developer"}),
        text_type={"assistant": "output_text", "": "input_text"},
        item_key="type",
        text_input=True,
        reference_key="id",
        reads={
            "message": paths("type role content"),
            "function_call": paths("type call_id name arguments namespace"),
            "custom_tool_call": paths("type call_id name input namespace"),
            "result": paths("type call_id output"),
            "reasoning": paths("type summary.type summary.text content.type content.text encrypted_content"),
            "refusal": paths("type refusal"),
            "additional_tools": paths("type role tools"),
            **dict.fromkeys(
                ("input_text", "output_text", "text", "summary_text", "reasoning_text"), paths("type text")
            ),
        },
        media=(
            *(MediaForm({"type": "input_image", **image}, "image") for image in _IMAGES),
            *(MediaForm({"type": "input_file", **file}, "document") for file in _FILES),
        ),
        attributes=paths("document.name custom namespace"),
        definitions={"additional_tools": ("tools",)},
    ),
    request=RequestShape(
        merged=("extra_body",),
        state_keys=("previous_response_id", "conversation", "prompt"),  # `prompt`: a stored one
        state_types=frozenset({"item_reference"}),
        store_key="store",
        paths=under(same="temperature top_p", max_tokens="max_output_tokens"),
    ),
    calls=CallShape(
        call_types={"function": "function_call", "custom": "custom_tool_call"},
        id_key="call_id",
        result_id_key="call_id",
        other_id_keys={"local_shell_call_output": "id"},
        input_key="arguments",
        text_arguments=True,
        result_role="tool",
        named_results=True,
        own_results=frozenset({"custom"}),
    ),
    tools=ToolShape(
        reads=paths("type name description parameters strict"),
        async_key="async",
        types=frozenset({"function"}),
        schema_optional=True,
        always=frozenset({"properties", "items", "strict"}),  # the default of `strict` is true
        choice_path=("tool_choice",),
        choices={
            **{word: word for word in ("auto", "required", "none")},
            "tool": {"type": "function", "name": NAME},
            "custom": {"type": "custom", "name": NAME},
            "allowed": {"type": "allowed_tools", "mode": "required", "tools": TOOLS},
            "allowed_auto": {"type": "allowed_tools", "mode": "auto", "tools": TOOLS},
        },
        refused_at_root=("anyOf", "oneOf", "allOf", "enum", "not"),
        strict=OPENAI,
        max_tools=128,
    ),
    stream=StreamFormat(end="response.completed", block_end="response.output_item.done", calls="output"),
    family="openai",
    of_many=True,
)
"""For the stop reasons see https://platform.openai.com/docs/api-reference/responses/object, `status`."""


def stop_of(response: JsonObject, unsaid: object = None) -> object:
    """Return why a response stopped: the reason why it is incomplete, or otherwise its status.

    If there is no status either, return `unsaid`.
    """
    return at_path(response, ("incomplete_details", "reason")) or response.get(WIRE.stop_key, unsaid)


def item_is_whole(item: JsonObject) -> bool:
    """Return whether an output item is complete, judging by its status. An item without a status counts as
    complete.
    """
    status = item.get(WIRE.stop_key)
    return status is None or WIRE.is_whole(status)


CALL_ITEMS: Mapping[str, tuple[str, str]] = {
    "function_call": ("function", "arguments"),
    "custom_tool_call": ("custom", "input"),
    "shell_call": ("shell", "action"),
    "local_shell_call": ("local_shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
    "computer_call": ("computer", "action"),
}
"""The items that are calls for the caller to run, with the kind of call and the field with its input."""

OUTPUTS: Mapping[str, str] = {kind: f"{item}_output" for item, (kind, _) in CALL_ITEMS.items()}
"""The type of the item for a result, by the kind of its call."""

TEXT_KINDS = ("function", "custom")
"""The kinds of calls whose input is a string, and whose result is a string or parts."""


REQUEST_ITEMS: Mapping[str, tuple[str, str]] = {
    "mcp_approval_request": ("mcp_approval", "id"),
    "tool_search_call": ("tool_search", "call_id"),
}
"""Items that are not calls but need a response, with the kind of request and the field with its id."""


SERVER_CALL_IDS = ("xs_call_",)
"""The prefixes of ids of custom calls that the server itself runs (xAI's search of X)."""


def is_ours(item: JsonObject) -> bool:
    """Return whether a call must be run by the caller.

    Other calls are run by the server, such as those of a shell in its container.
    """
    if str(item.get(WIRE.calls.id_key)).startswith(SERVER_CALL_IDS):
        return False
    where = at_path(item, ("environment", "type"))
    return str(item.get("type")) in CALL_ITEMS and where not in ("container_auto", "container_reference")


def is_request(item: JsonObject) -> bool:
    """Return whether the caller must respond to an item. A search for tools may be run by the server itself."""
    kind = item.get("type")
    return kind in REQUEST_ITEMS and (kind != "tool_search_call" or item.get("execution") == "client")


def input_key(item: JsonObject) -> str:
    """Return the field that contains the input of a call. For a computer call, it is `action` or `actions`."""
    key = CALL_ITEMS[str(item.get("type"))][1]
    if key == "action" and item.get("action") is None and "actions" in item:
        return "actions"
    return key
