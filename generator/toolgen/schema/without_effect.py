"""Keywords that are there and mean nothing: they are ignored, and so are the references in them."""

from __future__ import annotations

from typing import Any

from toolgen.schema.dialects import Dialect
from toolgen.schema.vocabulary import KEYWORDS


def has_effect(keyword: str, contents: dict[str, Any], dialect: Dialect) -> bool:
    """Return whether a keyword of the dialect can decide anything where it stands."""
    if keyword == "additionalItems":  # 2019-09 core, section 9.3.1.2
        return isinstance(contents.get("items"), list)
    if keyword == "if" and "unevaluatedProperties" not in dialect.keywords:  # later it evaluates, too
        return "then" in contents or "else" in contents
    facts = KEYWORDS.get(keyword)
    return facts is None or not facts.needs or facts.needs in contents
