"""What the wheel gives with each extra, in environments that hold nothing else.

They install from the package index, so they run with `-m installs` alone; `TOOLGEN_WHEEL` names a wheel that is
there already.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from helpers.support import ROOT, TEXT, obj, write_json

from toolgen_runtime.install import install_advice

pytestmark = pytest.mark.installs

SPEC = {
    "name": "ping",
    "description": "Ping a host.",
    "schema": obj("host", host=TEXT),
}
USE = """
import sys
from agent_tools import toolset
from toolgen_runtime import Registry
tool = toolset["ping"]
assert tool.validate({"host": "a"}) == []
assert tool.parse({"host": "a"}).host == "a"
issues = tool.validate({"host": 5})
assert [(issue.path, issue.constraint) for issue in issues] == [(("host",), "type")]
registry = Registry()
registry.register(toolset)
assert "host" in registry.hint("ping", issues, payload={"host": 5}).render()
assert "toolgen" not in sys.modules
"""
ADVICE = f"is not installed; {install_advice('generator')}"
HEAVY = {"black", "click", "datamodel-code-generator", "isort", "pyyaml"}
"""What building needs, and checking tools that are compiled in memory does not."""
DYNAMIC = f"""
import sys
from toolgen import compile_tools
from toolgen_runtime import Conversation
spec = {SPEC!r}
conversation = Conversation([spec])
output = conversation.check("ping", '{{"host": 5}}')
assert "host" in output.text(), output.text()
assert conversation.call("ping", {{"host": "a"}}, lambda payload: payload["host"]).result == "a"
tool = compile_tools([spec, {{"name": "t", "schema": {{"$ref": "http://json-schema.org/draft-07/schema#"}}}}])["t"]
assert tool.validate({{"type": 5}}), "the published meta-schemas are there"
assert "pydantic" not in sys.modules
try:
    tool.payload_type
except ImportError as error:
    print(error)
"""


class Environment:
    """A virtual environment with the two wheels and what one extra brings; without an extra, the runtime's alone."""

    def __init__(self, folder: Path, wheel: Path, extra: str | None) -> None:
        venv.create(folder, with_pip=True)
        self.bin = folder / ("Scripts" if sys.platform == "win32" else "bin")
        self.folder = folder
        wanted = [str(file) for file in wheel.parent.glob("toolgen_runtime-*.whl")]
        if extra is not None:
            wanted.append(f"{wheel}[{extra}]" if extra else str(wheel))
        installed = self.run(str(self.bin / "python"), "-m", "pip", "install", "-q", *wanted)
        assert installed.returncode == 0, installed.stderr

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the environment's folder, with nothing of this process's paths."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env={**kept, "NO_COLOR": "1"},
        )

    def toolgen(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the installed command."""
        return self.run(str(self.bin / "toolgen"), *arguments)

    def python(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run some code."""
        return self.run(str(self.bin / "python"), "-c", code)

    def packages(self) -> set[str]:
        """The names of what is installed."""
        listed = self.run(str(self.bin / "python"), "-m", "pip", "list", "--format", "json")
        return {package["name"].lower().replace("_", "-") for package in json.loads(listed.stdout)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if given := os.environ.get("TOOLGEN_WHEEL"):
        return Path(given)
    out = tmp_path_factory.mktemp("dist")
    for project in (ROOT / "runtime", ROOT):
        command = [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            str(out),
            str(project),
        ]
        subprocess.run(command, capture_output=True, check=True)
    (found,) = out.glob("toolgen-*.whl")
    return found


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("bare"), wheel, None)


@pytest.fixture(scope="module")
def generator(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("generator"), wheel, "generator")
    write_json(made.folder / "spec.json", SPEC)
    built = made.toolgen("build", "spec.json", "-o", "agent_tools")
    assert built.returncode == 0, built.stderr
    return made


def test_no_extra_brings_the_runtime_and_pydantic(bare: Environment, generator: Environment) -> None:
    brought = {"annotated-types", "pydantic", "pydantic-core", "typing-extensions", "typing-inspection"}
    assert bare.packages() - {"pip", "setuptools", "wheel"} == {"toolgen-runtime", *brought}
    assert bare.packages() < generator.packages()
    assert generator.packages() > HEAVY


def test_a_built_package_needs_no_extra(bare: Environment, generator: Environment) -> None:
    (generator.folder / "agent_tools").rename(bare.folder / "agent_tools")
    try:
        used = bare.python(USE)
    finally:
        (bare.folder / "agent_tools").rename(generator.folder / "agent_tools")
    assert (used.returncode, used.stderr) == (0, "")


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("plain"), wheel, "")


def test_without_the_extra_the_command_names_it_in_one_line(plain: Environment) -> None:
    for arguments in (["build", "spec.json"], ["--help"], []):
        said = plain.toolgen(*arguments)
        assert (said.returncode, said.stdout) == (2, "")
        assert said.stderr == f"toolgen: click {ADVICE}\n"


OTHER_RUNTIME = """
import toolgen_runtime._version
toolgen_runtime._version.__version__ = "0.9"
"""


def test_a_runtime_of_another_version_is_named_in_one_line(plain: Environment) -> None:
    said = plain.python(f"{OTHER_RUNTIME}\nfrom toolgen.__main__ import main\nmain()")
    assert (said.returncode, said.stdout) == (2, "")
    assert re.fullmatch(
        r"toolgen: toolgen (\S+) needs toolgen-runtime \1, but 0\.9 is installed; .+\n", said.stderr
    )
    said = plain.python(f"{OTHER_RUNTIME}\nfrom toolgen import compile_tools")
    assert " needs toolgen-runtime " in said.stderr.splitlines()[-1]


def test_dynamic_checks_tools_without_what_building_needs(wheel: Path, tmp_path: Path) -> None:
    made = Environment(tmp_path, wheel, "dynamic")
    assert made.packages().isdisjoint(HEAVY)
    used = made.python(DYNAMIC)
    assert (used.returncode, used.stderr.replace("ping: invalid_parameters\n", "")) == (0, "")
    assert used.stdout == f"datamodel_code_generator {ADVICE}\n"
    assert made.toolgen("build").stderr == f"toolgen: click {ADVICE}\n"


CALL = '{"tool": "ping", "arguments": {"host": 5}}\n'
COMMANDS: dict[str, tuple[int, str]] = {
    "list spec.json": (0, "ping"),
    "lint spec.json": (0, "open-object"),
    "explain -s spec.json ping '{\"host\": 5}'": (1, "hint:"),
    "diff spec.json spec.json": (0, ""),
    "export spec.json --to gemini": (0, "ping"),
    "docs agent_tools -o page.html": (0, "page.html: written"),
    "build spec.json -o again": (0, "created"),
    "build spec.json -o agent_tools --check": (0, ""),
    "audit calls.jsonl --specs spec.json": (0, "1 call of 1 tool"),
    "audit calls.parquet --specs spec.json": (2, "'.[audit]'"),
    "audit calls.jsonl --specs spec.json --html a.html": (0, "a.html: written"),
    "pull http://127.0.0.1:9/mcp": (2, "'.[generator,mcp]'"),
    f"proxy -- {sys.executable} -c pass": (0, ""),
}


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_works_with_the_generator_alone(generator: Environment, line: str) -> None:
    code, said = COMMANDS[line]
    (generator.folder / "calls.jsonl").write_text(CALL, "utf-8")
    (generator.folder / "calls.parquet").write_bytes(b"PAR1")
    done = generator.toolgen(*shlex.split(line))
    assert done.returncode == code, done
    assert said in done.stdout + done.stderr
