"""Size and sufficiency of hints on wrong payloads of real tools; see README.md."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import jsonschema
import pydantic
from fixer import fixed
from helpers.payloads import example, mutations
from helpers.support import SERVERS, require_data, servers
from models import plain_model

from toolgen import compile_tools
from toolgen_runtime import Registry

PER_TOOL = 12
MOST_MISTAKES = 8


def retry_text() -> Callable[[pydantic.ValidationError, str], str] | None:
    """Return the text of pydantic-ai (2.68) after a failed call; None if it is not installed."""
    try:
        from pydantic_ai.messages import ToolReturnPart
    except ImportError:
        return None

    def text(error: pydantic.ValidationError, tool: str) -> str:
        part = ToolReturnPart(tool_name=tool, content=_details(error), tool_call_id="1", outcome="retried")
        return str(part.model_response_str(wrap_if_error=False))

    return text


def _details(error: pydantic.ValidationError) -> list[dict[str, Any]]:
    """Return the errors as pydantic-ai sends them: without URL and context, and the whole input once."""
    errors = error.errors(include_url=False, include_context=False)
    details: list[dict[str, Any]] = [{**e} for e in errors]
    at_root = [e for e in details if len(e["loc"]) <= 1]
    for later in at_root[1:]:
        if later["input"] == at_root[0]["input"]:
            del later["input"]
    return details


def cases(limit: int, rnd: random.Random) -> Iterator[tuple[str, Any, Any, Any, list[tuple[int, Any]]]]:
    """Yield (name, tool, checker, intended payload, [(mistakes, invalid payload)]) of the real tools."""
    everything = [(stem, tool) for stem, tools in servers().items() for tool in tools]
    for stem, spec in rnd.sample(everything, min(limit, len(everything))):
        schema = spec["inputSchema"]
        checker = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)(schema)
        intended = example(schema, schema, full=True)
        if not checker.is_valid(intended) or not intended:
            continue
        toolset = compile_tools({"tools": [spec]}, formats="annotate")
        single = [m for m in mutations(intended) if isinstance(m, dict) and not checker.is_valid(m)]
        wrong = [(1, m) for m in rnd.sample(single, min(PER_TOOL, len(single)))]
        for count in range(2, MOST_MISTAKES + 1):
            many = with_mistakes(intended, count, rnd)
            if isinstance(many, dict) and not checker.is_valid(many):
                wrong.append((count, many))
        yield f"{stem}.{spec['name']}", toolset, checker, intended, wrong


def with_mistakes(intended: Any, count: int, rnd: random.Random) -> Any:
    """Return the payload with several random mistakes, made one after the other."""
    payload = intended
    for _ in range(count):
        changed = [m for m in mutations(payload) if isinstance(m, dict)]
        payload = rnd.choice(changed) if changed else payload
    return payload


def measure(limit: int) -> dict[str, Any]:
    """Return all figures: sizes in characters, numbers of payloads corrected."""
    rnd, others = random.Random(4), retry_text()
    sizes: dict[str, list[tuple[int, int]]] = {}
    hints: list[int] = []
    corrected: dict[str, list[bool]] = {"single mistakes, one round": [], "up to 8 mistakes, two rounds": []}
    for name, toolset, checker, intended, wrong in cases(limit, rnd):
        (tool_name,) = toolset
        registry = Registry()
        registry.register(toolset)
        model = plain_model(toolset[tool_name].schema)
        for mistakes, payload in wrong:
            hint = registry.hint(tool_name, toolset[tool_name].validate(payload), payload=payload)
            size = len(hint.render())
            hints.append(size)
            for label, text in texts(payload, tool_name, checker, model, others).items():
                sizes.setdefault(label, []).append((size, len(text)))
            better = fixed(payload, intended, hint)
            if mistakes == 1:
                corrected["single mistakes, one round"].append(checker.is_valid(better))
                if not checker.is_valid(better):
                    print(f"not corrected: {name}: {hint.render()!r}", file=sys.stderr)
            left = toolset[tool_name].validate(better)
            if left:
                second = registry.hint(tool_name, left, payload=better, previous=hint)
                better = fixed(better, intended, second)
            corrected["up to 8 mistakes, two rounds"].append(checker.is_valid(better))
    return {
        "payloads": len(hints),
        "median hint": statistics.median(hints),
        "sizes": {
            label: {
                "payloads": len(pairs),
                "median": statistics.median(other for _, other in pairs),
                "median hint": statistics.median(own for own, _ in pairs),
                "median ratio": round(statistics.median(own / other for own, other in pairs), 3),
                "longest": max(other for _, other in pairs),
            }
            for label, pairs in sizes.items()
        },
        "corrected": {label: {"corrected": sum(ok), "payloads": len(ok)} for label, ok in corrected.items()},
    }


def texts(payload: Any, tool: str, checker: Any, model: Any, others: Any) -> dict[str, str]:
    """Return the texts of other validators for a payload; a validator that accepts it has none."""
    found = {"jsonschema, all messages": "\n".join(e.message for e in checker.iter_errors(payload))}
    if model is not None:
        try:
            model.model_validate(payload)
        except pydantic.ValidationError as error:
            found["pydantic, str(error)"] = str(error)
            if others is not None:
                found["pydantic-ai, retry text"] = others(error, tool)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=int, default=100, help="real tools to take at random (fixed seed)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    require_data(SERVERS)
    figures = measure(options.tools)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"{figures['payloads']} wrong payloads; median hint {figures['median hint']} characters\n")
    print(
        "| text | payloads | median | median hint | median ratio | longest |\n| --- | --- | --- | --- | --- | --- |"
    )
    for label, row in figures["sizes"].items():
        print(f"| {label} | {' | '.join(str(v) for v in row.values())} |")
    if "pydantic-ai, retry text" not in figures["sizes"]:
        print("\npydantic-ai is not installed here: no column for it")
    print("\n| corrected | payloads | of |\n| --- | --- | --- |")
    for label, row in figures["corrected"].items():
        print(f"| {label} | {row['corrected']} | {row['payloads']} |")


if __name__ == "__main__":
    main()
