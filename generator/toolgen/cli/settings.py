"""Read a project's defaults for the options, from `[tool.toolgen]` in the nearest pyproject.toml."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolgen.cli.options import SETTINGS
from toolgen.cli.similar import did_you_mean
from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError
from toolgen.compiler.input_files import read_bytes

FILE = "pyproject.toml"
_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)\Z")


@dataclass(frozen=True)
class Settings:
    """The options that a project's settings contain. Paths are relative to the working directory.

    The keys of `values` are parameter names (`keep_going`), as in click's `default_map`. `file` is empty if there is no
    settings file.
    """

    values: dict[str, Any] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    file: str = ""


def read(cwd: Path) -> Settings:
    """Read the settings from the nearest pyproject.toml, in `cwd` or in a folder above it.

    Problems are returned as diagnostics (`bad-settings`, `unknown-setting`), not raised.
    """
    file = next((path for folder in (cwd, *cwd.parents) if (path := folder / FILE).is_file()), None)
    if file is None:
        return Settings()
    place = Place(relative(file, cwd))
    try:
        table = read_toml(file, place)[1]
        for key, name in (("tool", "tool"), ("toolgen", "tool.toolgen")):
            place, table = place.below(key), table.get(key, {})
            if not isinstance(table, dict):
                raise SpecError.of(place, "bad-settings", f"{name} is not a table", "write [tool.toolgen]")
    except SpecError as error:
        return Settings(diagnostics=error.diagnostics, file=place.file)
    return _checked(table, place, Path(relative(file.parent, cwd)))


def _checked(table: dict[str, Any], place: Place, root: Path) -> Settings:
    values: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
    for key, value in table.items():
        setting = SETTINGS.get(key)
        if setting is None:
            hint = did_you_mean(key, SETTINGS, 1) or f"known settings: {', '.join(SETTINGS)}"
            message = f"there is no setting {key!r}"
            diagnostics.append(Diagnostic(place.below(key), "unknown-setting", message, hint))
            continue
        try:
            values[setting.parameter] = setting.from_file(value, root)
        except ValueError as error:
            hint = f"give {setting.expected}"
            diagnostics.append(Diagnostic(place.below(key), "bad-settings", str(error), hint))
    return Settings(values, tuple(diagnostics), place.file)


def relative(path: str | Path, folder: Path) -> str:
    """Return a path relative to a folder; an absolute path if that is not possible."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive, on Windows
        return Path(os.path.abspath(path)).as_posix()


def read_toml(file: Path, place: Place) -> tuple[str, dict[str, Any]]:
    """Read a settings file. Return its text (without a byte order mark) and its parsed content.

    Raises:
        SpecError: `bad-settings`: the file cannot be read, or is not TOML.
    """
    try:
        text = read_bytes(file).decode("utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        message, hint = error.strerror or str(error), "make the file readable"
    except UnicodeDecodeError as error:
        message, hint = f"byte {error.start} is not UTF-8", "save the file as UTF-8"
    except RecursionError:
        message, hint = "nested too deeply to be read", "nest fewer lists and tables"
    except ValueError as error:
        message, hint = " ".join(str(error).split()), "correct the TOML syntax"
        if at := _POSITION.search(message):
            message = message[: at.start()]
            place = replace(place, line=int(at[1]), column=int(at[2]))
    raise SpecError.of(place, "bad-settings", message, hint)
