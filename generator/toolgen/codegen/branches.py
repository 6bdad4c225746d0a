"""`Branches`: a chain of `if`, `elif` and `else` while it is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.codegen.code import Code
from toolgen.codegen.writer import Writer


class Branches:
    """Branches that exclude each other; the first is an `if`, whichever it is."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._begun = False

    @contextmanager
    def when(self, condition: Code) -> Iterator[None]:
        """Write the branch of a condition, where none before it held."""
        begun, self._begun = self._begun, True
        with self._writer.otherwise_when(condition) if begun else self._writer.when(condition):
            yield

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """Write what is left; unconditional where there is no branch before it."""
        if not self._begun:
            yield
            return
        with self._writer.otherwise():
            yield
