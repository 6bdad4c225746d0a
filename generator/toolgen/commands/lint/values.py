"""Check the values in a schema: defaults, examples and choices that the schema itself would reject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from toolgen.commands.lint.subject import Subject, properties, shown
from toolgen.compiler.compiled_check import without
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.short_text import short_json
from toolgen_runtime.schema.raw import listed
from toolgen_runtime.validation.formats import FORMATS

MAX_ENUM: Final = 100
"""The number of allowed values above which an enum is large."""
_FORMATS: Final = {
    **{name.replace("-", ""): name for name in FORMATS},
    "datetimestring": "date-time",
    "iso8601": "date-time",
    "isodate": "date",
    "url": "uri",
    "guid": "uuid",
}
"""Formats, looked up by their names in lower case without separators and by other common names."""


def defaults(subject: Subject) -> Iterator[Diagnostic]:
    """Yield defaults and examples that are not valid under the schema they belong to."""
    for schema in subject.graph:
        for steps, value in _given(schema):
            if subject.checks.takes(schema, value):
                continue
            if steps != ("default",):
                message = f"the example is not valid: {short_json(value)}"
                yield subject.finding("invalid-example", message, *steps, pointer=schema.pointer)
            elif value is None:
                message = "the default is null, which the schema does not allow"
                yield subject.finding("null-default", message, pointer=schema.pointer)
            else:
                message = f"the default is not valid: {short_json(value)}"
                yield subject.finding("invalid-default", message, pointer=schema.pointer)


def _given(schema: Schema) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the default and the examples of a schema (`example` is OpenAPI's), with the steps to each."""
    if "default" in schema.annotations:
        yield ("default",), schema.annotations["default"]
    for index, example in enumerate(listed(schema.annotations, "examples")):
        yield ("examples", index), example
    if isinstance(schema.raw, dict) and "example" in schema.raw:
        yield ("example",), schema.raw["example"]


def required_defaults(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the defaults of required fields, which are never used."""
    for steps, schema in subject.schemas:
        names = listed(schema, "required")
        unused = [name for name, member in properties(schema) if name in names and "default" in member]
        if unused:
            rest = (
                "is required, but has a default, which is"
                if len(unused) == 1
                else "are required, but have defaults, which are"
            )
            message = f"{shown(unused)} {rest} never used"
            yield subject.finding("required-default", message, *steps, "properties", unused[0])


def choices(subject: Subject) -> Iterator[Diagnostic]:
    """Yield values of `enum` and `const` that other keywords reject, and enums with too many values."""
    for schema in subject.graph:
        for word, values in schema.choices:
            if len(values) > MAX_ENUM:
                message = f"{len(values):,} allowed values"
                yield subject.finding("large-enum", message, word, pointer=schema.pointer)
            rest = without(schema, word)
            for index, value in enumerate(values):
                if not subject.checks.takes(rest, value):
                    steps = (word,) if word == "const" else (word, index)
                    message = f"{short_json(value)} is rejected by other keywords of the schema"
                    yield subject.finding("impossible-value", message, *steps, pointer=schema.pointer)


def formats(subject: Subject) -> Iterator[Diagnostic]:
    """Yield names of formats that are not checked because they only resemble one of JSON Schema's."""
    for steps, schema in subject.schemas:
        name = schema.get("format")
        meant = _FORMATS.get(re.sub("[^a-z0-9]", "", name.lower())) if isinstance(name, str) else None
        if meant is not None and meant != name:
            message = f"there is no format {short_json(name)}, so it is not checked: did you mean {meant!r}?"
            yield subject.finding("unknown-format", message, *steps, "format")
