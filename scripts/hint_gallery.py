"""Write docs/gallery.md: wrong calls, and the messages of agent frameworks and of toolgen for the model.

    python scripts/hint_gallery.py          write the page with the stored messages of the frameworks
    python scripts/hint_gallery.py --run    first run the frameworks, each in a separate environment, and store them

The cases are in tests/data/gallery.json, the stored texts and the versions in tests/data/gallery_texts.json.
`tests/runtime/hints/test_gallery.py` compares the page with toolgen's current hints.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from environments import BIN, Environments, Failure, NoAnswer, default_folder

from toolgen import compile_tools
from toolgen_runtime import Registry

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "gallery.md"
CASES = ROOT / "tests" / "data" / "gallery.json"
TEXTS = ROOT / "tests" / "data" / "gallery_texts.json"
PROBES = ROOT / "benchmarks" / "hints" / "frameworks"

FRAMEWORKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pydantic": ("probe_pydantic.py", ("pydantic",)),
    "pydantic-ai": ("probe_pydantic_ai.py", ("pydantic-ai-slim",)),
    "FastMCP": ("probe_fastmcp.py", ("fastmcp",)),
    "LangChain": ("probe_langchain.py", ("langchain",)),
    "MCP SDK": ("probe_mcp.py", ("mcp>=2",)),
}
"""The frameworks by their name on the page: the probe, and the packages that it needs."""
MODELS = "datamodel-code-generator"
SECONDS = 300
MOST_LINES, MOST_CHARACTERS = 12, 1000

HEAD = """# Gallery of hints

This page shows wrong calls of the kinds that models make, and the hint that toolgen gives the model for each. Unfold
the line below a hint to see the messages of pydantic and four frameworks. If the hint was different on {before}, before
a table decided which edits a hint may order, the earlier hint follows as "before". A number in parentheses is the
length of the text in characters. `scripts/hint_gallery.py` generates the page from `tests/data/gallery.json`; a test
compares the hints with the current program.

The frameworks ran in separate environments, last on {date}: {versions}.
All of them have the same tools, written in Python. For FastMCP and the MCP SDK the tools are functions with plain
pydantic types. For pydantic, pydantic-ai and LangChain they are models that datamodel-code-generator made from the
schemas. "Runs with" means that the tool ran, with these arguments; arguments that are None are left out. FastMCP,
LangChain and the MCP SDK get arguments that are already parsed, so they have no message about arguments that are not
JSON. Long messages are shortened on this page, but their lengths are those of the whole messages.
"""


def cases() -> dict[str, Any]:
    """Return the tools and the calls of the gallery."""
    return dict(json.loads(CASES.read_text("utf-8")))


def hints(data: dict[str, Any]) -> list[str]:
    """Return toolgen's current hint for each call."""
    tools = compile_tools({"tools": data["tools"]})
    registry = Registry()
    registry.register(tools)
    texts = []
    for case in data["cases"]:
        tool, sent = tools[case["tool"]], case.get("payload", case.get("text"))
        issues = tool.validate_json(sent) if "text" in case else tool.validate(sent)
        texts.append(registry.hint(tool.name, issues, payload=sent).render())
    return texts


def page(data: dict[str, Any], stored: dict[str, Any]) -> str:
    """Return the text of the page."""
    own, before, others = hints(data), stored["before"]["texts"], stored["frameworks"]
    head = HEAD.format(
        before=stored["before"]["date"],
        date=stored["date"],
        versions=", ".join(f"{name} {found['version']}" for name, found in others.items()),
    )
    sections = [
        section(
            case,
            own[index],
            before[index],
            {name: found["outcomes"][index] for name, found in others.items()},
        )
        for index, case in enumerate(data["cases"])
    ]
    tools = "\n".join(f"- `{tool['name']}({signature(tool['inputSchema'])})`" for tool in data["tools"])
    return "\n".join([head, sizes(own, before, others), f"## The tools\n\n{tools}\n", *sections])


