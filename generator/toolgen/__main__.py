"""The entry point of the `toolgen` command. If a package is missing, it says how to install it."""

from __future__ import annotations

import os
import sys

from toolgen.package.extras import EXTRA, advice, version_problem


def main() -> None:
    """Run `toolgen` with the arguments of this process, and exit with the command's exit code."""
    _open_streams()
    problem = version_problem()
    if problem is not None:
        print(f"toolgen: {problem}", file=sys.stderr)
        sys.exit(2)
    try:
        from toolgen.cli import program

        program(prog_name="toolgen")
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in EXTRA:
            raise
        print(f"toolgen: {advice(name)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:  # before the program started; the program prints the same message
        print("toolgen: interrupted", file=sys.stderr)
        sys.exit(130)


def _open_streams() -> None:
    """Replace each standard stream that is closed (None in Python) with an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  open until the process ends


if __name__ == "__main__":
    main()
