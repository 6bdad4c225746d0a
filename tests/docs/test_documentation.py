"""Every block of code in the documentation runs, and what a page shows after it is what comes.

A page is one program: its `python` blocks run in order and share their names, which begin with those of
`page_names.py`. A `text` block after one is what it prints. `console` blocks run in a shell, in the page's own folder,
which has the examples; what is shown below a command is what it says. `...` stands for any text.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import doctest
import inspect
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from textwrap import indent
from types import ModuleType
from typing import Any, Literal

import architecture_picture
import call_picture
import install_lines
import pytest
import terminal_picture
from click.testing import CliRunner
from frameworks import BOUNDS as NEWEST_FIRST
from helpers.page_names import NAMES
from helpers.support import ROOT, for_each, for_each_at_once
from pydantic import BaseModel, Field, ValidationError
from sybil import Document, Example
from sybil.parsers.markdown import CodeBlockParser

import toolgen
import toolgen_adapters
import toolgen_runtime
import toolgen_transcripts
from toolgen.cli import program
from toolgen.compiler.diagnostic_codes import CODES
from toolgen_runtime import Conversation

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PRINTED, SKIPPED = "printed", "skipped"
NOT_RUN = re.compile(r"^(pip|npx|toolgen (pull|init|proxy)\b(?! -- python)|.*\bgit:)")
"""Commands that install, or ask servers and repositories that are not there."""


class DifferenceError(AssertionError):
    """What a page shows is not what comes."""


def same(shown: str, came: str) -> bool:
    """Say whether a text is the one shown, `...` standing for any text; blanks at ends of lines do not count."""
    clean = ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (shown, came)]
    return doctest.OutputChecker().check_output(clean[0] + "\n", clean[1] + "\n", doctest.ELLIPSIS)


def absent(source: str) -> str | None:
    """Return the package that a block imports and that is not installed here."""
    for node in ast.walk(ast.parse(source)):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module.startswith("toolgen_adapters."):
                names = [node.module.rpartition(".")[2].replace("openai_agents", "agents")]
            if names == ["telemetry"]:
                names = ["opentelemetry"]
        for name in names:
            if (
                not name.startswith(("toolgen", "agent_tools", "loop"))
                and find_spec(name.partition(".")[0]) is None
            ):
                return name
    return None


def run_python(example: Example) -> None:
    if example.parsed.startswith("--8<--"):  # a script of the examples, which the tests of adapters run
        assert (ROOT / example.parsed.split('"')[1]).is_file()
        return
    names, source = example.namespace, "\n" * (example.line + example.parsed.line_offset) + example.parsed
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(source, example.path, "exec", flags=flags, dont_inherit=True)
    imports = re.search(r"^(from|import) ", example.parsed, re.M)
    if absent(example.parsed) or (names.get(SKIPPED) and not imports):
        names[SKIPPED] = True  # what follows without an import of its own needs what was not imported
        return
    names[SKIPPED] = False
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        made = eval(code, names)
        if inspect.iscoroutine(made):
            names["loop_of_the_page"].run_until_complete(made)
    names[PRINTED] = printed.getvalue()


def compare_text(example: Example) -> None:
    printed = example.namespace.pop(PRINTED, "")
    if printed and not same(example.parsed, printed):
        raise DifferenceError(f"{example.path}:{example.line}: shown\n{example.parsed}\ncame\n{printed}")


def run_console(example: Example) -> None:
    for command, shown in commands(example.parsed):
        if NOT_RUN.match(command):
            continue
        if command.startswith("cd "):
            os.chdir(command.removeprefix("cd "))
            sys.path.insert(0, os.getcwd())
            continue
        code, came = run_command(command, example.namespace["environment"])
        if shown and not same(shown, came):
            raise DifferenceError(f"{example.path}:{example.line}: {command}: shown\n{shown}\ncame\n{came}")
        if not shown and code > 1:
            raise DifferenceError(f"{example.path}:{example.line}: {command}: {came}")


def run_command(command: str, environment: dict[str, str]) -> tuple[int, str]:
    """Return the exit code and the output of a command, which runs in this process if it is toolgen's alone."""
    if command.startswith("toolgen ") and not re.search(r"[|&;<>$*`]", command):
        for name in [name for name in sys.modules if name.partition(".")[0] == "agent_tools"]:
            del sys.modules[name]
        ran = CliRunner(env=environment).invoke(program, shlex.split(command)[1:], prog_name="toolgen")
        return ran.exit_code, ran.stdout + ran.stderr
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout + done.stderr


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a block, without its comment, and what is shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        lines = part.splitlines()
        count = next((i for i, line in enumerate(lines) if not line.endswith("\\")), 0) + 1
        yield re.sub(r"\s{2,}# .*$", "", "\n".join(lines[:count])), "\n".join(lines[count:])