def sizes(own: list[str], before: list[str], others: dict[str, Any]) -> str:
    """Return the table of sizes: the messages in characters, and the number of calls that ran nevertheless."""
    rows = [("toolgen", list(map(len, own)), 0), ("toolgen, before", list(map(len, before)), 0)]
    for name, found in others.items():
        told = [len(outcome["told"]) for outcome in found["outcomes"] if "told" in outcome]
        rows.append((f"{name} {found['version']}", told, sum("ran" in o for o in found["outcomes"])))
    lines = [
        f"| {name} | {len(told)} | {statistics.median(told):.0f} | {max(told):,} | {ran} |"
        for name, told, ran in rows
    ]
    head = [
        "| | calls with a message | median length | longest | calls that ran |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join(["## Sizes\n", *head, *lines, ""])


def section(case: dict[str, Any], own: str, before: str, others: dict[str, dict[str, Any]]) -> str:
    """Return the section of one call."""
    kind, told = case["kind"], {name: o["told"] for name, o in others.items() if "told" in o}
    parts = [
        f"## {kind[:1].upper()}{kind[1:]}\n",
        f"The model calls `{case['tool']}` with\n",
        block(sent(case), ""),
    ]
    parts += [f"toolgen ({len(own)}):\n", block(own)]
    if before != own:
        parts += [f"before ({len(before)}):\n", block(before)]
    ran: dict[str, list[str]] = {}
    for name, outcome in others.items():
        if "ran" in outcome:
            ran.setdefault(compact(outcome["ran"]), []).append(name)
    meant = "" if case["want"] is None else compact(case["want"])
    parts += [
        f"{', '.join(names)}: runs with `{arguments}`{', as intended' if arguments == meant else ''}\n"
        for arguments, names in ran.items()
    ]
    if told:
        sizes = ", ".join(f"{name} ({len(text):,})" for name, text in told.items())
        parts.append(f"<details><summary>{sizes}</summary>\n")
        parts += [f"{name}:\n\n{block(shortened(text))}" for name, text in told.items()]
        parts.append("</details>\n")
    return "\n".join(parts)


def sent(case: dict[str, Any]) -> str:
    """Return the arguments as the model wrote them."""
    return str(case["text"]) if "text" in case else compact(case["payload"])


def compact(value: Any) -> str:
    """Return a value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False)


def shortened(text: str) -> str:
    """Return the first lines of a text, and the number of the characters that were left out."""
    start = "\n".join(text.splitlines()[:MOST_LINES])[:MOST_CHARACTERS]
    left = len(text) - len(start)
    return f"{start}\n… {left:,} more characters" if left else text


def block(text: str, language: str = "text") -> str:
    """Return a fenced block; the fence is longer than the fences in the text."""
    fence = "````" if "```" in text else "```"
    return f"{fence}{language}\n{text}\n{fence}\n"


def signature(schema: dict[str, Any]) -> str:
    """Return the properties of a schema in a few words; optional ones have a question mark."""
    required = schema.get("required", ())
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {type_of(inner)}"
        for name, inner in schema["properties"].items()
    )


def type_of(schema: dict[str, Any]) -> str:
    """Return a schema's type in a few words."""
    if "anyOf" in schema:
        return " | ".join(map(type_of, schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return " | ".join(map(compact, schema.get("enum", [schema.get("const")])))
    if schema["type"] == "array":
        return f"[{type_of(schema['items'])}]"
    return f"{{{signature(schema)}}}" if schema["type"] == "object" else str(schema["type"])


def run_frameworks(folder: Path) -> dict[str, Any]:
    """Run every framework on the cases; return the texts to store.

    Raises:
        NoAnswer: a registry does not answer.
        Failure: an environment cannot be made, or a probe fails.
    """
    environments = Environments(folder)
    environments.install_installer()
    found = {}
    for name, (probe, packages) in FRAMEWORKS.items():
        made = environments.python(f"envs/{name.replace(' ', '-')}", [*packages, MODELS])
        done = subprocess.run(
            [str(made / BIN / "python"), str(PROBES / probe)],
            input=CASES.read_text("utf-8"),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env=environments.environ,
        )
        if done.returncode:
            raise Failure(f"{probe}: {done.stderr[-2000:]}")
        found[name] = json.loads(done.stdout)
    return {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "frameworks": found}


def main() -> int:
    """Write the page; first run the frameworks if that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", action="store_true", help="run the frameworks and store what they say")
    parser.add_argument("--folder", type=Path, help="where to make the environments (the user's cache)")
    options = parser.parse_args()
    if options.run:
        folder = (options.folder or default_folder("gallery")).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            stored = run_frameworks(folder)
        except (NoAnswer, Failure) as reason:
            print(f"nothing is stored: {reason}", file=sys.stderr)
            return 1
        stored["before"] = json.loads(TEXTS.read_text("utf-8"))["before"]
        TEXTS.write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")
    PAGE.write_text(page(cases(), json.loads(TEXTS.read_text("utf-8"))), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
