"""Rules about the names of documents, and about the text that must accompany them.

Bedrock accepts ASCII letters and digits, `-`, `(`, `)`, `[`, `]`, single spaces and (undocumented) `_`, at most 200
characters, and each name only once in a request (DocumentBlock; vercel/ai#20365).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace

from toolgen_runtime.schema.raw import named
from toolgen_transcripts.messages import Block, Media, Text, ToolResult, native_members, with_native
from toolgen_transcripts.rules.draft import Draft, Spot
from toolgen_transcripts.rules.rule import rule, step

DOCUMENT_NAME = rule(
    "document-name",
    37,
    "a document's name that the server rejects, or that two documents share",
    "remove the rejected characters; number the names",
    "The document file name can only contain alphanumeric characters, whitespace characters, hyphens,"
    " parentheses, and square brackets. The name can't contain more than one consecutive whitespace"
    " character. Check that the file name conforms to these restrictions and retry your request.",
    r"document\.name'? failed to satisfy constraint",
    duplicate="Messages can't contain duplicate document names. Rename the document and retry your request.",
    source="vercel/ai#20365",
)


DOCUMENT_WITHOUT_TEXT = rule(
    "document-without-text",
    31,
    "a document in a message without text",
    "add text to the message",
    "A text block must be included when using documents.",
    r"text field is required when using documents",
    source="archestra#4220",
)


MAX_DOCUMENT_NAME = 200


_LEGAL = re.compile(r"(?:[A-Za-z0-9_\-()\[\]]| (?! ))+")


_REFUSED = re.compile(r"[^A-Za-z0-9_\-()\[\] ]+")


_EXTENSION = re.compile(r"(?<=.)\.[A-Za-z0-9]{1,5}$")


def is_legal(name: str) -> bool:
    """Return whether the provider accepts this name for a document."""
    return len(name) <= MAX_DOCUMENT_NAME and _LEGAL.fullmatch(name) is not None


def legal_name(name: str) -> str:
    """Return a name that the provider accepts and that is close to the given one.

    Extensions and accents are removed, and `_` replaces other invalid characters.
    """
    bare = "".join(
        c for c in unicodedata.normalize("NFKD", _EXTENSION.sub("", name)) if not unicodedata.combining(c)
    )
    text = _REFUSED.sub("_", re.sub(r"\s+", " ", bare)).strip()[:MAX_DOCUMENT_NAME].strip()
    if text.strip("_ "):
        return text
    return "document"


def _with_name(media: Media, name: str, provider: str) -> Media:
    """Return a copy of a document that differs only in its name."""
    members = native_members(media)
    document = {**named(members, media.kind), "name": name}
    return with_native(replace(media, name=name), {**members, media.kind: document}, provider)


@step(DOCUMENT_NAME, after=("missing-thinking",), why="documents in results that became text move")
def rename_documents(draft: Draft) -> None:
    """Rename documents whose names are not valid or not unique."""
    blocks: list[Block] = [b for turn in draft.turns for b in turn.blocks]
    blocks += [b for block in blocks if isinstance(block, ToolResult) for b in block.content]
    names = {b.name for b in blocks if isinstance(b, Media) and b.kind == "document" and b.name}
    taken = {name.lower() for name in names if is_legal(name)}
    used, numbers = set[str](), Counter[str]()

    def renamed(at: Spot, below: str, media: Media) -> Media:
        name = media.name or ""
        if media.kind != "document":
            return media
        if is_legal(name) and name not in used:
            used.add(name)
            return media
        like = wanted = name if is_legal(name) else legal_name(name)
        alike = like[: MAX_DOCUMENT_NAME - len(" (1000000)")].strip().lower()
        while wanted.lower() in taken:
            numbers[alike] += 1
            tail = f" ({numbers[alike] + 1})"
            wanted = f"{like[: MAX_DOCUMENT_NAME - len(tail)].strip()}{tail}"
        taken.add(wanted.lower())
        used.add(wanted)
        action, wording = f"document {name[:60]!r} named {wanted!r}", "duplicate" if is_legal(name) else ""
        place = f"{draft.place(at)}{below}.document.name"
        draft.fix(DOCUMENT_NAME, at, action, place=place, wording=wording)
        return _with_name(media, wanted, draft.request.provider)

    def changed(at: Spot, block: Block) -> Block:
        if isinstance(block, Media):
            return renamed(at, "", block)
        if not isinstance(block, ToolResult):
            return block
        content = tuple(
            renamed(at, draft.request.below("", index), b) if isinstance(b, Media) else b
            for index, b in enumerate(block.content)
        )
        if content == block.content:
            return block
        return replace(block, content=content)

    draft.each(changed)


@step(DOCUMENT_WITHOUT_TEXT, after=("empty-message",), why="a blank text next to a document has been dropped")
def add_text(draft: Draft) -> None:
    """Add text to messages that contain a document but no text."""
    for entry in draft.entries:
        blocks = entry.turn.blocks
        if any("document" in native_members(b) for b in blocks) and not any(
            isinstance(b, Text) for b in blocks
        ):
            draft.fix(DOCUMENT_WITHOUT_TEXT, entry, "text added next to the document")
            draft.put(entry, [*blocks, Text("[document]")])
