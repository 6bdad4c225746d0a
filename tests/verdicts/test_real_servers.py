"""The tools of real servers, their payloads mutated at every place, against jsonschema as the oracle."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from typing import Any

import pytest
from helpers.payloads import example, expected_issues, mutations
from helpers.support import SERVERS, needs_servers, same_json, servers, shown
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from toolgen import compile_tools
from toolgen_runtime import Tool

pytestmark = needs_servers

UNIONS = {"anyOf", "oneOf", "not", "if", "contains", "propertyNames"}
"""Keywords whose issues speak of one branch, where the oracle speaks of all, or of a name."""


def has_union(schema: Any) -> bool:
    if isinstance(schema, dict):
        return bool(UNIONS & schema.keys()) or any(map(has_union, schema.values()))
    return isinstance(schema, list) and any(map(has_union, schema))


every_server = pytest.mark.parametrize("server", sorted(path.stem for path in SERVERS.glob("*.json")))
real = cache(servers)


@cache
def compiled(server: str, step: int) -> list[tuple[Any, Tool[Any]]]:
    """The schemas and tools of a server, one tool in each `step`."""
    specs = real()[server][::step]
    toolset = compile_tools({"tools": specs}, formats="annotate")
    return [(spec["inputSchema"], toolset[spec["name"]]) for spec in specs]


@pytest.mark.parametrize(("step", "most"), [(3, 25), pytest.param(1, 80, marks=pytest.mark.long)])
@every_server
def test_issues_and_verdicts_are_those_of_the_schema(server: str, step: int, most: int) -> None:
    """So many mutations of each payload are tried; jsonschema takes a minute for all of some servers."""
    compared = 0
    for schema, tool in compiled(server, step):
        validator = validator_for(schema, default=Draft202012Validator)(schema)
        whole = not has_union(schema)
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
                    assert got == expected_issues(validator, wrong), (tool.name, wrong)
                else:
                    assert (not issues) == validator.is_valid(wrong), (tool.name, wrong)
    assert compared > most * len(compiled(server, step)) / 2


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
@every_server
def test_models_are_faithful_views_of_valid_payloads(server: str, step: int) -> None:
    """By default those of the same tools as above; `test_maskbench.py` has the models of others."""
    viewed = 0
    for schema, tool in compiled(server, step):
        assert tool.payload_type.model_json_schema() == schema
        for full in (False, True):
            payload = example(schema, schema, full)
            valid = (each for each in [payload, *mutations(payload)] if not tool.validate(each))
            for each in islice(valid, 20):
                assert same_json(shown(tool, each), each), (tool.name, each)
                viewed += 1
    assert viewed >= len(compiled(server, step))
