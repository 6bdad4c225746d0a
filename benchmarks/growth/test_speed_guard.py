"""Speed that CI can hold without a clock: opcodes that generated checks run, and how they grow.

Each generated check stands against one written by hand for the same schema: exact, and as one writes it who cares
for speed. Both must come to the same verdict about every payload.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from counting import opcodes
from helpers.nests import TREES, arrays, objects
from helpers.payloads import mutations
from helpers.support import TEST_DATA, tool_of

MOST = 1.2
"""How many times the opcodes of the check written by hand a generated check may take."""
SPARE = 500
"""Opcodes beyond proportion that a doubled payload may take."""


# -- checks written by hand -----------------------------------------------------------------------------------


def is_integer(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def issue(payload: Any) -> list[str]:
    if not isinstance(payload, dict):
        return ["no object"]
    errors = []
    if "title" not in payload:
        errors.append("title is missing")
    elif not isinstance(payload["title"], str):
        errors.append("title is no string")
    elif not 1 <= len(payload["title"]) <= 80:
        errors.append("title is too short or too long")
    if "project" not in payload:
        errors.append("project is missing")
    elif not is_integer(payload["project"]) or not 1 <= payload["project"] <= 9999:
        errors.append("project is no integer from 1 to 9999")
    if "priority" in payload and payload["priority"] not in ("low", "medium", "high"):
        errors.append("priority is none of low, medium, high")
    if "urgent" in payload and not isinstance(payload["urgent"], bool):
        errors.append("urgent is no boolean")
    if "note" in payload and not isinstance(payload["note"], str | None):
        errors.append("note is no string")
    return errors


def order(payload: Any) -> list[str]:
    if not isinstance(payload, dict):
        return ["no object"]
    if "rows" not in payload:
        return ["rows are missing"]
    if not isinstance(payload["rows"], list):
        return ["rows are no array"]
    errors = []
    for i, row in enumerate(payload["rows"]):
        if not isinstance(row, dict):
            errors.append(f"row {i} is no object")
            continue
        if "sku" not in row:
            errors.append(f"row {i}: sku is missing")
        elif not isinstance(row["sku"], str):
            errors.append(f"row {i}: sku is no string")
        if "count" not in row:
            errors.append(f"row {i}: count is missing")
        elif not is_integer(row["count"]) or row["count"] < 1:
            errors.append(f"row {i}: count is no integer from 1")
        if "price" in row and (not is_number(row["price"]) or row["price"] < 0):
            errors.append(f"row {i}: price is no number from 0")
        if "tags" in row:
            if not isinstance(row["tags"], list):
                errors.append(f"row {i}: tags are no array")
            elif not all(isinstance(tag, str) for tag in row["tags"]):
                errors.append(f"row {i}: a tag is no string")
    return errors


def tree(payload: Any) -> list[str]:
    if not isinstance(payload, dict):
        return ["no object"]
    errors = []
    if "name" not in payload:
        errors.append("name is missing")
    elif not isinstance(payload["name"], str):
        errors.append("name is no string")
    if "children" in payload:
        if isinstance(payload["children"], list):
            for i, child in enumerate(payload["children"]):
                errors += [f"children[{i}]: {error}" for error in tree(child)]
        else:
            errors.append("children are no array")
    return errors


CASES: dict[str, Callable[[Any], list[str]]] = {
    "flat object": issue,
    "array of objects": order,
    "recursion": tree,
}
DATA = json.loads((TEST_DATA / "checks_by_hand.json").read_text("utf-8"))
"""The schema of each, and valid payloads."""


@pytest.mark.parametrize("case", CASES)
def test_generated_checks_run_hardly_more_opcodes_than_checks_written_by_hand(case: str) -> None:
    by_hand, payloads = CASES[case], DATA[case]["valid"]
    validate = tool_of(DATA[case]["schema"]).validate
    assert [validate(payload) or by_hand(payload) for payload in payloads] == [[]] * len(payloads)
    generated = [opcodes(validate, payload) for payload in payloads]
    written = [opcodes(by_hand, payload) for payload in payloads]
    assert 0 < sum(generated) <= MOST * sum(written), (generated, written)


@pytest.mark.parametrize("case", CASES)
def test_checks_written_by_hand_come_to_the_same_verdict(case: str) -> None:
    by_hand, payloads = CASES[case], DATA[case]["valid"]
    validate = tool_of(DATA[case]["schema"]).validate
    wrong = 0
    for payload in (mutation for valid in payloads for mutation in mutations(valid)):
        assert (validate(payload) == []) == (by_hand(payload) == []), payload
        wrong += by_hand(payload) != []
    assert wrong


# -- growth ---------------------------------------------------------------------------------------------------

ROW = {
    "type": "object",
    "properties": {"id": {"type": "integer"}},
    "required": ["id"],
    "additionalProperties": False,
}
TEXT = {"type": "string"}
NODE = TREES["object"]
GROWTHS: dict[str, tuple[Any, Callable[[int], Any]]] = {
    "rows": ({"items": ROW}, lambda n: [{"id": i} for i in range(n)]),
    "wrong rows": ({"items": ROW}, lambda n: [{"id": "x"}] * n),
    "unknown keys": ({"additionalProperties": False}, lambda n: {f"k{i}": i for i in range(n)}),
    "map": ({"additionalProperties": TEXT}, lambda n: {f"k{i}": "v" for i in range(n)}),
    "distinct strings": ({"uniqueItems": True}, lambda n: [f"s{i}" for i in range(n)]),
    "distinct objects": ({"uniqueItems": True}, lambda n: [{"id": [i]} for i in range(n)]),
    "depth": (NODE, lambda n: objects(n // 2, {})),
    "depth, wrong at the end": (NODE, lambda n: objects(n // 4, 5)),
    "depth of arrays": ({"type": "array", "items": {"$ref": "#"}}, lambda n: arrays(n // 2, [])),
    "text": ({"items": ROW}, lambda n: json.dumps([{"id": i} for i in range(n)])),
    "text with colons": ({}, lambda n: json.dumps([{"a b": "c: d"}] * n, indent=1)),
    "text with keys twice": ({}, lambda n: "[" + ",".join(['{"a":1,"a":2}'] * n) + "]"),
    "text cut off": ({}, lambda n: "[" + ",".join(['{"a":"b"}'] * n)),
}


@pytest.mark.parametrize("case", GROWTHS)
def test_opcodes_grow_in_proportion(case: str) -> None:
    schema, payload = GROWTHS[case]
    tool = tool_of(schema)
    once, twice = (
        opcodes(tool.validate_json if case.startswith("text") else tool.validate, payload(n))
        for n in (1000, 2000)
    )
    assert twice <= 2 * once + SPARE, (once, twice)


# -- recursive unions whose branches each have a key of their own ---------------------------------------------

NODE_REF = {"$ref": "#/$defs/node"}


def branch(**properties: Any) -> Any:
    """Return a closed object that requires its first property."""
    return {
        "type": "object",
        "properties": properties,
        "required": [next(iter(properties))],
        "additionalProperties": False,
    }


def conditions(union: str) -> Any:
    """Return filters as search services take them: conditions, and `and`, `or` and `not` of filters."""
    many = {"type": "array", "items": NODE_REF}
    leaf = branch(field=TEXT, op={"enum": ["=", "<", ">"]}, value={"type": ["string", "number", "null"]})
    filters = [branch(**{"and": many}), branch(**{"or": many}), branch(**{"not": NODE_REF}), leaf]
    return {**NODE_REF, "$defs": {"node": {union: filters}}}


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_a_recursive_union_told_by_keys_is_checked_without_trials(union: str) -> None:
    leaf = {"field": "a", "op": "=", "value": 1}
    payload = {"and": [leaf, {"or": [leaf, {"not": leaf}, {"and": [leaf, {"or": [leaf]}]}]}]}
    validate = tool_of(conditions(union)).validate
    assert validate(payload) == []
    each = opcodes(validate, payload) / 10  # five filters of filters, five conditions
    assert each <= 100, each


@pytest.mark.parametrize("inside", ["itself", "not"])
@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_objects_without_the_key_of_a_branch_cost_in_proportion_to_their_depth(
    union: str, inside: str
) -> None:
    node = {union: [branch(left=TEXT, child=NODE_REF), branch(right=TEXT, child=NODE_REF)]}
    schema = NODE_REF if inside == "itself" else {"not": NODE_REF}
    validate = tool_of({**schema, "$defs": {"node": node}}).validate

    def without_keys(depth: int) -> Any:
        payload: Any = {}
        for _ in range(depth):
            payload = {"child": payload}
        return payload

    assert bool(validate(without_keys(3))) is (inside == "itself")
    once, twice = (opcodes(validate, without_keys(depth)) for depth in (12, 24))
    assert twice <= 3 * once + SPARE, (once, twice)


# -- single keywords that were slow ---------------------------------------------------------------------------

POINT = {**branch(x={"type": "number"}, y={"type": "number"}), "required": ["x", "y"]}
SLOT = branch(start={**TEXT, "format": "date-time"}, end={**TEXT, "format": "date-time"})
KEYWORDS: dict[str, tuple[Any, Any, int]] = {
    "uniqueItems of strings": ({"type": "array", "items": TEXT, "uniqueItems": True}, [*"abcde"], 136),
    "uniqueItems of objects": (
        {"type": "array", "items": POINT, "uniqueItems": True},
        [{"x": 1, "y": 2}, {"x": 2, "y": 1}, {"x": 1.5, "y": 2}, {"x": 0, "y": 0}, {"x": -4, "y": 2.5}],
        600,
    ),
    "const with true and 1": ({"const": {"a": True, "b": 1}}, {"a": True, "b": 1.0}, 25),
    "patternProperties": (
        {
            "type": "object",
            "patternProperties": {"^x-": TEXT, "^[a-z_]+$": {"type": "integer"}},
            "additionalProperties": False,
        },
        {"x-trace": "on", "x-id": "7", "limit": 5, "page_size": 20, "offset": 0},
        250,
    ),
    "format date-time": (
        {"type": "array", "items": SLOT},
        [
            {"start": "2026-11-22T09:30:00Z", "end": "2026-11-22T10:30:00+01:00"},
            {"start": "2026-11-23T09:30:00.250Z", "end": "2026-11-23T18:00:00-05:00"},
        ],
        345,
    ),
}
"""A schema, a valid payload, and the most opcodes of its check: about a quarter more than it runs on CPython 3.11."""


@pytest.mark.parametrize("case", KEYWORDS)
def test_a_check_of_one_keyword_runs_few_opcodes(case: str) -> None:
    schema, payload, most = KEYWORDS[case]
    validate = tool_of(schema).validate
    assert validate(payload) == []
    assert opcodes(validate, payload) <= most
