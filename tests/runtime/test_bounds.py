"""Depth, sharing and cycles of what was sent are bounded: rows of docs/limits.md, "At run time"."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from helpers.histories import PROVIDERS
from helpers.nests import TREES, arrays, nested, objects
from helpers.support import TEXT, WHOLE, JsonObject, bounded, for_each, no_collection, obj, tool_of

import toolgen_transcripts
from toolgen import compile_tools
from toolgen_runtime import (
    Conversation,
    Registry,
    RetryHint,
    ValidationIssue,
    build_hint,
    repair,
)
from toolgen_runtime.hints import build
from toolgen_runtime.validation import helpers
from toolgen_runtime.validation.unique_items import duplicate_item
from toolgen_transcripts.codec import plain_values
from toolgen_transcripts.errors import classify_llm_error, classify_mcp_error

NODE, LIST = TREES["object"], TREES["array"]
TOO_DEEP = f"nesting of at most {helpers.MAX_PAYLOAD_DEPTH:,} levels"
CYCLIC: JsonObject = {"list": [], "object": {}}
CYCLIC["list"] += [1, CYCLIC["list"], CYCLIC["list"]]
CYCLIC["object"]["a"] = {"a": CYCLIC["object"]}


def doubled(times: int, leaf: Any) -> list[Any]:
    """A list of a list twice, and so on: few objects, 2 ** times ways."""
    return [nested(times, lambda inner: [inner, inner], leaf)]


# -- uniqueItems ----------------------------------------------------------------------------------------------


@for_each([{1: 2}, {None: 1}, {(1,): 2}, (1,), object(), {"a": {1}}, {1.0: 2}])
def test_unique_items_of_what_is_not_json(odd: Any) -> None:
    class Own(JsonObject):
        pass

    class Word(str):
        __slots__ = ()

    assert duplicate_item([{"a": 1}, odd, Own(a=1.0)]) == 2
    assert duplicate_item([{"a": 1}, odd, {Word("a"): True}, {Word("a"): 1}]) == 3
    assert duplicate_item([odd, 1, "x", {}]) is None


def test_unique_items_of_shared_and_cyclic_values() -> None:
    with bounded(5):
        assert duplicate_item([doubled(60, 1), doubled(60, 1)]) == 1
        assert duplicate_item([doubled(60, 1), doubled(60, 2)]) is None
        for value in CYCLIC.values():
            duplicate_item([value, [*value]])
        assert duplicate_item([arrays(50_000, 1), arrays(50_000, 2), arrays(50_000, 1.0)]) == 2


# -- depth, sharing, cycles -----------------------------------------------------------------------------------


@no_collection()
def test_payloads_that_are_too_deep_for_the_stack_are_checked_all_the_same() -> None:
    validate, limit = tool_of(NODE).validate, sys.getrecursionlimit()

    def called(levels: int, payload: Any) -> Any:
        return validate(payload) if levels == 0 else called(levels - 1, payload)

    for most in (150, helpers.MAX_PAYLOAD_DEPTH):
        assert called(limit - 300, objects(most, {})) == []
        assert [len(issue.path) for issue in called(limit - 300, objects(most, 5))] == [most]
    assert sys.getrecursionlimit() == limit
    deeper = objects(helpers.MAX_PAYLOAD_DEPTH + 1, 5)
    assert [(i.path, i.constraint, i.expected) for i in validate(deeper)] == [((), "json", TOO_DEEP)]


@for_each([10, 190])
def test_issues_far_down_are_listed_as_far_as_their_paths_can_be_copied(levels: int) -> None:
    leaves = 5_000
    found = tool_of(LIST).validate(arrays(levels, ["x"] * leaves))
    listed = leaves if levels <= helpers.DEEP else helpers.MAX_COPIED_STEPS // levels
    assert [issue.path for issue in found] == [(0,) * levels + (i,) for i in range(listed)]


@for_each(CYCLIC)
@no_collection()
def test_what_contains_itself_has_an_issue_and_a_hint(payload: Any) -> None:
    tool = tool_of(
        {"anyOf": [NODE | {"properties": {"a": {"$ref": "#/anyOf/0"}}}, LIST | {"items": {"$ref": "#"}}]}
    )
    found = tool.validate(payload)
    assert [(i.path, i.constraint, i.expected) for i in found if i.constraint == "json"] in (
        [((), "json", TOO_DEEP)],
        [],
    )
    registry = Registry().with_tools(compile_tools([{"name": "t", "description": "", "schema": NODE}]))
    assert len(registry.hint("t", found, payload=payload).render()) <= 600
    assert repair(tool, payload).changes == ()
    for issue in found:
        json.dumps(issue.to_dict())
        assert len(repr(issue)) < 1_000


@for_each([doubled(60, 1), *CYCLIC.values()])
def test_issues_of_shared_and_cyclic_values_print(value: Any) -> None:
    issue = ValidationIssue((), "type", "string", value)
    with bounded(5):
        assert len(repr(issue)) < 200
        json.dumps(issue.to_dict())
        tool = tool_of(obj(a=TEXT))
        found = tool.validate({"a": value})
        assert len(build_hint(tool, found, payload={"a": value}).render()) <= 600
        assert repair(tool, {"a": value}).changes == ()


SECRET = obj("a", closed=True, a=WHOLE, s={"writeOnly": True}, deep={"items": {"$ref": "#"}})


@for_each([doubled(60, "x"), CYCLIC["list"]], ids=["doubled", "cyclic"])
@no_collection()
def test_secrets_of_shared_and_cyclic_values_are_hidden_once(value: Any) -> None:
    conversation = Conversation(compile_tools([{"name": "t", "description": "", "schema": SECRET}]))
    secrets = tool_of(SECRET).secrets
    for payload in (value, {"s": value}, {"deep": value}, {"b": value, "s": "hunter2"}):
        with bounded(5):
            assert not conversation.call("t", payload, lambda _: None).executed
            assert "hunter2" not in secrets.scrubbed("it is hunter2", {"s": "hunter2", "b": value})
            secrets.redacted(payload)


FIELDS = obj("a", closed=True, a=TEXT, rows={"type": "array", "items": {"type": "object"}})


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry().with_tools(compile_tools([{"name": "t", "description": "", "schema": FIELDS}]))


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class LoudError(Exception):
    def __str__(self) -> str:
        return "0" * 20_000_000


def causes(count: int) -> BaseException:
    error: BaseException = ValueError("first")
    for number in range(count):
        error, error.__cause__ = KeyError(number), error
    return error


def mutual() -> BaseException:
    one, other = ValueError("one"), KeyError("other")
    one.__cause__ = one.__context__ = other
    other.__cause__ = other.__context__ = one
    return one


@for_each(
    [
        MuteError,
        LoudError,
        mutual,
        lambda: causes(10_000),
        lambda: ExceptionGroup("g", [mutual(), MuteError()] * 10_000),
    ],
    ids=["mute", "loud", "mutual", "causes", "group"],
)
def test_odd_exceptions_are_classified_and_hinted(
    make: Callable[[], BaseException], *, registry: Registry
) -> None:
    error = make()
    with bounded(3):
        assert classify_llm_error(error).kind
        assert classify_mcp_error(error).kind
        assert len(registry.hint("t", error).render()) <= 600


def test_an_example_of_what_objects_require_of_each_other_is_bounded() -> None:
    """Twenty required fields that need an object of the same form: six levels would be 64 million placeholders."""
    names = [f"p{i}" for i in range(20)]
    tool = tool_of({"type": "object", "properties": {n: {"$ref": "#"} for n in names}, "required": names})
    with bounded(5):
        assert build_hint(tool, tool.validate({}), payload={}).example_input


# -- histories ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "value",
    [
        objects(plain_values.MAX_PLAIN_DEPTH, 1),
        objects(50_000, 1),
        {"a": doubled(60, 1)},
        *CYCLIC.values(),
    ],
    ids=["deep", "very deep", "doubled", *CYCLIC],
)
def test_histories_that_no_server_takes_are_refused_in_one_line(
    provider: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_values, "MAX_PLAIN_VALUES", 100_000)  # as if all were larger
    messages = [{"role": "user", "content": [], "extra": value}]
    for act in (toolgen_transcripts.check, toolgen_transcripts.repair):
        with bounded(8), pytest.raises(ValueError, match=r"^message 0: (a value is nested|there are more)"):
            act(messages, provider)


@for_each(PROVIDERS)
def test_histories_as_deep_as_payloads_are_read(provider: str) -> None:
    toolgen_transcripts.check([{"role": "user", "content": [], "extra": objects(150, 1)}], provider)


ROWS = {
    "properties": {
        "rows": {
            "type": "array",
            "items": {
                "properties": {"quantity": WHOLE},
                "required": ["quantity"],
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def test_a_hint_looks_at_a_bounded_number_of_issues_and_counts_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tool, most = tool_of(ROWS), 1_000
    monkeypatch.setattr(build, "MAX_ISSUES", most)

    def hint_of(rows: int) -> RetryHint:
        payload = {"rows": [{"quantty": 1}] * (rows - 1) + [{"quantity": "late"}], "more": 1}
        issues = tool.validate(payload)
        assert len(issues) == 2 * rows
        return build_hint(tool, issues, payload=payload)

    exact, beyond = hint_of(most // 2), hint_of(most)
    assert exact.omitted == 0
    assert [field.field for field in beyond.fields] == [f"rows[0-{most // 2 - 1}].quantity"]
    assert (beyond.fields[0].count, beyond.omitted) == (most // 2, most)
    assert f"+{beyond.omitted} more" in beyond.render()
