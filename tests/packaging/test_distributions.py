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
from helpers.support import ROOT

PROJECTS = {"toolgen": ROOT, "toolgen-runtime": ROOT / "runtime"}
"""The two distributions, by the folder of their pyproject.toml."""


def settings_of(project: str) -> dict[str, Any]:
    """The pyproject.toml of a distribution."""
    return tomllib.loads((PROJECTS[project] / "pyproject.toml").read_text("utf-8"))


def packages_of(project: str) -> list[Path]:
    """The folders of the packages of a distribution."""
    wheel = settings_of(project)["tool"]["hatch"]["build"]["targets"]["wheel"]
    return [PROJECTS[project] / folder for folder in wheel["packages"]]


DISTRIBUTION = {"METADATA", "RECORD", "WHEEL", "licenses/LICENSE"}
"""What each wheel's `.dist-info` holds (binary distribution format, PyPA)."""
ALWAYS = {".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
"""What hatchling puts into every sdist."""
MACHINE_PATH = re.compile(rb"(?<![\w.:/])/(?:(?:home|Users|work|opt|builds)/[\w.-]+/|root/\.)")
LINK = re.compile(r"\]\((?!https?://)[^)]*\)")

pytestmark = pytest.mark.skipif(
    not PROJECTS["toolgen-runtime"].is_dir(), reason="the sources are not here, only the tests"
)


@pytest.fixture(scope="module", params=PROJECTS)
def project(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def built(project: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of a distribution, and the wheel that is built from the sdist alone."""
    out = tmp_path_factory.mktemp("dist")
    folder = str(PROJECTS[project])
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), folder]
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


def test_the_wheel_holds_the_packages_and_what_describes_them(project: str, wheel: dict[str, bytes]) -> None:
    packages = packages_of(project)
    sources = {path: data for folder in packages for path, data in files_below(folder, folder.parent).items()}
    others = {path.partition("/")[2] for path in wheel if path.partition("/")[0].endswith(".dist-info")}
    assert {path: data for path, data in wheel.items() if ".dist-info/" not in path} == sources
    assert others - DISTRIBUTION == ({"entry_points.txt"} if project == "toolgen" else set())
    assert others >= DISTRIBUTION
    assert {f"{folder.name}/py.typed" for folder in packages} <= wheel.keys()
    assert project != "toolgen" or "toolgen_templates/tool.py.jinja" in wheel


def test_the_sdist_holds_what_is_needed_to_build_and_to_test(project: str, sdist: dict[str, bytes]) -> None:
    root = PROJECTS[project]
    expected = {path: (root / path).read_bytes() for path in ALWAYS if (root / path).is_file()}
    for included in settings_of(project)["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"]:
        entry = root / included
        expected |= files_below(entry, root) if entry.is_dir() else {included: entry.read_bytes()}
    assert sdist.keys() - expected.keys() <= ALWAYS
    assert {path: sdist.get(path) for path in expected} == expected


CONSTRAINTS = ROOT / ".ci" / "constraints.txt"
PIN = re.compile(r"[a-z0-9][a-z0-9._-]*==[0-9][0-9a-z.+!]*( ; [a-z0-9_ .<>=!'()-]+)?", re.IGNORECASE)


@pytest.mark.skipif(not CONSTRAINTS.is_file(), reason="CI's own files are not here")
def test_the_constraints_of_ci_are_pins_of_all_that_it_installs() -> None:
    lines = CONSTRAINTS.read_text("utf-8").splitlines()
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    asked: list[str] = []
    for project in PROJECTS:
        settings = settings_of(project)
        asked += [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
        extras = settings["project"]["optional-dependencies"]
        asked += [line for extra in ("dynamic", "generator", "otel", "dev") for line in extras.get(extra, [])]
    names = {re.split(r"[\[<>=!~; ]", line)[0].lower().replace("_", "-") for line in asked}
    assert names - pinned == {"toolgen", "toolgen-runtime"}


def test_no_path_of_a_machine_is_in_it(wheel: dict[str, bytes], sdist: dict[str, bytes]) -> None:
    here = str(ROOT).encode()
    for files in (wheel, sdist):
        assert [path for path, data in files.items() if here in data or MACHINE_PATH.search(data)] == []


def test_the_metadata_reads_well_on_an_index(project: str, wheel: dict[str, bytes]) -> None:
    (path,) = (path for path in wheel if path.endswith(".dist-info/METADATA"))
    metadata = Parser().parsestr(wheel[path].decode())
    assert metadata["Name"] == project
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert LINK.findall(metadata.get_payload()) == []  # an index page has no files beside it
    assert set(metadata.get_all("Provides-Extra", [])) == set(
        settings_of(project)["project"]["optional-dependencies"]
    )
