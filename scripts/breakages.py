"""Break the sources in small ways, one at a time, and print the breakages that no test detects.

    python scripts/breakages.py              all of tests/data/breakages.toml; exits with 1 if more than 5 survive
    python scripts/breakages.py hints diff   some rooms

Each breakage is made in a copy of the sources, and the tests of its room run there until the first one fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
TABLE: Final = ROOT / "tests" / "data" / "breakages.toml"
FILES: Final = (
    subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    .stdout.rstrip("\0")
    .split("\0")
)
PACKAGES: Final = ("generator", "runtime", "templates")
MOST_SURVIVORS: Final = 5
SECONDS: Final = 600


def passes(tests: list[str], file: str = "", old: str = "", new: str = "") -> bool:
    """Return whether the tests of a room pass, with one text of a file replaced."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            copy = Path(folder, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy)
        if file:
            broken = Path(folder, file)
            broken.write_text(broken.read_text("utf-8").replace(old, new), "utf-8")
        path = os.pathsep.join(str(Path(folder, package)) for package in PACKAGES)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider"]
        try:
            done = subprocess.run(
                [*command, *(f"tests/{test}" for test in tests)],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path, "TOOLGEN_SHARED": str(ROOT.parent / "shared")},
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        if not file and done.returncode:
            print(done.stdout[-2_000:])
        return done.returncode == 0


def main() -> int:
    """Try each breakage of the given rooms, or of all rooms."""
    rooms: dict[str, Any] = tomllib.loads(TABLE.read_text("utf-8"))
    chosen = sys.argv[1:] or [*rooms]
    if unknown := {*chosen} - rooms.keys():
        print(f"no such room: {', '.join(sorted(unknown))}; there are {', '.join(rooms)}")
        return 2
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        whole = dict(zip(chosen, pool.map(lambda room: passes(rooms[room]["tests"]), chosen), strict=True))
    if failing := [room for room, is_whole in whole.items() if not is_whole]:
        print(f"without a breakage, the tests of {', '.join(failing)} fail")
        return 2
    cases = [(rooms[room]["tests"], *each) for room in chosen for each in rooms[room]["breakages"]]
    survivors = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (_, file, old, new), lives in zip(
            cases, pool.map(lambda case: passes(*case), cases), strict=True
        ):
            survivors += lives
            print(f"{'SURVIVES' if lives else 'noticed'}: {file}: {old!r} -> {new!r}", flush=True)
    print(f"{survivors} of {len(cases)} breakages survive")
    return 1 if survivors > MOST_SURVIVORS else 0


if __name__ == "__main__":
    sys.exit(main())
