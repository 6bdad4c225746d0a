"""Compile large modules in another process, because compiling blocks all threads of its process."""

from __future__ import annotations

import marshal
import subprocess
import sys
from types import CodeType
from typing import Any, Final

LARGE: Final = 200_000
"""The length of a module, in characters, from which it is compiled in another process (0.2 seconds of work)."""
_PROGRAM: Final = (
    "import marshal, sys;"
    "text = sys.stdin.buffer.read().decode('utf-8', 'surrogatepass');"
    "sys.stdout.buffer.write(marshal.dumps(compile(text, sys.argv[1], 'exec', dont_inherit=True)))"
)


def compile_apart(text: str, file: str) -> CodeType:
    """Compile the text of a module as `compile` does. A large one is compiled in another process."""
    if len(text) > LARGE:
        command = [sys.executable, "-I", "-S", "-c", _PROGRAM, file]
        given = text.encode("utf-8", "surrogatepass")
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        if done.returncode == 0:
            code: Any = marshal.loads(done.stdout)  # written by the same Python, from a text that is ours
            return code  # type: ignore[no-any-return]
    return compile(text, file, "exec", dont_inherit=True)
