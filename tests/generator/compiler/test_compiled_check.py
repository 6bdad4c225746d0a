"""Whether a value is valid under one schema of a graph, with or without a compiled check."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.compiler.compiled_check import CompiledChecks, compiled_check
from toolgen.compiler.schema.lower import lower
from toolgen.compiler.specs.load import read_value

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
SCHEMAS: dict[str, Any] = {
    "anything": {},
    "nothing": False,
    "a type": {"type": "string"},
    "integers": {"type": "integer"},
    "integers of draft-04": {"$schema": DRAFT_4, "type": "integer"},
    "several types": {"type": ["number", "null"]},
    "choices": {"enum": [1, "a", None, {"k": [1.0]}]},
    "a constant": {"const": 0},
    "a choice beside a type": {"type": "string", "enum": ["a", 1]},
    "lengths": {"minLength": 1, "maxLength": 2},
    "numbers": {"minimum": 0, "exclusiveMaximum": 3},
    "steps": {"multipleOf": 0.1},
    "counts": {"minItems": 1, "maxProperties": 1},
    "a limit of draft-04": {"$schema": DRAFT_4, "maximum": 3, "exclusiveMaximum": True},
    "a pattern": {"pattern": "^a", "maxLength": 1},
    "properties": {"properties": {"k": {"type": "string"}}, "minProperties": 1},
}
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 3, -1, 1.0, 0.3, 2.5, 10**30, "", "a", "ab", "\U0001f600\U0001f600", "abc"),
    *([], [1], {}, {"k": "v"}, {"k": [1]}, {"k": 1, "l": 2}),
]


@pytest.mark.parametrize("case", SCHEMAS)
def test_the_verdict_is_that_of_the_compiled_check(case: str) -> None:
    root = lower(read_value([{"name": "a", "schema": SCHEMAS[case]}]).tools[0]).root
    assert root is not None
    checks, check = CompiledChecks(), compiled_check(root)
    for value in VALUES:
        assert checks.takes(root, value) == (check(value) == []), value
