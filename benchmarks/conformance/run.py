"""The conformance matrix: each library in a separate environment, on the same cases; writes README.md.

    python benchmarks/conformance/run.py [--envs DIR] [--output FILE] [LIBRARY ...]

The environments are made with `venv` and `pip` (kept in DIR, or deleted afterwards); everything else happens on
127.0.0.1 against `toolgen_transcripts.testing.FakeBedrock`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RUNTIME = ROOT / "runtime"
sys.path[:0] = [str(HERE), str(RUNTIME)]

from api_cases import REQUESTS  # noqa: E402
from api_verdicts import request_cell  # noqa: E402
from cases import HISTORIES, STREAMS  # noqa: E402
from verdicts import history_cell, stream_cell  # noqa: E402


@dataclass(frozen=True)
class Library:
    """A column: the packages that pip installs for it (LiteLLM imports mcp at its first completion), and its probe."""

    title: str
    probe: str
    requirements: tuple[str, ...]


LANGCHAIN = ("langchain-openai", "langchain-deepseek", "langchain-anthropic", "langchain-google-genai")
LIBRARIES = {
    "toolgen": Library("toolgen", "probe_toolgen.py", (str(ROOT / "runtime"), str(ROOT), "boto3")),
    "litellm": Library("LiteLLM", "probe_litellm.py", ("litellm", "mcp", "boto3")),
    "langchain-aws": Library("LangChain", "probe_langchain_aws.py", ("langchain-aws", *LANGCHAIN)),
    "strands": Library("Strands", "probe_strands.py", ("strands-agents[openai,anthropic,gemini]",)),
    "pydantic-ai": Library(
        "pydantic-ai", "probe_pydantic_ai.py", ("pydantic-ai-slim[bedrock,openai,anthropic,google]",)
    ),
}

APIS = {
    "openai": "OpenAI Chat Completions, and servers that speak it",
    "openai_responses": "OpenAI Responses",
    "anthropic": "Anthropic Messages",
    "gemini": "Gemini",
}

INTRODUCTION = """# Conformance: how libraries handle unusual histories and streams

`python benchmarks/conformance/run.py` wrote this page on {date}, with
{versions}.

Each library runs in a separate environment with its default settings. It sends its requests to
`toolgen_transcripts.testing.FakeBedrock`; all libraries but LiteLLM use the real boto3 for this. Strands and
pydantic-ai run as agents. LiteLLM and langchain-aws have no agent. For them a small program runs the calls that they
return, and parses arguments with `json.loads` if they are a string. The [rules](../../docs/providers/rules.md) of
Bedrock come from public issue threads; no AWS account was used. The model is a Claude model.

`✓` means correct, `○` that the caller must handle the problem and can detect it, and `✗` wrong.

## Histories that are sent

A cell shows whether the request was accepted. `rule N` is the rule that it broke. `n/a` means that the library cannot
express such a history. Histories with thinking are sent to a model with thinking. Histories from OpenAI are items of
its Responses API.

{histories}

## Requests to the other APIs

Here the same histories are sent to the other APIs. Each library uses its own model classes (LangChain those of
langchain-openai, langchain-deepseek, langchain-anthropic and langchain-google-genai) and the provider's SDK. An
endpoint on 127.0.0.1 records the requests. toolgen makes its requests with `encode_request`, from a history in the
API's own format. `rule N` is the [rule](../../docs/providers/rules.md) that the request breaks, as found by toolgen's
`check`; its message is that of a server that refused such a request. `as text` means that calls and results are sent
as text. `○` means that the library reports the problem, or raises an exception, before it sends the request.

{requests}

## Streams that are received

A cell shows which calls run after the stream, with their arguments. The reason that the library reports is in
parentheses. It is correct not to run a call if the message was cut off, if the call cannot be answered, or if its
arguments are not a JSON object. Python's `json.loads` accepts NaN, which is not valid JSON.

{streams}
"""


def environment(library: str, envs: Path) -> Path:
    """Return the Python of a library's virtual environment; create it if it does not exist."""
    folder = envs / library
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *LIBRARIES[library].requirements], check=True)
    return python


def observe(library: str, envs: Path) -> dict[str, Any]:
    """Return the observations of a library's probe, by case."""
    python = environment(library, envs)
    probe = str(HERE / LIBRARIES[library].probe)
    settings = {**os.environ, "PYTHONPATH": str(RUNTIME), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([str(python), probe], capture_output=True, env=settings, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{library}: its probe failed:\n{done.stderr[-2000:]}")
    seen: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
    return seen


def table(rows: list[list[str]]) -> str:
    """Return a Markdown table; the first row is the header."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _versions(library: str, seen: dict[str, Any]) -> str:
    own = LIBRARIES[library].requirements[0].partition("[")[0] if library != "toolgen" else "toolgen"
    also = [f"{name} {version}" for name, version in seen["also"].items()]
    return ", ".join([f"{own} {seen['version']}", *also])


def render(seen: dict[str, dict[str, Any]]) -> str:
    """Return the text of README.md."""
    head = ["case", *(LIBRARIES[library].title for library in seen)]
    histories = [
        [case.title, *(history_cell(case, each["histories"][case.key]) for each in seen.values())]
        for case in HISTORIES
    ]
    streams = [
        [case.title, *(stream_cell(case, each["streams"][case.key]) for each in seen.values())]
        for case in STREAMS
    ]
    requests = {
        api: [
            [case.title, *(request_cell(case, each["requests"][case.key]) for each in seen.values())]
            for case in REQUESTS
            if case.api == api
        ]
        for api in APIS
    }
    versions = ", ".join(
        f"{LIBRARIES[library].title} ({_versions(library, each)})" for library, each in seen.items()
    )
    versions += f"; boto3 {', '.join(sorted({each['boto3'] for each in seen.values()}))}"
    date = datetime.now(UTC).date().isoformat()
    return INTRODUCTION.format(
        date=date,
        versions=versions,
        histories=table([head, *histories]),
        streams=table([head, *streams]),
        requests="\n\n".join(f"### {APIS[api]}\n\n{table([head, *rows])}" for api, rows in requests.items()),
    )


def main() -> int:
    """Run the probes and write the matrix."""
    parser = argparse.ArgumentParser(description="Write the conformance matrix.")
    parser.add_argument("libraries", nargs="*", help=f"of {', '.join(LIBRARIES)}; all if none is named")
    parser.add_argument("--envs", type=Path, help="where to keep the environments")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("README.md"))
    options = parser.parse_args()
    unknown = set(options.libraries) - LIBRARIES.keys()
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    chosen = [library for library in LIBRARIES if not options.libraries or library in options.libraries]
    with tempfile.TemporaryDirectory() as temporary:
        envs = options.envs or Path(temporary)
        seen = {}
        for library in chosen:
            print(f"{library} ...", flush=True)
            seen[library] = observe(library, envs)
    options.output.write_text(render(seen), encoding="utf-8")
    print(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
