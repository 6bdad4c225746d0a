"""Calls whose data has another shape than the schema's: at another level under another name, in another notation."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen import compile_tools
from toolgen_runtime import Registry, Tool, apply_edits, repair

S: dict[str, Any] = {"type": "string"}
INT: dict[str, Any] = {"type": "integer"}
N: dict[str, Any] = {"type": "number"}


def obj(closed: bool = True, /, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object; a name that ends in `_` is that of a field that must be there."""
    required = [name.removesuffix("_") for name in properties if name.endswith("_")]
    schemas = {name.removesuffix("_"): schema for name, schema in properties.items()}
    schema = {"type": "object", "properties": schemas, "required": required}
    return schema | {"additionalProperties": False} if closed else schema


def arr(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def said_of(schema: Any) -> dict[str, Any]:
    return {"type": "string", "format": schema}


def described(schema: dict[str, Any], text: str) -> dict[str, Any]:
    return {**schema, "description": text}


def registry_of(schema: dict[str, Any]) -> tuple[Registry, Tool[Any]]:
    tools = compile_tools([{"name": "t", "description": "d", "schema": schema}])
    registry = Registry()
    registry.register(tools)
    return registry, tools["t"]


PLACE = obj(location_=obj(lat_=N, lon_=N), units=S)
OPEN_PLACE = obj(False, location_=obj(False, lat_=N, lon_=N))
AT = {"location": {"lat": 48.8, "lon": 2.3}}
ISSUE = obj(fields_=obj(project_=obj(key_=S), summary_=S, issuetype_=obj(name_=S), description=S))
BUG = {"fields": {"project": {"key": "AB"}, "summary": "s", "issuetype": {"name": "Bug"}}}
EVENT = obj(summary_=S, start_=obj(dateTime_=S, timeZone=S), end_=obj(dateTime_=S, timeZone=S))
MEETING = {"summary": "s", "start": {"dateTime": "a"}, "end": {"dateTime": "b"}}
FLAT = obj(project_key_=S, summary_=S, team_id=S)
EDITS = obj(path_=S, edits_=arr(obj(oldText_=S, newText_=S)))
REPO = obj(owner_=S, repo_=S, title=S)
POINT = obj(x_=N, y_=N, button=S)
CLICK = obj(type_={"const": "click"}, selector_=S)
WAIT = obj(type_={"const": "wait"}, ms_=INT)
ACT = obj(action_={"anyOf": [CLICK, WAIT]})
SIDES = obj(data_=obj(False, id_=S), params_=obj(False, id_type_=S))
CONFIG = obj(app_=S, config_=obj(image_=S, resources=obj(cpu=S, memory=S)))
LEVELS = [
    # schema, sent, meant, whether that is certain, words of the text
    (PLACE, {"latitude": 48.8, "longitude": 2.3}, AT, False, "latitude as location.lat and longitude as"),
    (OPEN_PLACE, {"latitude": 48.8, "longitude": 2.3}, AT, False, "send latitude as location.lat"),
    (PLACE, {"lat": 48.8, "lng": 2.3}, AT, False, "lng as location.lon"),
    (PLACE, {"location_lat": 48.8, "location_lon": 2.3}, AT, True, "send location_lat as location.lat and"),
    (ISSUE, {"projectKey": "AB", "summary": "s", "issueType": "Bug"}, BUG, False, "fields.project.key"),
    (
        ISSUE,
        {"fields": {"projectKey": "AB", "summary": "s", "issueType": "Bug"}},
        BUG,
        False,
        "issuetype.name",
    ),
    (
        EVENT,
        {"summary": "s", "startTime": "a", "endTime": "b"},
        MEETING,
        False,
        "startTime as start.dateTime",
    ),
    (EVENT, {"summary": "s", "start_date_time": "a", "end_date_time": "b"}, MEETING, True, "end.dateTime"),
    (EVENT, {"summary": "s", "start": {"time": "a"}, "end": {"time": "b"}}, MEETING, False, "dateTime"),
    (
        FLAT,
        {"project": {"key": "AB"}, "summary": "s"},
        {"project_key": "AB", "summary": "s"},
        True,
        "project.key as",
    ),
    (
        FLAT,
        {"project_key": "AB", "summary": "s", "team": {"id": "t"}},
        {"project_key": "AB", "summary": "s", "team_id": "t"},
        True,
        "team.id as team_id",
    ),
    (
        FLAT,
        {"project_key": "AB", "summary": "s", "more": {"team_id": "t"}},
        {"project_key": "AB", "summary": "s", "team_id": "t"},
        True,
        "send more.team_id as team_id",
    ),
    (
        EDITS,
        {"path": "p", "old_string": "a", "new_string": "b"},
        {"path": "p", "edits": [{"oldText": "a", "newText": "b"}]},
        False,
        "old_string as edits",
    ),
    (
        CONFIG,
        {"app": "a", "config": {"image": "i", "cpu": "1"}},
        {"app": "a", "config": {"image": "i", "resources": {"cpu": "1"}}},
        False,
        "cpu",
    ),
    (
        OPEN_PLACE,
        {"location": {"lat": 1}, "lon": 2},
        {"location": {"lat": 1, "lon": 2}},
        True,
        "move lon from the top level into location",
    ),
    (
        SIDES,
        {"data": {"id": "1", "id_type": "x"}},
        {"data": {"id": "1"}, "params": {"id_type": "x"}},
        False,
        "move id_type from data into params",
    ),
    (REPO, {"repo": "octo/site"}, {"owner": "octo", "repo": "site"}, False, 'owner "octo" and repo "site"'),
    (
        REPO,
        {"repository": "https://github.com/octo/site.git"},
        {"owner": "octo", "repo": "site"},
        False,
        'repo "site"',
    ),
    (POINT, {"coordinate": [10, 20]}, {"x": 10, "y": 20}, False, 'values in "coordinate" as x and y'),
    (
        ACT,
        {"action": {"click": {"selector": "#a"}}},
        {"action": {"type": "click", "selector": "#a"}},
        False,
        "did you mean",
    ),
    (
        ACT,
        {"action": "click", "selector": "#a"},
        {"action": {"type": "click", "selector": "#a"}},
        False,
        "did you mean",
    ),
    (ACT, {"action": {"ms": 5}}, {"action": {"type": "wait", "ms": 5}}, False, "action.type (missing; wait)"),
]

LABELS = obj(labels=arr(S), paths=arr(S), env=arr(obj(name_=S, value_=S)), meta={"type": "object"})
SORT = obj(by=arr(obj(field_=S, direction={"enum": ["asc", "desc"]})))
SIZE = obj(size=obj(width_=INT, height_=INT))
JOB = obj(
    timeout_ms=INT,
    ttl=described(INT, "Time to live in seconds"),
    amount=described(INT, "In cents"),
    priority=described(INT, "0 none, 1 urgent, 2 high"),
    count=INT,
)
WHEN = obj(at=said_of("date-time"), day=said_of("date"), clock=said_of("time"), to=arr(said_of("email")))
OPERATION = obj(
    op={"enum": ["get", "delete"]}, form={"enum": ["markdown", "html"]}, same={"enum": ["Lax", "None"]}
)
VALUES = [
    (LABELS, {"labels": "[bug, ui]"}, {"labels": ["bug", "ui"]}, False, 'Did you mean ["bug","ui"]?'),
    (LABELS, {"labels": '"bug"'}, {"labels": ["bug"]}, False, 'Did you mean ["bug"]?'),
    (
        LABELS,
        {"labels": "good first"},
        {"labels": ["good first"]},
        False,
        '["good first"] or ["good","first"]?',
    ),
    (LABELS, {"paths": "a.py b.py"}, {"paths": ["a.py", "b.py"]}, False, '["a.py","b.py"] or ["a.py b.py"]?'),
    (LABELS, {"paths": "- a.py\n- b.py"}, {"paths": ["a.py", "b.py"]}, False, '["a.py","b.py"]?'),
    (LABELS, {"labels": {"0": "a", "1": "b"}}, {"labels": ["a", "b"]}, True, "send an array of strings"),
    (LABELS, {"labels": [["a", "b"]]}, {"labels": ["a", "b"]}, True, "labels[0]"),
    (
        LABELS,
        {"env": {"A": "1"}},
        {"env": [{"name": "A", "value": "1"}]},
        False,
        '[{"name":"A","value":"1"}]?',
    ),
    (
        LABELS,
        {"env": "A=1,B=2"},
        {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
        False,
        "Did you",
    ),
    (LABELS, {"meta": [{"key": "a", "value": "b"}]}, {"meta": {"a": "b"}}, False, 'Did you mean {"a":"b"}'),
    (LABELS, {"meta": "a=b, c=d"}, {"meta": {"a": "b", "c": "d"}}, False, '{"a":"b","c":"d"}?'),
    (SORT, {"by": {"age": "desc"}}, {"by": [{"field": "age", "direction": "desc"}]}, False, "Did you mean"),
    (SORT, {"by": [["age", "desc"]]}, {"by": [{"field": "age", "direction": "desc"}]}, False, "Did you mean"),
    (
        SIZE,
        {"size": "800x600"},
        {"size": {"width": 800, "height": 600}},
        False,
        '{"width":800,"height":600}?',
    ),
    (
        SIZE,
        {"size": [800, 600]},
        {"size": {"width": 800, "height": 600}},
        False,
        '{"width":800,"height":600}?',
    ),
    (JOB, {"timeout_ms": "30s"}, {"timeout_ms": 30_000}, False, "Did you mean 30000?"),
    (JOB, {"ttl": "1h"}, {"ttl": 3_600}, False, "Did you mean 3600?"),
    (JOB, {"amount": "$19.99"}, {"amount": 1_999}, False, "Did you mean 1999?"),
    (JOB, {"amount": "1,999"}, {"amount": 1_999}, False, "Did you mean 1999 or 199900?"),
    (JOB, {"priority": "high"}, {"priority": 2}, False, "Did you mean 2?"),
    (JOB, {"count": "#12"}, {"count": 12}, False, "Did you mean 12?"),
    (JOB, {"count": ["2"]}, {"count": 2}, True, "send 2"),
    (WHEN, {"day": "May 1, 2026"}, {"day": "2026-05-01"}, False, 'Did you mean "2026-05-01"?'),
    (WHEN, {"day": "05/01/2026"}, {"day": "2026-05-01"}, False, '"2026-05-01" or "2026-01-05"?'),
    (WHEN, {"day": "25/01/2026"}, {"day": "2026-01-25"}, False, 'Did you mean "2026-01-25"?'),
    (WHEN, {"day": '"2026-05-01"'}, {"day": "2026-05-01"}, True, 'send "2026-05-01"'),
    (WHEN, {"at": "2026-05-01T10:00:00+0200"}, {"at": "2026-05-01T10:00:00+02:00"}, True, "+02:00"),
    (WHEN, {"at": "2026-05-01 3:30 PM"}, {"at": "2026-05-01T15:30:00Z"}, False, '"2026-05-01T15:30:00Z"?'),
    (WHEN, {"clock": "10:30"}, {"clock": "10:30:00Z"}, False, '"10:30:00Z"?'),
    (WHEN, {"to": ["Ann <a@b.co>"]}, {"to": ["a@b.co"]}, False, '"a@b.co"?'),
    (WHEN, {"to": ["a@b.co,c@d.co"]}, {"to": ["a@b.co", "c@d.co"]}, False, '["a@b.co","c@d.co"]?'),
    (OPERATION, {"op": "remove"}, {"op": "delete"}, False, 'Did you mean "delete"?'),
    (OPERATION, {"form": "md"}, {"form": "markdown"}, False, 'Did you mean "markdown"?'),
    (OPERATION, {"same": "none"}, {"same": "None"}, True, 'send "None"'),
]


@pytest.mark.parametrize(("schema", "sent", "meant", "certain", "words"), [*LEVELS, *VALUES])
def test_the_shape_that_was_meant(
    schema: dict[str, Any], sent: Any, meant: Any, certain: bool, words: str
) -> None:
    registry, tool = registry_of(schema)
    payload, hint = sent, None
    for round_ in range(2):
        issues = tool.validate(payload)
        if not issues:
            break
        hint = registry.hint("t", issues, payload=payload)
        if round_ == 0:
            assert words in hint.render()
            assert hint.clarifying_question is None
        payload = apply_edits(payload, hint.edits)
    assert payload == meant
    assert repair(tool, sent).payload == (meant if certain else sent)


LEFT = [
    # what has no reading, or several that are as likely
    (PLACE, {"location": [1, 2, 3]}),
    (EVENT, {"summary": "s", "dateTime": "a"}),
    (OPEN_PLACE, {"location": {"lat": 1}, "name": "x"}),
    (REPO, {"repo": "octo/site/tree/main"}),
    (POINT, {"coordinate": [1, 2, 3]}),
    (POINT, {"a": 1, "b": 2}),
    (JOB, {"count": "5m"}),
    (JOB, {"timeout_ms": "3 MB"}),
    (WHEN, {"day": "31/31/2026"}),
    (WHEN, {"at": "tomorrow"}),
    (OPERATION, {"op": "purge it"}),
    (LABELS, {"labels": '["a"'}),
]


@pytest.mark.parametrize(("schema", "sent"), LEFT)
def test_what_nobody_can_know_is_left(schema: dict[str, Any], sent: Any) -> None:
    registry, tool = registry_of(schema)
    hint = registry.hint("t", tool.validate(sent), payload=sent)
    assert tool.validate(apply_edits(sent, hint.edits)) != []
    assert repair(tool, sent).payload is sent
