"""`Value`: a value that generated code looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toolgen.codegen.code import Code
from toolgen.schema.kinds import Kind


@dataclass(frozen=True, slots=True)
class Value:
    """A value that generated code looks at: its variable, and the steps that lead to it in this function."""

    var: Code
    path: tuple[Code, ...] = ()
    hint: str = ""
    """Words that name the value; none for the one that the function is called with."""
    kind: Kind | None = None
    """The kind that the value is known to be of, where a test has shown it."""
    on_missing: Callable[[], None] | None = None
    """Set where the variable may hold `MISSING`: writes the issue of a required key that is not there."""
    shown: frozenset[str] = frozenset()
    """Keys of the value, an object, that a test has shown to be there."""
    tag: tuple[str, frozenset[str]] | None = None
    """A key of the value, an object, and the strings of which a test has shown one to be there."""
