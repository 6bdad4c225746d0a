"""Work in several processes: results in order, one error for one that dies, and nothing that stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest
from helpers import worker_tasks
from helpers.support import ROOT, python

from toolgen import SpecError
from toolgen.commands.audit import processes
from toolgen.commands.audit.processes import in_order

posix = pytest.mark.skipif(not hasattr(signal, "pause"), reason="needs signals")


@pytest.fixture(params=["copies", "interpreters"] if sys.platform == "linux" else ["interpreters"])
def copies(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether processes are forks, or new interpreters; this one is forked only if no other test left a thread."""
    if request.param == "copies":
        return True
    monkeypatch.setattr(processes, "are_copies", lambda: False)
    return False


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
        "import threading; from toolgen.commands.audit.processes import are_copies\n"
        "alone, done = are_copies(), threading.Event()\n"
        "threading.Thread(target=done.wait).start()\n"
        "print(alone, are_copies()); done.set()"
    )
    assert python("-c", code).stdout == "True False\n"


@posix
def test_a_process_that_cannot_be_started_is_said() -> None:
    """Here for a lack of files; a lack of processes or of memory is the same error."""
    code = (
        "import resource\nfrom helpers import worker_tasks\n"
        "from toolgen.commands.audit import processes\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))\n"
        "list(processes.in_order(worker_tasks.double, range(9), 99))\n"
    )
    ran = python("-c", code, check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "tests")})
    assert "error[worker-died] a process cannot be started: Too many open files" in ran.stderr


@posix
def test_processes_end_with_the_one_that_started_them(copies: bool) -> None:
    code = (
        "from toolgen.commands.audit import processes\n"
        f"processes.are_copies = lambda: {copies}\n"
        "from helpers import worker_tasks\n"
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
    assert child.stdout.readline() == "0 2\n"
    guard = threading.Timer(60, lambda: os.killpg(child.pid, signal.SIGKILL))
    guard.start()
    child.kill()
    assert child.stdout.read() == ""  # every process that could write has ended
    assert guard.is_alive()
    guard.cancel()
    child.communicate()
