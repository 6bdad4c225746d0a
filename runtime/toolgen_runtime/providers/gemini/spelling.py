"""The two spellings of Gemini's names: the API's `functionCall`, and `function_call`, which google-genai dumps.

The API reads both. Names are read in the first; what a message is written from keeps its own.
"""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.gemini.wire import SPELLINGS


def camel(members: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its names in the API's spelling and without nulls; the objects in it stay."""
    return {SPELLINGS.get(key, key): value for key, value in members.items() if value is not None}


def member(part: dict[str, Any], name: str) -> Any:
    """Return the member of a part that is called so in either spelling."""
    other = next(key for key, value in SPELLINGS.items() if value == name)
    return part[name] if part.get(name) is not None else part[other]
