"""Parse the bytes of a spec file as JSON or YAML."""

from __future__ import annotations

import codecs
import json
from dataclasses import replace
from typing import Any

from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError
from toolgen.compiler.specs.formats import syntax_advice
from toolgen.compiler.specs.formats.json_values import pairs_to_object

YAML_SUFFIXES = (".yaml", ".yml")
SUFFIXES = (".json", *YAML_SUFFIXES)
"""The suffixes of the files to read from a folder; a file that is named directly may have any suffix."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes, place: Place) -> str:
    """Decode the bytes of a file to text.

    It is in UTF-8, or in the encoding that its byte order mark names (PowerShell writes UTF-16).

    Raises:
        SpecError: `bad-encoding`.
    """
    mark, encoding = next(((m, e) for m, e in _MARKS if data.startswith(m)), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        message = f"byte {error.start + len(mark)} is not {encoding.upper()}: {error.reason}"
        raise SpecError.of(place, "bad-encoding", message, "save the file as UTF-8") from None
    if "\0" in text:
        message = "the text has NUL characters; it looks like UTF-16 without a byte order mark"
        raise SpecError.of(place, "bad-encoding", message, "save the file as UTF-8")
    return text


def parse(data: bytes, place: Place) -> Any:
    """Parse the text of a file, and return its value.

    A `.json` file is JSON. A `.yaml` or `.yml` file is YAML, which includes JSON. Any other file may be either.
    Repeated keys are marked (`Repeated`), so that they can be reported at their place.

    Raises:
        SpecError: `bad-encoding`, `empty-file`, `bad-json`, `bad-yaml`, `yaml-tag`, `too-deep`.
    """
    text = decode(data, place)
    if not text.strip():
        raise SpecError.of(place, "empty-file", "the file is empty", "export the tools into it again")
    name = place.file.lower()
    try:
        return json_value(text)
    except RecursionError:
        message = "nested too deeply to be read"
        raise SpecError.of(place, "too-deep", message, "move inner schemas to $defs") from None
    except ValueError as error:
        looks_json = text.lstrip()[0] in "{["
        if name.endswith(".json") or (looks_json and not name.endswith(YAML_SUFFIXES)):
            raise SpecError([_syntax_error(error, place)]) from None
    from toolgen.compiler.specs.formats import yaml_text

    return yaml_text.value(text, place)


def json_value(text: str) -> Any:
    """Parse JSON as `json.loads` does, but mark repeated keys. NaN and Infinity are reported later."""
    return json.loads(text, object_pairs_hook=pairs_to_object)


def _syntax_error(error: ValueError, place: Place) -> Diagnostic:
    if not isinstance(error, json.JSONDecodeError):
        return Diagnostic(place, "bad-json", "a number has too many digits", "use fewer digits")

    error = syntax_advice.at_fault(error)
    message, fix = syntax_advice.of_json(error)
    return Diagnostic(replace(place, line=error.lineno, column=error.colno), "bad-json", message, fix)
