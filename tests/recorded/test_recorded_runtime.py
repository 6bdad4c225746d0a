"""Issues, hints, repairs, schema facts and calls, over the project's own tools and over recorded calls."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.support import DATA, SUITE, for_each, maskbench, servers, table
from recorded_inputs import (
    GIVEN,
    Output,
    Outputs,
    by_name,
    chosen,
    key_of,
    outcome,
    own_tools,
    payload_of,
    places,
    texts_in,
    tool_of,
    wrong_payloads,
    wrong_texts,
)

from toolgen import compile_tools
from toolgen_runtime import (
    Edit,
    Registry,
    Tool,
    ToolErrorKind,
    ToolExecutionError,
    ToolOutput,
    apply_edits,
    repair,
    spread,
)


def facts(issues: Any) -> Any:
    if isinstance(issues, Exception):
        return issues
    return [(i.path, i.field, i.constraint, repr(i.expected)[:200], repr(i.got)[:80]) for i in issues]


@functools.cache
def registry_of(tool: Tool[Any]) -> Registry:
    registry = Registry()
    registry.register({tool.name: tool})
    return registry


def said_of(tool: Tool[Any], sent: Any) -> Iterator[Any]:
    """Yield what is said of wrong arguments: the issues, the hint, the next one, the edits and the repair."""
    issues = outcome(tool.validate_json if isinstance(sent, str | bytes) else tool.validate, sent)
    yield facts(issues)
    if not issues:
        return
    hint = registry_of(tool).hint(tool.name, issues, payload=sent)
    yield hint.to_dict(), hint.render(), hint.render(160), hint.problems
    before = hint._replace(tool=chosen((tool.name, "other"), 1, hint.render())[0])
    yield registry_of(tool).hint(tool.name, issues, payload=sent, previous=before).render()
    if not isinstance(sent, str | bytes):
        yield outcome(apply_edits, sent, hint.edits)
    yield repair(tool, sent)


def hints() -> Iterator[Output]:
    for name, (tool, examples) in own_tools().items():
        for sent in [*examples, *wrong_payloads(tool, 7), *wrong_texts(payload_of(tool), 3)]:
            yield name, list(said_of(tool, sent))


def hints_for_other_texts() -> Iterator[Output]:
    """Errors of other validators and services, about a tool of their own or one with many fields."""
    texts = table("foreign_texts.json")
    rows = [(schema_of(words), text, sent) for _, text, words, sent, _ in texts["rows"]]
    sentences = texts_in([texts["said"], table("foreign_order_texts.json"), texts["atoms"], GIVEN["errors"]])
    for about in (texts["order"], texts["library"]):
        (sent,) = chosen(wrong_payloads(tool_of(about["schema"]), 9), 1, "")
        rows += [(about["schema"], text, sent) for text in sentences]
    for schema, text, sent in rows:
        hint = registry_of(tool_of(schema)).hint("look_up", text, payload=sent)
        yield re.sub(r"\W+", "-", text[:24]), (hint.to_dict(), hint.render())


def schema_of(words: str) -> dict[str, Any]:
    """Return the schema that `owner! labels:array` stands for."""
    named = [word.partition(":") for word in words.split()]
    properties = {name.rstrip("!"): {"type": kind or "string"} for name, _, kind in named}
    return {
        "type": "object",
        "properties": properties,
        "required": [n[:-1] for n, _, _ in named if n[-1] == "!"],
    }


def issues() -> Iterator[Output]:
    for name, (tool, examples) in own_tools().items():
        for sent in [*examples, *wrong_payloads(tool, 40)]:
            found = tool.validate(sent)
            yield name, (facts(found), found and str(outcome(tool.parse, sent)))


def models() -> Iterator[Output]:
    """What payload models say of valid payloads."""
    for name, (tool, examples) in chosen(own_tools().items(), 80, ""):
        for sent in [payload_of(tool), payload_of(tool, False), *examples]:
            if not tool.validate(sent):
                model = tool.parse(sent)
                yield (
                    name,
                    (
                        repr(model),
                        model.model_dump(),
                        model.model_dump_json(exclude_unset=True, by_alias=True),
                    ),
                )


def schema_facts() -> Iterator[Output]:
    for name, (tool, _) in own_tools().items():
        registry = registry_of(tool)
        yield name, registry.required_property_keys(tool.name)
        for path, _ in places(payload_of(tool)):
            steps = [
                [f"[{s}]", f"[{s + 3}]"] if isinstance(s, int) else [f".{s}", f"[{json.dumps(s)}]"]
                for s in path
            ]
            for at in (0, 1):
                key = "".join(step[at] for step in steps).removeprefix(".")
                spellings = (key, key.upper(), key.replace("_", "-"), key.title(), f"{key}s")
                yield name, [registry.canonical_key(tool.name, spelling) for spelling in spellings]
                yield name, registry.property_description(tool.name, key)
                yield (
                    name,
                    (registry.allowed_enum_values(tool.name, key), registry.format_for(tool.name, key)),
                )


def edits() -> Iterator[Output]:
    """Edits of any kind between any two places."""
    for name, (tool, _) in own_tools().items():
        payload = payload_of(tool)
        paths = [path for path, _ in places(payload)] + [("new",), ("rows", 0, "new")]
        for op in ("set", "remove", "rename", "move", "wrap", "unwrap"):
            for path in chosen(paths, 2, f"{name}{op}"):
                edit: Any = Edit(op, path, chosen(paths, 1, f"{path}")[0], 5)
                yield name, (edit.to_dict(), outcome(apply_edits, payload, [edit]))


RULES = {
    "per_tool": {
        "look_up": {"max_chars": 90, "repair": False},
        "weather_get_city": {"unknown_keys": "reject"},
    }
}
OPTIONS: tuple[dict[str, Any], ...] = (
    {"repair": True, "unknown_keys": "drop", "nulls": "omit", "check_results": "reject", "ask": True},
    {
        "repair": True,
        "repairs": "silent",
        "unknown_keys": "schema",
        "trust_annotations": True,
        "allow": ["look_up"],
    },
    {
        "defaults": "require",
        "unknown_keys": "reject",
        "absent": "reject",
        "max_failures": 2,
        "ask": True,
        **RULES,
    },
    {
        "repair": True,
        "max_chars": 200,
        "secrets": ["key", "token", "b", "text"],
        "check_results": "off",
        "allow": None,
    },
    {"allow": [], "calls_per_turn": 2},
    {"repair": True, "calls_per_turn": 3, "nulls": "omit"},
)
RESULTS = [
    *GIVEN["results"],
    *(ToolExecutionError(kind, f"it failed: {kind}") for kind in ToolErrorKind),
    *(
        kind(text)
        for text in GIVEN["errors"]
        for kind in (ValueError, KeyError, TimeoutError, ConnectionError, Exception)
    ),
]
CITY = {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}
OTHER = tool_of({**CITY, "additionalProperties": False}, name="weather_get_city")


def handler(result: Any) -> Callable[..., Any]:
    def run(city: Any = 0, days: Any = 1, **rest: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result or [city, days, rest]

    return spread(run)


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


def talk(tool: Tool[Any], options: dict[str, Any], calls: list[Any], results: list[Any]) -> Iterator[Any]:
    """Yield what a conversation says of wrong calls, of calls with each result, and what it counts."""
    registry = Registry(**options)
    registry.register({tool.name: tool, OTHER.name: OTHER})
    per_tool = {"look_up": {"max_failures": 3}}
    talking = registry.conversation(
        rules=[{"tool": OTHER.name, **rule} for rule in GIVEN["rules"]], per_tool=per_tool
    )
    for at, sent in enumerate(calls):
        output = talking.check(chosen(GIVEN["names"], 1, f"{options}{at}{sent}")[0], sent)
        question = talking.question(output)
        yield told(output), question and (question.message, question.schema, question.path)
        if question is not None:
            yield told(outcome(talking.answered, question, "accept", {question.key: "Oslo"}))
            yield told(talking.answered(question, "decline"))
    for at, result in enumerate(results):
        (sent,) = chosen(
            [*calls, {}, {"city": "Rome"}, {"town": "Rome"}, {"days": "2", "note": 1}], 1, f"{at}{calls}"
        )
        yield told(
            outcome(talking.call, chosen((tool.name, OTHER.name), 1, f"{at}{sent}")[0], sent, handler(result))
        )
        done = outcome(talking.returned, talking.check(OTHER.name, sent), result)
        yield told(done), told(outcome(talking.returned, done, "done"))
        if at % 3 == 2:
            yield talking.begin_round()
    yield talking.ledger.turn, talking.ledger.failure_streak, talking.begin_turn(), talking.ledger.total


def calls() -> Iterator[Output]:
    for name, (tool, examples) in chosen(own_tools().items(), 350, ""):
        (options,) = chosen(OPTIONS, 1, name)
        sent = [*wrong_payloads(tool, 3), json.dumps(payload_of(tool)), None, *chosen(examples, 3, name)]
        yield name, list(talk(tool, options, sent, chosen(RESULTS, 4, name)))


def recorded_calls() -> Iterator[Output]:
    tools = {(server, tool["name"]): tool for server, listed in servers().items() for tool in listed}
    for file in ("wrong-calls", "reported-calls", "traps", "mistakes"):
        for row in json.loads((DATA / f"{file}.json").read_text("utf-8")):
            sent = next(row[key] for key in ("args", "arguments", "text", "payload") if key in row)
            spec = row["tool"]
            if isinstance(spec, str):
                own = {"name": spec, "description": "", "inputSchema": row.get("schema")}
                spec = row.get("spec") or tools.get((row.get("server"), spec), own)
            for tool in compile_tools([spec]).values():
                yield f"{file}-{key_of([spec, sent])}", list(said_of(tool, sent))
    for row in json.loads((DATA / "foreign-texts.json").read_text("utf-8")):
        hint = registry_of(tool_of(row["schema"])).hint("look_up", row["text"], payload=row["payload"])
        yield f"foreign-{key_of(row)}", hint.to_dict()


def issues_of_suites() -> Iterator[Output]:
    """Labelled payloads of real schemas, and the official tests of three drafts."""
    rows = [("maskbench", row["schema"], row["tests"]) for row in chosen(maskbench(), 200, "")]
    for file in chosen(sorted(SUITE.glob("tests/draft[27]*/*.json")), 60, ""):
        groups = json.loads(file.read_text("utf-8"))
        rows += [(f"{file.parent.name}-{file.stem}", group["schema"], group["tests"]) for group in groups]
    for name, schema, tests in rows:
        tool = tool_of(schema)
        if isinstance(tool, Tool):
            yield f"{name}-{key_of(schema)}", [facts(tool.validate(test["data"])) for test in tests]


@for_each(by_name(hints, hints_for_other_texts, issues, models, schema_facts, edits, calls))
def test_outputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs)


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded calls here (set TOOLGEN_SHARED)")
@for_each(by_name(recorded_calls, issues_of_suites))
def test_outputs_for_recorded_inputs(outputs: Outputs, *, locked: Callable[..., None]) -> None:
    locked(outputs, foreign=True)
