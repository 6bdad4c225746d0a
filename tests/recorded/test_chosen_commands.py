"""Commands that were written to reach single conditions.

A row has `files` (in an `encoding`), in which each mark under `repeated` stands for a text many times, commands to
`run` on them, and the files that they write, to `show`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import toolgen
from helpers.support import for_each
from recorded_inputs import Outputs, key_of
from recorded_rows import by_file

from toolgen_runtime import __version__

pytestmark = pytest.mark.usefixtures("workplace")


def said_in_a_folder(row: dict[str, Any]) -> Iterator[Any]:
    folder = Path(key_of(row))
    folder.mkdir()
    with contextlib.chdir(folder):
        yield from said_of_commands(row)


def said_of_commands(row: dict[str, Any]) -> Iterator[Any]:
    """Yield what commands print, and the files that a row asks to see."""
    for file, content in row["files"].items():
        text = content if isinstance(content, str) else json.dumps(content)
        for mark, (part, times) in row.get("repeated", {}).items():
            text = text.replace(mark, part * times)
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(text, row.get("encoding", "utf-8"))
    for command in row["run"]:
        result = toolgen(*command)
        here = result.output.replace(str(Path.cwd()), "").replace(__version__, "VERSION")
        yield here, result.exit_code
    for file in row.get("show", []):
        yield Path(file).read_text("utf-8").replace(__version__, "VERSION") if Path(file).exists() else None


@for_each(by_file("commands", said_in_a_folder))
def test_outputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs)
