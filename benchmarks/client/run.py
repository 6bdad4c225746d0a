"""The share of wrong calls that type checkers report in a typed client, and the number of tokens of stubs.

    pip install -e ./runtime -e '.[dev]' bpe-openai
    python benchmarks/client/run.py

Needs tool lists of real servers (`TOOLGEN_SHARED`, see CONTRIBUTING.md). Every tool gets valid calls and mutated
ones, written as Python; pyright and mypy check them against the generated clients, and the tools' own checks judge
the same payloads. `bpe-openai` has the o200k table; without it, tokens are not counted.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from helpers.payloads import example, mutations
from helpers.support import SERVERS, require_data
from helpers.type_checkers import CHECKERS, errors

from toolgen import compile_tools
from toolgen.commands.export.stubs import stubs
from toolgen.compiler.python.identifiers import module_names
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.signatures.client_files import RESERVED
from toolgen.compiler.signatures.signature import is_parameter_name, names_of
from toolgen.compiler.specs.load import read_value
from toolgen.package.build import BuildOptions, build
from toolgen.package.output import write
from toolgen_runtime import Conversation

INVALID, VALID = 3_000, 400
MAX_ERROR_CHARS = 300
"""The client's own default of `max_chars`."""


def calls(specs: Any) -> list[tuple[str, Any, bool]]:
    """Return calls of some tools: the method, the arguments, and whether the tool's check accepts them."""
    toolset = compile_tools([{"name": s.name, "schema": s.schema} for s in specs])
    names = names_of(module_names((spec.name for spec in specs), client=True), RESERVED)
    found = []
    for spec in specs:
        schema = toolset[spec.name].schema
        for full in (False, True):
            payload = example(schema, schema, full)
            if not isinstance(payload, dict) or toolset[spec.name].validate(payload):
                continue
            found.append((names[spec.name], payload, True))
            for wrong in mutations(payload):
                if isinstance(wrong, dict) and toolset[spec.name].validate(wrong):
                    found.append((names[spec.name], wrong, False))
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, every = Path(name), []
        for file in sorted(SERVERS.glob("*.json")):
            specs, package = (
                read_value(json.loads(file.read_text("utf-8"))).tools,
                f"{file.stem.replace('-', '_')}_tools",
            )
            files = build({None: specs}, BuildOptions(client=True)).files
            write.write(write.plan(files, folder / package))
            every += [(package, *call) for call in calls(specs)]
        random.Random(1).shuffle(every)
        chosen = [call for call in every if not call[3]][:INVALID] + [call for call in every if call[3]][
            :VALID
        ]
        text = [
            f"from {package}.client import Client as {package}" for package in sorted({c[0] for c in chosen})
        ]
        expected: dict[int, bool] = {}
        for package, method, arguments, is_valid in chosen:
            text.append(f"{package}(call=print).sync.{method}({written(arguments)})")
            expected[len(text)] = is_valid
        (folder / "calls.py").write_text("\n".join(text) + "\n", "utf-8")
        for checker in CHECKERS:
            refused = {line for _, line in errors(checker, [folder / "calls.py"], folder / "cache")}
            counts = Counter((is_valid, line in refused) for line, is_valid in expected.items())
            caught, missed = counts[False, True], counts[False, False]
            print(f"{checker}: {caught} of {caught + missed} invalid calls refused,", end=" ")
            print(f"{counts[True, True]} of {counts[True, True] + counts[True, False]} valid ones")
        error_texts([(json.loads(file.read_text("utf-8"))) for file in sorted(SERVERS.glob("*.json"))])
    tokens()


def error_texts(servers: Any) -> None:
    """Print the lengths of the errors of wrong calls, each with one mutation."""
    lengths = []
    for server in servers:
        specs = read_value(server).tools
        methods = names_of(module_names((spec.name for spec in specs), client=True), RESERVED)
        tools = {methods[spec.name]: spec.name for spec in specs}
        toolset = compile_tools([{"name": spec.name, "schema": spec.schema} for spec in specs])
        for method, payload, is_valid in calls(specs):
            if not is_valid:
                output = Conversation(toolset, max_chars=MAX_ERROR_CHARS).check(tools[method], payload)
                lengths.append(len(output.text()))
    above = sum(length > MAX_ERROR_CHARS for length in lengths)
    print(
        f"errors of {len(lengths):,} wrong calls: at most {max(lengths)} characters, {above} above {MAX_ERROR_CHARS}"
    )


def written(arguments: dict[str, Any]) -> str:
    """Return arguments as they are written in a call."""
    named = [f"{key}={value!r}" for key, value in arguments.items() if is_parameter_name(key)]
    others = {key: value for key, value in arguments.items() if not is_parameter_name(key)}
    return ", ".join([*named, *([f"**{others!r}"] if others else [])])


def tokens() -> None:
    """Print the tokens of stubs next to those of the schemas."""
    try:
        from bpe_openai import get_encoding
    except ImportError:
        print("no tokens: pip install bpe-openai")
        return
    encoding = get_encoding("o200k_base")
    total = Counter[str]()
    for file in sorted(SERVERS.glob("*.json")):
        specs = read_value(json.loads(file.read_text("utf-8"))).tools
        for language in ("python-stubs", "typescript-stubs"):
            total[language] += len(encoding.encode(stubs(specs, language, LowerOptions())))
        for spec in specs:
            said = {"name": spec.name, "description": spec.description, "inputSchema": spec.schema}
            said |= {} if spec.output_schema is None else {"outputSchema": spec.output_schema}
            total["schemas"] += len(
                encoding.encode(json.dumps(said, separators=(",", ":"), ensure_ascii=False))
            )
    for language, count in total.items():
        print(f"{language}: {count:,} tokens, {count / total['schemas']:.3f}")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    require_data(SERVERS)
    main()
