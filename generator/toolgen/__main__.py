"""The entry point: runs the command line, or prints in one line what to install for it."""

from __future__ import annotations

import sys

EXTRA = frozenset((
    "click", "datamodel_code_generator", "jinja2", "jsonschema_specifications", "yaml",
))  # fmt: skip
"""The packages of the `generator` extra that the generator imports, by import name."""


def main() -> None:
    """Run `toolgen` with the arguments of this process and exit with its code."""
    try:
        from toolgen.cli import program

        program(prog_name="toolgen")
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in EXTRA:
            raise
        print(f"toolgen: {name} is not installed; run: pip install 'toolgen[generator]'", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
