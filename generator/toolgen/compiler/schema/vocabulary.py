"""What the analysis of schema graphs must know about keywords, beyond `toolgen_runtime.schema.keywords`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolgen_runtime.schema.keywords import GRAPH

PLACES: Final[Mapping[str, int]] = {name: at for at, name in enumerate(GRAPH)}
"""The position of each keyword in the order of the vocabulary."""
NEEDS: Final[Mapping[str, str]] = {
    "minContains": "contains",
    "maxContains": "contains",
    "then": "if",
    "else": "if",
}
"""Keywords that are ignored without another keyword (2020-12 core, section 10.2.2; validation, section 6.4.4)."""
FLIPPING: Final = frozenset(("contains", "oneOf", "not", "if"))
"""Keywords that may accept a value because a subschema rejects it."""
APART: Final = frozenset(("prefixItems", "items", "properties", "additionalProperties"))
"""Keywords whose subschemas never apply to the same part of a value twice."""
ASKING_EVALUATED: Final = frozenset(("unevaluatedItems", "unevaluatedProperties"))
"""Keywords that apply to parts that no other keyword has evaluated, not even in subschemas."""
EVALUATING_REST: Final = ASKING_EVALUATED | {"items", "additionalProperties"}
"""Keywords that evaluate all parts that no keyword beside them evaluates (2020-12 core, section 11)."""
MAX_CONSTANT_DEPTH: Final = 60
"""The maximum depth of a value in generated code; Python allows about 90 nested brackets in an expression."""
