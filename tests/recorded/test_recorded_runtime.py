"""Issues, hints, repairs, schema facts and calls, over the project's own tools and over recorded calls."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from helpers.support import DATA, SUITE, maskbench, needs_maskbench, needs_suite, servers, table
from recorded_inputs import (
    Output,
    chosen,
    key_of,
    outcome,
    own_tools,
    payload_of,
    texts_in,
    tool_of,
    wrong_payloads,
    wrong_texts,
)

from toolgen import compile_tools
from toolgen_runtime import (
    Registry,
    Tool,
    ToolErrorKind,
    ToolExecutionError,
    ToolOutput,
    apply_edits,
    repair,
)

Locked = Callable[..., None]


def facts(issues: Any) -> Any:
    if isinstance(issues, Exception):
        return issues
    return [(i.path, i.field, i.constraint, repr(i.expected)[:200], repr(i.got)[:80]) for i in issues]


def hints(tool: Tool[Any], sent: Any) -> Iterator[Any]:
    """Yield what is said of wrong arguments: the issues, the hint, the next one, the edits and the repair."""
    issues = outcome(tool.validate_json if isinstance(sent, str) else tool.validate, sent)
    yield facts(issues)
    if not issues:
        return
    registry = Registry()
    registry.register({tool.name: tool})
    hint = registry.hint(tool.name, issues, payload=sent)
    yield hint.to_dict(), hint.render(), hint.render(160), hint.problems
    yield registry.hint(tool.name, issues, payload=sent, previous=hint).render()
    if not isinstance(sent, str):
        yield outcome(apply_edits, sent, hint.edits)
    yield repair(tool, sent)


def test_hints(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, (tool, examples) in own_tools().items():
            for sent in [*examples, *wrong_payloads(tool, 8), *wrong_texts(payload_of(tool), 5)]:
                yield name, list(hints(tool, sent))

    locked(outputs())


def test_hints_for_texts_of_others(locked: Locked) -> None:
    """Errors of other validators and services."""
    texts = table("foreign_texts.json")
    rows = [(schema_of(words), text, sent) for _, text, words, sent, _ in texts["rows"]]
    others = [texts["said"], table("foreign_order_texts.json"), texts["atoms"]]
    for about in (texts["order"], texts["library"]):
        sent = chosen(wrong_payloads(tool_of(about["schema"]), 9), 1, "sent")[0]
        rows += [(about["schema"], text, sent) for text in texts_in(others)]

    def outputs() -> Iterator[Output]:
        for schema, text, sent in rows:
            registry = Registry()
            registry.register({"look_up": tool_of(schema)})
            hint = registry.hint("look_up", text, payload=sent)
            yield re.sub(r"\W+", "-", text[:24]), (hint.to_dict(), hint.render())

    locked(outputs())


def schema_of(words: str) -> dict[str, Any]:
    """Return the schema that `owner! labels:array` stands for."""
    named = [word.partition(":") for word in words.split()]
    properties = {name.rstrip("!"): {"type": kind or "string"} for name, _, kind in named}
    return {
        "type": "object",
        "properties": properties,
        "required": [n[:-1] for n, _, _ in named if n[-1] == "!"],
    }


def test_issues(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, (tool, examples) in own_tools().items():
            for sent in [*examples, *wrong_payloads(tool, 30)]:
                yield name, facts(tool.validate(sent))

    locked(outputs())


def test_schema_facts(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, (tool, _) in own_tools().items():
            registry = Registry()
            registry.register({tool.name: tool}, prefix="p")
            (called,) = registry
            yield name, registry.required_property_keys(called)
            for key in keys_of(payload_of(tool)):
                for spelling in (key, key.upper(), key.replace("_", "-"), key.title(), f"{key}s"):
                    yield name, registry.canonical_key(called, spelling)
                yield name, registry.property_description(called, key)
                yield name, registry.allowed_enum_values(called, key)
                yield name, registry.format_for(called, key)

    locked(outputs())


def keys_of(payload: Any, above: str = "") -> Iterator[str]:
    for key, value in payload.items() if isinstance(payload, dict) else ():
        yield above + key
        first = value[0] if isinstance(value, list) and value else value
        yield from keys_of(first, f"{above}{key}.")


OPTIONS: tuple[dict[str, Any], ...] = (
    {"repair": True, "unknown_keys": "drop", "nulls": "omit", "check_results": "reject"},
    {"repair": True, "repairs": "silent", "unknown_keys": "schema", "trust_annotations": True},
    {"defaults": "require", "unknown_keys": "reject", "absent": "reject", "max_failures": 2, "ask": True},
    {
        "ask": True,
        "max_chars": 200,
        "secrets": ["key", "token", "b"],
        "calls_per_turn": 3,
        "check_results": "off",
    },
)
TEXT = {"type": "text", "text": "done: 3 rows"}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain", "size": 5}
ASKS = {
    "method": "elicitation/create",
    "params": {"message": "Which\ncity?", "requestedSchema": {"type": "object"}},
}
RESULTS: list[Any] = [
    *("done", "", None, 5, True, {"id": 7}, [1, 2.5], {1: "a"}, float("nan"), b"x", Decimal(3), {3}, ("a",)),
    {"content": [TEXT, LINK], "structuredContent": {"id": "x"}},
    {"content": [TEXT], "isError": True},
    {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}], "isError": False},
    {"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "hi"}}], "structured_content": None},
    {"resultType": "input_required", "inputRequests": {"city": ASKS}, "requestState": "s"},
    {"task": {"taskId": "t1", "status": "working", "statusMessage": "soon", "pollInterval": 5}},
    *(ValueError("title is required"), KeyError("id"), TimeoutError(), ConnectionError("reset"), OSError(2, "gone")),
    *(RuntimeError("HTTP 429: slow down"), TypeError("5 is not a string"), LookupError(""), Exception("a\nb" * 200)),
    *(ToolExecutionError(kind, f"it failed: {kind}") for kind in ToolErrorKind),
]  # fmt: skip


def handler(result: Any) -> Callable[[dict[str, Any]], Any]:
    def run(payload: dict[str, Any]) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    return run


def told(output: Any) -> Any:
    if not isinstance(output, ToolOutput):
        return output
    said = (
        output.text(),
        output.text(80),
        str(output.error),
        output.redacted(),
        output.result,
        output.facts(),
    )
    return (
        *said,
        output.state,
        output.repairs,
        output.notes,
        output.input_requests,
        output.request_state,
        output.ok,
    )


OTHER = tool_of({"properties": {"city": {"type": "string"}}, "required": ["city"]}, "weather_get_city")


def talk(tool: Tool[Any], options: dict[str, Any], calls: list[Any], results: list[Any]) -> Iterator[Any]:
    """Yield what a conversation says of wrong calls, of calls with each result, and what it counts."""
    registry = Registry(**options)
    registry.register({tool.name: tool, OTHER.name: OTHER})
    talking = registry.conversation()
    for at, sent in enumerate(calls):
        output = talking.check(chosen(NAMES, 1, f"{tool.name}{at}")[0], sent)
        question = talking.question(output)
        yield told(output), question and (question.message, question.schema, question.path)
        if question is not None:
            yield told(outcome(talking.answered, question, "accept", {question.key: "Oslo"}))
            yield told(talking.answered(question, "decline"))
    for at, result in enumerate(results):
        yield told(outcome(talking.call, tool.name, chosen(calls, 1, f"{at}")[0], handler(result)))
        yield told(
            talking.returned(talking.check(OTHER.name, chosen(({}, {"city": "Rome"}), 1, f"{at}")[0]), result)
        )
        if at % 3 == 2:
            yield talking.begin_round()
    yield talking.ledger.turn, talking.ledger.failure_streak, talking.begin_turn(), talking.ledger.total


NAMES = ["look_up"] * 6 + [
    "look-up",
    "LookUp",
    "find",
    "server_look_up",
    "weather.getCity",
    "get_city",
    "not_look_up",
]


def test_calls(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, (tool, examples) in own_tools().items():
            valid = payload_of(tool)
            (options,) = chosen(OPTIONS, 1, name)
            calls = [valid, *wrong_payloads(tool, 3), json.dumps(valid), None, *chosen(examples, 3, name)]
            yield name, list(talk(tool, options, calls, chosen(RESULTS, 4, name)))

    locked(outputs())


def recorded_calls() -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield the definitions and the arguments of wrong calls, each with a name."""
    tools = {(server, tool["name"]): tool for server, listed in servers().items() for tool in listed}
    for file in ("wrong-calls", "reported-calls", "traps", "mistakes"):
        for row in json.loads((DATA / f"{file}.json").read_text("utf-8")):
            spec = row.get("spec") or tools.get((row.get("server"), row["tool"] if "server" in row else ""))
            if file == "wrong-calls":
                spec = row["tool"]
            if "schema" in row:
                spec = {"name": row["tool"], "description": "", "inputSchema": row["schema"]}
            sent = next(row[key] for key in ("args", "arguments", "text", "payload") if key in row)
            yield f"{file}-{key_of([spec, sent])}", spec, sent


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded calls here (set TOOLGEN_SHARED)")
def test_hints_for_recorded_calls(locked: Locked) -> None:
    def outputs() -> Iterator[Output]:
        for name, spec, sent in recorded_calls():
            for tool in compile_tools([spec]).values():
                yield name, list(hints(tool, sent))
        for row in json.loads((DATA / "foreign-texts.json").read_text("utf-8")):
            registry = Registry()
            registry.register({"look_up": tool_of(row["schema"])})
            yield (
                f"foreign-{key_of(row)}",
                registry.hint("look_up", row["text"], payload=row["payload"]).to_dict(),
            )

    locked(outputs(), foreign=True)


@needs_maskbench
@needs_suite
def test_issues_of_suites(locked: Locked) -> None:
    """Labelled payloads of real schemas, and the official tests of three drafts."""
    rows = [("maskbench", row["schema"], row["tests"]) for row in chosen(maskbench(), 250, "maskbench")]
    for draft in ("draft7", "draft2019-09", "draft2020-12"):
        for file in sorted((SUITE / "tests" / draft).glob("*.json")):
            groups = json.loads(file.read_text("utf-8"))
            rows += [(f"{draft}-{file.stem}", group["schema"], group["tests"]) for group in groups[::3]]

    def outputs() -> Iterator[Output]:
        for name, schema, tests in rows:
            tool = tool_of(schema)
            if isinstance(tool, Tool):
                yield f"{name}-{key_of(schema)}", [facts(tool.validate(test["data"])) for test in tests]

    locked(outputs(), foreign=True)
