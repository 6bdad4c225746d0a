"""The calls that rules of `toolgen audit --propose` save: learned from half of some calls, tried on the other half.

    python benchmarks/audit/rules.py --data DATA

DATA has `wrong-calls.json` (calls of many models with reference answers), `mistakes.json` (wrong calls, each with
the intended one) and `mcp-specs` (real tools). Each wrong call becomes a conversation in which the right call follows.
The calls of a mistake are varied: other texts, so that rules cannot learn values. On real tools the mistakes are made
here: a field under another name, an invented key, or a missing required field (for every second tool its value is
always the same; for the others it is different in every eighth call). In one of eight retries the model changes
its mind. Three valid calls follow each retry. A call is saved if it is valid with the rules, was not with `repair`
alone, and is the intended one; its meaning is changed if it is valid but not the intended one.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from toolgen import compile_tools
from toolgen.commands.audit import AuditTools
from toolgen.commands.audit.proposals import proposals_of
from toolgen.commands.docs.example import example_of
from toolgen.compiler.specs.load import load
from toolgen.compiler.tool_graph import graph_of
from toolgen_runtime import Conversation, repair

VARIANTS = 16
OTHER_NAMES = ("value_of_{}", "{}_text", "the_{}", "new_{}")


class Wrong(NamedTuple):
    """A wrong call, the intended call, and the call that followed."""

    tool: str
    sent: Any
    meant: list[Any]
    retry: Any
    later: list[Any]
    """Valid calls of the tool after it."""
    model: str = ""


def answers(case: dict[str, Any]) -> list[Any]:
    """Return payloads that a reference answer allows, those most like the wrong call first."""
    fields = next(iter(case["answer"].values()))
    made: list[dict[str, Any]] = [{}]
    for name, allowed in fields.items():
        own = case["args"].get(name)
        values = sorted(allowed, key=lambda value: value != own)[:4]
        made = [{**one, **({} if v == "" and own != "" else {name: v})} for one in made for v in values][:64]
    return made


def of_models(cases: list[dict[str, Any]], tools: dict[str, Any]) -> Iterator[Wrong]:
    """Yield the calls of the leaderboard's models; add their schemas to `tools`."""
    for case in cases:
        name = f"{case['id']}/{case['name']}"
        spec = {"name": name, "inputSchema": case["tool"]["inputSchema"]}
        check = compile_tools([spec])[name].validate
        right = [one for one in answers(case) if not check(one)]
        if right:
            tools[name] = spec
            yield Wrong(name, case["args"], right, right[0], [], case["model"])


def varied(value: Any, number: int) -> Any:
    """Return a value with another ending of its longer texts."""
    if isinstance(value, dict):
        return {key: varied(item, number) for key, item in value.items()}
    if isinstance(value, list):
        return [varied(item, number) for item in value]
    return f"{value} {number}" if isinstance(value, str) and value[-1:].isalpha() and " " in value else value


def of_mistakes(cases: list[dict[str, Any]], tools: dict[str, Any]) -> Iterator[Wrong]:
    """Yield variants of each recorded mistake, if its right call is valid."""
    for case in cases:
        if "payload" not in case:  # a text that is not JSON
            continue
        name = f"{case['id']}/{case['tool']}"
        spec = {"name": name, "inputSchema": case["spec"]["inputSchema"]}
        check = compile_tools([spec])[name].validate
        for number in range(VARIANTS):
            sent, meant = varied(case["payload"], number), varied(case["want"], number)
            if not check(meant) and check(sent):
                tools[name] = spec
                yield Wrong(name, sent, [meant], meant, [])


def call(example: dict[str, Any], field: str, is_fixed: bool, number: int, is_other: bool) -> dict[str, Any]:
    """Return a valid call with other texts; a fixed field keeps its value unless another one is asked for."""
    texts = {k: f"{v} {number}" for k, v in example.items() if isinstance(v, str)}
    if is_fixed:
        texts[field] = f"other {number}" if is_other else example[field]
    return {**example, **texts}


