"""The meaning of the keywords: one `Keyword` for each, in the order of their issues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolgen.keywords import arrays, combine, limits, matching, objects, values
from toolgen.keywords.keyword import Keyword
from toolgen.schema.vocabulary import NEEDS, PLACES
from toolgen_runtime.schema.keywords import GRAPH

_MODULES: Final = (values, limits, matching, arrays, objects, combine)
VOCABULARY: Final = tuple(
    sorted(
        (keyword for each in _MODULES for keyword in each.KEYWORDS), key=lambda one: PLACES.get(one.name, 0)
    )
)
"""Every keyword of the graph. Issues come in this order among keywords that look at the same kind of value."""


def check_complete(vocabulary: Iterable[Keyword]) -> None:
    """Raise where a keyword has a row and no meaning, or a meaning and no row.

    Raises:
        NotImplementedError: with the names of these keywords.
    """
    vocabulary = list(vocabulary)
    names = [keyword.name for keyword in vocabulary]
    wrong = GRAPH.keys() ^ set(names) | {name for name in names if names.count(name) > 1}
    written = {keyword.name for keyword in vocabulary if keyword.write is not None}
    begins = {keyword.name for keyword in values.KEYWORDS}
    wrong |= {
        keyword.name
        for keyword in vocabulary
        if keyword.name in GRAPH and not {keyword.name, NEEDS.get(keyword.name)} & (written | begins)
    }
    if wrong:
        raise NotImplementedError(
            f"{', '.join(sorted(wrong))}: each keyword has one row in toolgen_runtime.schema.keywords "
            "and one Keyword in toolgen.keywords.VOCABULARY"
        )


check_complete(VOCABULARY)
