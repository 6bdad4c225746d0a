"""Whether a value is valid under one schema of a graph, with or without a compiled check."""

from __future__ import annotations

from typing import Any

from helpers.support import for_each, lowered

from toolgen.compiler.compiled_check import CompiledChecks, compiled_check

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
SCHEMAS: dict[str, Any] = {
    "integers of draft-04": {"$schema": DRAFT_4, "type": "integer"},
    "choices": {"enum": [1, "a", None, {"k": [1.0]}]},
    "a choice beside a type": {"type": "string", "enum": ["a", 1]},
    "numbers": {"minimum": 0, "exclusiveMaximum": 3},
    "steps": {"multipleOf": 0.1},
    "properties": {"properties": {"k": {"type": "string"}}, "minProperties": 1},
}
VALUES: list[Any] = [None, True, 0, 1, 3, -1, 1.0, 0.3, 10**30, "", "a", "ab", [], {"k": "v"}, {"k": [1]}]


@for_each(SCHEMAS)
def test_the_verdict_is_that_of_the_compiled_check(case: Any) -> None:
    root = lowered(case)
    checks, check = CompiledChecks(), compiled_check(root)
    for value in VALUES:
        assert checks.takes(root, value) == (check(value) == []), value
