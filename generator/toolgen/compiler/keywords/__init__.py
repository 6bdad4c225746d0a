"""How each keyword is checked, with one `Keyword` for each, in the order of their issues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolgen.compiler.codegen.body import Value
from toolgen.compiler.codegen.code import Code
from toolgen.compiler.codegen.function import Function
from toolgen.compiler.codegen.meanings import Keyword, Vocabulary
from toolgen.compiler.codegen.values import is_listed
from toolgen.compiler.keywords import arrays, combine, limits, matching, objects
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.vocabulary import NEEDS, PLACES
from toolgen_runtime.schema.keywords import GRAPH


def _choice(name: str) -> Keyword:
    def holds(f: Function, schema: Schema, value: Value) -> Code:
        return is_listed(f, dict(schema.choices)[name], value)

    return Keyword(name, holds=holds)


_BEGINNING: Final = (Keyword("type"), _choice("enum"), _choice("const"))
"""The keywords with which every check begins."""
_MODULES: Final = (limits, matching, arrays, objects, combine)
_ROWS: Final = (*_BEGINNING, *(keyword for each in _MODULES for keyword in each.KEYWORDS))
VOCABULARY: Final = Vocabulary(sorted(_ROWS, key=lambda one: PLACES.get(one.name, 0)))
"""Every keyword of the graph. The issues of keywords for the same kind of value come in this order."""


def check_complete(vocabulary: Iterable[Keyword]) -> None:
    """Raise an error unless the keywords here are exactly those in the table of all keywords.

    Raises:
        NotImplementedError: with the names of these keywords.
    """
    vocabulary = list(vocabulary)
    names = [keyword.name for keyword in vocabulary]
    wrong = GRAPH.keys() ^ set(names) | {name for name in names if names.count(name) > 1}
    written = {keyword.name for keyword in vocabulary if keyword.write is not None or keyword in _BEGINNING}
    wrong |= {name for name in names if name in GRAPH and not {name, NEEDS.get(name)} & written}
    if wrong:
        raise NotImplementedError(
            f"{', '.join(sorted(wrong))}: each keyword has one row in toolgen_runtime.schema.keywords "
            "and one Keyword in toolgen.compiler.keywords.VOCABULARY"
        )


check_complete(VOCABULARY.rows)
