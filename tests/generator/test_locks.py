"""Builds into one folder take turns, also where the platform or the file system has no locks."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from toolgen.output.lock import locked
from toolgen.output.plan import plan
from toolgen.output.write import write
from toolgen.python.layout import MANIFEST

FILES = [f"m{i}.py" for i in range(16)]
WITHOUT = {
    "flock": "",
    "fcntl": "sys.modules['fcntl'] = None",
    "ENOLCK": "import errno, fcntl\n"
    "def refuse(*_): raise OSError(errno.ENOLCK, 'No locks available')\n"
    "fcntl.flock = refuse",
}
"""What takes a kind of lock away."""
BUILDER = """
import sys
{without}
from pathlib import Path
from toolgen.output.plan import plan
from toolgen.output.write import write
text, out, times = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
for turn in range(times):
    write(plan({{name: f"{{text}}{{turn}}" for name in {files}}}, out))
"""


def start(without: str, text: str, out: Path, times: int, temporary: Path) -> subprocess.Popen[str]:
    script = BUILDER.format(without=WITHOUT[without], files=FILES)
    child = subprocess.Popen(
        [sys.executable, "-c", script, text, str(out), str(times)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n", child.stderr and child.stderr.read()
    return child


def seen(out: Path) -> int | None:
    """How many versions of the files stand in a package, all being there; None where it changes meanwhile."""
    folder = os.open(out, os.O_RDONLY)
    try:
        names = set(os.listdir(folder))
        texts = set()
        for name in FILES:
            file = os.open(name, os.O_RDONLY, dir_fd=folder)
            texts.add(os.read(file, 99))
            os.close(file)
        return len(texts) if names == {*FILES, MANIFEST} else 0
    except FileNotFoundError:
        return None  # the folder that is held open was swapped out
    finally:
        os.close(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="a package changes in one step on Linux")
@pytest.mark.parametrize("without", WITHOUT)
def test_two_builders_take_turns(without: str, tmp_path: Path) -> None:
    out, temporary = tmp_path / "work" / "agent_tools", tmp_path / "temporary"
    temporary.mkdir()
    write(plan(dict.fromkeys(FILES, "first"), out))
    children = [start(without, text, out, 8, temporary) for text in ("a", "b")]
    counted: Counter[int | None] = Counter()
    while any(child.poll() is None for child in children):
        counted[seen(out)] += 1
        time.sleep(0.002)
    assert [child.communicate()[1] for child in children] == ["", ""]
    assert counted.keys() <= {1, None}
    assert counted[1]
    assert [path.name for path in out.parent.iterdir()] == ["agent_tools"]
    used = [path for path in temporary.rglob("*") if path.is_file()]
    assert bool(used) == (without != "flock")
    assert all(path.stat().st_size == 0 for path in used)


def test_a_folder_for_locks_that_is_not_ones_own_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then there is no lock, and the build goes on; nothing is written through a link of somebody else."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    name = f"toolgen-{os.getuid()}" if hasattr(os, "getuid") else "toolgen-"
    (tmp_path / name).symlink_to(elsewhere)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with locked(tmp_path):
        assert list(elsewhere.iterdir()) == []
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir(mode=0o777)
    (tmp_path / name).chmod(0o777)
    with locked(tmp_path):
        assert list((tmp_path / name).iterdir()) == []


def test_what_goes_wrong_under_a_lock_is_said_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for module in ("", "fcntl"):
        monkeypatch.setitem(sys.modules, module or "unused", None)
        with pytest.raises(FileExistsError), locked(tmp_path):
            raise FileExistsError
        with locked(tmp_path):
            pass
