"""Whatever is made at its first use is whole, and one, for all threads that use it first (`races.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import races

from toolgen import write
from toolgen.build import BuildOptions, build
from toolgen.load import read_value

PROCESSES = 3
"""Fresh processes a case: what a race leaves behind is seen in some of them, not in all."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The search path with the raced package, whose modules are compiled so that threads meet sooner."""
    folder = tmp_path_factory.mktemp("raced")
    files = build(read_value(races.TOOLS).groups, BuildOptions("raced_tools")).files
    write.write(write.plan(files, folder / "raced_tools"))
    subprocess.run([sys.executable, "-m", "compileall", "-q", folder], check=True)
    return os.pathsep.join([str(folder), *sys.path])


@pytest.mark.parametrize("case", races.CASES)
def test_threads_that_come_first_get_what_later_ones_get(case: str, path: str) -> None:
    command = [sys.executable, str(Path(races.__file__)), case]
    environment = {**os.environ, "PYTHONPATH": path}
    running = [
        subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for _ in range(PROCESSES)
    ]
    failures = [errors for process in running if (errors := process.communicate(timeout=120)[1])]
    assert not failures, failures[0][-3000:]
    assert [process.returncode for process in running] == [0] * PROCESSES
