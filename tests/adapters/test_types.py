"""The example of a framework is typed: mypy --strict and pyright accept it, with the framework's own types.

`scripts/frameworks.py` says which (`TOOLGEN_FRAMEWORK`), and which Python has the checkers (`TOOLGEN_CHECKERS`).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helpers.type_checkers import CHECKERS, errors

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "agents"
FRAMEWORK = os.environ.get("TOOLGEN_FRAMEWORK", "")
RUNS = os.environ.get("TOOLGEN_CHECKERS", "")


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_example_is_typed(checker: str, tmp_path: Path) -> None:
    there = RUNS and subprocess.run([RUNS, "-c", f"import {checker}"], capture_output=True, check=False)
    if not there or there.returncode:
        pytest.skip(f"{checker} is not installed where frameworks.py runs")
    (script,) = EXAMPLES.glob(f"{FRAMEWORK}_agent.py")
    assert errors(checker, [script], tmp_path, runs=RUNS) == {}
