"""Findings about what the model reads: descriptions that are missing, large, hidden, or give orders."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from toolgen.diagnostics import Diagnostic
from toolgen.lint.subject import Steps, Subject, properties, shown

CHARACTERS_PER_TOKEN: Final = 4
"""English text and JSON take about so many characters a token, whatever the tokenizer."""
MAX_TOKENS: Final = 1_500
"""Tokens of a definition from which it is large; ten such tools take 15,000 of every request."""

_ORDERS: Final = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        r"\b(ignore|disregard|forget|override)\s+(all\s+|any\s+|the\s+)?(previous|prior|above|earlier|other)\s+"
        r"(instructions?|prompts?|rules?|tools?|messages?)",
        r"\b(do\s+not|don't|never)\s+(tell|inform|mention|reveal|show|notify|alert)\b.{0,40}\b(user|human|anyone)",
        r"\bwithout\s+(telling|informing|asking|notifying)\s+the\s+user",
        r"<\s*/?\s*(important|system|instructions?|secret|hidden)\s*>",
        r"\b(system|developer)\s+prompt\s*:",
        r"\byou\s+(must|should)\s+(always\s+)?(first\s+)?(read|send|include|pass|forward|copy)\b.{0,80}"
        r"\b(ssh|credentials?|api\s?keys?|passwords?|private\s+keys?|\.env|tokens?|conversation\s+history)\b",
        r"\bbefore\s+(using|calling|any)\b.{0,60}\b(read|send|upload)\b.{0,60}(~/|/etc/|\.ssh|\.env|credentials)",
    )
)
"""Wordings of published attacks by tool descriptions (tool poisoning)."""
_SEEN: Final = frozenset("\t\n\r\u00ad\u200c\u200d\ufe0e\ufe0f")
"""Characters of layout that ordinary text has: soft hyphens, joiners of scripts and emoji, emoji's variants."""


def descriptions(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the tool without a description, and its required fields without one."""
    if not subject.spec.description.strip():
        yield subject.finding_of_tool("no-description", "the tool has no description")
    schema = subject.spec.schema
    if not isinstance(schema, dict):
        return
    required = schema.get("required")
    names = set(map(str, required)) if isinstance(required, list) else set()
    bare = [name for name, member in properties(schema) if name in names and not _says_itself(member)]
    if bare:
        yield subject.finding("undescribed-field", f"no description: {shown(bare)}", "properties", bare[0])


def _says_itself(member: dict[str, object]) -> bool:
    """Return whether a field is described, or is a reference, whose target may be."""
    return bool(member.get("description") or member.get("title") or "$ref" in member or "const" in member)


def texts(subject: Subject) -> Iterator[Diagnostic]:
    """Yield texts that give the model orders, and texts with characters that nobody sees."""
    spec = subject.spec
    for text in (spec.description, spec.title or ""):
        yield from _judged(text, subject.finding_of_tool)
    for steps, schema in subject.schemas:
        for word in ("title", "description", "$comment"):
            if isinstance(value := schema.get(word), str):
                yield from _judged(value, partial(_finding_at, subject, (*steps, word)))


def _finding_at(subject: Subject, steps: Steps, code: str, message: str) -> Diagnostic:
    return subject.finding(code, message, *steps)


def _judged(text: str, finding: Callable[[str, str], Diagnostic]) -> Iterator[Diagnostic]:
    order = next(filter(None, (order.search(text) for order in _ORDERS)), None)
    if order is not None:
        yield finding("instructing-text", f"the text gives orders: {' '.join(order[0].split())[:60]!r}")
    hidden = sorted({c for c in text if c not in _SEEN and unicodedata.category(c) in ("Cc", "Cf", "Co")})
    if hidden:
        listed = ", ".join(f"U+{ord(c):04X}" for c in hidden[:5])
        yield finding("hidden-characters", f"the text has characters that are not shown: {listed}")


def size(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the tool whose definition is large."""
    spec = subject.spec
    written = {"name": spec.name, "description": spec.description, "parameters": spec.schema}
    tokens = len(json.dumps(written, separators=(",", ":"), ensure_ascii=False)) // CHARACTERS_PER_TOKEN
    if tokens > MAX_TOKENS:
        yield subject.finding_of_tool("large-tool", f"the definition takes about {tokens:,} tokens")
