"""Names of documents (rule 37).

Bedrock accepts ASCII letters and digits, `-`, `(`, `)`, `[`, `]`, single spaces and (undocumented) `_`, at most 200
characters, and each name only once in a request (DocumentBlock; vercel/ai#20365).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from typing import Any

from toolgen_transcripts.messages import Block, Media, Source, ToolResult
from toolgen_transcripts.rules.draft import Draft, Entry
from toolgen_transcripts.rules.table import Rules

MAX_LENGTH = 200
_LEGAL = re.compile(r"(?:[A-Za-z0-9_\-()\[\]]| (?! ))+")
_REFUSED = re.compile(r"[^A-Za-z0-9_\-()\[\] ]+")
_EXTENSION = re.compile(r"(?<=.)\.[A-Za-z0-9]{1,5}$")


def is_legal(name: str) -> bool:
    """Return whether a document may have this name."""
    return len(name) <= MAX_LENGTH and _LEGAL.fullmatch(name) is not None


def legal_name(name: str) -> str:
    """Return a similar legal name, without extension and accents, and with `_` for other illegal characters."""
    bare = "".join(
        c for c in unicodedata.normalize("NFKD", _EXTENSION.sub("", name)) if not unicodedata.combining(c)
    )
    text = _REFUSED.sub("_", re.sub(r"\s+", " ", bare)).strip()[:MAX_LENGTH].strip()
    return text if text.strip("_ ") else "document"


def _with_name(media: Media, name: str) -> Media:
    """Return the document with another name and no other change."""
    value: Any = deepcopy(media.source.value) if media.source is not None else None
    if not isinstance(value, dict) or not isinstance(value.get(media.kind), dict):
        return replace(media, name=name)
    value[media.kind]["name"] = name
    assert media.source is not None
    return replace(media, name=name, source=Source(media.source.provider, value))


def rename_documents(draft: Draft) -> None:
    """Rename documents so that names are legal and unique (rule 37)."""
    documents = [b for b in draft.blocks() if isinstance(b, Media) and b.kind == "document"]
    taken = {d.name.lower() for d in documents if d.name is not None and is_legal(d.name)}
    used, numbers = set[str](), Counter[str]()

    def renamed(entry: Entry, place: str, media: Media) -> Media:
        name = media.name or ""
        if media.kind != "document" or (is_legal(name) and name not in used):
            used.update([name] if media.kind == "document" else ())
            return media
        like = wanted = name if is_legal(name) else legal_name(name)
        alike = like[: MAX_LENGTH - len(" (1000000)")].strip().lower()
        while wanted.lower() in taken:
            numbers[alike] += 1
            tail = f" ({numbers[alike] + 1})"
            wanted = f"{like[: MAX_LENGTH - len(tail)].strip()}{tail}"
        taken.add(wanted.lower())
        used.add(wanted)
        action, at = f"document {name[:60]!r} named {wanted!r}", f"{place}.document.name"
        draft.fix(Rules.DOCUMENT_NAME, entry, action, at=at, wording="duplicate" if is_legal(name) else "")
        return _with_name(media, wanted)

    def changed(entry: Entry, place: str, block: Block) -> Block:
        if isinstance(block, Media):
            return renamed(entry, place, block)
        if not isinstance(block, ToolResult):
            return block
        content = tuple(
            renamed(entry, f"{draft.request.below(place)}.{index}", b) if isinstance(b, Media) else b
            for index, b in enumerate(block.content)
        )
        return block if content == block.content else replace(block, content=content)

    draft.each(changed)
