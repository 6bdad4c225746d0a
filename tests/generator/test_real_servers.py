"""The tools of real servers, their payloads mutated at every place, against jsonschema as the oracle."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for
from payloads import example, expected_issues, mutations
from support import SERVERS, needs_servers, same_json, servers, shown

from toolgen import compile_tools

pytestmark = needs_servers

UNIONS = {"anyOf", "oneOf", "not", "if", "contains", "propertyNames"}
"""Keywords whose issues speak of one branch, where the oracle speaks of all, or of a name."""


def has_union(schema: Any) -> bool:
    if isinstance(schema, dict):
        return bool(UNIONS & schema.keys()) or any(map(has_union, schema.values()))
    return isinstance(schema, list) and any(map(has_union, schema))


@pytest.mark.parametrize("most", [25, pytest.param(80, marks=pytest.mark.long)])
@pytest.mark.parametrize("server", sorted(path.stem for path in SERVERS.glob("*.json")))
def test_issues_and_verdicts_are_those_of_the_schema(server: str, most: int) -> None:
    """So many mutations of each payload are tried; jsonschema takes a minute for all of some servers."""
    tools = servers()[server]
    toolset = compile_tools({"tools": tools}, formats="annotate")
    compared = 0
    for spec in tools:
        schema = spec["inputSchema"]
        validator = validator_for(schema, default=Draft202012Validator)(schema)
        tool, whole = toolset[spec["name"]], not has_union(schema)
        for full in (False, True):
            payload = example(schema, schema, full)
            mutated = [*mutations(payload)]
            for wrong in [payload, *mutated[:: 1 + len(mutated) // most]]:
                before = json.dumps(wrong)
                issues = tool.validate(wrong)
                compared += 1
                assert json.dumps(wrong) == before, "the payload was touched"
                if whole:
                    got = {(issue.path, issue.constraint) for issue in issues}
                    assert got == expected_issues(validator, wrong), (spec["name"], wrong)
                else:
                    assert (not issues) == validator.is_valid(wrong), (spec["name"], wrong)
    assert compared > most * len(tools) / 2


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("server", sorted(path.stem for path in SERVERS.glob("*.json")))
def test_models_are_faithful_views_of_valid_payloads(server: str, step: int) -> None:
    """By default those of each third tool; `test_maskbench.py` has the models of others."""
    tools = servers()[server][::step]
    toolset = compile_tools({"tools": tools}, formats="annotate")
    viewed = 0
    for spec in tools:
        schema = spec["inputSchema"]
        tool = toolset[spec["name"]]
        assert tool.payload_type.model_json_schema() == schema
        for full in (False, True):
            payload = example(schema, schema, full)
            for valid in [p for p in [payload, *mutations(payload)] if not tool.validate(p)][:20]:
                assert same_json(shown(tool, valid), valid), (spec["name"], valid)
                viewed += 1
    assert viewed >= len(tools)
