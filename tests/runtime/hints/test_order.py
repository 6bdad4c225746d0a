"""A hint does not depend on the order of keys, properties or issues."""

from __future__ import annotations

import json
from typing import Any

from helpers.support import TEXT, WHOLE, JsonObject, for_each, obj
from hypothesis import example, given, settings, strategies as st

from toolgen import compile_tools
from toolgen_runtime import MISSING, RetryHint, build_hint

PROPERTIES: JsonObject = {
    "title": TEXT,
    "due_date": {**TEXT, "format": "date"},
    "max_count": WHOLE,
    "state": {"enum": ["open", "closed"]},
    "tags": {"type": "array", "items": TEXT},
    "ids": {"anyOf": [{"type": "array", "items": WHOLE}, {"const": "all"}]},
    "place": obj("lat", lat={"type": "number"}),
}
SLIPS: dict[str, list[Any]] = {
    "title": ["t", 5, ["a", "b"], {"a": 1}],
    "Title": ["t"],
    "due_date": ["", "2026-05-01 10:00", "null"],
    "dueDate": ["2026-05-01"],
    "max_count": ["5", "null", "many", None],
    "limit": [5],
    "state": ["OPEN", "opened", ""],
    "tags": ["a", "a, b", []],
    "ids": ["5", "5,6"],
    "place": ['{"lat": 1}', {}, {"Lat": 1}],
    "lat": [1.5],
    "other": [None, "x"],
}
payloads = st.dictionaries(st.sampled_from(sorted(SLIPS)), st.integers(0, 3), min_size=1, max_size=6).map(
    lambda chosen: {key: SLIPS[key][n % len(SLIPS[key])] for key, n in chosen.items()}
)


def hint_of(properties: JsonObject, payload: JsonObject, *, turned: bool, **more: Any) -> RetryHint:
    schema = {"type": "object", "properties": properties, **more}
    tool = compile_tools([{"name": "t", "inputSchema": schema}])["t"]
    issues = tool.validate(payload)
    return build_hint(tool, issues[::-1] if turned else issues, payload=payload)


def facts_of(hint: RetryHint) -> tuple[Any, ...]:
    """The parts of a hint that may not depend on an order."""
    edits = sorted(
        json.dumps([e.op, e.path, e.to, None if e.value is MISSING else e.value, e.certain])
        for e in hint.edits
    )
    corrected = hint.corrected and json.loads(hint.corrected.partition(": ")[2])
    fields = [] if hint.omitted else sorted(f.field for f in hint.fields)  # the caps keep the schema's order
    return edits, fields, hint.reason, hint.omitted, corrected


@for_each([False, True])
@settings(max_examples=60, deadline=None)
@given(payload=payloads, required=st.sets(st.sampled_from(sorted(PROPERTIES)), max_size=2))
@example(payload={"Title": "t", "max_count": "null"}, required={"title"})
@example(payload={"max_count": "null", "Title": "t"}, required={"title"})
def test_edits_do_not_depend_on_the_order(closed: bool, *, payload: JsonObject, required: set[str]) -> None:
    more = {"required": sorted(required), "additionalProperties": not closed}
    hint = hint_of(PROPERTIES, payload, turned=False, **more)
    turned = dict(reversed(PROPERTIES.items()))
    assert facts_of(hint) == facts_of(hint_of(turned, payload, turned=False, **more))
    assert facts_of(hint) == facts_of(hint_of(PROPERTIES, payload, turned=True, **more))
    keys_turned = dict(reversed(payload.items()))
    assert facts_of(hint) == facts_of(hint_of(PROPERTIES, keys_turned, turned=False, **more))
