"""Findings that a project had when it adopted `toolgen lint`: how many of each code a tool may keep."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from toolgen.diagnostics import Diagnostic
from toolgen.lint.run import ONCE_A_FILE


def baseline_text(findings: Iterable[Diagnostic]) -> str:
    """Return the baseline of findings: their number by file, tool and code."""
    known: dict[str, dict[str, dict[str, int]]] = {}
    for (file, tool, code), number in sorted(Counter(map(_key, findings)).items()):
        known.setdefault(file, {}).setdefault(tool, {})[code] = number
    return json.dumps(known, indent=2, ensure_ascii=False) + "\n"


def new_findings(findings: Iterable[Diagnostic], baseline: Path) -> tuple[Diagnostic, ...]:
    """Return the findings that are not in a baseline: all of a code where a tool has more than it had.

    Raises:
        ValueError: the file is not a baseline.
    """
    try:
        listed = json.loads(baseline.read_text("utf-8"))
        known = {
            (file, tool, code): int(number)
            for file, tools in listed.items()
            for tool, codes in tools.items()
            for code, number in codes.items()
        }
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{baseline} is not a baseline; write it again with --write-baseline") from error
    findings = tuple(findings)
    found = Counter(map(_key, findings))
    return tuple(one for one in findings if found[_key(one)] > known.get(_key(one), 0))


def _key(finding: Diagnostic) -> tuple[str, str, str]:
    """Return what a finding is known by: places move when a server adds a tool."""
    tool = "" if finding.code in ONCE_A_FILE else finding.tool
    return Path(finding.place.file).as_posix(), tool, finding.code
