"""Test strings against each `format` of JSON Schema, from draft-04 to 2020-12.

Each function takes a string and follows its RFC exactly (ASCII digits only, the whole string). It never raises, and its
time is linear in the length of the string. All drafts share one table: if a later draft cites a later RFC, that RFC
applies. Looking up a function imports nothing; its module is imported at the first call.
"""

from __future__ import annotations

from toolgen_runtime.validation.patterns import at_first_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    Predicate = Callable[[str], object]

_MODULES: Final = {
    name: module
    for module, names in {
        "dates": "date date-time time",
        "emails": "email idn-email",
        "hosts": "hostname idn-hostname ipv4 ipv6",
        "identifiers": "duration json-pointer relative-json-pointer uuid",
        "regexes": "regex",
        "uris": "iri iri-reference uri uri-reference uri-template",
    }.items()
    for name in names.split()
}

FORMATS: Final = frozenset(_MODULES)
"""Every name that `format_check` accepts. Any other format is an annotation, which is not enforced."""


def format_check(name: str) -> Predicate:
    """Return the function that tests strings against a format. It returns a true value for valid strings.

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
