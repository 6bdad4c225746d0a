"""The dialects of JSON Schema as data: the keywords of each, and what their values must look like.

Sources: the specifications and meta-schemas of draft-04, draft-06, draft-07, 2019-09, 2020-12 and v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.keywords import KEYWORDS
from toolgen_runtime.schema.shapes import Shape


def _shapes(names: str) -> dict[str, Shape]:
    """Return keywords with the shapes from the table of keywords."""
    return {name: KEYWORDS[name].shape for name in names.split()}


def _without(keywords: Mapping[str, Shape], name: str) -> dict[str, Shape]:
    return {keyword: shape for keyword, shape in keywords.items() if keyword != name}


_CORE: Final = _shapes("$ref")
_FORMAT: Final = _shapes("format")
_UNEVALUATED: Final = _shapes("unevaluatedItems unevaluatedProperties")

_APPLICATOR_4: Final = {
    **_shapes("allOf anyOf oneOf not properties patternProperties additionalProperties"),
    **_shapes("additionalItems dependencies"),
    "items": shapes.ITEMS,
}
_APPLICATOR_6: Final = {**_APPLICATOR_4, **_shapes("contains propertyNames")}
_APPLICATOR_7: Final = {**_APPLICATOR_6, **_shapes("if then else")}
_APPLICATOR_2019: Final = {**_without(_APPLICATOR_7, "dependencies"), **_shapes("dependentSchemas")}
_APPLICATOR_2020: Final = {**_without(_APPLICATOR_2019, "additionalItems"), **_shapes("prefixItems items")}

_LIMITS: Final = _shapes(
    "type enum multipleOf maximum minimum maxLength minLength pattern"
    " maxItems minItems uniqueItems maxProperties minProperties required"
)
_VALIDATION_4: Final = {**_LIMITS, "exclusiveMaximum": shapes.BOOLEAN, "exclusiveMinimum": shapes.BOOLEAN}
_VALIDATION_6: Final = {**_LIMITS, **_shapes("const exclusiveMaximum exclusiveMinimum")}
_VALIDATION_2019: Final = {**_VALIDATION_6, **_shapes("minContains maxContains dependentRequired")}


class Dialect(NamedTuple):
    """One dialect of JSON Schema: its keywords, and the few rules in which it differs from others."""

    uri: str
    keywords: Mapping[str, Shape]
    id_keyword: str = "$id"
    ref_hides_siblings: bool = False
    """Whether keywords beside a `$ref` have no effect, as in draft-07 and earlier (draft-07 core, section 8.3)."""
    whole_floats: bool = True
    """Whether 1.0 is an integer. In draft-04, integers have no fraction or exponent (draft-04 core, section 3.5)."""
    contains_evaluates: bool = False
    """Whether items that match `contains` count as evaluated for `unevaluatedItems`, as since 2020-12 (core, section
    11.2).
    """
    vocabularies: Mapping[str, Mapping[str, Shape]] | None = None
    """The keywords of each vocabulary, by its URI, if meta-schemas can choose vocabularies (`$vocabulary`)."""
    asserts_format: bool = False
    """Whether `format` is always a constraint: in v1, and if the meta-schema has the format-assertion vocabulary
    (2020-12 validation, section 7.2.2)."""
    dynamic_needs_anchor: bool = True
    """Whether a `$dynamicRef` also needs a target where it stands, as up to 2020-12 (core, section 8.2.3.2)."""


_VOCAB_2019: Final = "https://json-schema.org/draft/2019-09/vocab/"
_VOCAB_2020: Final = "https://json-schema.org/draft/2020-12/vocab/"

FORMAT_ASSERTION: Final = _VOCAB_2020 + "format-assertion"

_VOCABULARIES_2019: Final[Mapping[str, Mapping[str, Shape]]] = {
    _VOCAB_2019 + "core": _shapes("$ref $recursiveRef"),
    _VOCAB_2019 + "applicator": {**_APPLICATOR_2019, **_UNEVALUATED},
    _VOCAB_2019 + "validation": _VALIDATION_2019,
    _VOCAB_2019 + "format": _FORMAT,
    _VOCAB_2019 + "content": {},
    _VOCAB_2019 + "meta-data": {},
}
_VOCABULARIES_2020: Final[Mapping[str, Mapping[str, Shape]]] = {
    _VOCAB_2020 + "core": _shapes("$ref $dynamicRef"),
    _VOCAB_2020 + "applicator": _APPLICATOR_2020,
    _VOCAB_2020 + "unevaluated": _UNEVALUATED,
    _VOCAB_2020 + "validation": _VALIDATION_2019,
    _VOCAB_2020 + "format-annotation": _FORMAT,
    FORMAT_ASSERTION: _FORMAT,
    _VOCAB_2020 + "content": {},
    _VOCAB_2020 + "meta-data": {},
}

DRAFT_04: Final = Dialect(
    uri="http://json-schema.org/draft-04/schema",
    keywords={**_CORE, **_APPLICATOR_4, **_VALIDATION_4, **_FORMAT},
    id_keyword="id",
    ref_hides_siblings=True,
    whole_floats=False,
)
DRAFT_06: Final = Dialect(
    uri="http://json-schema.org/draft-06/schema",
    keywords={**_CORE, **_APPLICATOR_6, **_VALIDATION_6, **_FORMAT},
    ref_hides_siblings=True,
)
DRAFT_07: Final = Dialect(
    uri="http://json-schema.org/draft-07/schema",
    keywords={**_CORE, **_APPLICATOR_7, **_VALIDATION_6, **_FORMAT},
    ref_hides_siblings=True,
)
DRAFT_2019_09: Final = Dialect(
    uri="https://json-schema.org/draft/2019-09/schema",
    keywords={k: v for words in _VOCABULARIES_2019.values() for k, v in words.items()},
    vocabularies=_VOCABULARIES_2019,
)
DRAFT_2020_12: Final = Dialect(
    uri="https://json-schema.org/draft/2020-12/schema",
    keywords={k: v for words in _VOCABULARIES_2020.values() for k, v in words.items()},
    contains_evaluates=True,
    vocabularies=_VOCABULARIES_2020,
)

V1: Final = Dialect(
    uri="https://json-schema.org/v1",
    keywords=DRAFT_2020_12.keywords,
    contains_evaluates=True,
    asserts_format=True,
    dynamic_needs_anchor=False,
)

DEFAULT: Final = DRAFT_2020_12
DIALECTS: Final[Mapping[str, Dialect]] = {
    d.uri: d for d in (DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12, V1)
}

_WITHOUT_SCHEME: Final = {uri.split("://")[1]: uri for uri in DIALECTS} | {
    "json-schema.org/schema": DEFAULT.uri,
    "json-schema.org/v1/2026": V1.uri,
}
"""`http://json-schema.org/schema` names the latest dialect; v1 has a URI for each year."""


def normal_uri(uri: str) -> str:
    """Return the URI of a dialect as it is written in `DIALECTS`.

    Specs write it with and without `#`, and with http or https.
    """
    bare = uri.strip().removesuffix("#")
    return _WITHOUT_SCHEME.get(bare.split("://", 1)[-1], bare)
