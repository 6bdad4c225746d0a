"""Check the texts that a model reads.

Descriptions may be missing or too long, and texts may contain hidden characters or instructions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from toolgen.commands.lint.subject import Subject, properties, shown
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.short_text import cut
from toolgen_runtime.schema.keywords import GRAPH
from toolgen_runtime.schema.raw import listed
from toolgen_runtime.schema.spelling import fold

MAX_TOKENS: Final = 1_500
"""The number of tokens above which a definition is large; ten such tools take 15,000 tokens in every request."""

_SECRET: Final = (
    r"(\b(ssh|credentials?|api\s?keys?|passwords?|private\s+keys?|access\s+tokens?|conversation\s+history)\b"
    r"|\.env\b|~/\.|/etc/|\bid_rsa\b|\bmcp\.json\b)"
)
"""Matches data that an attack may ask for."""
_ORDERS: Final = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        r"\b(ignore|disregard|forget|override)\s+(all\s+|any\s+|the\s+)?(previous|prior|above|earlier|other)\s+"
        r"(tools?'?s?'?\s+)?(instructions?|prompts?|rules?|messages?)",
        r"\b(do\s+not|don't|never)\s+(tell|inform|notify|alert|warn)\s+(the\s+)?(user|human|anyone)\b"
        r"(?=\s*([.,;:!]|$)|\s+(about|of|that\s+you|what\s+you)\b)",
        r"\b(do\s+not|don't|never)\s+(mention|reveal|disclose|show)\s+(this|that|it|these)\b.{0,40}\b(user|human|anyone)",
        r"\b(do\s+not|don't|never)\s+(explicitly\s+)?mention\s+that\s+you\b",
        r"\b(do\s+not|don't|never)\s+(mention|reveal|disclose)\s+(this|that|it)(\s+tool)?(?=\s*([.,;:!]|$))",
        r"\b(do\s+not|don't|never)\s+let\s+(the\s+)?(user|human)\s+(know|see|notice)\b",
        r"\bno\s+need\s+to\s+(mention|tell|inform|notify)\b.{0,40}\b(user|human|anyone)\b",
        r"\btakes?\s+precedence\s+over\s+(all\s+|any\s+)?(the\s+)?other\s+(tools?|instructions?|rules?)\b",
        r"\b(keep\s+\w+\s+(hidden|secret)|hide\s+(this|it|that))\s+from\s+(the\s+)?(user|human)",
        r"\bsilently\s+(send|forward|upload|post|copy|read|include)\b|\bwhatever\s+the\s+user\s+(says|asks|gives)\b",
        r"\b(always|must)\b.{0,60}\b(complete|full|entire|whole)\s+(conversation|chat|system\s+prompt)\b",
        r"\b(pass|send|include|attach)\s+all\s+(of\s+)?(the\s+|your\s+)?environment\s+variables",
        r"\b(with|include|encode|send|pass|attach)\s+(the\s+)?contents?\s+of\s+(the\s+)?(~/\.|/etc/|\.env\b|\S*\bid_rsa\b)",
        r"\bwithout\s+(telling|informing|notifying)\s+the\s+user",
        r"<\s*/?\s*(important|system|secret|hidden)\s*>",
        r"\b(system|developer)\s+prompt\s*:",
        r"\b(must|should|always|also|first|please)\s+(\w+\s+){0,2}(read|send|include|pass|forward|copy|attach|call)\b.{0,80}"
        + _SECRET,
        r"(^|[.!;]\s+)(also\s+)?(include|attach|send|forward|paste)\b.{0,60}(~/\.|/etc/|\.ssh|\.env\b|\bid_rsa\b)",
        r"\bbefore\s+(using|calling|any)\b.{0,60}\b(read|send|upload)\b.{0,60}" + _SECRET,
        r"\b(always|also|first|must|afterwards)\b.{0,40}\b(send|sent|forward|bcc|post|upload|call)\b.{0,100}"
        r"\bto\s+(\S+@\S+|https?://|(an?\s+|the\s+)?attacker)",
    )
)
"""Phrases from published attacks that use tool descriptions (tool poisoning)."""
_QUOTED: Final = r"""(?:"[^"\n]{1,40}"|'[^'\n]{1,40}'|`[^`\n]{1,40}`)"""
_LISTED: Final = re.compile(
    r"\b(one of|must be|can be|accepts|options|(allowed|valid|possible|supported)( values)?)\b( are| is| include)?"
    r"\s*:?\s*\(?" + _QUOTED + r"(\s*(,\s*or|,\s*and|,|/|\||or|and)\s*" + _QUOTED + r")+",
    re.IGNORECASE,
)
"""Matches a list of quoted values that a description presents as the allowed ones."""
_OTHER_TEXTS: Final = re.compile(
    r"\b(comma|separated|combin\w+|multiple|several|one or more|any of|list of)\b|[{<]\w+[}>]", re.IGNORECASE
)
"""Words that show that a text has several values, or a value within a pattern."""
_GOES_ON: Final = re.compile(r"[\s,]*(?:(?:or|and|plus|etc)\b|\.\.\.|…)", re.IGNORECASE)
"""Matches the continuation of a list with values that are not quoted."""
_SAY_WHICH: Final = {
    row.name for row in GRAPH.values() if row.kind in ("any", "string") and not row.is_limit
} - {"type"}
"""Keywords that restrict the allowed texts in another way than by length."""
_SEEN: Final = frozenset("\t\n\r\u00ad\u200c\u200d\ufe0e\ufe0f")
"""Layout characters of ordinary text: soft hyphens, and the joiners and variants of scripts and emoji."""


