"""Function-call schemas with labelled payloads (MaskBench): verdicts, faithful models, nothing invalid made."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from helpers.support import maskbench, needs_maskbench, same_json
from pydantic import BaseModel, RootModel, TypeAdapter, ValidationError

from toolgen import compile_tools
from toolgen_runtime import InvalidPayload, Tool

pytestmark = needs_maskbench
PARTS = 12


@cache
def tools(start: int, step: int) -> list[tuple[dict[str, Any], Tool[Any]]]:
    rows = maskbench()[start::step]
    toolset = compile_tools([{"name": f"t{i}", "schema": row["schema"]} for i, row in enumerate(rows)])
    return [(row, toolset[f"t{i}"]) for i, row in enumerate(rows)]


@pytest.mark.parametrize("step", [PARTS, pytest.param(1, marks=pytest.mark.long)])
def test_every_label_is_the_verdict(step: int) -> None:
    """By default those of each twelfth schema, whose tools the next test uses as well."""
    compared, wrong = 0, []
    for row, tool in tools(0, step):
        for test in row["tests"]:
            compared += 1
            if (not tool.validate(test["data"])) != test["valid"]:
                wrong.append((row["id"], test))
    assert wrong == []
    assert compared > 2_000 / step


def makers(model: type[Any], payload: Any, valid: Any) -> list[Any]:
    """Every public way to an instance, as calls that are yet to be made."""
    is_root = issubclass(model, RootModel)
    ways = [
        lambda: model.model_validate(payload),
        lambda: model.model_validate_json(json.dumps(payload)),
        lambda: TypeAdapter(model).validate_python(payload),
        lambda: TypeAdapter(list[model]).validate_python([payload]),  # type: ignore[valid-type]
        lambda: model(payload) if is_root else model(**payload),
        lambda: model.model_construct(payload) if is_root else model.model_construct(**payload),
    ]
    if valid is not None and isinstance(payload, dict) and not is_root:
        ways.append(lambda: _updated(model.model_validate(valid), payload))
    return ways


def _updated(made: BaseModel, payload: dict[str, Any]) -> Any:
    updated = made.model_copy(update=payload)
    # An update adds to what is there: with what the payload lacks it may be valid.
    dumped = updated.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if same_json(dumped, payload):
        return updated
    raise InvalidPayload("another payload", ())


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, PARTS))])
def test_models_show_what_is_valid_and_make_nothing_else(part: int) -> None:
    shown = refused = 0
    for row, tool in tools(part, PARTS):
        payloads = [test["data"] for test in row["tests"] if test["valid"]]
        for payload in payloads:
            dumped = tool.parse(payload).model_dump(mode="json", by_alias=True, exclude_unset=True)
            assert same_json(dumped, payload), (row["id"], payload, dumped)
            shown += 1
        for payload in (test["data"] for test in row["tests"] if not test["valid"]):
            for make in makers(tool.payload_type, payload, payloads[0] if payloads else None):
                try:
                    made = make()
                except (ValidationError, InvalidPayload, TypeError):
                    refused += 1
                    continue
                pytest.fail(f"{row['id']}: {payload!r} made {made!r}")
    assert shown > 1_000 / PARTS
    assert refused > 1_600 / PARTS
