"""Folders of packages for the tests of the writer: what is in them, and builds that are killed on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from helpers.support import hear_ctrl_c
from toolgen.compiler.python.layout import MANIFEST
from toolgen.package.output.plan import plan
from toolgen.package.output.write import write

OLD = {
    "__init__.py": "from . import kept, edited, gone\nVERSIONS = kept.V, edited.V, gone.V\n",
    "kept.py": "V = 'same'\n",
    "edited.py": "V = 'old'\n",
    "gone.py": "V = 'old'\n",
    "_models/__init__.py": "",
    "_models/edited.py": "V = 'old'\n",
    "left/__init__.py": "",
    "py.typed": "",
}
NEW = {
    "__init__.py": "from . import kept, edited, fresh\nVERSIONS = kept.V, edited.V, fresh.V\n",
    "kept.py": "V = 'same'\n",
    "edited.py": "V = 'new'\n",
    "fresh.py": "V = 'new'\n",
    "_models/__init__.py": "",
    "_models/edited.py": "V = 'new'\n",
    "entered/__init__.py": "",
    "py.typed": "",
}
VERSIONS = {"old": OLD, "new": NEW}
TOUCHING = ("open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod")
"""What Python's audit events for changes of a file system begin with."""


def build(files: dict[str, str], out: Path) -> None:
    write(plan(files, out))


def state(out: Path) -> str | None:
    """Which version stands in a folder, by toolgen's files without the manifest; None where it is neither."""
    paths = OLD.keys() | NEW.keys()
    found = {path: (out / path).read_text() for path in paths if (out / path).is_file()}
    return next((name for name, files in VERSIONS.items() if found == files), "absent" if not found else None)


def put_foreign(out: Path) -> None:
    """Everything that may lie about in a folder and is not toolgen's."""
    (out / "notes.md").write_text("mine")
    (out / "run.sh").write_text("mine")
    (out / "run.sh").chmod(0o751)
    (out / "_models" / "extra.py").write_text("mine")
    (out / ".git" / "refs" / "tags").mkdir(parents=True)
    (out / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (out / "private").mkdir()
    (out / "private" / "deep" / "empty").mkdir(parents=True)
    (out / "private").chmod(0o700)
    (out / "_models" / "empty").mkdir(mode=0o755)
    (out / "__pycache__").mkdir()
    (out / "__pycache__" / "notes.txt").write_text("mine")
    (out / "__pycache__" / "other.cpython-311.pyc").write_text("mine")
    os.link(out / "notes.md", out / "private" / "second")
    (out / "link").symlink_to("notes.md")
    (out / "folder-link").symlink_to("private")
    (out / "_models" / "dangling").symlink_to("/nowhere/at/all")
    if hasattr(os, "mkfifo"):
        os.mkfifo(out / "pipe")
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(out)  # the name of a socket is short
            server.bind("socket")
            os.chdir(here)


def foreign(out: Path) -> dict[str, tuple[object, ...]]:
    """Every entry that is not toolgen's: what it is, whose, since when, and what it holds."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if name in {*OLD, *NEW, MANIFEST, "_models", "left", "entered", "__pycache__"}:
            continue
        status = path.lstat()
        held: object = os.readlink(path) if path.is_symlink() else None
        if path.is_file() and not path.is_symlink():
            held = path.read_bytes()
        since = None if path.is_dir() else status.st_ctime_ns
        found[name] = (
            status.st_ino,
            status.st_mode,
            status.st_uid,
            status.st_gid,
            status.st_mtime_ns,
            since,
            held,
        )
    return found


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Do work in a child that dies by SIGKILL before its step-th change of the file system; whether it died."""
    status = _signalled_at(step, signal.SIGKILL, work)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def interrupted_at(step: int, work: Callable[[], object]) -> bool:
    """Do work in a child that gets a Ctrl-C before its step-th change of the file system; whether there are as many."""
    code = os.waitstatus_to_exitcode(_signalled_at(step, signal.SIGINT, work))
    assert code in (0, INTERRUPTED)
    return code == INTERRUPTED


INTERRUPTED = 130


def _signalled_at(step: int, number: signal.Signals, work: Callable[[], object]) -> int:
    """Return the status of a child that sends itself a signal before its step-th change of the file system."""
    child = os.fork()
    if child == 0:
        hear_ctrl_c()
        left = [step]

        def count(event: str, args: tuple[object, ...]) -> None:
            if event.startswith(TOUCHING) and not (event == "open" and args[1] in ("r", "rb", None)):
                left[0] -= 1
                if left[0] == -1:
                    os.kill(os.getpid(), number)

        try:
            sys.addaudithook(count)
            work()
        except KeyboardInterrupt:
            os._exit(INTERRUPTED)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def imported(out: Path) -> str:
    """What importing a package gives in a process of its own: its versions, or the error."""
    code = f"import sys; sys.path.insert(0, {str(out.parent)!r}); sys.dont_write_bytecode = True\n"
    code += f"import {out.name} as package; print(*package.VERSIONS)"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    return ran.stdout.strip() or ran.stderr.splitlines()[-1]
