"""Builds into one folder take turns."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from toolgen.package.cache import VARIABLE
from toolgen.package.output.lock import locked

HOLDER = """
import sys
from pathlib import Path
from toolgen.package.output.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_locked_until_its_holder_ends_however_that_ends(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout.readline() == b"held\n"
    entered = threading.Event()

    def wait() -> None:
        with locked(tmp_path):
            entered.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    with locked(tmp_path / "other"):
        assert not entered.wait(0.2)
    holder.kill()
    holder.communicate()
    assert entered.wait(30)
    waiting.join()


def test_without_a_cache_folder_builds_do_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "below"))
    with locked(tmp_path), locked(tmp_path):
        pass
