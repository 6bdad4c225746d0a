"""`Branches`: a chain of `if`, `elif` and `else` while it is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from toolgen.codegen.code import Code

if TYPE_CHECKING:
    from toolgen.codegen.function import Function


class Branches:
    """Branches that exclude each other; the first is an `if`, whichever it is."""

    def __init__(self, f: Function) -> None:
        self._f = f
        self._begun = False

    @contextmanager
    def when(self, condition: Code) -> Iterator[None]:
        """The branch of a condition, where none before it held."""
        header = (
            self._f.block("elif {c}:", c=condition) if self._begun else self._f.block("if {c}:", c=condition)
        )
        self._begun = True
        with header:
            yield

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """What is left; unconditional where there is no branch before it."""
        if not self._begun:
            yield
            return
        with self._f.writer.otherwise():
            yield