def of_servers(folder: Path, tools: dict[str, Any], pick: random.Random) -> Iterator[Wrong]:
    """Yield mistakes made on real tools, the same one for all calls of a tool."""
    for spec in load([str(folder)], namespace=True).by_unique_name():
        made: Any = {"name": spec.name, "inputSchema": spec.schema}
        tool = compile_tools([made])[spec.name]
        example = example_of(tool, graph_of(tool))
        texts = [k for k, v in example.items() if isinstance(v, str)] if isinstance(example, dict) else []
        if not texts:
            continue
        tools[spec.name], field, kind = made, pick.choice(texts), pick.choice(("name", "key", "missing"))
        other, always = pick.choice(OTHER_NAMES).format(field), pick.random() < 0.5

        for number in range(VARIANTS):
            is_other = number % 8 == 7 and not (kind == "missing" and always)
            right = call(example, field, kind == "missing", number, is_other)
            wrong = {key: value for key, value in right.items() if key != field or kind == "key"}
            if kind != "missing":
                wrong[other] = right[field] if kind == "name" else True
            retry = {**right, field: f"other {number}"} if is_other else right
            later = [
                call(example, field, kind == "missing", n, n % 8 == 7 and not always)
                for n in range(VARIANTS + 3 * number, VARIANTS + 3 * number + 3)
            ]
            if not any(map(tool.validate, (right, retry, *later))) and tool.validate(wrong):
                yield Wrong(spec.name, wrong, [right], retry, later)


def conversation(wrong: Wrong) -> Any:
    """Return a recorded request in which the right call follows the wrong one."""
    calls = (wrong.sent, wrong.retry, *wrong.later)
    items = [
        {"type": "function_call", "call_id": f"c{at}", "name": wrong.tool, "arguments": json.dumps(sent)}
        for at, sent in enumerate(calls)
    ]
    return {"request": {"model": "m", "input": items}}


def tried(learned: Iterable[Wrong], others: Iterable[Wrong], specs: list[Any]) -> Counter[str]:
    """Return the effects of rules from some calls on other calls."""
    audited = AuditTools.of_specs([{"name": s["name"], "schema": s["inputSchema"]} for s in specs])
    rules = [one.rule for one in proposals_of(map(conversation, learned), audited)]
    tools, counts = compile_tools(specs), Counter(rules=len(rules))
    checks = Conversation(tools, rules=rules, repair=True)
    for wrong in others:
        counts["wrong calls"] += 1
        if not tools[wrong.tool].validate(repair(tools[wrong.tool], wrong.sent).payload):
            counts["repair"] += 1
            continue
        output = checks.check(wrong.tool, wrong.sent)
        if output.ok:
            counts["saved" if output.payload in wrong.meant else "meaning changed"] += 1
    return counts


def parts(wrong: list[Wrong]) -> Iterator[tuple[str, list[Wrong], list[Wrong]]]:
    """Yield calls to learn from and calls to try: random halves, and all other models' calls with one model's."""
    models = sorted({one.model for one in wrong} - {""})
    for seed in range(20 if models else 1):
        half = set(random.Random(seed).sample(range(len(wrong)), len(wrong) // 2))
        first, second = (
            [w for at, w in enumerate(wrong) if at in half],
            [w for at, w in enumerate(wrong) if at not in half],
        )
        yield "halves", first, second
        yield "halves", second, first
    for model in models:
        yield (
            "each model apart",
            [w for w in wrong if w.model != model],
            [w for w in wrong if w.model == model],
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    if not (data / "wrong-calls.json").exists():
        parser.error(f"{data} has no wrong-calls.json")
    for label in ("calls of models", "recorded mistakes, varied", "mistakes on real tools"):
        tools: dict[str, Any] = {}
        if label == "calls of models":
            wrong = list(of_models(json.loads((data / "wrong-calls.json").read_text("utf-8")), tools))
        elif label == "recorded mistakes, varied":
            wrong = list(of_mistakes(json.loads((data / "mistakes.json").read_text("utf-8")), tools))
        else:
            wrong = list(of_servers(data / "mcp-specs", tools, random.Random(7)))
        totals: dict[str, Counter[str]] = {}
        for name, learned, others in parts(wrong):
            totals.setdefault(name, Counter()).update(tried(learned, others, list(tools.values())))
        for name, counts in totals.items():
            print(label, name, dict(counts), flush=True)


if __name__ == "__main__":
    main()
