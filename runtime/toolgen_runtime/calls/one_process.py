"""`OneProcess`: what belongs to the process that made it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class OneProcess:
    """Base of what has locks, hooks and calls under way: it is shared by reference, and cannot be copied or pickled."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: it has locks, hooks and calls under way; "
            "share it, or make another"
        )
