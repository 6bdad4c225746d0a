"""A TOML file as its text and its value; what is wrong with it is a diagnostic."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen.input_files import read_bytes

_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)\Z")


def read_toml(file: Path, place: Place) -> tuple[str, dict[str, Any]]:
    """Return the text of a file of settings, without a byte order mark, and its value.

    Raises:
        SpecError: `bad-settings`: it cannot be read, or is not TOML.
    """
    try:
        text = read_bytes(file).decode("utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        raise _bad(place, error.strerror or str(error), "make the file readable") from None
    except UnicodeDecodeError as error:
        raise _bad(place, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from None
    except RecursionError:
        raise _bad(place, "nested too deeply to be read", "nest fewer lists and tables") from None
    except ValueError as error:
        message = " ".join(str(error).split())
        if at := _POSITION.search(message):
            message = message[: at.start()]
            place = replace(place, line=int(at[1]), column=int(at[2]))
        raise _bad(place, message, "correct the TOML syntax") from None


def _bad(place: Place, message: str, hint: str) -> SpecError:
    return SpecError([Diagnostic(place, "bad-settings", message, hint)])