def descriptions(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding if the tool has no description, and one for each required field without one."""
    if not subject.spec.description.strip():
        yield subject.finding_of_tool("no-description", "the tool has no description")
    schema = subject.spec.schema
    if not isinstance(schema, dict):
        return
    names = set(map(str, listed(schema, "required")))
    text = subject.spec.description
    bare = [
        name
        for name, member in properties(schema)
        if name in names and not _says_itself(name, member) and not _is_described_in(text, name)
    ]
    if bare:
        yield subject.finding(
            "undescribed-field",
            f"required fields without a description: {shown(bare)}",
            "properties",
            bare[0],
        )


def _says_itself(name: str, member: dict[str, object]) -> bool:
    """Return whether a field explains itself: by a description, title, constant or reference, or by its own fields.

    A title that only repeats the name, as pydantic writes it, explains nothing.
    """
    title = member.get("title")
    has_title = isinstance(title, str) and fold(title) not in ("", fold(name))
    if member.get("description") or has_title or "$ref" in member or "const" in member:
        return True
    items = member.get("items")
    holder = items if member.get("type") == "array" and isinstance(items, dict) else member
    return "properties" in holder and all(_says_itself(*each) for each in properties(holder))


def _is_described_in(text: str, name: str) -> bool:
    """Return whether a tool's description explains a field: in quotes, as `name: ...`, `name (type)` or `name='x'`."""
    field = re.escape(name)
    says = r"\s*[:(=]|\s+(?:must|should|may|can|is|are)\b|\s+[`'\"]"
    return re.search(rf"[`'\"]{field}[`'\"]|\b{field}(?:{says})", text) is not None


def texts(subject: Subject) -> Iterator[Diagnostic]:
    """Yield texts that give the model instructions or contain invisible characters."""
    spec = subject.spec
    for text in (spec.description, spec.title or ""):
        yield from (subject.finding_of_tool(*said) for said in _judged(text))
    for steps, schema in subject.schemas:
        for word in ("title", "description", "$comment"):
            if isinstance(value := schema.get(word), str):
                yield from (subject.finding(*said, *steps, word) for said in _judged(value))


def _judged(text: str) -> Iterator[tuple[str, str]]:
    """Yield the code and the message of each finding about a text."""
    order = next(filter(None, (order.search(text) for order in _ORDERS)), None)
    if order is not None:
        yield "instructing-text", f"the text gives instructions: {' '.join(order[0].split())[:60]!r}"
    hidden = sorted(set(filter(is_hidden, text)))
    if hidden:
        codes = ", ".join(f"U+{ord(c):04X}" for c in hidden[:5])
        yield "hidden-characters", f"the text contains invisible characters: {codes}"


def is_hidden(character: str) -> bool:
    """Return whether a character is invisible to people."""
    return character not in _SEEN and unicodedata.category(character) in ("Cc", "Cf", "Co")


def size(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding if the tool's definition is large."""
    if subject.tokens > MAX_TOKENS:
        message = f"the definition takes about {subject.tokens:,} tokens"
        yield subject.finding_of_tool("large-tool", message)


def listed_values(subject: Subject) -> Iterator[Diagnostic]:
    """Yield fields that accept any text although their descriptions list the allowed values."""
    for steps, schema in subject.schemas:
        text = schema.get("description")
        if schema.get("type") != "string" or _SAY_WHICH & schema.keys() or not isinstance(text, str):
            continue
        found = _LISTED.search(text)
        if found is not None and not _OTHER_TEXTS.search(text) and not _GOES_ON.match(text, found.end()):
            message = f"the description lists the allowed values: {cut(' '.join(found[0].split()))}"
            yield subject.finding("missing-enum", message, *steps)
