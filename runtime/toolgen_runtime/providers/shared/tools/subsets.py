"""The strict subsets of OpenAI and of Claude, and what a request or a tool may have of them.

OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas, read 2026-02. Formats outside
the list are refused (can1357/oh-my-pi#206, 2026-02-28), as are `oneOf` (openai-agents-python#1884), `propertyNames`
(can1357/oh-my-pi#209) and keywords beside `$ref` (vectorize-io/hindsight#3944, 2026-08-31). Fine-tuned models take
fewer keywords.

Claude, also on Bedrock: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations,
read 2026-09. All strict tools of a request become one grammar; a grammar may be refused as too large below these
limits, too, and how large it becomes is not published (anthropic-sdk-python#1185, 2026-02-18).
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolgen_runtime.providers.shared.tools.strict import StrictSubset

_COMMON: Final = frozenset({
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf",
    "$ref", "$defs", "definitions", "title", "description",
})  # fmt: skip
_NUMBERS_AND_ITEMS: Final = frozenset({
    "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
})  # fmt: skip
_FORMATS: Final = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
_UNSUPPORTED_PATTERN: Final = re.compile(r"\(\?(?!:)|\\[1-9bBkpP]|[*+?}][+?]")
"""Lookaround and other groups, backreferences, word boundaries, Unicode classes, lazy and possessive quantifiers."""


def _is_supported_pattern(value: Any) -> bool:
    return isinstance(value, str) and not _UNSUPPORTED_PATTERN.search(value)


def _is_none_or_one(value: Any) -> bool:
    return value in (0, 1)


OPENAI: Final = StrictSubset(
    _COMMON | _NUMBERS_AND_ITEMS,
    all_required=True,
    recursive=True,
    limited={"format": _FORMATS.__contains__, "pattern": _is_supported_pattern},
    tool_limits={
        "properties": 5_000,
        "levels": 10,
        "characters": 120_000,
        "values": 1_000,
        "long_enum": 15_000,
    },
)
CLAUDE: Final = StrictSubset(
    _COMMON | {"allOf", "default"},
    all_required=False,
    recursive=False,
    limited={
        "minItems": _is_none_or_one,
        "pattern": _is_supported_pattern,
        "format": (_FORMATS | {"uri"}).__contains__,
    },
    limits={"unions": 16, "tools": 20, "optional": 24},
)
