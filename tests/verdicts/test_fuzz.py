"""Differential fuzzing: schemas and payloads grown by Hypothesis, against jsonschema-rs and jsonschema.

`pytest -m long tests/verdicts/test_fuzz.py` runs longer and with new seeds; `TOOLGEN_FUZZ_SCHEMAS` says how many
schemas each dialect gets (5,000), `TOOLGEN_FUZZ_SEED` from which seed.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import Any

import jsonschema_rs
import pytest
from helpers.payloads import expected_issues
from helpers.schemas import D7, D2019, D2020, Draft, payloads, plain_schemas, quick, schemas, values
from helpers.support import TEST_DATA, for_each, no_collection, read_json, same_json, shown, tool_of
from hypothesis import given, seed as seeded, strategies as st
from jsonschema import Draft202012Validator

from toolgen import SpecError
from toolgen_runtime import InvalidPayload, Tool
from toolgen_runtime.schema.keywords import CONSTRAINTS

SCALE = int(os.environ.get("TOOLGEN_FUZZ_SCALE", "1"))
SCHEMAS = {"2020-12": (D2020, 100 * SCALE), "2019-09": (D2019, 45 * SCALE), "draft-07": (D7, 45 * SCALE)}
"""How many schemas of each dialect are grown; each meets about 14 payloads. CI takes three times as many."""
LEAST_CASES = 20_000
RANDOM_PAYLOADS = 6
LIKELY_PAYLOADS = 8
VIEWED = 4
"""One schema in this many gets a payload model, which costs as much as a hundred checks."""
FOUND = read_json(TEST_DATA / "found_cases.json")
_counts: Counter[str] = Counter()


def words(schema: Any) -> set[str]:
    """Every key that stands anywhere in a schema."""
    if isinstance(schema, dict):
        return schema.keys() | {w for v in schema.values() for w in words(v)}
    return {w for v in schema for w in words(v)} if isinstance(schema, list) else set()


def is_misjudged(draft: Draft, schema: Any) -> bool:
    """Where the oracle is wrong.

    jsonschema-rs lets `contains` evaluate items in 2019-09 too; there `unevaluatedItems` depends on `items`,
    `additionalItems` and itself only (2019-09 core, section 9.3.1.3).
    """
    return draft is D2019 and {"contains", "unevaluatedItems"} <= words(schema)


def is_place(payload: Any, path: tuple[str | int, ...]) -> bool:
    """Whether a path leads to a value of the payload, or to a name that one of its objects lacks."""
    for index, step in enumerate(path):
        try:
            payload = payload[step]
        except (KeyError, IndexError, TypeError):
            return isinstance(payload, dict) and index == len(path) - 1
    return True


def compare(draft: Draft, schema: Any, tried: list[Any]) -> None:
    _counts["schemas"] += 1
    try:
        tool = tool_of(schema, formats="annotate")
    except SpecError as error:
        if {d.code for d in error.diagnostics} != {"endless-reference"}:
            raise
        _counts["endless"] += 1
        return
    if is_misjudged(draft, schema):
        _counts["misjudged"] += 1
        return
    oracle = jsonschema_rs.validator_for(schema)
    for payload in tried:
        _counts["cases"] += 1
        before = json.dumps(payload)
        issues = tool.validate(payload)
        assert json.dumps(payload) == before, "the payload was touched"
        assert (not issues) == oracle.is_valid(payload), (schema, payload, issues)
        _counts["valid"] += not issues
        for issue in issues:
            assert issue.constraint in CONSTRAINTS
            assert is_place(payload, issue.path), (schema, payload, issue)
            json.dumps(issue.to_dict())


def view(tool: Tool[Any], schema: Any, tried: list[Any]) -> None:
    """`parse` takes exactly what is valid, and shows it as it is."""
    for payload in tried:
        issues = tool.validate(payload)
        if issues:
            with pytest.raises(InvalidPayload) as failure:
                tool.parse(payload)
            assert failure.value.issues() == issues
            continue
        assert same_json(shown(tool, payload), payload), (schema, payload)
        _counts["views"] += 1


def fuzz(draft: Draft, schemas_wanted: int, seed: int | None) -> None:
    number = Counter[str]()

    @quick(schemas_wanted, derandomize=seed is None)
    @given(
        schemas(draft),
        st.lists(values, min_size=RANDOM_PAYLOADS, max_size=RANDOM_PAYLOADS),
        st.integers(0, 2**16),
    )
    def run(schema: Any, tried: list[Any], mutation: int) -> None:
        number["schemas"] += 1
        tried = [*tried, *payloads(schema, mutation, LIKELY_PAYLOADS)]
        with no_collection():  # a schema may lead back to itself
            compare(draft, schema, tried)

    (run if seed is None else seeded(seed)(run))()


@for_each(SCHEMAS)
def test_verdicts_and_issues_are_those_of_the_oracles(draft: Any, wanted: Any) -> None:
    before = _counts.copy()
    fuzz(draft, wanted, None)
    counted = _counts - before
    assert counted["cases"] >= LEAST_CASES * wanted / 2500, counted
    assert counted["cases"] * 0.2 < counted["valid"] < counted["cases"] * 0.8, counted


@quick(50 * SCALE)
@given(plain_schemas(), st.lists(values, min_size=4, max_size=4), st.integers(0, 2**16))
def test_the_whole_list_is_the_oracles(schema: Any, tried: list[Any], mutation: int) -> None:
    try:
        tool = tool_of(schema)
    except SpecError as error:
        if {d.code for d in error.diagnostics} != {"endless-reference"}:
            raise
        return
    lister = Draft202012Validator(schema)
    for payload in [*tried, *payloads(schema, mutation, LIKELY_PAYLOADS)]:
        found = {(issue.path, issue.constraint) for issue in tool.validate(payload)}
        differences = found ^ expected_issues(lister, payload)
        assert {each for each in differences if not is_rounded(payload, *each)} == set(), (schema, payload)


def is_rounded(payload: Any, path: tuple[str | int, ...], constraint: str) -> bool:
    """Whether jsonschema divides floats here, which round: 10**30 would be a multiple of 1.5."""
    for step in path:
        payload = payload[step]
    return constraint == "multipleOf" and abs(payload) > 2**53


@for_each(SCHEMAS)
def test_models_are_views_of_what_is_valid(draft: Any, wanted: Any) -> None:

    @quick(wanted // VIEWED)
    @given(schemas(draft), st.lists(values, min_size=4, max_size=4), st.integers(0, 2**16))
    def run(schema: Any, tried: list[Any], mutation: int) -> None:
        try:
            tool = tool_of(schema, formats="annotate")
        except SpecError:
            return
        view(tool, schema, [*tried, *payloads(schema, mutation, 4)])

    run()


@pytest.mark.long
@pytest.mark.parametrize("dialect", SCHEMAS)
def test_longer(dialect: str) -> None:
    wanted = int(os.environ.get("TOOLGEN_FUZZ_SCHEMAS", "5000"))
    seed = int(os.environ.get("TOOLGEN_FUZZ_SEED", random.SystemRandom().randrange(2**32)))
    before = _counts.copy()
    fuzz(SCHEMAS[dialect][0], wanted, seed)
    print(f"{dialect}: seed {seed}, {dict(_counts - before)}")


@for_each(FOUND, ids=lambda case: case["found"])
def test_found_cases_stay_right(case: dict[str, Any]) -> None:
    tool = tool_of(case["schema"], formats="annotate")
    for payload in case["valid"]:
        assert tool.validate(payload) == [], payload
    found = [[issue.constraint for issue in tool.validate(payload)] for payload in case["invalid"]]
    assert all(found), found
    assert found == case.get("constraints", found)
