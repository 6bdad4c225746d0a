"""What the packages offer: every name is there, for programs, for readers and for type checkers."""

from __future__ import annotations

import ast
import importlib
import os
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from helpers.support import GOLDEN, PACKAGES, ROOT, for_each, python

import toolgen
import toolgen_runtime
from toolgen.compiler.specs.load import read_value
from toolgen.package.build import BuildOptions, build
from toolgen.package.output import write
from toolgen_runtime import generated

SOURCES = {path: folder.parent for folder in PACKAGES.values() for path in folder.rglob("*.py")}
"""Each source file with the folder that is searched for imports."""
LAZY = sorted(
    ".".join(path.with_suffix("").relative_to(folder).parts).removesuffix(".__init__")
    for path, folder in SOURCES.items()
    if re.search(r"= lazy_exports\(", path.read_text("utf-8"))
)
"""The modules whose names are loaded when they are asked for."""


@for_each(LAZY)
def test_a_program_gets_each_name_that_the_stub_exports(name: str) -> None:
    module = importlib.import_module(name)
    stub = ast.parse(Path(str(module.__file__)).with_suffix(".pyi").read_text("utf-8"))
    imported = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names = {alias.name: str(node.module) for node in imported for alias in node.names}
    assert len(stub.body) == 1 + len(imported)
    assert all(alias.asname == alias.name for node in imported for alias in node.names)
    assert module.__all__ == sorted(names)
    for one, source in names.items():
        assert getattr(module, one) is getattr(importlib.import_module(source), one)


def test_every_name_is_there_and_kept() -> None:
    code = f"""if True:
        import sys, importlib
        modules = [importlib.import_module(name) for name in {LAZY}]
        before = set(sys.modules)
        for module in modules:
            assert set(module.__all__) <= set(dir(module)), set(module.__all__) - set(dir(module))
        assert set(sys.modules) == before, "looking at the names loads none"
        for module in modules:
            for one in module.__all__:
                value = getattr(module, one)
                assert vars(module)[one] is value is getattr(module, one)
                assert type(value).__name__ != "module"
            exec(f"from {{module.__name__}} import *")
            try:
                module.nothing
            except AttributeError as error:
                assert str(error) == f"module {{module.__name__!r}} has no attribute 'nothing'", error
            else:
                raise AssertionError
    """
    python("-c", code)


def test_both_distributions_have_one_version_and_the_generator_needs_exactly_that_runtime() -> None:
    versions = {
        toolgen_runtime.__version__,
        toolgen.__version__,
        version("toolgen"),
        version("toolgen-runtime"),
    }
    assert versions == {toolgen.__version__}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["dependencies"] == [f"toolgen-runtime=={toolgen.__version__}"]


def test_a_registry_loads_hints_with_the_first_failure() -> None:
    code = """if True:
        import sys
        from toolgen_runtime import Registry
        registry = Registry()
        loaded = {m for m in sys.modules if m.startswith("toolgen_runtime.hints.")}
        assert loaded <= {"toolgen_runtime.hints.recovery", "toolgen_runtime.hints.quoting"}, loaded
        assert not {"pydantic", "pydantic_core"} & {*sys.modules}
        print(registry.hint("nothing", []))
        assert "toolgen_runtime.hints.build" in sys.modules
    """
    # -S: what the environment loads at its start is not ours
    folders = os.pathsep.join(map(str, {folder.parent for folder in PACKAGES.values()}))
    environment = {**os.environ, "PYTHONPATH": folders}
    done = python("-S", "-c", code, env=environment)
    assert done.stdout.startswith("nothing was not run: there is no such tool.")


# -- the version of what generated code imports -----------------------------------------------------------------


TOOL = {"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}


def package(folder: Path, namespaces: bool, api: int) -> str:
    """A package on the disk as a toolgen with this API version would write it."""
    name = f"api_{'many' if namespaces else 'one'}_{api}"
    groups = (
        {"github": next(iter(read_value([TOOL]).groups.values()))}
        if namespaces
        else read_value([TOOL]).groups
    )
    files = {
        path: text.replace(f"require_api(__name__, {generated.API_VERSION})", f"require_api(__name__, {api})")
        for path, text in build(groups, BuildOptions()).files.items()
    }
    write.write(write.plan(files, folder / name))
    return name


@pytest.mark.parametrize("api", [generated.API_VERSION - 1, generated.API_VERSION + 1])
@pytest.mark.parametrize("namespaces", [False, True], ids=["one toolset", "namespaces"])
def test_a_package_of_another_api_version_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, namespaces: bool, api: int
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    name, folder = package(tmp_path, namespaces, api), "github." if namespaces else ""
    for module in (name, f"{name}.{folder}t", f"{name}.{folder}_models.t"):
        with pytest.raises(ImportError) as failure:
            importlib.import_module(module)
        said = str(failure.value)
        for part in (name, f"API version {api} ", f"API version {generated.API_VERSION} ", "toolgen build"):
            assert part in said


def test_a_package_of_this_api_version_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    one = importlib.import_module(package(tmp_path, False, generated.API_VERSION))
    assert one.toolset["t"].parse({"a": 1}).a == 1
    many = importlib.import_module(package(tmp_path, True, generated.API_VERSION))
    assert many.toolsets["github"]["t"].validate({"a": 1}) == []
    with pytest.raises(ImportError) as failure:
        generated.require_api("some_tools", generated.API_VERSION + 1)
    assert failure.value.name == "some_tools"
    assert "\n" not in str(failure.value)


def test_generated_code_imports_one_module_of_the_runtime() -> None:
    names: set[str] = set()
    for path in GOLDEN.rglob("*_tools/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("toolgen_runtime"):
                assert node.module == "toolgen_runtime.generated", path
                names |= {alias.name for alias in node.names}
    assert names <= {*vars(generated)["__all__"]}
