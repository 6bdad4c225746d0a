"""Write docs/lint.md: every finding of `toolgen lint`, with an example that has it.

`python scripts/lint_reference.py` writes the page; `tests/generator/commands/lint/test_lint.py` compares it.
"""

from __future__ import annotations

import json
import re
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
HEAD = """# Lint findings

`toolgen lint [SPECS...]` finds problems in tool definitions that confuse models or that providers reject.

| option | effect |
| --- | --- |
| `--fail-on LEVEL` | exit with 1 if a finding has this level or a higher one; by default `warning` |
| `--provider NAME` | also check the rules of a provider (strict mode, names) or of a server directory (`openai-apps`) |
| `--ignore CODE` | do not report this code; in `[tool.toolgen]`: `ignore = ["CODE"]` |
| `--baseline FILE` | report only findings that the file does not have |
| `--sarif FILE` | write the findings for code hosts |

The exit code is 2 if a spec cannot be read. Findings are printed on standard output, even with `--quiet`.

To ignore a code in a part of a schema, add `"x-toolgen-ignore": ["CODE"]` to this part. At the root of a tool's
schema it applies to the whole tool. If an ignored code does not occur, that is a finding too.

The section [Adopt the linter](guides/tool-specs.md#adopt-the-linter-in-an-old-project) explains baselines.
[Evidence](evidence.md#lint-findings) says how many findings were right.

## Fixes

`toolgen lint --fix` changes the spec files, and then reports the remaining findings. `--diff` shows the changes without
writing them (exit code 1 if there are any). toolgen makes a fix only if the check
accepts the same arguments afterwards:

| code | fix |
| --- | --- |
| `hidden-characters` | removes the characters from titles and descriptions |
| `unreachable-branch` | removes a branch under `anyOf` that is written exactly like an earlier one |
| `unused-ignore` | removes the code from `x-toolgen-ignore` |

Only JSON in UTF-8 is fixed. YAML files do not change. The rest of a file does not change either.
"""
_WORDY = {
    "name": "a",
    "description": "A description. " * 4_000,
    "schema": {"type": "object", "properties": {}},
}
_SHORT = {**_WORDY, "name": "b", "description": "A description."}
EXAMPLES["large-server"] = {"bad": [_WORDY, {**_WORDY, "name": "b"}], "good": [_WORDY, _SHORT]}
MORE = {
    "open-object": """
How to close an object:

| the schema comes from | write |
| --- | --- |
| a pydantic model | `model_config = ConfigDict(extra="forbid")` |
| a dataclass or `TypedDict`, through pydantic | `@with_config(ConfigDict(extra="forbid"))` |
| FastMCP 4 | nothing: a tool's arguments are closed; nested models as above |
| `MCPServer` of mcp 2 | nested models as above; else [reject unknown keys](frameworks/mcp.md#mcpserver) |
| zod, with the TypeScript SDK | `inputSchema: z.strictObject({...})`, also for nested objects |
""",
}
"""What the page says more about a code."""
WIDEST = 84
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
    shown = f"```json\n{folded(text)}\n```\n"
    if len(text) > LONG or not text.isprintable():
        shown = f"```text\n{str(found).partition(': ')[2]}\n```\n"  # the message says more than its cause
    section = f"## {code}\n\n{entry.meaning} Level: {', '.join(entry.levels)}.\n\n{entry.fix}\n\n{shown}"
    return section + MORE.get(code, "")


def folded(text: str) -> str:
    """Return a JSON text in lines that fit the page, broken between members."""
    lines = [""]
    for part in re.split(r"(?<=,) (?=[\"{\[])|(?<=[:{\[]) ?(?=[{\[])", text):
        if len(lines[-1]) + len(part) >= WIDEST and lines[-1]:
            lines.append("  " + part)
        else:
            lines[-1] += (" " if lines[-1].endswith((",", ":")) else "") + part
    return "\n".join(lines)


def page() -> str:
    """Return the text of the page."""
    return HEAD + "\n".join([section(code) for code in LINT_CODES])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
