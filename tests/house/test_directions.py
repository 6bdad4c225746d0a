"""The directions of imports: which part of the house may know which."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from helpers.support import PACKAGES

from toolgen.package.extras import EXTRA, EXTRAS_OF

RULES: list[tuple[str, str, tuple[str, ...]]] = [
    *(
        (low, high, ())
        for low in ("toolgen_runtime", "toolgen_transcripts", "toolgen_adapters")
        for high in ("toolgen", "toolgen_templates")
    ),
    ("toolgen_runtime", "toolgen_transcripts", ()),
    ("toolgen_runtime", "toolgen_adapters", ()),
    *(
        ("toolgen_runtime.hints", f"toolgen_runtime.{caller}", ())
        for caller in ("registry", "conversation", "client", "dynamic")
    ),
    ("toolgen_transcripts", "toolgen_adapters", ()),
    ("toolgen", "jinja2", ("toolgen.compiler.python.templates", "toolgen.commands.html_template")),
    ("toolgen", "click", ("toolgen.cli", "toolgen.commands")),
    *(("toolgen.compiler", f"toolgen.{floor}", ()) for floor in ("package", "commands", "cli")),
    *(("toolgen.package", f"toolgen.{floor}", ()) for floor in ("commands", "cli")),
    ("toolgen.cli", "toolgen.commands", ()),
    *(
        ("toolgen.compiler.schema", f"toolgen.compiler.{room}", ())
        for room in ("codegen", "keywords", "python")
    ),
    *(("toolgen.compiler.codegen", f"toolgen.compiler.{room}", ()) for room in ("keywords", "python")),
    ("toolgen.compiler.keywords", "toolgen.compiler.python", ()),
    (
        "toolgen",
        "toolgen.compiler.codegen.code.trusted",
        (
            "toolgen.compiler.codegen.literals",
            "toolgen.compiler.codegen.foreign_source",
        ),
    ),
    ("toolgen", "datamodel_code_generator", ("toolgen.compiler.python.models",)),
]
"""(who, may not import whom, except these)."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def imports() -> list[tuple[str, str]]:
    """(module, imported module) of every import in the three packages, those within functions too."""
    found: list[tuple[str, str]] = []
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            module = ".".join((package, *path.relative_to(folder).with_suffix("").parts)).removesuffix(
                ".__init__"
            )
            for node in nodes(path):
                if isinstance(node, ast.Import):
                    found += [(module, alias.name) for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    assert node.level == 0, f"{module}: relative import"
                    found += [(module, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def test_no_import_goes_the_wrong_way() -> None:
    wrong = [
        (module, imported)
        for who, whom, except_for in RULES
        for module, imported in imports()
        if is_in(imported, whom)
        and is_in(module, who)
        and not any(is_in(module, free) for free in except_for)
    ]
    assert wrong == []


def test_packages_that_load_their_modules_are_entered_by_the_front() -> None:
    """Else two threads can each hold the lock that the other waits for: of the package, and of its module."""
    loading = set()
    inits = [
        (".".join((top, *path.parent.relative_to(PACKAGES[top]).parts)), path)
        for top in ("toolgen_runtime", "toolgen_transcripts")
        for path in PACKAGES[top].rglob("__init__.py")
    ]
    for package, path in inits:
        first = [node for node in parsed(path).body if isinstance(node, ast.ImportFrom)]
        # `exports` imports only `sys`, and nobody gets to it past the package: it is no second lock.
        modules = [str(node.module) for node in first if node.module != "toolgen_runtime.exports"]
        if any(is_in(module, package) for module in modules):
            loading.add(package)
    assert loading
    past = {
        (module, imported)
        for module, imported in imports()
        for package in loading
        if is_in(imported.rpartition(".")[0], package)
        and imported.rpartition(".")[0] != package
        and not is_in(module, package)
    }
    assert past == set()


WRITING = {"write_text", "write_bytes", "mkdir", "unlink", "rmtree", "rename", "replace_file", "touch"}
WRITERS = ("package/output/*", "package/cache.py", "cli/*", "commands/*/cli.py", "commands/build/watch.py")


def test_only_the_writer_touches_the_disk() -> None:
    folder = PACKAGES["toolgen"]
    for path in folder.rglob("*.py"):
        if any(path.relative_to(folder).match(writer) for writer in WRITERS):
            continue
        called = {n.attr for n in nodes(path) if isinstance(n, ast.Attribute)}
        assert not called & WRITING, path


PRINTERS = ("cli/*", "commands/*/cli.py", "commands/*/table.py", "commands/build/watch.py", "__main__.py")
"""The command line, and the entry point, which must be able to say that the command line is not installed."""


PRINTING = {
    "print",
    "sys.stdout",
    "sys.stderr",
    "sys.__stdout__",
    "sys.__stderr__",
    "click.echo",
    "click.secho",
}


@pytest.mark.parametrize("package", PACKAGES)
def test_only_the_command_line_prints(package: str) -> None:
    printing = [
        path
        for path in PACKAGES[package].rglob("*.py")
        for node in nodes(path)
        if (isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in PRINTING)
        or (isinstance(node, ast.ImportFrom) and {f"{node.module}.{a.name}" for a in node.names} & PRINTING)
    ]
    allowed = PRINTERS if package == "toolgen" else ()
    assert [path for path in printing if not any(path.match(printer) for printer in allowed)] == []
    assert package != "toolgen" or len({*printing}) > 3


def test_the_extra_has_every_package_that_the_generator_imports() -> None:
    imported = {
        name.split(".")[0]
        for module, name in imports()
        if is_in(module, "toolgen") or is_in(module, "toolgen_templates")
    }
    others = imported - sys.stdlib_module_names - PACKAGES.keys()
    assert others - {"pydantic", "pydantic_core"} == EXTRA | EXTRAS_OF.keys()


LATE = {
    "toolgen": {
        "a library that only some uses need": (
            "distributed", "filelock", "pyarrow", "jsonschema_specifications",
            "pydantic_core", "yaml",
        ),
        "a part of toolgen that loads such a library": (
            "toolgen.commands.html_template", "toolgen.compiler.python.models", "toolgen.commands.servers",
            "toolgen.commands.proxy",
            "toolgen.compiler.specs.formats.yaml_text",
        ),
        "the pipeline, which a build in which nothing changed does not need": (
            "toolgen.compiler.python.package", "toolgen.compiler.schema.lower",
            "toolgen.compiler.schema.output_schemas", "toolgen.compiler.signatures",
            "toolgen.compiler.value_description",
        ),
        "what a command does, which its --help does not need": (
            "toolgen.commands.audit", "toolgen.commands.lint.fixes", "toolgen.package.compile",
            "toolgen.package.memory_modules",
            "toolgen.commands.diff.changes", "toolgen.commands.explain.explanation",
            "toolgen.commands.lint.run", "toolgen.compiler.schema.lower", "toolgen.commands.export.stubs",
        ),
        "what is said of an error before a command has begun": (
            "difflib", "toolgen.cli.reports", "toolgen.compiler.diagnostics",
        ),
        "the entry points, which say that an extra is not installed": ("toolgen.cli", "toolgen.package.extras"),
    },
    "toolgen_adapters": {"a framework that only some uses of its adapter need": ("mcp", "fastmcp.tools.base")},
    "toolgen_runtime": {
        "a library that is slow to load, and that few calls need": (
            "difflib", "fractions", "json", "pickle", "pydantic_core", "re", "unicodedata",
            "weakref",
        ),
        "a module whose name is data": ("importlib",),
        "hints, and what else is needed for a call that is not valid": (
            "toolgen_runtime.hints", "toolgen_runtime.calls.adjustments", "toolgen_runtime.calls.dropped_keys",
            "toolgen_runtime.calls.repair_note", "toolgen_runtime.calls.user_question",
            "toolgen_runtime.validation.branches",
            "toolgen_runtime.validation.json_scan", "toolgen_runtime.validation.printing",
        ),
        "what a registry or conversation does only if it is asked to": (
            "toolgen_runtime.calls.rules", "toolgen_runtime.dynamic",
        ),
        "tables and patterns that take a while to make": (
            "toolgen_runtime.validation.formats.idna",
            "toolgen_runtime.validation.lookarounds", "toolgen_runtime.validation.multiples",
        ),
    },
}  # fmt: skip
"""Why a function of a package may import something, and what."""


def late_imports(path: Path) -> Iterator[str]:
    """What functions import."""
    for function in nodes(path):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", LATE)
def test_functions_import_heavy_parts_only(package: str) -> None:
    folder = PACKAGES[package]
    found = {
        (path.relative_to(folder).as_posix(), name)
        for path in folder.rglob("*.py")
        for name in late_imports(path)
    }
    allowed = [part for parts in LATE[package].values() for part in parts]
    entries = {"__main__.py", "__init__.py"}
    assert {
        (file, name)
        for file, name in found
        if not any(is_in(name, each) for each in allowed if each != "toolgen.cli" or file in entries)
    } == set()
    unused = [each for each in allowed if not any(is_in(name, each) for _, name in found)]
    assert unused == []


def modules() -> Iterator[tuple[str, list[ast.AST]]]:
    """Each module; outside of the core without what is for type checkers alone."""
    for package in PACKAGES:
        for path in PACKAGES[package].rglob("*.py"):
            typed = {
                part
                for node in nodes(path)
                if package != "toolgen_runtime"
                and isinstance(node, ast.If)
                and "TYPE_CHECKING" in ast.dump(node.test)
                for body in node.body
                for part in ast.walk(body)
            }
            parts = path.relative_to(PACKAGES[package]).with_suffix("").parts
            name = ".".join((package, *parts)).removesuffix(".__init__")
            yield name, [node for node in nodes(path) if node not in typed]


def test_there_are_no_circles_also_none_through_imports_in_functions_and_types_of_the_core() -> None:
    found = dict(modules())
    graph: dict[str, set[str]] = {}
    for module, parts in found.items():
        for node in parts:
            if isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                below = {name if name in found else str(node.module) for name in names} & found.keys()
                graph.setdefault(module, set()).update(below - {module})
    assert len(graph) > 300
    TopologicalSorter(graph).prepare()  # raises CycleError, with the circle
