"""Find problems in a schema, and report where they are.

These checks of keywords and values go beyond the values' shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from toolgen.compiler.diagnostics import Diagnostic, Level, Place
from toolgen.compiler.patterns.translate import (
    MAX_PATTERN,
    PatternError,
    Translated,
    is_long,
    translate,
)
from toolgen.compiler.patterns.without_regex import plain
from toolgen.compiler.schema.misspelled_keywords import meant
from toolgen.compiler.schema.references import Scope
from toolgen.compiler.schema.resources import Document, is_reference
from toolgen.compiler.schema.usual_causes import advise, field_advice
from toolgen.compiler.schema.vocabulary import MAX_CONSTANT_DEPTH
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.schema.shapes import REFERENCE, Shape
from toolgen_runtime.validation.helpers import is_deeper


class Problem(NamedTuple):
    """One problem of a schema, and where it is."""

    scope: Scope
    code: str
    message: str
    fix: str = ""
    level: Level = "error"

    def diagnostic(self, spec: ToolSpec, own: Document) -> Diagnostic:
        """Convert the problem to a diagnostic. `own` is the document that contains the tool's own schema.

        For other documents, the message names the place.
        """
        place, message, scope = spec.schema_place, self.message, self.scope
        if scope.resource.document is own:
            place = Place(place.file, place.pointer + scope.resource.pointer + scope.pointer)
        else:
            message = f"{message} (in {scope.resource.uri}#{scope.pointer})"
        return Diagnostic(place, self.code, message, self.fix, spec.name, self.level)


def has_error(problems: Iterable[Problem]) -> bool:
    """Return whether any of the problems is an error."""
    return any(problem.level == "error" for problem in problems)


def check_identifier(name: Any, scope: Scope) -> Iterator[Problem]:
    """Yield a problem for an `$id` that is not a URI reference and therefore has no effect."""
    if name is not None and not is_reference(name):
        keyword = scope.dialect.id_keyword
        message = f"{keyword!r} must be {REFERENCE.words}, not {shown(name)}"
        yield Problem(scope.below(keyword), "invalid-keyword", message, "write a URI, or leave it out")


def wrong_shape(keyword: str, value: Any, shape: Shape, scope: Scope) -> Problem:
    """Create the problem for a keyword whose value has the wrong form.

    It includes advice on the usual cause.
    """
    place = scope.below(keyword)
    name, fix = field_advice(keyword, value)
    if name:
        message = f"{name!r} under 'properties' is the name of a field, whose schema must be "
        message += f"an object or a boolean, not {shown(value[name])}"
        return Problem(place.below(name), "invalid-keyword", message, fix)
    message = f"{keyword!r} must be {shape.words}, not {shown(value)}"
    return Problem(place, "invalid-keyword", message, advise(keyword, value) or shape.fix)


def check_fields(contents: Mapping[str, Any], scope: Scope) -> Iterator[Problem]:
    """Warn about an `additionalProperties` inside `properties`, where it is the name of a field."""
    fields = contents.get("properties")
    if (
        isinstance(fields, dict)
        and isinstance(fields.get("additionalProperties"), bool)
        and "additionalProperties" not in contents
    ):
        yield Problem(
            scope.below("properties", "additionalProperties"),
            "misplaced-keyword",
            "'additionalProperties' under 'properties' is the name of a field, so other keys are still accepted",
            "move it out, next to 'properties'",
            "warning",
        )


def check_unknown(word: str, contents: Mapping[str, Any], scope: Scope) -> Iterator[Problem]:
    """Warn about an unknown keyword if the author probably meant a keyword of the dialect."""
    value, place = contents[word], scope.below(word)
    if word == "dependencies" and isinstance(value, dict):
        message = "'dependencies' has no effect since 2019-09"
        fix = "write 'dependentRequired' for arrays of names and 'dependentSchemas' for schemas"
        yield Problem(place, "obsolete-keyword", message, fix, "warning")
    elif word == "nullable" and value is True and isinstance(contents.get("type"), str):
        message = "'nullable' has no effect in JSON Schema, so null is rejected"
        fix = f'write "type": ["{contents["type"]}", "null"]'
        yield Problem(place, "misspelled-keyword", message, fix, "warning")
    elif (keyword := meant(word, value, scope.dialect)) is not None:
        message = f"{shown(word)} is not a keyword, and has no effect"
        yield Problem(place, "misspelled-keyword", message, f"write {keyword!r} if you mean that", "warning")


def check_depth(value: Any, scope: Scope) -> Iterator[Problem]:
    """Yield a problem if a constant is nested too deeply for generated code."""
    if is_deeper(value, MAX_CONSTANT_DEPTH):
        message = f"the value is nested deeper than {MAX_CONSTANT_DEPTH} levels"
        yield Problem(scope, "constant-too-deep", message, "use a value with fewer levels")


def check_pattern(pattern: str, scope: Scope, *, allows_slow: bool) -> Iterator[Problem]:
    """Yield a problem for a pattern that cannot be run (`invalid-pattern`) or that may be slow for some
    texts.

    With `allows_slow`, a pattern without a known bound for its time is only a warning.
    """
    try:
        if is_long(pattern):
            message = f"the pattern has {len(pattern)} characters, more than {MAX_PATTERN}"
            yield Problem(scope, "invalid-pattern", message, "shorten it, or write it as alternatives")
            return
        translated = _translated(pattern)
    except PatternError as error:
        message = f"{shown(pattern)} cannot be run as an ECMA-262 regular expression: {error}"
        yield Problem(scope, "invalid-pattern", message, "correct the pattern")
        return
    if translated is None:
        return
    if not translated.linear:
        message = f"{shown(pattern)} may take more than linear time on a hostile string"
        fix = "avoid backreferences and large counted repetitions, or allow slow patterns"
        yield Problem(scope, "slow-pattern", message, fix, "warning" if allows_slow else "error")
    elif not translated.quick:
        message = f"{shown(pattern)} may take seconds on a string of 100,000 characters"
        fix = "reduce the repetition counts to at most 144 characters in total"
        yield Problem(scope, "heavy-pattern", message, fix, "warning")


@lru_cache(maxsize=256)  # the tools of a server often share patterns
def _translated(pattern: str) -> Translated | None:
    """Return a pattern translated for an engine; None if comparisons are enough to check it."""
    if plain(pattern) is not None:
        return None
    return translate(pattern)


def shown(value: Any) -> str:
    """Return a value as messages show it: in ASCII, with at most 60 characters."""
    text = ascii(value)
    if len(text) <= 60:
        return text
    return text[:57] + "..."
