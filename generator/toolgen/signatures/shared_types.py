"""Names for the object types of many tools: short ones, and one name for types that are written alike."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final

from toolgen.python.identifiers import class_name
from toolgen.python.models.views import ClassView
from toolgen.signatures.signature import Signature

RESERVED: Final = frozenset((
    "Any", "Array", "Item", "Literal", "NotRequired", "Promise", "Record", "Result", "TypedDict", "Unpack",
))  # fmt: skip
"""What the declarations use themselves, and words that say nothing alone."""
_WORD: Final = re.compile("[A-Z]")


class SharedTypes(ABC):
    """The object types of some signatures, each body once."""

    def __init__(self, signatures: Iterable[Signature]) -> None:
        """Name the types of signatures; a type that another one is already written as shares its name."""
        self._names: dict[ClassView, str] = {}
        self._bodies: dict[str, str] = {}
        for signature in signatures:
            for suffix, classes in (("", signature.classes), ("Result", signature.result_classes)):
                prefix = class_name(signature.spec.name, suffix)
                for view in classes:
                    self._add(view, _without(view.name, prefix))

    @abstractmethod
    def body(self, view: ClassView) -> str:
        """Return what is between the braces, or below the head, of an object type."""

    def _add(self, view: ClassView, whole: str) -> None:
        for name in (*_endings(whole), view.name):
            self._names[view] = name
            body = self.body(view)
            if self._bodies.setdefault(name, body) == body:
                return

    def name(self, view: ClassView) -> str:
        """Return the name of a type."""
        return self._names.get(view, view.name)

    @property
    def bodies(self) -> Iterable[tuple[str, str]]:
        """The names and the bodies, each after those that it names unless it is recursive."""
        return self._bodies.items()


def _without(name: str, prefix: str) -> str:
    """Return a name without the tool's own at its beginning, unless nothing else is left."""
    rest = name.removeprefix(prefix)
    return rest if rest[:1].isalpha() and rest[:1].isupper() else name


def _endings(name: str) -> Iterator[str]:
    """Yield the endings of a name in whole words, the shortest first: `Edit`, `FileEdit`."""
    starts = [match.start() for match in _WORD.finditer(name)]
    for start in reversed(starts):
        ending = name[start:]
        if ending not in RESERVED:
            yield ending
