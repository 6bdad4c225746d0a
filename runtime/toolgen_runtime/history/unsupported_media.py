"""Media that the model does not take, by kind or by place (rule 36): found, and named in text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toolgen_runtime.history.repair.draft import Draft, Entry
from toolgen_runtime.history.request import Request, Violation
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import (
    lacks_result_images,
    lacks_s3,
    lacks_s3_in_results,
    lacks_video,
)
from toolgen_runtime.transcript.messages import Block, Json, Media, Opaque, Text, ToolResult


def _why(request: Request, block: Block, *, in_result: bool = False) -> str | None:
    """Return why media are refused, as the wording of the rule; None where they are taken."""
    if not isinstance(block, Media) or (in_result and lacks_result_images(request.model)):  # rule 30
        return None
    if block.uri is not None and block.uri.startswith("s3://"):
        lacks = lacks_s3_in_results(request.model, block.kind) if in_result else lacks_s3(request.model)
        if lacks:
            return "s3"
    return "" if block.kind == "video" and lacks_video(request.model) else None


def unsupported(request: Request) -> Iterator[Violation]:
    """Rule 36."""
    if not request.tests(RuleId.UNSUPPORTED_MEDIA):
        return
    for index, turn in enumerate(request.turns):
        for ordinal, block in enumerate(turn.blocks):
            place = request.place(index, ordinal)
            inner = block.content if isinstance(block, ToolResult) else ()
            below = f"{request.inside(place, request.wire.calls.result_key)}.content"
            found = [(block, place, False), *((b, f"{below}.{i}", True) for i, b in enumerate(inner))]
            for media, where, in_result in found:
                why = _why(request, media, in_result=in_result)
                if why is not None and isinstance(media, Media):
                    kind = media.kind
                    yield request.broken(RuleId.UNSUPPORTED_MEDIA, f"{where}.{kind}", (), kind, wording=why)


def _named(media: Media) -> Text:
    name = media.name or media.uri
    return Text(f"[{media.kind} omitted{': ' + name if name else ''}]")


def name_media(draft: Draft) -> None:
    """Rule 36: a text that names the media stands for them."""
    if not draft.request.tests(RuleId.UNSUPPORTED_MEDIA):
        return
    for entry in draft.entries:
        draft.put(entry, [_replaced(draft, entry, block) for block in entry.turn.blocks])


def _replaced(draft: Draft, entry: Entry, block: Block) -> Block:
    if isinstance(block, Media) and _why(draft.request, block) is not None:
        draft.log(RuleId.UNSUPPORTED_MEDIA, entry.origin, f"{block.kind} named in text")
        return _named(block)
    if not isinstance(block, ToolResult):
        return block
    content: list[Text | Json | Media | Opaque] = []
    for inner in block.content:
        refused = isinstance(inner, Media) and _why(draft.request, inner, in_result=True) is not None
        content.append(_named(inner) if refused and isinstance(inner, Media) else inner)
    if all(new is old for new, old in zip(content, block.content, strict=True)):
        return block
    draft.log(RuleId.UNSUPPORTED_MEDIA, entry.origin, "media of a result named in text", block.id)
    return replace(block, content=tuple(content))
