"""The tools of real servers, their payloads mutated at every place, against jsonschema as the oracle.

Their models are those of `test_maskbench.py` and `test_fuzz.py`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.payloads import example, expected_issues, mutations
from helpers.support import SERVERS, needs_servers, read_json
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from toolgen import compile_tools

pytestmark = needs_servers

UNIONS = {"anyOf", "oneOf", "not", "if", "contains", "propertyNames"}
"""Keywords whose issues speak of one branch, where the oracle speaks of all, or of a name."""


def has_union(schema: Any) -> bool:
    if isinstance(schema, dict):
        return bool(UNIONS & schema.keys()) or any(map(has_union, schema.values()))
    return isinstance(schema, list) and any(map(has_union, schema))


@pytest.mark.parametrize(("step", "most"), [(3, 25), pytest.param(1, 80, marks=pytest.mark.long)])
@pytest.mark.parametrize("server", sorted(path.stem for path in SERVERS.glob("*.json")))
def test_issues_and_verdicts_are_those_of_the_schema(server: str, step: int, most: int) -> None:
    """So many mutations of each payload are tried; jsonschema takes a minute for all of some servers."""
    compared = 0
    specs = read_json(SERVERS / f"{server}.json")["tools"][::step]
    tools = compile_tools({"tools": specs}, formats="annotate")
    for schema, tool in ((spec["inputSchema"], tools[spec["name"]]) for spec in specs):
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
    assert compared > most * len(specs) / 2
