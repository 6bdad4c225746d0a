"""`ModuleObject`: what a generated module holds, the same for all who ask for it."""

from __future__ import annotations

import sys

from toolgen_runtime.exports import imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


class ModuleObject:
    """What a generated module holds once: copies are the object itself, and a pickle is the module's name."""

    __slots__ = ()

    def _place(self) -> tuple[str, str]:
        """Return the module that holds this object, and the name that it has there."""
        raise NotImplementedError

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        module, name = self._place()
        if getattr(sys.modules.get(module), name, None) is self:
            return imported, (module, name)
        raise TypeError(
            f"{self!r} is not in a generated package, so it cannot be pickled: "
            "compile its specs again where it is needed, or build a package of them"
        )