PARSERS = (
    CodeBlockParser("python", run_python),
    CodeBlockParser("text", compare_text),
    CodeBlockParser("console", run_console),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the example specs."""
    folder = tmp_path_factory.mktemp("built")
    command = ["build", str(ROOT / "examples/specs"), "-o", str(folder / "agent_tools"), "--quiet"]
    assert CliRunner().invoke(program, command).exit_code == 0
    return folder


@pytest.fixture
def page_folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that a page runs in: with the examples, the specs and their package."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(built))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "agent_tools"]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def environment(built: Path) -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    return {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": str(built),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


@for_each(PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_of_a_page_runs(page: Path, *, page_folder: Path, built: Path) -> None:
    document = Document.parse(str(page), *PARSERS)
    loop = asyncio.new_event_loop()
    names: dict[str, Any] = document.namespace
    names.update(NAMES.get(str(page.relative_to(ROOT)), dict)())
    names.update(loop_of_the_page=loop, environment=environment(built), __name__="__page__")
    try:
        for example in document.examples():
            example.evaluate()
    finally:
        loop.close()


class CreateIssue(BaseModel):
    """The tool of the first page, as pydantic's users write it."""

    title: str = Field(max_length=80)
    priority: Literal["low", "medium", "high"] = "low"
    labels: list[str] = []


def test_the_first_page_shows_what_the_program_and_pydantic_say() -> None:
    """The two texts stand in tabs, which are no program of the page."""
    payload = {"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}
    schema = {key: value for key, value in CreateIssue.model_json_schema().items() if key != "title"}
    output = Conversation([{"name": "create_issue", "inputSchema": schema}]).check("create_issue", payload)
    with pytest.raises(ValidationError) as error:
        CreateIssue.model_validate(payload)
    page = (ROOT / "docs" / "index.md").read_text("utf-8")
    for text in (output.text(), str(error.value)):
        assert indent(text, "    ") in page
    assert f"This message has {len(str(error.value))} characters." in page


@for_each([terminal_picture, call_picture, architecture_picture], ids=lambda script: script.__name__)
def test_a_picture_of_the_program_is_current(script: ModuleType) -> None:
    assert script.PICTURE.read_text("utf-8") == script.picture(), f"run: python scripts/{script.__name__}.py"


REFERENCE = ROOT / "docs" / "reference"
ENTRY = re.compile(r"^::: ([\w.]+)$", re.M)
IMPORT = re.compile(r"^ *from (toolgen[\w.]*) import ([^#\n]+)", re.M)
PROVIDERS = {"anthropic", "bedrock", "gemini", "gemini_interactions", "mcp", "openai", "openai_responses"}


def folder_of(package: ModuleType) -> Path:
    """Return the folder of a package, also if it is installed."""
    return Path(str(package.__file__)).parent


def referred() -> set[str]:
    """Return the names that the reference describes, each with its module."""
    return {name for page in REFERENCE.glob("*.md") for name in ENTRY.findall(page.read_text("utf-8"))}


@for_each([toolgen_runtime, toolgen, toolgen_transcripts])
def test_the_reference_has_every_public_name(module: ModuleType) -> None:
    described = referred()
    names = set(module.__all__) - {"__version__"}
    assert {name for name in names if f"{module.__name__}.{name}" not in described} == set()


@for_each(PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_reference_has_every_name_that_a_page_imports(page: Path) -> None:
    described = referred() | {f"toolgen_transcripts.{name}" for name in PROVIDERS}
    described |= {f"toolgen_adapters.{path.stem}" for path in folder_of(toolgen_adapters).glob("*.py")}
    described |= {"toolgen.commands.audit.summarize"}  # the function is in a module of its name
    for module, names in IMPORT.findall(page.read_text("utf-8")):
        if module.removeprefix("toolgen_transcripts.") in PROVIDERS:
            continue  # one page describes the functions that all of them have
        imported = {f"{module}.{name.strip()}" for name in names.strip("() ").split(",") if name.strip()}
        assert imported - described == set()


def test_public_modules_list_their_names() -> None:
    """Each module that the reference names has `__all__`, so that an editor offers only what is public."""
    modules = {name.rpartition(".")[0] for name in referred()} & {
        f"{package.__name__}.{path.stem}"
        for package in (toolgen_runtime, toolgen_transcripts, toolgen_adapters)
        for path in folder_of(package).glob("*.py")
    }
    runtime = folder_of(toolgen_runtime).parent
    files = [runtime / (name.replace(".", "/") + ".py") for name in modules]
    files += [folder_of(toolgen_transcripts) / name / "__init__.py" for name in PROVIDERS]
    lacking = [file.name for file in files if "\n__all__ = " not in file.read_text("utf-8")]
    assert lacking in ([], ["checks.py"])  # what adapters share; the reference has only their options


@for_each(install_lines.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_installs_toolgen_as_it_can_be_installed(page: Path) -> None:
    text = page.read_text("utf-8")
    assert install_lines.current(text) == text, "run: python scripts/install_lines.py"


PATHS = re.compile(
    r"`((?:generator|runtime|templates|tests|scripts|examples|benchmarks|docs|golden)/[\w./-]+)`"
)


@for_each_at_once([*PAGES, ROOT / "CONTRIBUTING.md"])
def test_files_that_a_page_names_exist(page: Any) -> None:
    named = PATHS.findall(page.read_text("utf-8"))
    here = [
        path for path in named if (ROOT / path.partition("/")[0]).is_dir()
    ]  # an sdist that is tested lacks some
    assert [path for path in here if not (ROOT / path).exists()] == []


def test_the_page_of_installing_has_every_extra_for_users() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs/start/install.md").read_text("utf-8")
    named = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([\w,-]+)`", page))))
    assert set(extras) - {"browser", "dev", "docs"} - named == set()


def test_the_codes_of_troubleshooting_are_diagnostics() -> None:
    page = (ROOT / "docs/troubleshooting.md").read_text("utf-8")
    codes = re.findall(r"^\| `([\w-]+)`", page.partition("## On the command line")[2], re.M)
    assert codes
    assert set(codes) <= set(CODES)


BOUNDS = NEWEST_FIRST[::-1]
CONSTRAINTS = ROOT / "tests" / "adapters" / "constraints"


def test_the_page_on_support_has_the_versions_that_are_tested() -> None:
    page = (ROOT / "docs" / "project" / "stability.md").read_text("utf-8")
    rows = re.findall(r"^\| ([a-z0-9-]+)(?: \(.*\))? \| ([0-9.]+) \| ([0-9.]+) \|$", page, re.M)
    pins = {
        bound: "".join(p.read_text("utf-8") for p in CONSTRAINTS.glob(f"*-{bound}.txt")) for bound in BOUNDS
    }
    assert len(rows) >= 14
    for name, *versions in rows:
        for bound, version in zip(BOUNDS, versions, strict=True):
            assert f"{name}=={version}\n" in pins[bound]
