"""The rules: for each a history that breaks it, one that does not, and a message that a server sent."""

from __future__ import annotations

import copy
import json
from itertools import product
from typing import Any

import jsonschema
import pytest
from helpers.histories import LISTS
from helpers.history_cases import ROWS
from helpers.support import ROOT, JsonObject, for_each, for_each_at_once, table

from toolgen_transcripts import RULES, check, explain_provider_error, repair
from toolgen_transcripts.rules.native_tools import malformed_keywords, without_malformed
from toolgen_transcripts.rules.table import BY_NUMBER, STEPS

Message = dict[str, Any]
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
HI = {"role": "user", "content": "Hi"}
BROKEN, SOUND = ROWS["broken"], ROWS["sound"]
CALLERS = {47, 48, 55, 56, 57, 63, 75, 77, 80}
"""The rules that only the caller can follow: `repair` reports them and changes nothing."""


@for_each_at_once(ROWS["bedrock"])
def test_bedrock_rules(rule: Any, place: Any, ids: Any, more: Any, messages: Any) -> None:
    found = [v for v in check(messages, "bedrock", **more) if v.rule == rule]
    assert found, check(messages, "bedrock", **more)
    assert (found[0].place, found[0].ids) == (place, tuple(ids))
    if rule in (1, 2, 5, 6):  # what is wrong with a turn's blocks is wrong with its content
        assert f"{place}.content" in found[0].message
    repaired = repair(messages, "bedrock", **more)
    if rule == 29 and more.get("streaming"):  # only the caller can call it otherwise
        assert [v.rule for v in repaired.remaining] == [29]
        return
    assert repaired.remaining == ()
    assert rule in [c.rule for c in repaired.changes]


@for_each_at_once(BROKEN)
def test_a_request_that_a_server_refuses(
    provider: Any, rules: Any, words: Any, more: Any, messages: Any
) -> None:
    before = copy.deepcopy((messages, more))
    found = check(messages, provider, **more)
    assert [v.rule for v in found] == rules
    assert words in found[0].message
    repaired = repair(messages, provider, **more)
    assert (messages, more) == before
    if CALLERS.intersection(rules) or (provider != "openai" and rules == [43]):
        assert (repaired.changes, repaired.remaining) == ((), tuple(found))
        return
    assert {c.rule for c in repaired.changes} >= set(rules)
    assert repaired.remaining == ()


FACTS: tuple[JsonObject, ...] = (
    {},
    {"model": "mistral-large-latest"},
    {"thinking": True},
    {"thinking": True, "moved": True},
)
"""What else may be known of a request."""


@for_each_at_once(product((row for row in BROKEN if isinstance(row[-1], list)), FACTS))
def test_what_remains_is_what_a_new_check_finds(row: Any, also: Any) -> None:
    """`repair` looks again only where something was found, so a later step must break nothing that was right."""
    provider, _, _, more, messages = row
    facts = {**more, **also}
    fixed = repair(messages, provider, **facts)
    if facts.get("tools"):
        facts["tools"] = fixed.tools
    assert tuple(check(fixed.messages, provider, **facts)) == fixed.remaining


@for_each_at_once(SOUND)
def test_a_request_that_a_server_takes_is_left_alone(provider: Any, more: Any, messages: Any) -> None:
    assert check(messages, provider, **more) == []
    repaired = repair(messages, provider, **more)
    assert (repaired.changes, repaired.remaining) == ((), ())
    listed = messages if isinstance(messages, list) else messages.get(LISTS.get(provider, "messages"))
    assert isinstance(listed, str) or repaired.messages == listed
    assert repaired.tools == more.get("tools", repaired.tools)


@for_each([(129, None, [40]), (129, "qwen3-max", []), (128, "gpt-5", [])])
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


def test_a_system_message_that_mistral_rejects_is_reported() -> None:
    messages = [HI, {"role": "assistant", "content": "a"}, {"role": "system", "content": "s"}, HI]
    (found,) = check(messages, "openai", model="mistral-small-latest")
    assert found.message == "Unexpected role 'system' after role 'assistant'"
    fixed = repair(messages, "openai", model="mistral-small-latest")
    assert (fixed.changes, fixed.remaining) == ((), (found,))  # only the caller knows where it belongs


SENT = table("provider_errors.json")
"""What servers sent: the rule, the place and the ids in the text."""


@for_each_at_once(SENT)
def test_a_servers_message_is_explained(sent: Any) -> None:
    rule = explain_provider_error(sent["text"])
    assert (rule.number, rule.place, list(rule.ids)) == (sent["rule"], sent["place"], sent["ids"])
    assert rule.fix
    within = explain_provider_error(json.dumps({"error": {"code": 400, "message": sent["text"]}}))
    assert within.number == sent["rule"]


def test_every_rule_is_explained_from_its_own_wordings() -> None:
    for rule in RULES:
        for provider in rule.messages if rule.number != 25 else ():  # whose wording is the detail
            said = rule.message(provider, place="messages.1.content.0", ids=("t1",), detail="1")
            found = explain_provider_error(said)
            assert found is not None, said
            assert found.number == rule.number, said


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
    assert [rule.number for rule in RULES] == list(range(1, 81))
    tested = {row[0] for row in ROWS["bedrock"]} | {n for row in BROKEN for n in row[1]} | {40}
    assert tested == {r.number for r in RULES if r.where in ("history", "tools") and r.providers}
    assert {r.number for r in RULES if r.where in ("response", "stream")} == {33, 34}
    untold = {47, 48, 49, 55, 59, 62, 68, 75}  # no text of a server, or no other than the rule's own
    assert {row["rule"] for row in SENT} >= {r.number for r in RULES} - untold


def test_every_rule_has_a_source_and_steps_name_rules() -> None:
    assert all(rule.source for rule in BY_NUMBER.values())
    assert len({rule.slug for rule in RULES}) == len(RULES)
    slugs = {rule.slug for rule in BY_NUMBER.values()}
    for step in STEPS:
        assert slugs.issuperset(step.after)
        assert bool(step.after) == bool(step.why)
        for other in STEPS[STEPS.index(step) :]:
            assert slugs.intersection(step.after).isdisjoint({rule.slug for rule in other.rules})


@for_each(["mcp", "cohere", ""])
def test_a_provider_without_messages_is_an_error(provider: str) -> None:
    with pytest.raises(ValueError, match="the providers are anthropic, bedrock"):
        check([], provider)


@for_each(
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
    ]
)
def test_malformed_keywords_are_found_and_left_out(keywords: JsonObject, pointers: list[str]) -> None:
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
        assert (
            f"| {rule.number} | `{rule.slug}` | {rule.title} | {rule.fix} | {where} | {last} | {rule.source or '-'} |\n"
            in text
        )
