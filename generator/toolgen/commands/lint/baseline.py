"""Store the findings that a project has when it starts to use `toolgen lint`, so that only new ones are
reported.

The baseline says how many are allowed for each tool and code.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError
from toolgen.compiler.input_files import read_named
from toolgen.compiler.lint_codes import ONCE_A_FILE
from toolgen.compiler.specs.formats.text import decode


def baseline_text(findings: Iterable[Diagnostic]) -> str:
    """Write a baseline: how many findings there are for each file, tool and code."""
    known: dict[str, dict[str, dict[str, int]]] = {}
    for (file, tool, code), number in sorted(Counter(map(_key, findings)).items()):
        known.setdefault(file, {}).setdefault(tool, {})[code] = number
    return json.dumps(known, indent=2, ensure_ascii=False) + "\n"


def new_findings(findings: Iterable[Diagnostic], baseline: Path) -> tuple[Diagnostic, ...]:
    """Return the findings that are not covered by a baseline.

    If a tool has more of a code than before, all are returned.

    Raises:
        SpecError: the file cannot be read (see `read_named`), `bad-encoding`, or `bad-json`: it is not a baseline.
    """
    place, advice = Place(str(baseline)), "write it with --write-baseline"
    text = decode(read_named(str(baseline), advice), place)
    try:
        listed = json.loads(text)
        known = {
            (file, tool, code): int(number)
            for file, tools in listed.items()
            for tool, codes in tools.items()
            for code, number in codes.items()
        }
    except (AttributeError, TypeError, ValueError, RecursionError):
        raise SpecError.of(place, "bad-json", "the file is not a lint baseline", advice) from None
    findings = tuple(findings)
    found = Counter(map(_key, findings))
    return tuple(one for one in findings if found[_key(one)] > known.get(_key(one), 0))


def _key(finding: Diagnostic) -> tuple[str, str, str]:
    """Return what identifies a finding. The place is not part of this, because it moves when a server adds a tool."""
    tool = "" if finding.code in ONCE_A_FILE else finding.tool
    return Path(finding.place.file).as_posix(), tool, finding.code
