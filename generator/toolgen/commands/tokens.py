"""The tokens that a tool's definition takes of every request."""

from __future__ import annotations

import json
from typing import Final

from toolgen.compiler.specs.tool_spec import ToolSpec

CHARACTERS_PER_TOKEN: Final = 4
"""English text and JSON have about this many characters per token, with any tokenizer."""


def tokens_of(spec: ToolSpec) -> int:
    """Return the approximate number of tokens of a definition."""
    written = {"name": spec.name, "description": spec.description, "parameters": spec.schema}
    return len(json.dumps(written, separators=(",", ":"), ensure_ascii=False)) // CHARACTERS_PER_TOKEN
