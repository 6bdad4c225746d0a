"""Names of documents (rule 37): which are refused, and what they are called instead.

Bedrock takes letters and digits of ASCII, `-`, `(`, `)`, `[`, `]`, single spaces and, though it does not say so,
`_`; at most 200 characters, and no name twice in a request (DocumentBlock; vercel/ai#20365).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import count
from typing import Any

from toolgen_runtime.history.rules.draft import Draft, Entry
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.transcript.messages import Block, Json, Media, Opaque, Source, Text, ToolResult

MAX_LENGTH = 200
_LEGAL = re.compile(r"(?:[A-Za-z0-9_\-()\[\]]| (?! ))+")
_REFUSED = re.compile(r"[^A-Za-z0-9_\-()\[\] ]+")
_EXTENSION = re.compile(r"(?<=.)\.[A-Za-z0-9]{1,5}$")


def is_legal(name: str) -> bool:
    """Return whether a document may have this name."""
    return len(name) <= MAX_LENGTH and _LEGAL.fullmatch(name) is not None


def legal_name(name: str) -> str:
    """Return a legal name like this one, without its extension: accents go, anything else refused becomes `_`."""
    bare = "".join(
        c for c in unicodedata.normalize("NFKD", _EXTENSION.sub("", name)) if not unicodedata.combining(c)
    )
    text = _REFUSED.sub("_", re.sub(r"\s+", " ", bare)).strip()[:MAX_LENGTH].strip()
    return text if text.strip("_ ") else "document"


def _documents(block: Block) -> Iterator[Media]:
    """Yield the documents of a block; one without a name has an empty one."""
    inner = block.content if isinstance(block, ToolResult) else (block,)
    yield from (b for b in inner if isinstance(b, Media) and b.kind == "document")


class _Names:
    """The names of a request's documents, no two alike."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        given = [m.name for e in draft.entries for b in e.turn.blocks for m in _documents(b)]
        self.taken = {name.lower() for name in given if name is not None and is_legal(name)}
        self.used: set[str] = set()
        self._last_numbers: dict[str, int] = {}
        """By what names that are alike begin with, the number of the last of them."""

    def _free(self, name: str) -> str:
        wanted = name
        alike = name[: MAX_LENGTH - len(" (1000000)")].strip().lower()
        if wanted.lower() in self.taken:
            for number in count(self._last_numbers.get(alike, 1) + 1):
                tail = f" ({number})"
                wanted = f"{name[: MAX_LENGTH - len(tail)].strip()}{tail}"
                if wanted.lower() not in self.taken:
                    self._last_numbers[alike] = number
                    break
        self.taken.add(wanted.lower())
        return wanted

    def renamed(self, entry: Entry, ordinal: int, media: Media) -> Media:
        """Return the document by a name that is legal and not another's."""
        name = media.name or ""
        if is_legal(name) and name not in self.used:
            self.used.add(name)
            return media
        place = f"{self.draft.request.place(entry.origin, ordinal)}.document.name"
        wording = "duplicate" if is_legal(name) else ""
        self.draft.find(RuleId.DOCUMENT_NAME, place, wording=wording)
        wanted = self._free(name if is_legal(name) else legal_name(name))
        self.used.add(wanted)
        self.draft.log(RuleId.DOCUMENT_NAME, entry.origin, f"document {name[:60]!r} named {wanted!r}")
        return _with_name(media, wanted)

    def inside(self, entry: Entry, ordinal: int, block: Block) -> Block:
        """Return a block with its documents renamed."""
        documents = set(map(id, _documents(block)))
        if isinstance(block, Media) and id(block) in documents:
            return self.renamed(entry, ordinal, block)
        if not isinstance(block, ToolResult) or not documents:
            return block
        content: list[Text | Json | Media | Opaque] = [
            self.renamed(entry, ordinal, b) if isinstance(b, Media) and id(b) in documents else b
            for b in block.content
        ]
        changed = any(new is not old for new, old in zip(content, block.content, strict=True))
        return replace(block, content=tuple(content)) if changed else block


def _with_name(media: Media, name: str) -> Media:
    """Return the document by another name, all else as it was."""
    value: Any = deepcopy(media.source.value) if media.source is not None else None
    if not isinstance(value, dict) or not isinstance(value.get(media.kind), dict):
        return replace(media, name=name)
    value[media.kind]["name"] = name
    assert media.source is not None
    return replace(media, name=name, source=Source(media.source.provider, value))


def rename_documents(draft: Draft) -> None:
    """Rule 37: legal names, each once."""
    if draft.request.tests(RuleId.DOCUMENT_NAME):
        draft.each(_Names(draft).inside)
