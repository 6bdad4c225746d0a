"""Write docs/lint.md: every finding of `toolgen lint`, with an example that has it.

`python scripts/lint_reference.py` writes the page; `tests/generator/commands/lint/test_lint.py` compares it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolgen.commands.lint.run import lint
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.lint_codes import LINT_CODES
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.specs.load import read_value

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "lint.md"
EXAMPLES: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(
    (ROOT / "tests" / "data" / "lint_examples.json").read_text("utf-8")
)
HEAD = """# Findings of toolgen lint

`scripts/lint_reference.py` generates this page from the program; a test compares the two.

`toolgen lint [SPECS...]` reports problems that valid tools can cause for models and providers. It exits with 1 if a
finding has the level of `--fail-on` (default: `warning`) or a higher one, and with 2 if a spec cannot be read.
`--provider` also checks the tools for a provider's strict mode, or for what a directory of servers requires
(`openai-apps`, `claude-directory`; as published on 2026-11-28). `--sarif FILE` writes the findings for code hosts.
Findings are printed on standard output, even with `--quiet`. The last line says how many there are.

To ignore a code for all tools, use `--ignore CODE`, or `ignore = ["CODE"]` in `[tool.toolgen]`. To ignore it in a part
of a schema, add `"x-toolgen-ignore": ["CODE"]` to this part. At the root of a tool's schema it applies to the whole
tool. If an ignored code does not occur, this is reported as a finding.

## Fixes

`toolgen lint --fix` changes the spec files and then reports the remaining findings. `--diff` shows the changes without
writing them (exit code 1 if there are any). toolgen makes a fix only if it is certain, and if toolgen can prove that
the check accepts the same payloads afterwards:

| code | fix |
| --- | --- |
| `hidden-characters` | removes the characters from titles and descriptions |
| `unreachable-branch` | removes a branch under `anyOf` that is written exactly like an earlier one |
| `unused-ignore` | removes the code from `x-toolgen-ignore` |

The rest of the file is not changed, and the file is replaced in one step. Only JSON in UTF-8 is fixed; YAML files are
not changed. You must decide yourself whether to close an object, which default is right, and which format is meant.

## How accurate the findings are

We read the findings of the 539 tools of 20 servers for which the rules were written, and of 486 tools of 31 other
servers from npm and PyPI, which had not been seen before. A rule is a warning only if at least nine of
ten findings are right. Of a rule with more than 30 findings, 30 drawn by chance were read. Rules that are not in
the table had no finding.

| code | level | findings | read | right | remarks |
| --- | --- | --- | --- | --- | --- |
| `hidden-characters` | warning | 1 | 1 | 1 | a zero width space within a sentence |
| `unreachable-branch` | warning | 2 | 2 | 2 | two equal branches |
| `instructing-text` | warning | 0 | | | see below |
| `missing-enum` | note | 4 | 4 | 4 | each description lists all allowed values |
| `untagged-union` | note | 2 | 2 | 2 | no field that tells the branches apart, or it is optional |
| `null-default` | note | 183 places, 3 findings | 3 | 3 | the compiled check refuses each default |
| `required-default` | note | 16 | 16 | 16 | |
| `undescribed-field` | note | 128 | 30 | 28 | two: allowed values, and branches with descriptions, say enough |
| `open-object` | note | 32 | 32 | 32 | once for each file, with the number of tools |
| `large-tool`, `large-server`, `large-enum`, `deep-nesting` | note | 25, 2, 1, 7 | | | counted by a program |

Before the new tools were read, `instructing-text` had one finding among them, which was wrong (a tag `<instructions>`
around a manual), and five of 88 findings of `undescribed-field` that were read were of no use (the tool's own
description has the field, or a list has items with descriptions). Both rules leave these out now.

In November 2026, 563 tools of 23 more servers from npm and PyPI were read. Of 91 findings, 86 were right: every
one but five of 75 of `undescribed-field`, whose tools explain the field by an example (`action='get_prompt'`) or by a
sentence (`item_keys must be ...`); the rule leaves these out now. `missing-enum` had no finding there; three false ones
of another reading (lists in one string) are left out now. `missing-annotations` is counted by a program.
`contradictory-annotations` had no finding in 1,102 tools, so its verbs are few.

19 published attacks by tool descriptions (by Invariant Labs and Trail of Bits, of two servers that are vulnerable on
purpose, and of tests of scanners) were tried as well: 16 were found, and with the patterns that were added then,
all 19. New attacks in other words will be found less often, so do not
rely on this rule alone.

"""
_WORDY = {
    "name": "a",
    "description": "A description. " * 4_000,
    "schema": {"type": "object", "properties": {}},
}
_SHORT = {**_WORDY, "name": "b", "description": "A description."}
EXAMPLES["large-server"] = {"bad": [_WORDY, {**_WORDY, "name": "b"}], "good": [_WORDY, _SHORT]}
LONG = 400
"""The number of characters of an example above which the page leaves it out."""


def findings(tools: list[dict[str, Any]]) -> list[Diagnostic]:
    """Return the findings about some tools, for a provider and a directory."""
    found = lint(read_value(tools).tools, LowerOptions(), providers=["openai", "claude-directory"])
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
