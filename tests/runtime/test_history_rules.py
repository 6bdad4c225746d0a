"""The rules: for each a history that breaks it, one that does not, and a message that a server sent."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import pytest
from histories import assistant, paper, result, use, user
from support import ROOT, TEST_DATA, bounded

from toolgen_runtime.history.tool_blocks import malformed_keywords, without_malformed
from toolgen_runtime.transcript import (
    RULES,
    check,
    explain_provider_error,
    repair,
)

CLAUDE = "anthropic.claude-3-7-sonnet-20250219-v1:0"
LLAMA = "meta.llama3-1-70b-instruct-v1:0"
SEEING_LLAMA = "us.meta.llama3-2-90b-instruct-v1:0"
MISTRAL = "mistral.mistral-large-2407-v1:0"
NOVA = "amazon.nova-pro-v1:0"
PNG = {"image": {"format": "png", "source": {"bytes": b"x"}}}
PDF = paper("d")
VIDEO = {"video": {"format": "mp4", "source": {"bytes": b"x"}}}
S3 = {"document": {"format": "pdf", "name": "d", "source": {"s3Location": {"uri": "s3://b/d.pdf"}}}}
POINT = {"cachePoint": {"type": "default"}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {**OBJECT, "additionalProperties": False}

Message = dict[str, Any]


def config(schema: Any = None, **more: Any) -> Message:
    spec = {"name": "f", "inputSchema": {"json": OBJECT if schema is None else schema}, **more}
    return {"tools": [{"toolSpec": spec}]}


def choice(native: Any) -> Message:
    return {**config(), "toolChoice": native}


def strict_tools(count: int, optional: int = 0) -> Message:
    schema = {**CLOSED, "properties": {f"p{i}": {"type": "string"} for i in range(optional)}}
    specs = [{"name": f"f{i}", "strict": True, "inputSchema": {"json": schema}} for i in range(count)]
    return {"tools": [{"toolSpec": spec} for spec in specs]}


def unions(count: int) -> Message:
    return {**CLOSED, "properties": {f"p{i}": {"type": ["string", "null"]} for i in range(count)}}


ASK = user("Weather?")
CALL = assistant(use())
PLAIN = [ASK, CALL, user(result())]
TWO = [ASK, assistant(use("t1"), use("t2"))]

T1 = ("t1",)
USE, RESULT = "messages.1.content.0.toolUse", "messages.2.content.0.toolResult"
SPEC = "toolConfig.tools.0.toolSpec"
SCHEMA = f"{SPEC}.inputSchema.json"


def called(id: Any = "t1", name: Any = "f", **more: Any) -> list[Message]:
    return [ASK, assistant(use(id, name, **more)), user(result(id))]


def answered(*content: Any, **more: Any) -> list[Message]:
    return [ASK, CALL, user(result("t1", *content, **more))]


SILENT = {"toolResult": {"toolUseId": "t1", "content": [], "status": "error"}}
WITHOUT_INPUT = {"toolUse": {"toolUseId": "t1", "name": "f"}}
MISTRALS = called("abcdefghi")
FIFTH = {"tools": {"tools": [*config()["tools"], POINT]}}
CLAUDE_45 = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
REPORT = [user("x", paper("a report (2) [final]-v_1"))]
TWICE = [user("x", PDF), assistant("y"), user("z", PDF)]
OF = {model: {"model": model} for model in (CLAUDE, CLAUDE_45, LLAMA, SEEING_LLAMA, MISTRAL, NOVA)}
ON = {"thinking": True}
CASES: list[tuple[int, Any, Any, Any, str, tuple[str, ...]]] = [
    # rule, messages that break it, messages that do not, what else the request has, the place, the ids
    (1, [ASK, assistant("Hm."), user(result("t9"))], PLAIN, {}, "messages.2", ("t9",)),
    (1, [*PLAIN, assistant("So."), user(result())], PLAIN, {}, "messages.4", T1),
    (2, [ASK, CALL, user("Well?")], PLAIN, {}, "messages.2", T1),
    (2, [ASK, CALL], PLAIN, {}, "messages.2", T1),
    (2, [*TWO, user(result("t2"))], [*TWO, user(result("t2"), result("t1"))], {}, "messages.2", T1),
    (4, [ASK, CALL, user("So:", result())], [ASK, CALL, user(result(), "So:")], {}, "messages.2", T1),
    (5, [ASK, CALL, user(result(), result())], PLAIN, {}, "messages.2", T1),
    (6, [ASK, assistant(use(), use()), user(result(), result())], PLAIN, {}, "messages.1", T1),
    (6, [*PLAIN, *PLAIN[1:]], [*PLAIN, *called("t2")[1:]], OF[CLAUDE], "messages.3", T1),
    (7, PLAIN, PLAIN, ({"tools": None}, {"tools": config()}), "toolConfig", ()),
    (7, PLAIN, [ASK], {"tools": None}, "toolConfig", ()),
    (8, [user("x", "")], [user("x")], {}, "messages.0.content.1", ()),
    (8, answered(""), PLAIN, {}, f"{RESULT}.content.0", ()),
    (9, [user(" \n")], [ASK], {}, "messages.0.content.0", ()),
    (10, [user()], [ASK], {}, "messages.0", ()),
    (10, [{"role": "user", "content": None}], [ASK], {}, "messages.0", ()),
    (11, [ASK, CALL, user(SILENT)], answered(status="error"), {}, "messages.2.content.0", T1),
    (12, [ASK, user("Well?")], [ASK], {}, "messages.1", ()),
    (12, [ASK, assistant("a"), assistant("b"), ASK], [ASK], {}, "messages.2", ()),
    (13, [assistant("Hi."), ASK], [ASK], {}, "messages.0", ()),
    (14, [ASK, assistant("Hi.")], [ASK, assistant("Hi."), ASK], {}, "messages.1", ()),
    (14, [ASK, assistant("Hi.")], [ASK, assistant("Hi.")], ({}, OF[CLAUDE]), "messages.1", ()),
    (15, [ASK, assistant("Hi. ")], [ASK, assistant("Hi.")], OF[CLAUDE], "messages.1", ()),
    (
        16,
        [*MISTRALS[:2], user(result("abcdefghi"), "So")],
        MISTRALS,
        OF[MISTRAL],
        "messages.2",
        ("abcdefghi",),
    ),
    (17, called(input="text"), PLAIN, {}, "messages.1.content.0", T1),
    (17, called(input=[1]), PLAIN, {}, "messages.1.content.0", T1),
    (17, [ASK, assistant(WITHOUT_INPUT), user(result())], PLAIN, {}, "messages.1.content.0", T1),
    (18, answered({"json": [1]}), answered({"json": {"a": [1]}}), {}, f"{RESULT}.content.0", T1),
    (19, called(name="a.b"), PLAIN, {}, f"{USE}.name", T1),
    (19, called(name="x" * 65), called(name="x" * 64), {}, f"{USE}.name", T1),
    (19, called("a b"), PLAIN, {}, f"{USE}.toolUseId", ("a b",)),
    (19, called(""), PLAIN, {}, f"{USE}.toolUseId", ()),
    (29, answered(status="success"), PLAIN, OF[LLAMA], f"{RESULT}.status", T1),
    (30, answered(PNG), [user("x", PNG), *PLAIN[1:]], OF[SEEING_LLAMA], "messages.2.content.0", T1),
    (31, [user(PDF)], [user("x", PDF)], {}, "messages.0", ()),
    (35, PLAIN, called("abcDEF123"), OF[MISTRAL], f"{USE}.toolUseId", T1),
    (36, [user("x", VIDEO)], [user("x", PNG)], OF[CLAUDE], "messages.0.content.1.video", ()),
    (36, [user("x", VIDEO)], [user("x", VIDEO)], (OF[CLAUDE], OF[NOVA]), "messages.0.content.1.video", ()),
    (36, [user("x", S3)], [user("x", S3)], (OF[CLAUDE], OF[NOVA]), "messages.0.content.1.document", ()),
    (36, answered(S3), answered(S3), (OF[NOVA], OF[CLAUDE_45]), f"{RESULT}.content.0.document", ()),
    *(
        (37, [user("x", paper(name))], REPORT, {}, "messages.0.content.1.document.name", ())
        for name in ("a.pdf", "Jane's", "a  b", "a\tb", "a\u3000b", "résumé", "x" * 201, "報告", "a\n", "")
    ),
    (37, [user("x", PDF, PDF)], [user("x", PDF, paper("e"))], {}, "messages.0.content.2.document.name", ()),
    (37, TWICE, TWICE[:1], {}, "messages.2.content.1.document.name", ()),
    (37, answered("x", paper("a.pdf")), answered("x", PDF), {}, f"{RESULT}.content.1.document.name", ()),
    (38, [user("x", *[POINT] * 5)], [user("x", *[POINT] * 4)], {}, "messages", ()),
    (38, [user("x", *[POINT] * 4)], [user("x", *[POINT] * 3)], FIFTH, "messages", ()),
    (42, PLAIN, [ASK, assistant(THOUGHT, use()), user(result())], ON, "messages.1", T1),
    (42, PLAIN, [*PLAIN, assistant("So."), ASK], {**ON, **OF[CLAUDE]}, "messages.1", T1),
    (42, PLAIN, PLAIN, (ON, {**ON, **OF[NOVA]}), "messages.1", T1),
]
MERGED = config({**OBJECT, "oneOf": [{}]})
LISTED = {**CLOSED, "properties": {"a": {"type": "array", "maxItems": 2}}}
STRANGE = {**OBJECT, "properties": {"a": {"type": "strin"}}}
ANY, AUTO = choice({"any": {}}), choice({"auto": {}})
CHOICE = "toolConfig.toolChoice"
REQUESTS: list[tuple[int, Any, Any, str, Message, Message]] = [
    # rule, tools that break it, tools that do not, the place, what else the request has, and the sound one
    (19, config(name="a.b"), config(), f"{SPEC}.name", {}, {}),
    (20, config(description=""), config(description="x"), f"{SPEC}.description", {}, {}),
    (21, {"tools": []}, config(), "toolConfig.tools", {}, {}),
    (22, config({"type": "array"}), config(), SCHEMA, {}, {}),
    (22, config({}), config(), SCHEMA, {}, {}),
    (23, MERGED, MERGED, SCHEMA, {}, OF[NOVA]),
    (24, config({"type": "object", "properties": []}), config(), SCHEMA, {}, {}),
    (24, config(STRANGE), config(), SCHEMA, {}, {}),
    (25, config(OBJECT, strict=True), config(CLOSED, strict=True), SPEC, {}, {}),
    (25, config(LISTED, strict=True), config(OBJECT), SPEC, {}, {}),
    (26, config(unions(17), strict=True), config(unions(16), strict=True), "tools", {}, {}),
    (27, choice({"tool": {"name": "f"}}), ANY, f"{CHOICE}.tool", OF[MISTRAL], OF[MISTRAL]),
    (27, ANY, AUTO, f"{CHOICE}.any", OF[LLAMA], OF[LLAMA]),
    (28, ANY, AUTO, CHOICE, ON, ON),
    (29, config(), config(), "toolConfig", {**OF[LLAMA], "streaming": True}, OF[LLAMA]),
    (32, FIFTH["tools"], FIFTH["tools"], "toolConfig/tools/1", OF[NOVA], OF[CLAUDE]),
    (39, strict_tools(21), strict_tools(20), "tools", {}, {}),
    (39, strict_tools(5, 5), strict_tools(4, 6), "tools", {}, {}),
    (39, strict_tools(21), strict_tools(21), "tools", {}, OF[NOVA]),
]
CASES += [
    (rule, [ASK], [ASK], ({"tools": bad, **with_bad}, {"tools": good, **with_good}), place, ())
    for rule, bad, good, place, with_bad, with_good in REQUESTS
]


@pytest.mark.parametrize(
    ("rule", "bad", "good", "more", "place", "ids"),
    [pytest.param(*c, id=f"{c[0]}-{i}") for i, c in enumerate(CASES)],
)
def test_bedrock_rules(rule: int, bad: Any, good: Any, more: Any, place: str, ids: tuple[str, ...]) -> None:
    with_bad, with_good = more if isinstance(more, tuple) else (more, more)
    found = [v for v in check(bad, "bedrock", **with_bad) if v.rule == rule]
    assert found, check(bad, "bedrock", **with_bad)
    assert (found[0].place, found[0].ids) == (place, ids)
    if rule in (1, 2, 5, 6):  # what is wrong with a turn's blocks is wrong with its content
        assert f"{place}.content" in found[0].message
    assert rule not in [v.rule for v in check(good, "bedrock", **with_good)]
    repaired = repair(bad, "bedrock", **with_bad)
    if rule == 29 and with_bad.get("streaming"):  # only the caller can call it otherwise
        assert [v.rule for v in repaired.remaining] == [29]
        return
    assert repaired.remaining == ()
    assert rule in [c.rule for c in repaired.changes]


HI = {"role": "user", "content": "Hi"}
LISTS = {"gemini": "contents", "gemini_interactions": "input", "openai_responses": "input"}
ROWS: dict[str, list[list[Any]]] = json.loads(
    (TEST_DATA / "history_cases.json").read_text("utf-8"),
    object_hook=lambda value: value["$bytes"].encode() if "$bytes" in value else value,
)
"""`broken`: provider, rules, words of the first message, what else the request has, messages; `sound` without rules."""
BROKEN, SOUND = ROWS["broken"], ROWS["sound"]


@pytest.mark.parametrize(
    ("provider", "rules", "words", "more", "messages"),
    [pytest.param(*row, id=f"{row[0]}-{row[1]}-{i}") for i, row in enumerate(BROKEN)],
)
def test_a_request_that_a_server_refuses(
    provider: str, rules: list[int], words: str, more: Message, messages: Any
) -> None:
    before = copy.deepcopy((messages, more))
    found = check(messages, provider, **more)
    assert [v.rule for v in found] == rules
    assert words in found[0].message
    repaired = repair(messages, provider, **more)
    assert (messages, more) == before
    if 47 in rules:  # the caller's to fix
        assert (repaired.changes, repaired.remaining) == ((), tuple(found))
        return
    assert {c.rule for c in repaired.changes} >= set(rules)
    assert repaired.remaining == ()


@pytest.mark.parametrize(
    ("provider", "more", "messages"),
    [pytest.param(*row, id=f"{row[0]}-{i}") for i, row in enumerate(SOUND)],
)
def test_a_request_that_a_server_takes_is_left_alone(provider: str, more: Message, messages: Any) -> None:
    assert check(messages, provider, **more) == []
    repaired = repair(messages, provider, **more)
    assert (repaired.changes, repaired.remaining) == ((), ())
    listed = messages if isinstance(messages, list) else messages.get(LISTS.get(provider, "messages"))
    assert isinstance(listed, str) or repaired.messages == listed
    assert repaired.tools == more.get("tools", repaired.tools)


@pytest.mark.parametrize(
    ("count", "model", "rules"), [(129, None, [40]), (129, "qwen3-max", []), (128, "gpt-5", [])]
)
def test_openai_takes_128_tools(count: int, model: str | None, rules: list[int]) -> None:
    functions = [{"name": f"f{i}", "description": "x", "parameters": OBJECT} for i in range(count)]
    tools = {"tools": [{"type": "function", "function": each} for each in functions]}
    found = check([HI], "openai", tools=tools, model=model)
    assert [v.rule for v in found] == rules
    assert not found or "maximum length 128, but got an array with length 129" in found[0].message
    assert repair([HI], "openai", tools=tools, model=model).remaining == tuple(found)


def test_places_count_the_items_of_the_responses_api() -> None:
    """Three items that the model said in a row are one turn, but three items."""

    def item(id: str) -> Message:
        return {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"}

    def output(id: str) -> Message:
        return {"type": "function_call_output", "call_id": id, "output": "grey"}

    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    messages = [HI, thought, item("c1"), item("c2"), output("c1"), output("c2"), HI, item("c3"), HI]
    (found,) = check(messages, "openai_responses")
    assert (found.rule, found.place, found.ids) == (2, "input.8", ("c3",))
    (change,) = repair(messages, "openai_responses").changes
    assert (change.place, change.ids) == ("input.7", ("c3",))


SENT = json.loads((TEST_DATA / "provider_errors.json").read_text("utf-8"))
"""What servers sent: the rule, the place and the ids in the text."""


@pytest.mark.parametrize("sent", [pytest.param(row, id=f"{row['rule']}-{i}") for i, row in enumerate(SENT)])
def test_a_servers_message_is_explained(sent: dict[str, Any]) -> None:
    rule = explain_provider_error(sent["text"])
    assert rule is not None
    assert (rule.number, rule.place, list(rule.ids)) == (sent["rule"], sent["place"], sent["ids"])
    assert rule.fix
    within = explain_provider_error(json.dumps({"error": {"code": 400, "message": sent["text"]}}))
    assert within is not None
    assert within.number == sent["rule"]


def test_every_rule_is_explained_from_its_own_wordings() -> None:
    for rule in RULES:
        for provider in rule.messages if rule.number != 25 else ():  # whose wording is the detail
            said = rule.message(provider, place="messages.1.content.0", ids=("t1",), detail="1")
            found = explain_provider_error(said)
            assert found is not None, said
            assert found.number == rule.number, said


ATOMS = "max_tokens |stop |tools.1|messages.1 |toolUseId |parameters.a|No tool output |'"


def test_explaining_takes_linear_time() -> None:
    for atom in ATOMS.split("|"):
        with bounded(1):
            explain_provider_error(atom * (100_000 // len(atom)))


def test_what_is_no_rules_message_is_not_explained() -> None:
    for text in (
        "",
        "Too many requests, please wait before trying again.",
        "Internal server error",
        "tools",
        "25",
    ):
        assert explain_provider_error(text) is None


def test_the_table_is_whole() -> None:
    assert [rule.number for rule in RULES] == list(range(1, 50))
    tested = {case[0] for case in CASES} | {n for row in BROKEN for n in row[1]} | {40}
    assert tested == {r.number for r in RULES if r.where in ("history", "tools") and r.providers}
    assert {r.number for r in RULES if r.where in ("response", "stream")} == {33, 34}
    assert {row["rule"] for row in SENT} == set(range(1, 47))


@pytest.mark.parametrize("provider", ["mcp", "cohere", ""])
def test_a_provider_without_messages_is_an_error(provider: str) -> None:
    with pytest.raises(ValueError, match="the providers are anthropic, bedrock"):
        check([], provider)


@pytest.mark.parametrize(
    ("keywords", "pointers"),
    [
        ({"required": "a"}, ["/required"]),
        ({"required": ["a", "a"]}, ["/required"]),
        ({"properties": {"a": {"type": ["string", "text"]}}}, ["/properties/a/type"]),
        ({"properties": {"a": "string"}}, ["/properties"]),
        ({"minProperties": -1}, ["/minProperties"]),
        ({"minProperties": 1.0}, []),
        ({"maxLength": 10**400}, []),
        ({"dependentRequired": {"a": "b"}}, ["/dependentRequired"]),
        ({"items": {"minimum": "1"}, "anyOf": []}, ["/anyOf", "/items/minimum"]),
        ({"exclusiveMinimum": True}, ["/exclusiveMinimum"]),
        ({"enum": {"a": 1}, "not": 3}, ["/enum", "/not"]),
        ({"default": {"required": "a"}, "const": {"type": 3}, "enum": []}, []),
    ],
)
def test_malformed_keywords_are_found_and_left_out(keywords: dict[str, Any], pointers: list[str]) -> None:
    assert sorted(malformed_keywords(keywords)) == pointers
    sound = without_malformed(keywords)
    assert list(malformed_keywords(sound)) == []
    jsonschema.Draft202012Validator.check_schema(sound)
    assert bool(pointers) == (
        not jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA).is_valid(keywords)
    )


def test_the_documentation_lists_every_rule() -> None:
    text = (ROOT / "docs" / "providers" / "rules.md").read_text("utf-8")
    for rule in RULES:
        checked = "all" if len(rule.providers) == 6 else ", ".join(sorted(rule.providers))
        where = "reply" if rule.where == "response" else rule.where
        last = checked if rule.where in ("history", "tools") and checked else "-"
        assert f"| {rule.number} | `{rule.slug}` | {rule.title} | {rule.fix} | {where} | {last} |\n" in text
