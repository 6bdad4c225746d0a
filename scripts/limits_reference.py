"""Write the values in docs/limits.md: each row names a constant, and the script adds its value in the code.

`python scripts/limits_reference.py` writes the page; `tests/generator/compiler/test_limits.py` compares it. For a new
limit, add a row without a value.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parent.parent / "docs" / "limits.md"
ROW: Final = re.compile(
    r"^\| (?P<limit>[^|]+) \| `(?P<module>[\w.]+)\.(?P<name>\w+)` \| (?P<value>[\d,]*) ?\| (?P<beyond>[^|]+) \|$",
    re.M,
)


def page(text: str) -> str:
    """Return the page with the values of the constants."""
    return ROW.sub(_row, text)


def _row(row: re.Match[str]) -> str:
    value = getattr(import_module(row["module"]), row["name"])
    return f"| {row['limit']} | `{row['module']}.{row['name']}` | {value:,} | {row['beyond']} |"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
