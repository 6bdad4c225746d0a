"""`stubs`: tools as declarations in a language, for a model's context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from toolgen.python.identifiers import module_names
from toolgen.schema.lower import LowerOptions
from toolgen.signatures.python_stubs import python_stubs
from toolgen.signatures.signature import Signature, signatures_of
from toolgen.signatures.typescript_stubs import typescript_stubs
from toolgen.specs.tool_spec import ToolSpec

_WRITERS: Final[Mapping[str, Callable[[Sequence[Signature]], str]]] = {
    "python-stubs": python_stubs,
    "typescript-stubs": typescript_stubs,
}


def stubs(specs: Sequence[ToolSpec], language: str, options: LowerOptions) -> str:
    """Return the declarations of tools: `python-stubs` (a `.pyi`) or `typescript-stubs` (a `.d.ts`).

    A function has the name that the tool's method has in a client; tools that cannot be built are left out.
    """
    names = module_names(spec.name for spec in specs)
    return _WRITERS[language](signatures_of([(spec, names[spec.name]) for spec in specs], options))
