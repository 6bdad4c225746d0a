"""Builds in several processes: what one gives, in the same order, and nothing that stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import worker_tasks
from commands import toolgen
from support import EXAMPLE_SPECS, ROOT, SERVERS, hear_ctrl_c, needs_servers, python

from toolgen import processes, tool_files
from toolgen.build import Built, PreviousBuild, build
from toolgen.build_options import BuildOptions
from toolgen.cli.options import processors
from toolgen.diagnostics import SpecError
from toolgen.output.on_disk import read_package
from toolgen.processes import in_order
from toolgen.specs.load import Loaded, load, read_value

MOST_REAL = 40
MIXED: list[dict[str, Any]] = [
    {"name": "sound", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}},
    {"name": "loose", "schema": {"properties": {"a": {"pattern": "a[ab]{200}c"}}}},
    {"name": "wrong", "schema": {"properties": {"a": {"type": "text"}, "b": {"minimum": "1"}}}},
    {"name": "old", "schema": {"dependencies": {"a": ["b"]}}},
]
"""Tools that build, with and without diagnostics, and one that does not."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes start for a few tools already, and each has few at a time."""
    monkeypatch.setattr(tool_files, "FEWEST", 1)
    monkeypatch.setattr(tool_files, "BATCH", 3)


@pytest.fixture(params=["copies", "interpreters"] if sys.platform == "linux" else ["interpreters"])
def copies(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether processes are forks, or new interpreters; this one is forked only if no other test left a thread."""
    if request.param == "copies":
        return True
    monkeypatch.setattr(processes, "are_copies", lambda: False)
    return False


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many processes each build that needs some asks for."""
    seen: list[int] = []

    def recorded(work: Callable[[Any], Any], batches: Any, jobs: int) -> Any:
        seen.append(jobs)
        return in_order(work, batches, jobs)

    monkeypatch.setattr(processes, "in_order", recorded)
    return seen


def mixed(times: int) -> Loaded:
    return read_value([{**tool, "name": f"{tool['name']}_{i}"} for i in range(times) for tool in MIXED])


def built(loaded: Loaded, jobs: int, **options: Any) -> tuple[Built, list[tuple[int, int]]]:
    progress: list[tuple[int, int]] = []
    made = build(loaded.groups, BuildOptions(**options), lambda *at: progress.append(at), None, jobs)
    return made, progress


# -- the same ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small", "copies")
@pytest.mark.parametrize("namespace", [False, True])
def test_two_processes_give_what_one_gives(namespace: bool, asked: list[int]) -> None:
    loaded = load([str(EXAMPLE_SPECS)], namespace=namespace)
    assert built(loaded, 1) == built(loaded, 2)
    assert asked == [2]


@needs_servers
@pytest.mark.usefixtures("small")
def test_two_processes_give_what_one_gives_of_real_tools(asked: list[int]) -> None:
    loaded = load([str(SERVERS)], namespace=True)
    groups, count = {}, 0
    for stem, specs in loaded.groups.items():
        if count < MOST_REAL:
            groups[stem], count = specs, count + len(specs)
    assert count >= MOST_REAL
    loaded.groups = groups
    one, two = built(loaded, 1, keep_going=True), built(loaded, 2, keep_going=True)
    assert one == two
    assert asked == [2]


@pytest.mark.usefixtures("small", "copies")
@pytest.mark.parametrize("keep_going", [False, True])
def test_problems_come_in_the_order_of_the_specs(keep_going: bool) -> None:
    loaded = mixed(5)
    one, two = built(loaded, 1, keep_going=keep_going), built(loaded, 2, keep_going=keep_going)
    assert one == two
    assert [d.tool for d in two[0].diagnostics if d.level == "error"][::2] == [f"wrong_{i}" for i in range(5)]
    assert [done for done, _ in two[1]] == list(range(1, 21))


@pytest.mark.usefixtures("small")
def test_only_what_changed_is_made(tmp_path: Path, asked: list[int]) -> None:
    """Jobs are no part of what a file is made from; a package that one process made is up to date for two."""
    out, specs = tmp_path / "tools", tmp_path / "specs.json"
    tools = [{**MIXED[0], "name": f"t{i}"} for i in range(8)]
    specs.write_text(json.dumps(tools))
    assert toolgen("build", str(specs), "-o", str(out), "--jobs", "1").exit_code == 0
    assert "up to date" in toolgen("build", str(specs), "-o", str(out), "--jobs", "2").stdout
    specs.write_text(json.dumps([*tools, MIXED[0]]))
    assert "2 created" in toolgen("build", str(specs), "-o", str(out), "--jobs", "2").stdout
    assert asked == []  # one tool is one process's work
    assert isinstance(read_package(out).previous_build({}), PreviousBuild)


# -- how many ------------------------------------------------------------------------------------------------------


def test_a_small_build_starts_no_process(asked: list[int]) -> None:
    built(mixed(10), 8)
    assert asked == []


@pytest.mark.usefixtures("small")
def test_a_program_that_calls_the_library_starts_none_unasked(asked: list[int]) -> None:
    build(mixed(2).groups, BuildOptions())
    assert asked == []


@pytest.mark.usefixtures("small")
def test_the_number_comes_from_the_command_line_the_settings_or_the_machine(
    asked: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("specs.json").write_text(json.dumps([{**MIXED[0], "name": f"t{i}"} for i in range(9)]))
    Path("pyproject.toml").write_text('[tool.toolgen]\nspecs = ["specs.json"]\njobs = 2\n')
    assert toolgen("build", "-o", "a").exit_code == 0
    assert toolgen("build", "-o", "b", "--jobs", "1").exit_code == 0
    assert asked == [2]
    Path("pyproject.toml").unlink()
    assert toolgen("build", "specs.json", "-o", "c").exit_code == 0
    assert asked[1:] == ([min(processors(), 9)] if processors() > 1 else [])
    packages = [{p.name: p.read_bytes() for p in Path(out).rglob("*") if p.is_file()} for out in "abc"]
    assert packages[0] == packages[1] == packages[2]


@pytest.mark.parametrize("value", ["0", "-1", "true", '"2"', "1.5", "[2]"])
def test_a_setting_that_is_not_a_number_of_processes(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(f"[tool.toolgen]\njobs = {value}\n")
    Path("specs.json").write_text(json.dumps(MIXED[0]))
    result = toolgen("build", "specs.json")
    assert result.exit_code == 2
    assert "error[bad-settings]" in result.stderr
    assert "an integer of at least 1" in result.stderr
    Path("pyproject.toml").unlink()
    assert toolgen("build", "specs.json", "--jobs", value).exit_code == 2


# -- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("copies")
def test_results_are_in_order() -> None:
    assert list(in_order(worker_tasks.double, range(10), 3)) == list(range(0, 20, 2))
    assert list(in_order(worker_tasks.double, [], 2)) == []


@pytest.mark.usefixtures("copies")
def test_a_process_that_dies_is_said_once() -> None:
    with pytest.raises(SpecError) as caught:
        list(in_order(worker_tasks.double, [1, 13, 13, 2], 2))
    (problem,) = caught.value.diagnostics
    assert problem.code == "worker-died"
    assert "exit code 3" in problem.message


@pytest.mark.usefixtures("copies")
def test_an_error_is_raised_in_its_turn_and_says_where_it_was() -> None:
    results = in_order(worker_tasks.double, [1, 14, 2], 2)
    assert next(results) == 2
    with pytest.raises(ValueError, match="14") as caught:
        next(results)
    assert "in double" in str(caught.value.__cause__)


@pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
def test_no_process_is_copied_that_has_threads() -> None:
    code = (
        "import threading; from toolgen.processes import are_copies\n"
        "alone, done = are_copies(), threading.Event()\n"
        "threading.Thread(target=done.wait).start()\n"
        "print(alone, are_copies()); done.set()"
    )
    ran = python("-c", code)
    assert ran.stdout == "True False\n"


posix = pytest.mark.skipif(not hasattr(signal, "pause"), reason="needs signals")


@contextmanager
def building(name: str, folder: Path, copies: bool) -> Iterator[subprocess.Popen[str]]:
    """`toolgen build` in a process, whose two processes do the work of this name."""
    (folder / "specs.json").write_text(json.dumps([{**MIXED[0], "name": f"t{i}"} for i in range(40)]))
    code = (
        f"import worker_tasks; worker_tasks.build_with({name!r}, ['specs.json', '-o', 'a/b/tools'], {copies})"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
        start_new_session=True,
    )
    guard = threading.Timer(120, lambda: os.killpg(child.pid, signal.SIGKILL))
    guard.start()
    try:
        yield child
    finally:
        guard.cancel()


@posix
def test_ctrl_c_ends_every_process(tmp_path: Path, copies: bool) -> None:
    """A terminal sends it to all of them; the output ends when the last one that can write to it has ended."""
    with building("never", tmp_path, copies) as child:
        assert child.stdout is not None
        assert [child.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate()
    assert (child.returncode, out, err.strip()) == (130, "", "toolgen: interrupted")
    assert [path.name for path in tmp_path.iterdir()] == ["specs.json"]


@posix
def test_a_process_that_is_killed_ends_the_build(tmp_path: Path, copies: bool) -> None:
    with building("die", tmp_path, copies) as child:
        out, err = child.communicate()
    assert (child.returncode, out) == (2, "")
    (line,) = err.splitlines()
    assert "error[worker-died]" in line
    assert "exit code -9" in line
    assert [path.name for path in tmp_path.iterdir()] == ["specs.json"]


@posix
def test_a_process_that_cannot_be_started_is_said() -> None:
    """Here for a lack of files; a lack of processes or of memory is the same error."""
    code = (
        "import resource, worker_tasks\n"
        "from toolgen import processes\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))\n"
        "list(processes.in_order(worker_tasks.double, range(9), 99))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    ran = python("-c", code, check=False, env=environment)
    assert "error[worker-died] a process cannot be started: Too many open files" in ran.stderr


@posix
def test_processes_end_with_the_one_that_started_them(copies: bool) -> None:
    code = (
        "from toolgen import processes\n"
        f"processes.are_copies = lambda: {copies}\n"
        "import worker_tasks\n"
        "results = processes.in_order(worker_tasks.double, [0, 1] * 50, 2)\n"
        "print(next(results), next(results), flush=True)\n"
        "input()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "0 2\n"
    guard = threading.Timer(60, lambda: os.killpg(child.pid, signal.SIGKILL))
    guard.start()
    child.kill()
    assert child.stdout.read() == ""  # every process that could write has ended
    assert guard.is_alive()
    guard.cancel()
    child.communicate()
