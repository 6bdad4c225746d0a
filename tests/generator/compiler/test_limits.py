"""docs/limits.md: the values are those of the code, and beyond them is what the page says."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import limits_reference
import pytest
from helpers.nests import arrays
from helpers.support import JsonObject, bounded, spec_of

from toolgen import SpecError
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema.lower import lower
from toolgen.compiler.specs import load
from toolgen.compiler.specs.load import read_value

TEXT = limits_reference.PAGE.read_text("utf-8")
ROWS = {f"{row['module']}.{row['name']}": row for row in limits_reference.ROW.finditer(TEXT)}


def scopes(size: int) -> JsonObject:
    """Resources, each of which leads to two next ones, one with an anchor of its own for the dynamic scope."""
    definitions: JsonObject = {}
    for i in range(size):
        after = {"anyOf": [{"$ref": f"http://t.test/{side}{i + 1}"} for side in "ab"]}
        definitions[f"a{i}"] = {
            "$id": f"http://t.test/a{i}",
            **after,
            "$defs": {"x": {"$dynamicAnchor": f"n{i}"}},
        }
        definitions[f"b{i}"] = {"$id": f"http://t.test/b{i}", **after}
    for side in "ab":
        definitions[f"{side}{size}"] = {
            "$id": f"http://t.test/{side}{size}",
            "properties": {f"p{i}": {"$dynamicRef": f"#n{i}"} for i in range(size)},
            "$defs": {f"n{i}": {"$dynamicAnchor": f"n{i}"} for i in range(size)},
        }
    return {"$ref": "http://t.test/a0", "$defs": definitions}


def schema_says(schema: Any) -> tuple[Diagnostic, ...]:
    return lower(spec_of(schema)).diagnostics


def value_says(schema: Any) -> tuple[Diagnostic, ...]:
    try:
        found = read_value([{"name": "t", "description": "", "schema": schema}]).diagnostics
    except SpecError as error:
        found = error.diagnostics
    return tuple(diagnostic for diagnostic in found if diagnostic.code != "no-tools")


def file_says(size: int) -> tuple[Diagnostic, ...]:
    return tuple(load.load(["-"], stdin=BytesIO(bytes(size))).diagnostics)


BEYOND: dict[str, Callable[[int], tuple[Diagnostic, ...]]] = {
    "toolgen.compiler.input_files.MAX_BYTES": lambda most: file_says(most + 1),
    "toolgen.compiler.specs.formats.json_values.MAX_SPEC_VALUES": lambda most: value_says(
        {"enum": [0] * most}
    ),
    "toolgen.compiler.specs.formats.json_values.MAX_SPEC_DEPTH": lambda most: value_says(
        {"const": arrays(most, 1)}
    ),
    "toolgen.compiler.specs.formats.json_values.MAX_INTEGER_BITS": lambda most: value_says(
        {"const": 2**most}
    ),
    "toolgen.compiler.schema.vocabulary.MAX_CONSTANT_DEPTH": lambda most: schema_says(
        {"const": arrays(most + 1, 1)}
    ),
    "toolgen.compiler.schema.lower.MAX_SCOPED": lambda most: schema_says(scopes(most.bit_length())),
    "toolgen.compiler.patterns.translate.MAX_PATTERN": lambda most: schema_says(
        {"pattern": "a+" * (most // 2 + 1)}
    ),
    "toolgen.compiler.patterns.parser.MAX_GROUP_DEPTH": lambda most: schema_says(
        {"pattern": "(" * (most + 1) + "a" + ")" * (most + 1)}
    ),
    "toolgen.compiler.patterns.automaton.MOST_STATES": lambda most: schema_says(
        {"pattern": f"(?=[ab]{{{most}}}c)a"}
    ),
    "toolgen.compiler.patterns.automaton.MOST_COST": lambda most: schema_says(
        {"pattern": f"(?={'a*b' * most}c)a"}
    ),
    "toolgen.compiler.patterns.cost.MOST_STATES": lambda most: schema_says({"pattern": f"a[ab]{{{most}}}c"}),
    "toolgen.compiler.patterns.cost.MOST_QUICK_STATES": lambda most: schema_says(
        {"pattern": f"a.*[ab]{{{most}}}c"}
    ),
}


def test_the_page_has_the_values_of_the_code() -> None:
    assert limits_reference.page(TEXT) == TEXT
    row = next(iter(ROWS.values()))
    empty = row[0].replace(f" {row['value']} ", "  ")
    assert limits_reference.page(TEXT.replace(row[0], empty)) == TEXT


@pytest.mark.parametrize("limit", BEYOND)
def test_what_is_beyond_a_limit_is_what_the_page_says(limit: str) -> None:
    most = int(ROWS[limit]["value"].replace(",", ""))
    with bounded(12):
        codes = {diagnostic.code for diagnostic in BEYOND[limit](most)}
    assert codes == {ROWS[limit]["beyond"].split("`")[1]}


def test_every_limit_that_says_something_is_exceeded_here() -> None:
    said = {limit for limit, row in ROWS.items() if row["beyond"].startswith("`")}
    assert {limit for limit in said if limit.startswith("toolgen.")} == BEYOND.keys()
