"""The entry point: runs the command line, or prints in one line what to install for it."""

from __future__ import annotations

import os
import sys

from toolgen.extras import EXTRA, advice


def main() -> None:
    """Run `toolgen` with the arguments of this process and exit with its code."""
    _open_streams()
    try:
        from toolgen.cli import program

        program(prog_name="toolgen")
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in EXTRA:
            raise
        print(f"toolgen: {advice(name)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:  # before the program began, which says the same
        print("toolgen: interrupted", file=sys.stderr)
        sys.exit(130)


def _open_streams() -> None:
    """Put an empty one in place of each standard stream that was closed, for which Python has None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  for as long as this runs


if __name__ == "__main__":
    main()
