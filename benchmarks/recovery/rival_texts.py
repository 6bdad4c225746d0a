"""The texts of other libraries for the wrong calls, made by the libraries themselves.

    python benchmarks/recovery/rival_texts.py      run each library in its own environment, and store its texts

`rivals.json` holds the versions and the texts. A library that ran the tool, or that ends the run, has no text.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from environments import BIN, Environments, default_folder
from wrong_calls import CASES, Call

HERE = Path(__file__).parent
STORED = HERE / "rivals.json"
PROBES = HERE.parent / "hints" / "frameworks"
MODELS = ("datamodel-code-generator", "email-validator")
"""What every probe needs to write the tools as Python."""
SECONDS = 600

RIVALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pydantic": ("probe_pydantic.py", ("pydantic",)),
    "jsonschema": ("probe_jsonschema.py", ("jsonschema",)),
    "pydantic-ai": ("probe_pydantic_ai.py", ("pydantic-ai-slim",)),
    "FastMCP": ("probe_fastmcp.py", ("fastmcp",)),
    "MCP SDK": ("probe_mcp.py", ("mcp>=2",)),
    "MCP SDK 1": ("probe_mcp_low_level.py", ("mcp<2",)),
    "LangChain": ("probe_langchain.py", ("langchain",)),
    "OpenAI Agents": ("probe_openai_agents.py", ("openai-agents",)),
}
"""The libraries: the probe, and the packages that it needs."""


def stored_texts(path: Path = STORED) -> dict[str, dict[str, str]]:
    """Return the stored texts by library and case."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text("utf-8"))
    return {name: dict(found["texts"]) for name, found in data["rivals"].items()}


def run(rival: str, folder: Path, calls: list[tuple[list[str], Call]]) -> dict[str, Any]:
    """Return a library's version and its outcome for each call: `told`, `ran` or neither.

    Each call comes with the names of the tools that are there.
    """
    probe, packages = RIVALS[rival]
    environments = Environments(folder)
    environments.install_installer()
    made = environments.python(f"envs/{rival.replace(' ', '-')}", [*packages, *MODELS])
    data = {
        "tools": json.loads(CASES.read_text("utf-8"))["tools"],
        "cases": [
            {
                "tools": names,
                "tool": call.name,
                "text" if isinstance(call.arguments, str) else "payload": call.arguments,
            }
            for names, call in calls
        ],
    }
    done = subprocess.run(
        [str(made / BIN / "python"), str(PROBES / probe)],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=environments.environ,
    )
    if done.returncode:
        raise RuntimeError(f"{probe}: {done.stderr[-2000:]}")
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="where to make the environments (the user's cache)")
    options = parser.parse_args()
    folder = (options.folder or default_folder("recovery")).resolve()
    cases = json.loads(CASES.read_text("utf-8"))["cases"]
    calls = [(case["tools"], Call(**case["wrong"])) for case in cases]
    rivals = {}
    for name in RIVALS:
        found = run(name, folder, calls)
        outcomes = dict(zip((case["id"] for case in cases), found["outcomes"], strict=True))
        told = {case: outcome["told"] for case, outcome in outcomes.items() if "told" in outcome}
        ran = sum("ran" in outcome for outcome in outcomes.values())
        rivals[name] = {"version": found["version"], "ran": ran, "texts": told}
        print(f"{name} {found['version']}: {len(told)} texts, {ran} calls ran", file=sys.stderr)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    STORED.write_text(
        json.dumps({"date": date, "rivals": rivals}, ensure_ascii=False, indent=1) + "\n", "utf-8"
    )


if __name__ == "__main__":
    main()
