"""Foreign files that are imported in place of a package's own: named by `build --check` and `build`, and left alone."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from helpers.commands import document, toolgen
from helpers.support import WHOLE, obj, python, write_json

PAY = {
    "name": "pay",
    "description": "Pay.",
    "inputSchema": obj("amount", amount=WHOLE),
}
SHADOWING = {
    "a folder of the module's name": "pay/__init__.py",
    "bytecode in a folder of the module's name": "pay/__init__.pyc",
    "a compiled extension": f"pay{EXTENSION_SUFFIXES[0]}",
    "a compiled extension for Windows": "pay.pyd",
    "bytecode beside the source": "pay.pyc",
    "types of a module": "pay.pyi",
    "a folder of the client's name": "client/__init__.py",
    "a compiled index": f"__init__{EXTENSION_SUFFIXES[-1]}",
    "a folder of an index's name": "_models/__init__/x.py",
    "a folder below the models": "_models/pay/__init__.py",
}
HARMLESS = (
    "_models/other.py",
    "pydantic.py",
    "__pycache__/pay.cpython-311.pyc",
    "pay/notes.txt",
    "mine/pay.py",
    "README.md",
)


@pytest.fixture
def package(workplace: Path) -> Path:
    write_json("pay.json", PAY)
    assert toolgen("build", "pay.json", "-o", "pkg", "--client").exit_code == 0
    return workplace / "pkg"


def put(package: Path, path: str) -> Path:
    file = package / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("raise SystemExit('foreign code')\n", "utf-8")
    return file


@pytest.mark.parametrize("case", SHADOWING)
def test_a_file_that_is_imported_in_place_of_another_is_named(package: Path, case: str) -> None:
    file = put(package, SHADOWING[case])
    command = ("build", "pay.json", "-o", "pkg", "--client")
    said = f"pkg/{SHADOWING[case]}: not written by toolgen"
    checked, built = toolgen(*command, "--check"), toolgen(*command, "--quiet")
    assert (checked.exit_code, said in checked.stdout, "up to date" in checked.stdout) == (1, True, False)
    assert (built.exit_code, said in built.stdout) == (0, True)
    assert "foreign code" in file.read_text("utf-8")
    assert document(*command, "--check")["result"]["shadowing"] == [SHADOWING[case]]
    file.unlink()
    assert toolgen(*command, "--check").exit_code == 0


def test_a_file_that_shadows_nothing_is_left_alone(package: Path) -> None:
    for path in HARMLESS:
        put(package, path)
    checked = toolgen("build", "pay.json", "-o", "pkg", "--client", "--check")
    assert (checked.exit_code, checked.stdout) == (0, "pkg: up to date\n")


def test_what_is_named_is_what_python_imports(package: Path) -> None:
    """The reason for all of this: the foreign file runs, and the package's own does not."""
    put(package, "pay/__init__.py")
    ran = python(
        "-c", "from pkg import toolset; toolset['pay'].validate({})", cwd=package.parent, check=False
    )
    assert "foreign code" in ran.stderr
