"""Every benchmark that needs data says so, and never ends in a traceback."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from helpers.support import ROOT, python

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


ONE_AFTER_ANOTHER = """
import json, os, runpy, sys
import jsonschema, helpers.payloads, toolgen.package.compile, toolgen.commands.lint.run
for command, arguments in json.loads(sys.argv[1]).items():
    if (child := os.fork()) == 0:
        sys.argv = [command, *arguments]
        sys.path[0] = os.path.dirname(command)
        runpy.run_path(command, run_name="__main__")
        os._exit(0)
    print(f"code {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", file=sys.stderr)
"""
"""Each in a process of its own, for which what most of them import is there already."""


def test_missing_data_is_one_line(tmp_path: Path) -> None:
    words = json.dumps({str(FOLDER / command): arguments for command, arguments in NEEDS_DATA.items()})
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"TOOLGEN_SHARED": str(tmp_path / "absent"), "PYTHONPATH": path}
    said = python("-c", ONE_AFTER_ANOTHER, words, cwd=tmp_path, env=environment).stderr
    assert "Traceback" not in said
    for command, (text, code) in zip(NEEDS_DATA, re.findall(r"(.*?)code (\d+)\n", said, re.S), strict=True):
        assert ("absent" in text or "no-such" in text, code) == (True, "2"), f"{command}: {text}"
