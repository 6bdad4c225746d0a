"""Keywords that are there and mean nothing: they are ignored, and so are the references in them."""

from __future__ import annotations

from typing import Any, Final

from toolgen.schema.dialects import Dialect

_NEEDS: Final = {"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}
"""Keywords that must be ignored where another is absent (2020-12 core, section 10.2.2; validation, 6.4.4)."""


def has_effect(keyword: str, contents: dict[str, Any], dialect: Dialect) -> bool:
    """Whether a keyword of the dialect can decide anything where it stands."""
    if keyword == "additionalItems":  # 2019-09 core, section 9.3.1.2
        return isinstance(contents.get("items"), list)
    if keyword == "if" and "unevaluatedProperties" not in dialect.keywords:  # later it evaluates, too
        return "then" in contents or "else" in contents
    return keyword not in _NEEDS or _NEEDS[keyword] in contents
