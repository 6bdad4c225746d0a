"""Fetch the public data of the tests: `python scripts/public_data.py FOLDER`, then `TOOLGEN_SHARED=FOLDER pytest`.

The official JSON Schema test suite is part of the source distribution of `jsonschema`, which pip downloads from its
configured index. docs/evidence.md names the data that no registry has.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

SOURCE = "jsonschema==4.26.0"
SUITE = "data/JSON-Schema-Test-Suite"
PARTS = ("tests", "remotes", "LICENSE")


def main(folder: Path) -> None:
    """Download the source distribution and unpack the suite in it."""
    target = folder / SUITE
    if target.exists():
        sys.exit(f"{target} exists already")
    with TemporaryDirectory() as name:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", SOURCE]
        subprocess.run(command, cwd=name, check=True)
        (archive,) = Path(name).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(name, filter="data")
        (suite,) = Path(name).glob("*/json")
        target.mkdir(parents=True)
        for part in PARTS:
            shutil.move(suite / part, target / part)
    print(f"{target}: {sum(1 for _ in target.rglob('*.json'))} files of {SOURCE}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
