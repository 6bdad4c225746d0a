"""The diagnostics of a schema with their places, and checks of its values that go beyond their shape."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

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
from toolgen.compiler.schema.vocabulary import MAX_CONSTANT_DEPTH
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime.schema.shapes import REFERENCE
from toolgen_runtime.validation.helpers import is_deeper


class Problems:
    """The diagnostics of one schema, each once.

    `root` is the document of the spec itself. Unless `allows_slow`, a pattern whose time has no known bound is an error
    (`refuse`) or a warning (`allow`).
    """

    def __init__(self, spec: ToolSpec, root: Document, allows_slow: bool) -> None:
        self.spec = spec
        self.root = root
        self.allows_slow = allows_slow
        self.diagnostics: list[Diagnostic] = []
        self.reported: set[Diagnostic] = set()

    @property
    def failed(self) -> bool:
        """Whether there is a diagnostic of level error."""
        return any(diagnostic.level == "error" for diagnostic in self.diagnostics)

    def report(self, scope: Scope, code: str, message: str, fix: str = "", level: Level = "error") -> None:
        """Add a diagnostic at a place, only once even if many references refer to the place."""
        place = self.spec.schema_place
        resource = scope.resource
        if resource.document is self.root:
            place = Place(place.file, place.pointer + resource.pointer + scope.pointer)
        else:
            message = f"{message} (in {resource.uri}#{scope.pointer})"
        diagnostic = Diagnostic(place, code, message, fix, self.spec.name, level)
        if diagnostic not in self.reported:
            self.reported.add(diagnostic)
            self.diagnostics.append(diagnostic)

    def check_identifier(self, name: Any, scope: Scope) -> None:
        """Report an `$id` that opens no resource because it is not a URI reference."""
        if name is not None and not is_reference(name):
            keyword = scope.dialect.id_keyword
            message = f"{keyword!r} must be {REFERENCE.words}, not {shown(name)}"
            self.report(scope.below(keyword), "invalid-keyword", message, "write a URI, or leave it out")

    def check_unknown(self, word: str, value: Any, scope: Scope) -> None:
        """Warn about a word that is not a keyword of the dialect, if the author probably meant a keyword."""
        if word == "dependencies" and isinstance(value, dict):
            message = "'dependencies' has no effect since 2019-09"
            fix = "write 'dependentRequired' for arrays of names and 'dependentSchemas' for schemas"
            self.report(scope.below(word), "obsolete-keyword", message, fix, level="warning")
        elif (keyword := meant(word, value, scope.dialect)) is not None:
            message = f"{shown(word)} is not a keyword, and has no effect"
            fix = f"write {keyword!r} if you mean that"
            self.report(scope.below(word), "misspelled-keyword", message, fix, level="warning")

    def depth_fits(self, value: Any, scope: Scope) -> bool:
        """Return whether a constant can be written in generated code; report it if not."""
        if not is_deeper(value, MAX_CONSTANT_DEPTH):
            return True
        message = f"the value is nested deeper than {MAX_CONSTANT_DEPTH} levels"
        self.report(scope, "constant-too-deep", message, "use a value with fewer levels")
        return False

    def pattern_fits(self, pattern: str, scope: Scope) -> bool:
        """Return whether a pattern can be run; report it if not, or if it may be slow."""
        try:
            if is_long(pattern):
                message = f"the pattern has {len(pattern)} characters, more than {MAX_PATTERN}"
                self.report(scope, "invalid-pattern", message, "shorten it, or write it as alternatives")
                return False
            translated = _translated(pattern)
        except PatternError as error:
            message = f"{shown(pattern)} cannot be run as an ECMA-262 regular expression: {error}"
            self.report(scope, "invalid-pattern", message, "correct the pattern")
            return False
        if translated is not None:
            self.check_time(pattern, translated, scope)
        return True

    def check_time(self, pattern: str, translated: Translated, scope: Scope) -> None:
        """Report a pattern that a hostile text can make slow."""
        if not translated.linear:
            message = f"{shown(pattern)} may take more than linear time on a hostile string"
            fix = "avoid backreferences and large counted repetitions, or allow slow patterns"
            level: Level = "warning" if self.allows_slow else "error"
            self.report(scope, "slow-pattern", message, fix, level=level)
        elif not translated.quick:
            message = f"{shown(pattern)} may take seconds on a string of 100,000 characters"
            self.report(
                scope,
                "heavy-pattern",
                message,
                "reduce the repetition counts to at most 144 characters in total",
                level="warning",
            )


@lru_cache(maxsize=256)  # the tools of a server often share patterns
def _translated(pattern: str) -> Translated | None:
    """Return a pattern translated for an engine; None if it is checked by comparisons."""
    return None if plain(pattern) is not None else translate(pattern)


def shown(value: Any) -> str:
    """Return a value as a message shows it: ASCII, cut at 60 characters."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
