"""Findings about values: defaults, examples and choices that their own schema refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from toolgen.diagnostics import Diagnostic
from toolgen.lint.subject import Subject, properties, shown
from toolgen.patterns import PatternError, translate

Accepts = Callable[[dict[str, Any], Any], bool]
MAX_ENUM: Final = 100
"""Allowed values from which an enum is large."""


def defaults(subject: Subject) -> Iterator[Diagnostic]:
    """Yield defaults and examples that are not valid, and defaults of required fields."""
    accepts = validity(subject)
    for steps, schema in subject.schemas:
        if "default" in schema and schema["default"] is not None and not accepts(schema, schema["default"]):
            yield subject.finding(
                "invalid-default", f"the default is not valid: {_json(schema['default'])}", *steps
            )
        examples = schema.get("examples")
        for index, example in enumerate(examples if isinstance(examples, list) else ()):
            if not accepts(schema, example):
                message = f"the example is not valid: {_json(example)}"
                yield subject.finding("invalid-example", message, *steps, "examples", index)
        required = schema.get("required")
        names = required if isinstance(required, list) else []
        unused = [name for name, member in properties(schema) if name in names and "default" in member]
        if unused:
            message = f"required, with a default: {shown(unused)}"
            yield subject.finding("required-default", message, *steps, "properties", unused[0])


def choices(subject: Subject) -> Iterator[Diagnostic]:
    """Yield values of `enum` and `const` that cannot be, and enums that are large."""
    accepts = validity(subject)
    for steps, schema in subject.schemas:
        rest = {word: value for word, value in schema.items() if word not in ("enum", "const")}
        values = schema.get("enum")
        listed = values if isinstance(values, list) else []
        if len(listed) > MAX_ENUM:
            yield subject.finding("large-enum", f"{len(listed):,} allowed values", *steps, "enum")
        if not rest.keys() & {"type", "pattern", "minLength", "maxLength", "minimum", "maximum", "format"}:
            continue
        for index, value in enumerate(listed):
            if not accepts(rest, value):
                message = f"{_json(value)} is refused by the keywords beside it"
                yield subject.finding("impossible-value", message, *steps, "enum", index)
        if "const" in schema and not accepts(rest, schema["const"]):
            message = f"{_json(schema['const'])} is refused by the keywords beside it"
            yield subject.finding("impossible-value", message, *steps, "const")


def validity(subject: Subject) -> Accepts:
    """Return what says whether a subschema of the tool takes a value; unsure is yes.

    jsonschema matches patterns with Python's `re`, so with a pattern that may be slow there nothing is judged.
    """
    from jsonschema.validators import validator_for
    from referencing.exceptions import Unresolvable

    root = subject.spec.schema
    if not isinstance(root, dict) or not all(map(_is_quick, subject.patterns)):
        return lambda *_: True
    validator = validator_for(root)(root)
    unsure = (Unresolvable, RecursionError, ArithmeticError, TypeError, ValueError, re.error)

    def accepts(schema: dict[str, Any], value: Any) -> bool:
        try:
            return bool(validator.evolve(schema=schema).is_valid(value))
        except unsure:
            return True

    return accepts


def _is_quick(pattern: str) -> bool:
    try:
        translated = translate(pattern)
    except PatternError:
        return False
    return translated.linear and translated.engine == "python" and not translated.searches


def _json(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
