"""`locked`: compare many outputs with those that were recorded, one digest a case, in a text file a test.

`pytest tests/recorded --snapshot-update` records the outputs of today. A changed digest says that a user sees something
else: look at it before you record it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recorded_inputs import Outputs, plain

MAX_NAMED = 10
MAX_SHOWN = 4_000


@pytest.fixture
def locked(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that takes a generator of pairs: a case's name and an output of it.

    With `foreign=True`, cases that are not recorded are left out, and so are those that are not there. If none is
    left, the test is skipped.
    """

    def compare(outputs: Outputs, *, foreign: bool = False) -> None:
        file = Path(__file__).with_name("digests") / f"{outputs.__name__}.txt"
        cases: dict[str, list[Any]] = {}
        for case, output in outputs():
            cases.setdefault(case, []).append(plain(output))
        digests = {case: digest(found) for case, found in cases.items()}
        if request.config.option.update_snapshots:
            file.write_text("".join(f"{case}: {text}\n" for case, text in sorted(digests.items())), "utf-8")
        rows = [line.rsplit(": ", 1) for line in file.read_text("utf-8").splitlines()]
        before = dict(rows)
        if foreign:
            everywhere = before.keys() & digests.keys()
        else:
            everywhere = before.keys() | digests.keys()
        if not everywhere:
            pytest.skip(f"none of these cases is recorded in {file.name}")
        changed = sorted(case for case in everywhere if before.get(case) != digests.get(case))
        if not changed:
            return
        shown = "\n".join(as_text(output) for output in cases.get(changed[0], ()))[:MAX_SHOWN]
        pytest.fail(
            f"{len(changed)} of {len(everywhere)} outputs differ from {file.name}: {', '.join(changed[:MAX_NAMED])}\n"
            f"{changed[0]} is now\n{shown}\nTo see what it was, `git stash` your change, delete this case's line from "
            "the file and run the test. If the change is meant: pytest tests/recorded --snapshot-update",
            pytrace=False,
        )

    return compare


def as_text(output: Any) -> str:
    return json.dumps(output, ensure_ascii=False)


def digest(outputs: list[Any]) -> str:
    return hashlib.sha256(json.dumps(outputs).encode()).hexdigest()[:8]
