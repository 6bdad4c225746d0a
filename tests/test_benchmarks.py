"""Every benchmark that needs data says so, and never ends in a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

FOLDER = ROOT / "benchmarks"
NEEDS_DATA = {
    "audit/rules.py": ("--data", "no-such-folder"),
    "client/run.py": (),
    "hints/fallback.py": (),
    "hints/run.py": (),
    "speed/interrupting.py": (),
    "speed/run.py": ("--only", "validate"),
    "strict/share.py": ("no-such-folder",),
    "histories/accepted.py": ("no-such-file",),
}
"""The commands that cannot run without data, with arguments."""
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the benchmarks are in a checkout only")


def run(command: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TOOLGEN_SHARED": str(folder / "absent")}
    words = [sys.executable, str(FOLDER / command), *arguments]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment, check=False)


@pytest.mark.parametrize("command", NEEDS_DATA)
def test_missing_data_is_one_line(command: str, tmp_path: Path) -> None:
    done = run(command, *NEEDS_DATA[command], folder=tmp_path)
    assert done.returncode == 2
    assert "absent" in done.stderr or "no-such" in done.stderr
    assert "Traceback" not in done.stderr
