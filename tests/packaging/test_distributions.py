"""The wheel and the sdist hold what they should and nothing else; both are built here, from this tree."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
from support import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TARGETS = PROJECT["tool"]["hatch"]["build"]["targets"]
PACKAGES = [ROOT / folder for folder in TARGETS["wheel"]["packages"]]
DISTRIBUTION = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
"""What a wheel's `.dist-info` holds (binary distribution format, PyPA)."""
ALWAYS = {".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
"""What hatchling puts into every sdist."""
MACHINE_PATH = re.compile(rb"(?<![\w.:/])/(?:(?:home|Users|work|opt|builds)/[\w.-]+/|root/\.)")
LINK = re.compile(r"\]\((?!https?://)[^)]*\)")

pytestmark = pytest.mark.skipif(
    not all(folder.is_dir() for folder in PACKAGES), reason="the sources are not here, only the tests"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that is built from the sdist alone."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> dict[str, bytes]:
    """The files of the wheel by their paths."""
    (file,) = built.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}


@pytest.fixture(scope="module")
def sdist(built: Path) -> dict[str, bytes]:
    """The files of the sdist by their paths below its one folder."""
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        tops = {member.name.partition("/")[0] for member in members}
        assert tops == {file.name.removesuffix(".tar.gz")}
        return {m.name.partition("/")[2]: archive.extractfile(m).read() for m in members}  # type: ignore[union-attr]


def files_below(folder: Path, root: Path) -> dict[str, bytes]:
    """The files of a folder by their paths relative to `root`, without bytecode."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_packages_and_what_describes_them(wheel: dict[str, bytes]) -> None:
    sources = {path: data for folder in PACKAGES for path, data in files_below(folder, folder.parent).items()}
    others = {path.partition("/")[2] for path in wheel if path.partition("/")[0].endswith(".dist-info")}
    assert {path: data for path, data in wheel.items() if ".dist-info/" not in path} == sources
    assert others == DISTRIBUTION
    assert {
        "toolgen_templates/tool.py.jinja",
        *(f"{folder.name}/py.typed" for folder in PACKAGES),
    } <= wheel.keys()


def test_the_sdist_holds_what_is_needed_to_build_and_to_test(sdist: dict[str, bytes]) -> None:
    expected = {path: (ROOT / path).read_bytes() for path in ALWAYS if (ROOT / path).is_file()}
    for included in TARGETS["sdist"]["only-include"]:
        entry = ROOT / included
        expected |= files_below(entry, ROOT) if entry.is_dir() else {included: entry.read_bytes()}
    assert sdist.keys() - expected.keys() <= ALWAYS
    assert {path: sdist.get(path) for path in expected} == expected
    assert {"golden", "tests", "examples", "docs"} <= {path.partition("/")[0] for path in sdist}


FOLDERS = {"generator", "runtime", "templates", "docs", "examples", "golden", "scripts", "tests"}
PAGES = {"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "mkdocs.yml"}
KINDS = {
    "",
    "ambr",
    "css",
    "html",
    "in",
    "j2",
    "jinja",
    "js",
    "json",
    "jsonl",
    "md",
    "py",
    "pyi",
    "svg",
    "toml",
    "txt",
    "typed",
    "yaml",
    "yml",
}
"""The ends of names of what is published: sources and texts; no bytecode, no databases, no archives."""


def test_the_sdist_holds_nothing_else(built: Path, sdist: dict[str, bytes]) -> None:
    assert {path.partition("/")[0] for path in sdist} == FOLDERS | PAGES | ALWAYS
    assert {
        path for path in sdist if path.rpartition("/")[2].rpartition(".")[2] not in KINDS and "." in path[1:]
    } <= {
        ".gitignore",
        "tests/golden/.gitignore",
    }
    assert not [path for path in sdist if any(part.startswith(".") for part in path.split("/")[:-1])]
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        assert {m.name for m in archive.getmembers() if not (m.isfile() or m.isdir())} == set()
        assert all(not m.name.startswith(("/", "..")) and not m.mode & 0o022 for m in archive.getmembers())
    assert file.stat().st_size < 20 * 2**20


def test_the_wheel_holds_nothing_else(built: Path, wheel: dict[str, bytes]) -> None:
    tops = {path.partition("/")[0] for path in wheel}
    assert tops - {top for top in tops if top.endswith(".dist-info")} == {folder.name for folder in PACKAGES}
    ends = {path.rpartition(".")[2] for path in wheel if ".dist-info/" not in path}
    assert ends <= {"py", "pyi", "jinja", "typed", "json", "txt"}
    (record,) = (data for path, data in wheel.items() if path.endswith(".dist-info/RECORD"))
    listed = {line.split(",")[0] for line in record.decode().splitlines()}
    assert listed == wheel.keys()


CONSTRAINTS = ROOT / ".ci" / "constraints.txt"
PIN = re.compile(r"[a-z0-9][a-z0-9._-]*==[0-9][0-9a-z.+!]*( ; [a-z0-9_ .<>=!'()-]+)?", re.IGNORECASE)


@pytest.mark.skipif(not CONSTRAINTS.is_file(), reason="CI's own files are not here")
def test_the_constraints_of_ci_are_pins_of_all_that_it_installs() -> None:
    lines = CONSTRAINTS.read_text("utf-8").splitlines()
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    asked = [*PROJECT["build-system"]["requires"], *project["dependencies"]]
    asked += [line for extra in ("dynamic", "generator", "otel", "dev") for line in extras[extra]]
    names = {re.split(r"[\[<>=!~; ]", line)[0].lower().replace("_", "-") for line in asked}
    assert names - pinned == {"toolgen"}


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_no_path_of_a_machine_is_in_it(kind: str, request: pytest.FixtureRequest) -> None:
    files: dict[str, bytes] = request.getfixturevalue(kind)
    here = str(ROOT).encode()
    assert [path for path, data in files.items() if here in data or MACHINE_PATH.search(data)] == []


def test_the_metadata_reads_well_on_an_index(wheel: dict[str, bytes]) -> None:
    (path,) = (path for path in wheel if path.endswith(".dist-info/METADATA"))
    metadata = Parser().parsestr(wheel[path].decode())
    assert metadata["Name"] == "toolgen"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert LINK.findall(metadata.get_payload()) == []  # an index page has no files beside it
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["project"]["optional-dependencies"])
