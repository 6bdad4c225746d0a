"""New processes: the first check of a large package, its memory, and the start of the command line."""

from __future__ import annotations

import sys

from packages import TOOLGEN, Workshop, tools_and_tests
from rows import Row, figure
from timing import Effort, best_in_turn, environment, peak_memory, seconds_of

TOOLS, MANY_TOOLS = 1_000, 3_000
_CHECKED = 7
"""The tool whose first check is measured."""


def _first_check(count: int) -> str:
    """Return a program that imports the package and checks a valid and an invalid payload."""
    tool, tests = tools_and_tests(count)[_CHECKED]
    valid = next(test["data"] for test in tests if test["valid"])
    return (
        f"import pkg\nt = pkg.toolset[{tool['name']!r}]\n"
        f"if t.validate({valid!r}) or not t.validate(5): raise SystemExit('wrong verdict')"
    )


def _python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def start(workshop: Workshop, effort: Effort) -> list[Row]:
    """Measure import and first check against `import pydantic`, both without the interpreter's own start."""
    first = {count: _python(_first_check(count)) for count in (TOOLS, MANY_TOOLS)}
    homes = {count: workshop.package(count) for count in first}

    def measured(env: dict[str, str]) -> dict[str, float]:
        sides = {
            "bare": lambda: seconds_of(_python("pass"), env, workshop.folder),
            "pydantic": lambda: seconds_of(_python("import pydantic"), env, workshop.folder),
            "1,000": lambda: seconds_of(first[TOOLS], env, homes[TOOLS]),
            "3,000": lambda: seconds_of(first[MANY_TOOLS], env, homes[MANY_TOOLS]),
        }
        best = best_in_turn(sides, effort.processes)
        return {side: seconds - best["bare"] for side, seconds in best.items()}

    over = measured(workshop.env)
    # As on a read-only disk: only packages that pip compiled have bytecode, so this project has none.
    unsaved = measured(environment(None))
    what, against = "import of a package of {} tools + first check", "`import pydantic`"
    note = f"{over['1,000'] * 1e3:.1f} ms"
    return [
        Row(what.format("1,000"), against, over["1,000"] / over["pydantic"], 0.25, note),
        Row(
            what.format("3,000"),
            what.format("1,000"),
            over["3,000"] / over["1,000"],
            1.1,
            f"{over['3,000'] * 1e3:.1f} ms, {figure(over['3,000'] / over['pydantic'])} of `import pydantic`",
        ),
        Row(
            what.format("1,000") + ", without cached bytecode",
            against,
            unsaved["1,000"] / unsaved["pydantic"],
            0.25,
            f"{unsaved['1,000'] * 1e3:.1f} ms",
        ),
    ]


def memory(workshop: Workshop, effort: Effort) -> list[Row]:
    """Measure the peak memory of the same process above that of a bare interpreter."""
    home = workshop.package(TOOLS)
    programs = {"bare": "pass", "pydantic": "import pydantic", "first": _first_check(TOOLS)}
    sides = {
        name: lambda program=program: peak_memory(_python(program), workshop.env, home)
        for name, program in programs.items()
    }
    best = best_in_turn(sides, effort.processes)
    seen = (best["first"] - best["bare"]) / (best["pydantic"] - best["bare"])
    return [
        Row(
            f"peak memory of a process that imports a package of {TOOLS:,} tools",
            "`import pydantic`",
            seen,
            0.5,
        )
    ]


def cli(workshop: Workshop, effort: Effort) -> list[Row]:
    """Measure the start of commands that do not build."""
    env, folder = workshop.env, workshop.folder
    commands = {
        "click": _python("import click"),
        "--version": [TOOLGEN, "--version"],
        "--help": [TOOLGEN, "--help"],
    }
    sides = {name: lambda c=command: seconds_of(c, env, folder) for name, command in commands.items()}
    best = best_in_turn(sides, effort.processes)
    return [
        Row(f"`toolgen {option}`", '`python -c "import click"`', best[option] / best["click"], 1.5)
        for option in ("--version", "--help")
    ]
