"""Find misspelled keywords. They have no effect, because JSON Schema ignores unknown keywords.

A schema may contain any other word (2020-12 core, section 6.5), so only words similar to a keyword are reported. If the
keyword is short, the value must fit it too.
"""

from __future__ import annotations

from typing import Any, Final

from toolgen.compiler.schema.dialects import DIALECTS, Dialect
from toolgen_runtime.hints.names import distance
from toolgen_runtime.schema.keywords import KEYWORDS
from toolgen_runtime.schema.shapes import STRING

_IDENTIFIERS: Final = dict.fromkeys(("$schema", "$id", "$anchor", "$dynamicAnchor"), STRING)
_SAYING: Final = {
    **_IDENTIFIERS,
    **{row.name: row.shape for row in KEYWORDS.values() if row.is_annotation or row.subject is None},
}
"""Keywords that every dialect has, or that do no harm in other dialects."""
_ORDINARY: Final = frozenset(
    (
        *("id", "$recursiveAnchor", "$vocabulary", "contentEncoding", "contentMediaType", "contentSchema"),
        *("example", "nullable", "discriminator", "xml", "externalDocs"),  # OpenAPI
        *("extends", "disallow", "divisibleBy", "requires"),  # draft-03 and before
        *("cost", "costs", "cons", "item", "tile", "when", "types", "formatting"),
    )
)
"""Words that resemble a keyword but have a meaning of their own."""
_KNOWN: Final = frozenset(k for d in DIALECTS.values() for k in d.keywords) | _SAYING.keys() | _ORDINARY
_SHORT: Final = 5
"""The maximum length of a keyword for which only one edit is allowed."""
_LONG: Final = 8
"""The minimum length of a keyword for which the value need not fit."""


def meant(word: str, value: Any, dialect: Dialect) -> str | None:
    """Return the keyword that a word probably means, which differs from it by at most two edits.

    Return None if the word is fine.
    """
    if word in _KNOWN or word[:2].lower() == "x-":
        return None
    found = [
        (distance, keyword)
        for keyword, shape in {**_SAYING, **dialect.keywords}.items()
        if (distance := _distance(word, keyword)) is not None and (len(keyword) >= _LONG or shape.fits(value))
    ]
    if found:
        return min(found)[1]
    return None


def _distance(word: str, keyword: str) -> int | None:
    """Return the number of edits between a word and a keyword; None if there are too many for a misspelling."""
    if word.startswith("$") is not keyword.startswith("$"):
        return None
    if _bare(word) == _bare(keyword):  # `minlength`, `min_length`
        return 0
    if len(keyword) < 4:
        return None
    most = 1 if len(keyword) <= _SHORT or keyword == "format" else 2
    edits = distance(word.casefold(), keyword.casefold(), most)
    return edits if edits <= most else None


def _bare(word: str) -> str:
    return word.replace("_", "").replace("-", "").casefold()
