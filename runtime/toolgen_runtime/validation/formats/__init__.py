"""The `format` names of JSON Schema draft-04 to 2020-12, each a predicate over strings.

A predicate is exact (what its RFC says, ASCII digits only, the whole string), never raises, and takes time
linear in the text. One table serves every draft: where a later draft cites a later RFC, the later one holds.
Looking a predicate up loads nothing; its module, and `re` where it needs it, comes with the first call.
"""

from __future__ import annotations

from toolgen_runtime.validation.lazy import at_first_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    Predicate = Callable[[str], object]

_MODULES: Final = {
    "date": "dates",
    "date-time": "dates",
    "duration": "durations",
    "email": "emails",
    "hostname": "hostnames",
    "idn-email": "emails",
    "idn-hostname": "hostnames",
    "ipv4": "addresses",
    "ipv6": "addresses",
    "iri": "uris",
    "iri-reference": "uris",
    "json-pointer": "identifiers",
    "regex": "regexes",
    "relative-json-pointer": "identifiers",
    "time": "dates",
    "uri": "uris",
    "uri-reference": "uris",
    "uri-template": "uris",
    "uuid": "identifiers",
}

FORMATS: Final = frozenset(_MODULES)
"""Every name that `format_check` knows; any other name is an annotation."""


def format_check(name: str) -> Predicate:
    """The predicate of a format: says by a true or a false value whether a string is one.

    Raises:
        KeyError: the name is not in `FORMATS`.
    """
    module = _MODULES[name]
    return at_first_call(lambda: _load(module, name))


def _load(module: str, name: str) -> Predicate:
    from importlib import import_module

    function = "is_" + name.replace("-", "_")
    predicate: Predicate = getattr(import_module(f"{__name__}.{module}"), function)
    return predicate
