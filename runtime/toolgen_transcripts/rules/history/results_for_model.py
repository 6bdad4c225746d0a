"""Remove what a model does not accept in results (a status, or media), and report streams that it does not
support.
"""

from __future__ import annotations

from dataclasses import replace

from toolgen_transcripts.codec import models
from toolgen_transcripts.messages import Block, Media, Text, ToolResult
from toolgen_transcripts.rules.draft import Draft, Spot, located
from toolgen_transcripts.rules.rule import ANTHROPIC, CHAT, rule, step

UNSUPPORTED_FEATURE = rule(
    "unsupported-feature",
    29,
    "a feature that the model does not support: tools while streaming, or the status of a result",
    "call the model without streaming; leave out the status",
    "This model doesn't support tool use in streaming mode.",
    status="This model doesn't support the status field. Remove status and try again.",
    where="tools",
    source="pi#3739",
)


RESULT_MEDIA = rule(
    "result-media",
    30,
    "an image inside a result, for a model that does not support this",
    "move the image to the user's message, or replace it with text",
    "This model doesn't support the image field for user messages. Remove image and try again.",
    r"doesn't support the (?:image|document) (?:field|content block)",
    source="opencode#49443",
)


MEDIA_IN_ERROR = rule(
    "media-in-error",
    72,
    "an error result with other content than text",
    "move the media out of the result",
    "{place}.tool_result: all content must be type 'text' if 'is_error' is true",
    r"all content must be .?type.? .?text.? if .?is_error",
    of=ANTHROPIC,
    source="vellum-assistant#18387, copilot-api#196",
)
MEDIA_IN_TOOL_MESSAGE = rule(
    "media-in-tool-message",
    73,
    "an image in a message of the role `tool`, for OpenAI",
    "move the image to a user message after the results",
    "Invalid '{place}'. Image URLs are only allowed for messages with role 'user', but this message with role"
    " 'tool' contains an image URL.",
    r"Image URLs are only allowed for messages with role 'user'",
    of=CHAT,
    source="OpenHands#7700",
)


def _for_model(draft: Draft, at: Spot, result: ToolResult, hoisted: list[Block]) -> ToolResult:
    """Remove the status and media from a result if the model does not support them."""
    request, model = draft.request, draft.request.model
    stateless = request.tests(UNSUPPORTED_FEATURE) and models.lacks_status(model)
    if stateless and result.is_error is not None:
        place = f"{request.inside(draft.place(at), request.wire.calls.result_key)}.status"
        draft.fix(UNSUPPORTED_FEATURE, at, "status left out", result.id, place=place, wording="status")
        result = replace(result, is_error=None)
    media = [b for b in result.content if isinstance(b, Media)]
    if not media:
        return result
    of_openai = (model or request.host) and request.is_openai and request.tests(MEDIA_IN_TOOL_MESSAGE)
    if result.is_error and request.tests(MEDIA_IN_ERROR):
        rule = MEDIA_IN_ERROR
    elif of_openai and result.source is not None:
        draft.fix(MEDIA_IN_TOOL_MESSAGE, at, "media moved to a user message", result.id)
        return replace(result, source=None)  # the codec writes it so
    elif request.tests(RESULT_MEDIA) and models.lacks_result_images(model):
        rule = RESULT_MEDIA
    else:
        return result
    content = tuple(b for b in result.content if not isinstance(b, Media))
    if rule is RESULT_MEDIA and models.lacks_images(model):
        draft.fix(rule, at, "media named in text", result.id)
        return replace(result, content=(*content, *(Text(f"[{m.kind} omitted]") for m in media)))
    hoisted += media
    draft.fix(rule, at, "media moved out of the result", result.id)
    return replace(result, content=content or (Text(f"[{media[0].kind} follows]"),))


@step(
    RESULT_MEDIA,
    UNSUPPORTED_FEATURE,
    MEDIA_IN_ERROR,
    MEDIA_IN_TOOL_MESSAGE,
    after=("empty-error",),
    why="an error keeps text, not only media",
)
def adapt_results(draft: Draft) -> None:
    """Remove what the model does not support from results. Media are moved behind the results instead."""
    for entry in draft.entries:
        hoisted: list[Block] = []
        blocks: list[Block] = []
        for at, block in located([entry]):
            if isinstance(block, ToolResult):
                block = _for_model(draft, at, block, hoisted)
            blocks.append(block)
        draft.put(entry, [*blocks, *hoisted])


@step(UNSUPPORTED_FEATURE)
def find_streamed_tools(draft: Draft) -> None:
    """Report a streamed request with tools if the model does not support tools with streaming.

    This cannot be repaired here, because only the caller can call the model without streaming.
    """
    request = draft.request
    if request.streaming and draft.tools_block() and models.lacks_streamed_tools(request.model):
        draft.find(UNSUPPORTED_FEATURE, request.wire.tools.block_key)
