"""Write docs/lint.md: every finding of `toolgen lint`, with an example that has it.

`python scripts/lint_reference.py` writes the page; `tests/generator/test_lint.py` compares it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Diagnostic
from toolgen.lint.run import lint
from toolgen.lint_codes import LINT_CODES
from toolgen.schema.lower import LowerOptions
from toolgen.specs.load import read_value

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "lint.md"
EXAMPLES: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(
    (ROOT / "tests" / "data" / "lint_examples.json").read_text("utf-8")
)
HEAD = """# Findings of toolgen lint

Made from the program by `scripts/lint_reference.py`; a test compares the two.

`toolgen lint [SPECS...]` reports what will hurt a model or a provider in tools that build. It exits with 1 where a
finding is at or above `--fail-on` (`warning`, if nothing is said), with 2 where a spec cannot be read. `--provider`
asks for a provider's strict mode, too; `--sarif FILE` writes the findings for code hosts. Findings are printed on
standard output, also with `--quiet`, with their number last.

Leave a finding out for all tools with `--ignore CODE`, or `ignore = ["CODE"]` in `[tool.toolgen]`; in one place with
`"x-toolgen-ignore": ["CODE"]` in the schema that it is found at or below. At the root of a tool's schema this covers
the whole tool. What is ignored without need is a finding of its own.

## Fixes

`toolgen lint --fix` changes the spec files and then reports what is left; `--diff` shows the changes and writes
nothing (exit code 1 if there are any). A fix is made only if it is certain and if toolgen can prove that the check
accepts the same payloads afterwards:

| code | fix |
| --- | --- |
| `hidden-characters` | removes the characters from titles and descriptions |
| `unreachable-branch` | removes a branch under `anyOf` that is written exactly like an earlier one |
| `unused-ignore` | removes the code from `x-toolgen-ignore` |

Everything else in the file keeps its bytes, and the file is replaced in one step. Only JSON in UTF-8 is fixed; YAML
files are left alone. Whether objects are closed, what a default should be, and which format was meant are choices, and
stay yours.

## How right the findings are

Each finding was compared with its schema, on the tools of 20 servers that the rules were written with (539 tools) and
of 28 servers from npm and PyPI that they were not (391 tools). Rules that are not listed had no finding there.

| code | findings | right | judged by |
| --- | --- | --- | --- |
| `hidden-characters` | 1 | 1 | reading: a zero width space within a sentence |
| `unreachable-branch` | 2 | 2 | reading: two equal branches |
| `near-duplicate` | 11 | 11 | reading: one server offers every tool under two names |
| `instructing-text` | 0 | | 24 of 26 paraphrased attacks are found, and none of 930 real tools |
| `missing-enum` | 6 | 6 | reading: each text lists all allowed values |
| `untagged-union` | 1 | 1 | reading: two forms without required fields |
| `null-default` | 104 places | 104 | the compiled check |
| `required-default` | 15 | 15 | fact of the schema; the 3 kinds of them were read |
| `undescribed-field`, `open-object` | 169, 31 | 200 | facts of the schema; a sample of 20 was read |
| `large-tool`, `large-server`, `large-enum`, `deep-nesting` | 25, 2, 1, 12 | 40 | counted |

The patterns of `instructing-text` were written with these attacks in view, so expect fewer of new ones to be found. The
two that are not found ask for a change of the arguments of another tool, in ordinary words.

"""
_WORDY = {
    "name": "a",
    "description": "A description. " * 4_000,
    "schema": {"type": "object", "properties": {}},
}
_SHORT = {**_WORDY, "name": "b", "description": "A description."}
EXAMPLES["large-server"] = {"bad": [_WORDY, {**_WORDY, "name": "b"}], "good": [_WORDY, _SHORT]}
LONG = 400
"""Characters of an example from which the page leaves it out."""


def findings(tools: list[dict[str, Any]]) -> list[Diagnostic]:
    """Return what is found about some tools, with the providers whose strict modes are known."""
    found = lint(read_value(tools).tools, LowerOptions(), providers=["openai"])
    return [*found.problems, *found.findings]


def section(code: str) -> str:
    """Return the section of one code."""
    entry = LINT_CODES[code]
    bad = EXAMPLES[code]["bad"]
    found = next(d for d in findings(bad) if d.code == code)
    text = json.dumps(bad[0] if len(bad) == 1 else bad)
    example = f"```json\n{text}\n```\n\n" if len(text) <= LONG and text.isprintable() else ""
    return (
        f"## {code}\n\n{entry.meaning} Level: {', '.join(entry.levels)}.\n\n{entry.fix}\n\n"
        f"{example}```\n{str(found).replace('<memory>', 'tools.json')}\n```\n"
    )


def page() -> str:
    """Return the text of the page."""
    return HEAD + "\n".join([section(code) for code in LINT_CODES])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
