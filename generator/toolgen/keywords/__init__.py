"""What the keywords mean: one `Keyword` each, listed once, in the order of their issues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolgen.keywords import arrays, combine, limits, numbers, objects, strings, values
from toolgen.keywords.keyword import Keyword
from toolgen.schema.vocabulary import KEYWORDS

VOCABULARY: Final = (
    *values.KEYWORDS,
    *limits.of("minLength", "maxLength"),
    *strings.KEYWORDS,
    *limits.of("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
    *numbers.KEYWORDS,
    *limits.of("minItems", "maxItems"),
    *arrays.KEYWORDS,
    *objects.MEMBERS,
    *limits.of("minProperties", "maxProperties"),
    *objects.KEYWORDS,
    *combine.KEYWORDS,
)
"""Every keyword of the graph. Issues come in this order among keywords that look at the same kind of value."""


def check_complete(vocabulary: Iterable[Keyword]) -> None:
    """Raise where a keyword has facts and no meaning, or a meaning and no facts.

    Raises:
        NotImplementedError: with the names of these keywords.
    """
    vocabulary = list(vocabulary)
    names = [keyword.name for keyword in vocabulary]
    wrong = KEYWORDS.keys() ^ set(names) | {name for name in names if names.count(name) > 1}
    written = {keyword.name for keyword in vocabulary if keyword.write is not None}
    begins = {keyword.name for keyword in values.KEYWORDS}
    wrong |= {
        keyword.name
        for keyword in vocabulary
        if keyword.name in KEYWORDS and not {keyword.name, keyword.facts.needs} & (written | begins)
    }
    if wrong:
        raise NotImplementedError(
            f"{', '.join(sorted(wrong))}: each keyword has one row in toolgen.schema.vocabulary "
            "and one Keyword in toolgen.keywords.VOCABULARY"
        )


check_complete(VOCABULARY)
