"""`Branches`: a chain of `if`, `elif` and `else` while it is written."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from toolgen.codegen.code import Code
from toolgen.codegen.writer import Writer


class Branches:
    """Branches that exclude each other; the first is an `if`, whichever it is."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._begun = False

    def when(self, condition: Code) -> AbstractContextManager[None]:
        """Write the branch of a condition, where none before it held."""
        begun, self._begun = self._begun, True
        return self._writer.otherwise_when(condition) if begun else self._writer.when(condition)

    def otherwise(self) -> AbstractContextManager[None]:
        """Write what is left; unconditional where there is no branch before it."""
        return self._writer.otherwise() if self._begun else nullcontext()
