"""Reading hostile texts and comparing hostile items takes no more than a bound of processor time.

Regular expressions and comparisons run in C, where no line can be counted: what is quadratic takes minutes here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from helpers.support import TEXT, WHOLE, bounded, tool_of
from hostile_shapes import COLLIDING, PIECES, PRIME

from toolgen_runtime import Registry, ValidationIssue, build_hint, repair
from toolgen_runtime.calls.handler_errors import classify_handler_error
from toolgen_runtime.hints.tool_names import only_meaning
from toolgen_runtime.validation.branches import meant
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.unique_items import duplicate_item
from toolgen_transcripts import explain_provider_error, openai
from toolgen_transcripts.errors import classify_llm_error, classify_mcp_error

TOOL = tool_of(
    {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "n": {"type": "integer"},
            "priority": {"enum": ["low", "high"]},
            "rows": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["a"],
        "additionalProperties": False,
    }
)
REGISTRY = Registry().with_tools({"t": TOOL})
AROUND = [
    ("", ""),
    ("value '", "' is too long"),
    ("data ", " must be string"),
    ("1 validation error for x\n", ""),
]


def hint_of_text(text: str) -> None:
    for before, after in AROUND:
        REGISTRY.hint("t", f"{before}{text}{after}").render()
    REGISTRY.hint("t", ValueError(text), payload={"a": text}).render()


def hint_of_arguments(text: str) -> None:
    for sent in (text, "{" + text, '{"a":' + text):
        build_hint(TOOL, TOOL.validate_json(sent), payload=sent).render()
        repair(TOOL, sent)


def classify(text: str) -> None:
    for classified in (classify_llm_error, classify_mcp_error):
        classified(f"tool {text}")
    classify_handler_error(ValueError(text))
    explain_provider_error(text)


def name_of_tool(text: str) -> None:
    REGISTRY.hint(text, []).render()
    only_meaning(text, ["mcp__github__search", text[:60], text[:5_000]], str)


READERS: dict[str, tuple[Callable[[str], None], int]] = {
    "hints of other texts": (hint_of_text, 200_000),
    "hints of arguments": (hint_of_arguments, 20_000),
    "classes of errors": (classify, 100_000),
    "names of tools": (name_of_tool, 100_000),
}
"""What reads a text, and how long a text it reads here."""


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("piece", PIECES)
def test_texts_take_bounded_time(piece: str, reader: str) -> None:
    act, size = READERS[reader]
    with bounded(8):
        act(piece * (size // len(piece)))


def test_bodies_of_many_names_take_bounded_time() -> None:
    payload = {"a": "x", "m": {f"k{i}": {f"a{j}": 1 for j in range(20)} for i in range(240)}}
    bodies: list[Any] = [
        {"errors": [{"field": f"x{i}", "message": "bad"} for i in range(600)]},
        {"errors": {f"x{i}": ["is required"] for i in range(900)}},
        {"message": [f"x{i} must be a string" for i in range(800)]},
        {"e": [[[["missing field: q"]]]] * 900},
        [{"path": [f"p{i}", "q"], "message": "m", "code": "custom"} for i in range(400)],
    ]
    nested = "field 'q' is bad"
    for _ in range(6):
        nested = json.dumps({"a": nested, "b": nested})
    for text in (*map(json.dumps, bodies), nested):
        with bounded(1):
            REGISTRY.hint("t", text, payload=payload)


@pytest.mark.parametrize("shape", COLLIDING)
def test_equal_hashes_do_not_slow_unique_items(shape: str) -> None:
    items = COLLIDING[shape](12_000)
    with bounded(10):
        assert duplicate_item(items) is None
        assert duplicate_item([*items, json.loads(json.dumps(items[0]))]) == len(items)
        assert duplicate_item([None, *items]) is None


def test_objects_whose_keys_are_colliding_numbers() -> None:
    with bounded(10):
        assert duplicate_item([{i * PRIME: 1} for i in range(20_000)]) is None


@pytest.mark.parametrize(
    "number",
    ["1e400000000", "1e-400000000", "1e99999999999999999999", "-1e4300", "1" * 4301, "9" * 5000 + "e1"],
)
def test_numbers_that_ask_for_too_much(number: str) -> None:
    with bounded(5):
        tool_of({"items": {"multipleOf": 1e-300}}).validate_json(f"[{number}]")
        tool_of({"items": {"multipleOf": 0.01}}).validate_json(f'{{"a": {number}}}')


@pytest.mark.parametrize(
    "text",
    [
        '"' + "\\u0041" * 40_000,
        '["' + 'a\\":' * 50_000 + '", "x:"]',
        "[" + "1," * 75_000,
        "{" + '"a":1,' * 25_000 + '"a":1}',
        "9" * 250_000,
        "1e" + "9" * 250_000,
        "0." + "1" * 250_000,
        " " * 250_000 + "x",
        "\n" * 250_000 + "x",
        '{"a"' + " " * 250_000 + ":1, " + '"b":":"}',
        '{"a": "' + "x" * 2_500_000 + '"}',
        '{"a": "' + "é: " * 2_500_000 + '"}',
        "[" + "1," * 250_000 + "1]",
        "[" + "1.5," * 50_000 + "1e400]",
        "[" + '{"a":":"},' * 50_000 + "{}]",
        "[" + "[" * 100 + "]" * 100 + ",[],{}" * 75_000 + "]",
    ],
    ids=lambda text: text[:12].strip(),
)
def test_texts_of_arguments_are_read_in_bounded_time(text: str) -> None:
    with bounded(5):
        read(text)
        read(text.encode())


def test_the_branch_of_very_many_is_chosen_in_bounded_time() -> None:
    number = 2_000
    keys: list[dict[str, Any]] = [
        {"kind": (f"k{i}",), **{f"a{i}_{n}": None for n in range(50)}} for i in range(number)
    ]
    found = [[ValidationIssue(("z",), "required", True)] for _ in range(number)]
    value = {"kind": "K7", **{f"b{i}": i for i in range(100_000)}}
    with bounded(5):
        (issue,) = meant(value, found, keys, "anyOf")
    assert (issue.path, issue.constraint, len(issue.expected)) == (("kind",), "enum", number)


def test_large_payloads() -> None:
    rows = {
        "type": "array",
        "uniqueItems": True,
        "items": {"anyOf": [WHOLE, TEXT, {"type": "object"}]},
    }
    tool = tool_of(rows)
    with bounded(12):
        assert tool.validate(list(range(300_000))) == []
        assert [i.constraint for i in tool.validate([*range(100_000), 7.0])] == ["uniqueItems"]
        assert [i.got for i in tool.validate([*({"a": [i]} for i in range(30_000)), {"a": [5.0]}])] == [
            {"a": [5.0]}
        ]
        assert tool_of({"maxLength": 5, "pattern": "^(a+)+$"}).validate("a" * 3_000_000 + "!") != []


BAR = "\uff5c"


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>" * 50_000,
        "to=functions.a" * 50_000,
        "<" + " " * 300_000 + "DSML",
        f'<{BAR}DSML{BAR}invoke name="a">' * 20_000,
        f'<{BAR}DSML{BAR}invoke name="a">' + f'<{BAR}DSML{BAR}parameter name="a">' * 20_000,
        "[TOOL_CALLS]" * 50_000 + "[" * 100_000,
        "[TOOL_CALLS]a[ARGS]{" * 20_000,
    ],
    ids=["tags", "harmony", "spaces", "dsml", "parameters", "brackets", "mistral"],
)
def test_texts_that_look_like_leaked_calls_end_soon(text: str) -> None:
    message = {"role": "assistant", "content": text}
    with bounded(5):
        openai.read_tool_uses({"choices": [{"message": message, "finish_reason": "stop"}]}, leaked="read")
