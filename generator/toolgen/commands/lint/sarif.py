"""Write findings in the format SARIF 2.1.0 (OASIS, sarif-v2.1.0), which code hosts show next to the lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from toolgen.cli.position import position_of
from toolgen.cli.terminal import inline
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.lint_codes import LINT_CODES
from toolgen_runtime import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_text(findings: Sequence[Diagnostic]) -> str:
    """Return a SARIF log with a result for each finding, and the rules that were broken."""
    codes = sorted({finding.code for finding in findings})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": LINT_CODES[code].meaning},
            "help": {"text": LINT_CODES[code].fix},
            "defaultConfiguration": {"level": LINT_CODES[code].levels[0]},
        }
        for code in codes
    ]
    driver = {"name": "toolgen", "version": __version__, "rules": rules}
    results = [_result(finding, codes.index(finding.code)) for finding in findings]
    run = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: Diagnostic, index: int) -> dict[str, Any]:
    message = f"{finding.tool}: {finding.message} ({finding.hint})"
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.place.pointer or "/"}]}
    if position := position_of(finding.place):
        region = {"startLine": position[0], "startColumn": position[1]}
        path = Path(finding.place.file)
        # A URI reference (RFC 3986); a relative path stays relative (SARIF 2.1.0, section 3.4.3).
        uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
        location["physicalLocation"] = {"artifactLocation": {"uri": uri}, "region": region}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": inline(message).replace("](", "] (")},  # not a link (SARIF 2.1.0, section 3.11.6)
        "locations": [location],
    }
