"""What analyses of schema graphs ask of keywords, beside their rows in `toolgen_runtime.schema.keywords`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolgen_runtime.schema.keywords import GRAPH

PLACES: Final[Mapping[str, int]] = {name: at for at, name in enumerate(GRAPH)}
"""Where each keyword stands in the order of the vocabulary."""
NEEDS: Final[Mapping[str, str]] = {
    "minContains": "contains",
    "maxContains": "contains",
    "then": "if",
    "else": "if",
}
"""The keyword without which one must be ignored (2020-12 core, section 10.2.2; validation, section 6.4.4)."""
FLIPPING: Final = frozenset(("contains", "oneOf", "not", "if"))
"""Keywords that can take a value because a subschema does not."""
APART: Final = frozenset(("prefixItems", "items", "properties", "additionalProperties"))
"""Keywords whose subschemas never look at the same part of a value twice."""
ASKING_EVALUATED: Final = frozenset(("unevaluatedItems", "unevaluatedProperties"))
"""Keywords that look at what no other keyword has evaluated, those in subschemas included."""
EVALUATING_REST: Final = ASKING_EVALUATED | {"items", "additionalProperties"}
"""Keywords that evaluate whatever no keyword beside them does (2020-12 core, section 11)."""
MAX_CONSTANT_DEPTH: Final = 60
"""Levels of a value that stands in generated code; Python nests about 90 brackets in one expression."""
