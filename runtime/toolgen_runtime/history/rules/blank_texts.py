"""Blank texts (rules 8 and 9): where they stand, and content without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, TypeVar

from toolgen_runtime.history.request import Request
from toolgen_runtime.history.rules.cache_points import is_cache_point
from toolgen_runtime.history.rules.draft import EMPTY
from toolgen_runtime.history.unjudged_calls import is_servers_own, native
from toolgen_runtime.provider_rules.rule import RuleId
from toolgen_runtime.transcript.messages import Block, Text

_BlockT = TypeVar("_BlockT", bound="Block")


def is_plain_text(block: Block) -> TypeGuard[Text]:
    """Return whether a block is a text by itself, and not one with citations or a guard in a form of its own."""
    value = native(block)
    own = not isinstance(value, dict) or not value or isinstance(value.get("text"), str)
    return isinstance(block, Text) and own


def blanks(blocks: Sequence[Block], request: Request) -> dict[int, RuleId]:
    """Return the places of blank texts, each with its rule; white space is taken just before a cache point,
    and beside what the server ran itself (Claude's own answers have such texts).
    """
    found: dict[int, RuleId] = {}
    wire = request.wire
    served = any(is_servers_own(block, wire.calls) for block in blocks)
    for index, block in enumerate(blocks if request.tests(RuleId.EMPTY_TEXT) else ()):
        if is_plain_text(block) and not block.text.strip():
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            if not block.text:
                found[index] = RuleId.EMPTY_TEXT
            elif not served and (following is None or not is_cache_point(following, wire)):
                found[index] = RuleId.BLANK_TEXT
    return found


def filled(blocks: Sequence[_BlockT], request: Request) -> list[_BlockT | Text]:
    """Return the blocks without blank texts; a placeholder where they are all there is."""
    bad = blanks(blocks, request)
    kept: list[_BlockT | Text] = [b for index, b in enumerate(blocks) if index not in bad]
    return kept if any(not is_cache_point(b, request.wire) for b in kept) else [Text(EMPTY), *kept]
