"""Media that the model does not take, by kind or by place (rule 36): found, and named in text."""

from __future__ import annotations

from dataclasses import replace

from toolgen_runtime.history.request import Request
from toolgen_runtime.history.rules.draft import Draft, Entry
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import (
    lacks_result_images,
    lacks_s3,
    lacks_s3_in_results,
    lacks_video,
)
from toolgen_runtime.transcript.messages import Block, Media, Text, ToolResult


def _why(request: Request, block: Media, *, in_result: bool = False) -> str | None:
    """Return why media are refused, as the wording of the rule; None where they are taken."""
    if in_result and lacks_result_images(request.model):  # rule 30
        return None
    if block.uri is not None and block.uri.startswith("s3://"):
        lacks = lacks_s3_in_results(request.model, block.kind) if in_result else lacks_s3(request.model)
        if lacks:
            return "s3"
    return "" if block.kind == "video" and lacks_video(request.model) else None


def _named(draft: Draft, block: Media, place: str, why: str) -> Text:
    draft.find(RuleId.UNSUPPORTED_MEDIA, f"{place}.{block.kind}", (), block.kind, wording=why)
    name = block.name or block.uri
    return Text(f"[{block.kind} omitted{': ' + name if name else ''}]")


def name_media(draft: Draft) -> None:
    """Rule 36: a text that names the media stands for them."""
    request = draft.request

    def replaced(entry: Entry, ordinal: int, block: Block) -> Block:
        place = request.place(entry.origin, ordinal)
        if isinstance(block, Media) and (why := _why(request, block)) is not None:
            draft.log(RuleId.UNSUPPORTED_MEDIA, entry.origin, f"{block.kind} named in text")
            return _named(draft, block, place, why)
        if not isinstance(block, ToolResult):
            return block
        below = f"{request.inside(place, request.wire.calls.result_key)}.content"
        content = list(block.content)
        for index, inner in enumerate(block.content):
            if isinstance(inner, Media) and (why := _why(request, inner, in_result=True)) is not None:
                content[index] = _named(draft, inner, f"{below}.{index}", why)
        if tuple(content) == block.content:
            return block
        draft.log(RuleId.UNSUPPORTED_MEDIA, entry.origin, "media of a result named in text", block.id)
        return replace(block, content=tuple(content))

    if request.tests(RuleId.UNSUPPORTED_MEDIA):
        draft.each(replaced)
