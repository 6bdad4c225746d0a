"""What type checkers say of files, run as a reader of the examples runs them: without settings of the project."""

from __future__ import annotations

import json
import os
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
    python: str = sys.executable,
    runs: str = sys.executable,
) -> dict[tuple[str, int], str]:
    """Return the errors of files by file name and line, of `mypy --strict` or pyright.

    Args:
        checker: one of `CHECKERS`.
        files: scripts of one folder come first; modules beside the first are found.
        cache: a folder for what mypy keeps.
        python: where imports are looked for.
        runs: the Python that has the checkers.
    """
    check = _mypy if checker == "mypy" else _pyright
    return check(
        [str(file) for file in files], cache, python, lambda *command: _run(runs, files[0].parent, command)
    )


def _run(runs: str, folder: Path, command: Sequence[str]) -> str:
    done = subprocess.run([runs, "-m", *command], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def _mypy(names: list[str], cache: Path, python: str, run: Run) -> dict[tuple[str, int], str]:
    settings = ["--config-file=", "--cache-dir", str(cache), "--output=json", "--python-executable", python]
    lines = [
        json.loads(line)
        for line in run("mypy", "--strict", *settings, *names).splitlines()
        if line[:1] == "{"
    ]
    return {
        (Path(one["file"]).name, one["line"]): one["message"] for one in lines if one["severity"] == "error"
    }


def _pyright(names: list[str], cache: Path, python: str, run: Run) -> dict[tuple[str, int], str]:
    text = run("pyright", "--outputjson", "--pythonpath", python, *names)
    found = json.loads(text)["generalDiagnostics"]
    return {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1): one["message"]
        for one in found
        if one["severity"] == "error"
    }


def pyright_strict(packages: Sequence[Path], folder: Path) -> None:
    """Assert that pyright finds nothing in packages, in its strict mode, and that it has looked at each.

    `folder` gets its settings. Their paths are relative: pyright leaves out absolute ones without a word.
    """
    included = [os.path.relpath(package, folder) for package in packages]
    settings = folder / "pyrightconfig.json"
    settings.write_text(json.dumps({"typeCheckingMode": "strict", "include": included}), "utf-8")
    command = [
        sys.executable,
        "-m",
        "pyright",
        "-p",
        str(settings),
        "--pythonpath",
        sys.executable,
        "--outputjson",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    modules = sum(len([*package.rglob("*.py"), *package.rglob("*.pyi")]) for package in packages)
    assert found["generalDiagnostics"] == []
    assert found["summary"]["filesAnalyzed"] == modules > 0


def tsc_strict(files: Sequence[Path]) -> None:
    """Assert that TypeScript's compiler finds nothing in modules, in its strict mode."""
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("node is not installed: TypeScript stubs are not checked")
    tsc = [npx, "--yes", "--package=typescript", "tsc"]
    if subprocess.run([*tsc, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("npx cannot get the package typescript")
    command = [*tsc, "--strict", "--noEmit", "--target", "es2022", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
