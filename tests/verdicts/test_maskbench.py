"""Function-call schemas with labelled payloads (MaskBench): verdicts, faithful models, nothing invalid made."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.support import for_each, maskbench, needs_maskbench, same_json, shown
from pydantic import BaseModel, RootModel, TypeAdapter, ValidationError

from toolgen import compile_tools
from toolgen_runtime import InvalidPayload

pytestmark = needs_maskbench


@for_each([12, pytest.param(1, marks=pytest.mark.long)])
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


@for_each([12, pytest.param(1, marks=pytest.mark.long)])
def test_nothing_invalid_is_made(step: int) -> None:
    refused = 0
    rows = maskbench()[::step]
    tools = compile_tools([{"name": f"t{i}", "schema": row["schema"]} for i, row in enumerate(rows)])
    for row, tool in zip(rows, tools.values(), strict=True):
        valid = next((test["data"] for test in row["tests"] if test["valid"]), None)
        for payload in (test["data"] for test in row["tests"] if not test["valid"]):
            for make in makers(tool.payload_type, payload, valid):
                try:
                    made = make()
                except (ValidationError, InvalidPayload, TypeError):
                    refused += 1
                    continue
                pytest.fail(f"{row['id']}: {payload!r} made {made!r}")
    assert refused > 1_600 / step
