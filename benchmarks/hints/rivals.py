"""Wrong calls as models make them, and the results of this project and of repairing libraries; see README.md."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import jsonschema
from environments import BIN, Environments, Failure, NoAnswer, default_folder
from helpers.support import DATA, TEST_DATA, same_json, servers

from toolgen import compile_tools
from toolgen_runtime import MISSING, Registry, Tool, __version__, apply_edits, repair

HERE = Path(__file__).parent
MODELS = "datamodel-code-generator"
PYPI = {
    "json-repair": ("json-repair[schema]",),
    "partial-json-parser": ("partial-json-parser",),
    "pydantic": ("pydantic", MODELS),
    "instructor": ("instructor", MODELS),
}
"""Each library, and the packages in its environment."""
NPM = ("@typia/utils", "jsonrepair", "partial-json")
ROUNDS = 3
SECONDS = 300

Case = dict[str, Any]
Row = dict[str, Any]


def own_cases() -> list[Case]:
    """Return the project's cases: `spec`, `payload` or `text`, `want` (None if the intention is unknown)."""
    data = json.loads((TEST_DATA / "gallery.json").read_text("utf-8"))
    specs = {spec["name"]: spec for spec in data["tools"]}
    return [case | {"spec": specs[case["tool"]]} for case in data["cases"]]


def shared_cases() -> list[Case]:
    """Return the cases of the shared data, if it is there."""
    path = DATA / "mistakes.json"
    if not path.is_file():
        return []
    cases, known = json.loads(path.read_text("utf-8")), servers()
    for case in cases:
        if "spec" not in case:
            case["spec"] = next(t for t in known[case["server"]] if t["name"] == case["tool"])
    return list(cases)


def checker(case: Case) -> Any:
    """Return jsonschema's validator: the judge is not one of the compared libraries."""
    kind = jsonschema.Draft202012Validator
    return kind(case["spec"]["inputSchema"], format_checker=kind.FORMAT_CHECKER)


def is_wrong(case: Case) -> bool:
    """Whether the schema refuses the call."""
    return "text" in case or not checker(case).is_valid(case["payload"])


def task(case: Case) -> dict[str, Any]:
    """Return a probe's task: the schema, and the arguments as the text that a model wrote."""
    text = case["text"] if "text" in case else json.dumps(case["payload"], ensure_ascii=False)
    return {"schema": case["spec"]["inputSchema"], "text": text}


def own_row(name: str, cases: list[Case], fix: Callable[[Tool[Any], Registry, Any], Any]) -> Row:
    """Return a row of this project: a function's result for each call, and the hint if that is not valid."""
    outcomes = []
    for case in cases:
        tools = compile_tools({"tools": [case["spec"]]})
        registry, (tool,) = Registry(), tools.values()
        registry.register(tools)
        sent = case.get("text", case.get("payload"))
        value = fix(tool, registry, sent)
        if issues(tool, value):
            hint = registry.hint(tool.name, issues(tool, sent), payload=sent)
            outcomes.append({"error": hint.render()})
        else:
            outcomes.append({"value": value})
    return {"name": name, "version": __version__, "outcomes": outcomes}


def issues(tool: Tool[Any], sent: Any) -> Any:
    """Return the issues of arguments; a text has not been parsed."""
    return tool.validate_json(sent) if isinstance(sent, str) else tool.validate(sent)


def with_edits(tool: Tool[Any], registry: Registry, sent: Any) -> Any:
    """Return the arguments after all edits of the hints, including those that are only suggested."""
    for _ in range(ROUNDS):
        found = issues(tool, sent)
        if not found:
            break
        sent = apply_edits(sent, registry.hint(tool.name, found, payload=sent).edits)
    return sent


def rival_rows(tasks: list[dict[str, Any]], folder: Path) -> list[Row]:
    """Run each library in a separate environment; report why a library cannot be run."""
    environments = Environments(folder)
    rows: list[Row] = []
    for library, command in (*dict.fromkeys(PYPI, _python).items(), *dict.fromkeys(NPM, _node).items()):
        try:
            rows += _asked(command(environments, library), tasks)
        except (NoAnswer, Failure) as reason:
            print(f"left out: {library}: {reason}", file=sys.stderr)
    return rows


def _python(environments: Environments, library: str) -> list[str]:
    environments.install_installer()
    folder = environments.python(f"pypi/{library}", PYPI[library])
    return [str(folder / BIN / "python"), str(HERE / "probe_python.py"), library]


def _node(environments: Environments, library: str) -> list[str]:
    node = shutil.which("node")
    if node is None:
        raise Failure("node is not installed")
    package = {"private": True, "dependencies": {library: "*"}}
    folder = environments.node(f"npm/{library}", json.dumps(package))
    return [node, str(HERE / "probe_node.mjs"), library, str(folder)]


def _asked(command: list[str], tasks: list[dict[str, Any]]) -> list[Row]:
    done = subprocess.run(
        command, input=json.dumps(tasks), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        raise Failure(done.stderr[-2000:])
    return list(json.loads(done.stdout))


def figures(row: Row, cases: list[Case]) -> dict[str, Any]:
    """Return how many calls became the intended one or another valid one, and the sizes of the texts for the others."""
    reached = other = 0
    shown: list[int] = []
    for case, outcome in zip(cases, row["outcomes"], strict=True):
        if "value" in outcome and checker(case).is_valid(outcome["value"]):
            is_meant = case["want"] is not None and is_intended(outcome["value"], case)
            reached, other = reached + is_meant, other + (not is_meant)
        elif outcome.get("error"):
            shown.append(len(outcome["error"]))
    return {
        "library": f"{row['name']} ({row['version']})",
        "intended": reached,
        "other": other,
        "texts": len(shown),
        "median": statistics.median(shown) if shown else None,
        "longest": max(shown, default=None),
    }


def is_intended(value: Any, case: Case) -> bool:
    """Whether a call is the intended one; values that a library fills in from the schema's defaults do not count."""
    want, properties = case["want"], case["spec"]["inputSchema"].get("properties", {})
    if isinstance(value, dict) and isinstance(want, dict):
        value = {
            name: inner
            for name, inner in value.items()
            if name in want or not same_json(inner, properties.get(name, {}).get("default", MISSING))
        }
    return same_json(value, want)


def measure(cases: list[Case], folder: Path) -> dict[str, Any]:
    """Return the figures of all rows for the wrong calls."""
    wrong = [case for case in cases if is_wrong(case)]
    rows = [
        own_row("toolgen, repair", wrong, lambda tool, _, sent: repair(tool, sent).payload),
        own_row("toolgen, all edits of the hint", wrong, with_edits),
        *rival_rows([task(case) for case in wrong], folder),
    ]
    known = sum(case["want"] is not None for case in wrong)
    return {"calls": len(wrong), "intention known": known, "rows": [figures(row, wrong) for row in rows]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--folder", type=Path, help="where to make the environments (the user's cache)")
    options = parser.parse_args()
    folder = (options.folder or default_folder("rivals")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sets = {"the project's cases": own_cases(), "calls seen in the wild": shared_cases()}
    found = {name: measure(cases, folder) for name, cases in sets.items() if cases}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, table in found.items():
        print(f"\n{name}: {table['calls']} wrong calls, {table['intention known']} with a known intention\n")
        print("| library | intended call | other valid calls | texts | median | longest |")
        print("| --- | --- | --- | --- | --- | --- |")
        for row in table["rows"]:
            print(f"| {' | '.join('' if cell is None else str(cell) for cell in row.values())} |")


if __name__ == "__main__":
    main()
