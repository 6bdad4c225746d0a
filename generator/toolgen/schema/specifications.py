"""The drafts as `referencing` knows them: where a schema holds ids, anchors and subschemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from attrs import evolve
from referencing import Specification
from referencing.jsonschema import DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012

from toolgen.schema.dialects import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12, Dialect


def is_reference(name: Any) -> bool:
    """Whether a value can be read as a URI reference at all."""
    try:
        urlsplit(name)
    except (ValueError, TypeError, AttributeError):
        return False
    return isinstance(name, str)


def _lenient(strict: Specification[Any]) -> Specification[Any]:
    """A specification that passes over what is malformed; lowering reports it where it stands."""

    def id_of(contents: Any) -> str | None:
        name = strict.id_of(contents)
        return name if is_reference(name) else None

    def subresources_of(contents: Any) -> list[Any]:
        try:
            return [sub for sub in strict.subresources_of(contents) if isinstance(sub, dict | bool)]
        except (AttributeError, TypeError):
            return []

    # mypy does not see that it is an attrs class.
    return evolve(strict, id_of=id_of, subresources_of=subresources_of)  # type: ignore[misc]


_SPECIFICATIONS: Final[Mapping[str, Specification[Any]]] = {
    DRAFT_04.uri: _lenient(DRAFT4),
    DRAFT_06.uri: _lenient(DRAFT6),
    DRAFT_07.uri: _lenient(DRAFT7),
    DRAFT_2019_09.uri: _lenient(DRAFT201909),
    DRAFT_2020_12.uri: _lenient(DRAFT202012),
}


def specification_of(dialect: Dialect) -> Specification[Any]:
    """The specification of a dialect; of one that a meta-schema defines, the draft that it is built on."""
    return _SPECIFICATIONS.get(dialect.uri, _SPECIFICATIONS[DRAFT_2020_12.uri])
