"""What type checkers say of files, run as a reader of the examples runs them: without settings of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

CHECKERS = ("mypy", "pyright")
Run = Callable[..., str]


def errors(
    checker: str,
    files: Sequence[Path],
    cache: Path,
    *,
    strict: Sequence[Path] = (),
    python: str = sys.executable,
    runs: str = sys.executable,
) -> dict[tuple[str, int], str]:
    """Return the errors of files by file name and line, of `mypy --strict` or pyright.

    Args:
        checker: one of `CHECKERS`.
        files: scripts; modules beside the first are found.
        cache: a folder for what mypy keeps, and for the settings of pyright.
        strict: packages that pyright checks in its strict mode.
        python: where imports are looked for.
        runs: the Python that has the checkers.
    """
    check = _mypy if checker == "mypy" else _pyright
    return check(files, strict, cache, python, lambda *command: _run(runs, files[0].parent, command))


def _run(runs: str, folder: Path, command: Sequence[str]) -> str:
    done = subprocess.run([runs, "-m", *command], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def _mypy(
    files: Sequence[Path], strict: Sequence[Path], cache: Path, python: str, run: Run
) -> dict[tuple[str, int], str]:
    settings = ["--config-file=", "--cache-dir", str(cache), "--output=json", "--python-executable", python]
    lines = [
        json.loads(line)
        for line in run("mypy", "--strict", *settings, *map(str, [*files, *strict])).splitlines()
        if line[:1] == "{"
    ]
    return {
        (Path(one["file"]).name, one["line"]): one["message"] for one in lines if one["severity"] == "error"
    }


def _pyright(
    files: Sequence[Path], strict: Sequence[Path], cache: Path, python: str, run: Run
) -> dict[tuple[str, int], str]:
    """The paths of the settings are relative: pyright leaves out absolute ones without a word."""
    included, strictly, beside = (
        [os.path.relpath(path, cache) for path in paths] for paths in (files, strict, [files[0].parent])
    )
    settings = cache / "pyrightconfig.json"
    said = {"include": included + strictly, "strict": strictly, "extraPaths": beside}
    settings.write_text(json.dumps(said), "utf-8")
    found = json.loads(run("pyright", "-p", str(settings), "--outputjson", "--pythonpath", python))
    modules = [file for package in strict for file in package.rglob("*.py*") if file.suffix != ".pyc"]
    assert found["summary"]["filesAnalyzed"] == len(files) + len(modules)
    return {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1): one["message"]
        for one in found["generalDiagnostics"]
        if one["severity"] == "error"
    }


def tsc_strict(files: Sequence[Path]) -> None:
    """Assert that TypeScript's compiler finds nothing in modules, in its strict mode."""
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("node is not installed: TypeScript stubs are not checked")
    command = [npx, "--yes", "--package=typescript", "tsc", "--strict", "--noEmit", "--target", "es2022"]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    if re.match("npm (error|ERR!)", done.stderr):
        pytest.skip("npx cannot get the package typescript")
    assert (done.returncode, done.stdout) == (0, "")
