"""Each adapter has an extra, tests, an example, and constraints that say which versions they hold for."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from helpers.support import PACKAGES, ROOT, for_each, python

from toolgen_adapters.checks import framework
from toolgen_runtime.install import install_advice

FOLDER = PACKAGES["toolgen_adapters"]
TESTS = ROOT / "tests" / "adapters"
OWN_MODULES = {"call", "checks", "mcp_tools", "questions", "telemetry"}
"""What all adapters share."""
ADAPTERS = sorted(path.stem for path in FOLDER.glob("[!_]*.py") if path.stem not in OWN_MODULES)
RUNTIME = ROOT / "runtime" / "pyproject.toml"


def extras_of(pyproject: Path) -> dict[str, list[str]]:
    project: dict[str, Any] = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    return project["optional-dependencies"]  # type: ignore[no-any-return]


OWN = {"toolgen_runtime", "toolgen_transcripts", "toolgen_adapters", "__future__"}
WITHOUT_EXTRA = {"loop"}
"""Adapters that import nothing."""


def pins(name: str, bound: str) -> dict[str, str]:
    """The versions of an environment, by package."""
    lines = (TESTS / "constraints" / f"{name}-{bound}.txt").read_text("utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    return dict(line.split("==") for line in wanted)


def release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", re.sub(r"(\.0)+$", "", version)))


@for_each(ADAPTERS)
def test_an_adapter_has_tests_and_an_example(name: str) -> None:
    assert (TESTS / "seams" / f"{name}.py").is_file()
    assert list((ROOT / "examples" / "agents").glob(f"{name}*.py"))
    assert name.replace("_", " ") in (ROOT / "docs/frameworks/index.md").read_text("utf-8").lower().replace(
        "-", " "
    )


def test_a_version_below_the_floor_is_said_in_one_line() -> None:
    said = r"^pytest [\d.]+ is too old: 1000 is the oldest version that fits; .*$"
    with pytest.raises(ImportError, match=said), framework("mcp", "pytest", "1000"):
        pass


needs_runtime = pytest.mark.skipif(not RUNTIME.is_file(), reason="the runtime's project is not here")


@needs_runtime
@for_each([name for name in ADAPTERS if name not in WITHOUT_EXTRA])
def test_the_oldest_versions_that_are_tested_are_the_floors_of_the_extra(name: str) -> None:
    oldest, newest = pins(name, "oldest"), pins(name, "newest")
    extra = name.replace("_", "-")
    assert extras_of(ROOT / "pyproject.toml")[extra] == ["toolgen[dynamic]", f"toolgen-runtime[{extra}]"]
    for requirement in extras_of(RUNTIME)[extra]:
        package, floor = requirement.split(">=")
        assert release(oldest[package]) == release(floor), requirement
        assert release(newest[package]) > release(floor)


@needs_runtime
@for_each([name for name in ADAPTERS if name not in WITHOUT_EXTRA])
def test_an_adapter_rejects_versions_below_the_floor_of_its_extra(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text("utf-8")
    ((extra, package, floor),) = re.findall(r'with framework\("(.*?)", "(.*?)", "(.*?)"\)', text)
    assert f"{package}>={floor}" in extras_of(RUNTIME)[extra]


IMPORTING = """
import importlib, json, sys
class Hidden:
    name = ""
    def find_spec(name, path=None, target=None):
        if name == Hidden.name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden)
said = {}
for adapter, Hidden.name in json.loads(sys.argv[1]).items():
    for module in [module for module in sys.modules if f"{module}.".startswith(f"{Hidden.name}.")]:
        del sys.modules[module]
    try:
        importlib.import_module(f"toolgen_adapters.{adapter}")
    except ImportError as error:
        said[adapter] = str(error)
print(json.dumps(said))
"""


def root_of(name: str) -> str:
    """The package that an adapter imports first."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text("utf-8"))
    modules = [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    foreign = sys.stdlib_module_names | OWN
    return next(root for module in modules if (root := module.split(".")[0]) not in foreign)


def imported_without(hidden: dict[str, str]) -> dict[str, str]:
    """What importing each adapter says if a module is hidden from it; one process imports them all."""
    return json.loads(python("-c", IMPORTING, json.dumps(hidden)).stdout)


def test_without_its_framework_an_adapter_says_what_to_install() -> None:
    roots = {name: root_of(name) for name in ADAPTERS if name not in WITHOUT_EXTRA}
    assert imported_without(roots) == {
        name: f"{root} is not installed; {install_advice(name.replace('_', '-'))}"
        for name, root in roots.items()
    }


def test_of_a_version_that_does_not_fit_an_adapter_says_so() -> None:
    pytest.importorskip("mcp")
    said = imported_without({"mcp": "mcp.types"})["mcp"]
    assert said.startswith("this version of mcp does not fit (")
    assert said.endswith(f"; {install_advice('mcp')}")
    assert "\n" not in said
