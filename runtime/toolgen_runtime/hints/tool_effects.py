"""What a tool does to what is there, by its name, description and trusted annotations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.spelling import MAX_NAME

_READS_VERBS = (
    "get list read search find fetch query show view look lookup count describe check browse calculate compute"
    " convert estimate predict analyze analyse compare evaluate solve translate summarize detect identify recommend"
    " validate measure retrieve locate explore inspect track"
)
_ADDS_VERBS = "create add make insert send post open new book order schedule generate play"
_CHANGES_VERBS = (
    "update patch set edit modify change put replace upsert write save configure assign rename move manage adjust"
    " alter override reset toggle transform merge apply sync enable disable mark close reopen archive transition"
    " reschedule delete remove drop clear purge destroy terminate stop kill cancel revoke grant attach detach"
    " amend erase wipe prune unset trim truncate run execute publish deploy transfer pay"
)
_READS, _ADDS, _CHANGES = (frozenset(v.split()) for v in (_READS_VERBS, _ADDS_VERBS, _CHANGES_VERBS))


def changes_things(name: str, description: str = "", annotations: Mapping[str, Any] | None = None) -> bool:
    """Return whether a tool may change or remove what is there, so that null may mean "clear it".

    `annotations` are the tool's, where they are trusted (MCP 2025-11-25, `ToolAnnotations`): one that only reads or
    adds clears nothing.
    """
    if annotations:
        if annotations.get("readOnlyHint") is True:
            return False
        if isinstance(destructive := annotations.get("destructiveHint"), bool):
            return destructive
    return _effect(name[:MAX_NAME], description[:40]) not in ("reads", "adds")


def only_reads(name: str) -> bool:
    """Return whether a tool's name says that it only reads."""
    return _effect(name[:MAX_NAME], "") == "reads"


@lru_cache(maxsize=256)
def _effect(name: str, description: str) -> str:
    words = {*words_of(name), *(words_of(description.split(" ", 1)[0])[:1] if description else ())}
    if not _CHANGES.isdisjoint(words):
        return "changes"
    return "reads" if not _READS.isdisjoint(words) else "adds" if not _ADDS.isdisjoint(words) else ""
