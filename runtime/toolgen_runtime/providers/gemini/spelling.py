"""Gemini's two spellings: REST has `functionCall`, what google-genai dumps by default `function_call`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any


@lru_cache(maxsize=256)
def snake(camel: str) -> str:
    """Return a field's name as google-genai has it."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", camel)


def camel_name(name: str) -> str:
    """Return a field's name as REST has it."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def camel(value: Any) -> Any:
    """Return an object, and the objects in it, with its names as REST has them."""
    if not isinstance(value, Mapping):
        return value
    return {camel_name(str(key)): camel(member) for key, member in value.items()}


def either(members: Mapping[str, Any], camel: str) -> Any:
    """Return a field by REST's name or the SDK's, None where there is neither."""
    value = members.get(camel)
    return members.get(snake(camel)) if value is None else value


def both(fields: frozenset[str]) -> frozenset[str]:
    """Return dotted paths in every mixture of the two spellings."""
    steps = ([{step, snake(step)} for step in field.split(".")] for field in fields)
    return frozenset(".".join(path) for each in steps for path in product(*each))
