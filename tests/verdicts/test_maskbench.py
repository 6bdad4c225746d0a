"""Function-call schemas with labelled payloads (MaskBench): verdicts and faithful models."""

from __future__ import annotations

import pytest
from helpers.support import maskbench, needs_maskbench, same_json, shown

from toolgen import compile_tools

pytestmark = needs_maskbench


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.long)])
def test_every_label_is_the_verdict_and_models_show_what_is_valid(step: int) -> None:
    """By default those of each twelfth schema."""
    rows = maskbench()[::step]
    tools = compile_tools([{"name": f"t{i}", "schema": row["schema"]} for i, row in enumerate(rows)])
    compared, wrong = 0, []
    for row, tool in zip(rows, tools.values(), strict=True):
        for test in row["tests"]:
            compared += 1
            if (not tool.validate(test["data"])) != test["valid"]:
                wrong.append((row["id"], test))
            if test["valid"]:
                assert same_json(shown(tool, test["data"]), test["data"]), row["id"]
    assert wrong == []
    assert compared > 2_000 / step
