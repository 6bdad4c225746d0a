"""The tables of docs/limits.md: each constant has the value that they say, and beyond it is what they say."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from hostile_specs import scopes
from nests import arrays
from support import ROOT, bounded, spec_of

from toolgen.diagnostics import Diagnostic, SpecError
from toolgen.schema.lower import lower
from toolgen.specs import load
from toolgen.specs.load import read_value

_ROW = re.compile(r"\| [^|]+ \| `([\w.]+)\.(\w+)` \| ([\d,]+) \| ([^|]+) \|")
ROWS = [match.groups() for match in _ROW.finditer((ROOT / "docs" / "limits.md").read_text("utf-8"))]


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
    "toolgen.input_files.MAX_BYTES": lambda most: file_says(most + 1),
    "toolgen.specs.formats.json_values.MAX_VALUES": lambda most: value_says({"enum": [0] * most}),
    "toolgen.specs.formats.json_values.MAX_DEPTH": lambda most: value_says({"const": arrays(most, 1)}),
    "toolgen.specs.formats.json_values.MAX_INTEGER_BITS": lambda most: value_says({"const": 2**most}),
    "toolgen.schema.vocabulary.MAX_CONSTANT_DEPTH": lambda most: schema_says({"const": arrays(most + 1, 1)}),
    "toolgen.schema.lower.MAX_SCOPED": lambda most: schema_says(scopes(most.bit_length())),
    "toolgen.patterns.MAX_PATTERN": lambda most: schema_says({"pattern": "a+" * (most // 2 + 1)}),
    "toolgen.patterns.parser.MAX_DEPTH": lambda most: schema_says(
        {"pattern": "(" * (most + 1) + "a" + ")" * (most + 1)}
    ),
    "toolgen.patterns.cost.MOST_STEPS": lambda most: schema_says({"pattern": f"(?=[ab]{{{most}}}c)a"}),
    "toolgen.patterns.cost.MOST_STATES": lambda most: schema_says({"pattern": f"a[ab]{{{most}}}c"}),
    "toolgen.patterns.cost.MOST_QUICK_STATES": lambda most: schema_says({"pattern": f"a.*[ab]{{{most}}}c"}),
}


@pytest.mark.parametrize(("module", "name", "value", "beyond"), ROWS, ids=[row[1] for row in ROWS])
def test_each_constant_has_the_value_of_the_table(module: str, name: str, value: str, beyond: str) -> None:
    most = getattr(importlib.import_module(module), name)
    assert f"{most:,}" == value
    says = BEYOND.get(f"{module}.{name}")
    if says is not None:
        with bounded(12):
            codes = {diagnostic.code for diagnostic in says(most)}
        assert codes == {beyond.split("`")[1]}


def test_every_limit_that_says_something_is_exceeded_here() -> None:
    rows = {f"{module}.{name}" for module, name, _, beyond in ROWS if beyond.startswith("`")}
    assert {row for row in rows if row.startswith("toolgen.")} == BEYOND.keys()
    assert len(ROWS) >= len(BEYOND) > 5
