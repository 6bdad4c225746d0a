"""`[tool.toolgen]` of the nearest pyproject.toml: options of the command line, each by its own name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Diagnostic, Place

FILE = "pyproject.toml"
FORMATS = ("assert", "annotate")
OUTPUT_FORMATS = ("text", "json", "github")


@dataclass(frozen=True)
class Settings:
    """The options that a project sets, and no others; paths are relative to the working directory."""

    values: dict[str, Any] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    file: str = ""

    def get(self, option: str, default: Any = None) -> Any:
        """The value of an option by its command-line name (`keep-going`)."""
        return self.values.get(option, default)


@dataclass(frozen=True)
class _Kind:
    """What an option may hold: what to call it, how to tell, and how its paths are found."""

    wanted: str
    fits: Callable[[Any], bool]
    paths: Callable[[Any, Path], Any] = lambda value, _: value


def read(cwd: Path) -> Settings:
    """The settings that hold in `cwd`: those of the first pyproject.toml from there upwards.

    Raises nothing: what is wrong (`bad-settings`, `unknown-setting`) is among the diagnostics.
    """
    file = next((path for folder in (cwd, *cwd.parents) if (path := folder / FILE).is_file()), None)
    if file is None:
        return Settings()
    import tomllib

    shown = _relative(file, cwd)
    try:
        table = tomllib.loads(file.read_text("utf-8-sig")).get("tool", {}).get("toolgen", {})
    except (OSError, ValueError, AttributeError) as error:
        said = " ".join(str(error).split())
        return Settings(
            diagnostics=(Diagnostic(Place(shown), "bad-settings", said, "mend the TOML"),), file=shown
        )
    return _checked(table, Place(shown).below("tool", "toolgen"), file.parent, cwd)


def _checked(table: Any, place: Place, root: Path, cwd: Path) -> Settings:
    if not isinstance(table, dict):
        found = Diagnostic(place, "bad-settings", "tool.toolgen is no table", "write [tool.toolgen]")
        return Settings(diagnostics=(found,), file=place.file)
    values: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
    for key, value in table.items():
        kind = KINDS.get(key)
        if kind is None:
            import difflib

            near = difflib.get_close_matches(key, KINDS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known settings: {', '.join(KINDS)}"
            diagnostics.append(
                Diagnostic(place.below(key), "unknown-setting", f"there is no setting {key!r}", hint)
            )
        elif not kind.fits(value):
            message = f"{key} is not {kind.wanted}"
            diagnostics.append(Diagnostic(place.below(key), "bad-settings", message, f"give {kind.wanted}"))
        else:
            values[key] = kind.paths(value, Path(_relative(root, cwd)))
    return Settings(values, tuple(diagnostics), place.file)


def _relative(path: Path, cwd: Path) -> str:
    try:
        return Path(os.path.relpath(path, cwd)).as_posix()
    except ValueError:  # another drive, on Windows
        return path.as_posix()


def _is_strings(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(item, str) for item in value)
    )


def _path(value: str, root: Path) -> str:
    return value if value == "-" else (root / value).as_posix()


def _paths(value: str | list[str], root: Path) -> list[str]:
    return [_path(item, root) for item in ([value] if isinstance(value, str) else value)]


def _ref_dirs(value: str | list[str], root: Path) -> list[str]:
    """`[URI=]DIR`: the folder alone is relative to the settings."""
    pairs = [item.rpartition("=") for item in ([value] if isinstance(value, str) else value)]
    return [f"{uri}{equals}{_path(folder, root)}" for uri, equals, folder in pairs]


def _flag() -> _Kind:
    return _Kind("true or false", lambda value: isinstance(value, bool))


def _choice(names: tuple[str, ...]) -> _Kind:
    return _Kind(" or ".join(f'"{name}"' for name in names), lambda value: value in names)


KINDS = {
    "specs": _Kind("a path or a list of paths", _is_strings, _paths),
    "output": _Kind("a path", lambda value: isinstance(value, str), _path),
    "namespace": _flag(),
    "keep-going": _flag(),
    "formats": _choice(FORMATS),
    "ref-dir": _Kind("a folder or a list of [URI=]folders", _is_strings, _ref_dirs),
    "output-format": _choice(OUTPUT_FORMATS),
    "quiet": _flag(),
}
