"""The steps of every tool call: verdict, issues, typed view, JSON text, hint."""

from __future__ import annotations

import json
import random
from typing import Any

import fastjsonschema
import orjson
import pydantic
from rows import Row, row_of_ratios
from samples import Sample, WrongVerdict, invalid_payloads, valid_payloads
from timing import Effort, Work, ratio

from toolgen_runtime import Registry


def validate(samples: list[Sample], effort: Effort) -> list[Row]:
    """Measure the verdict on a valid payload, against jsonschema-rs and fastjsonschema."""
    rs, fast = [], []
    for sample, payload in valid_payloads(samples):
        ours = Work("validate(payload)", {"validate": sample.tool.validate, "payload": payload})
        if sample.rs.is_valid(payload):
            theirs = Work("is_valid(payload)", {"is_valid": sample.rs.is_valid, "payload": payload})
            rs.append(ratio(ours, theirs, effort))
        if sample.fast is not None and _accepts(sample.fast, payload):
            fast.append(ratio(ours, Work("fast(payload)", {"fast": sample.fast, "payload": payload}), effort))
    what = "`validate`, valid payload"
    return [
        row_of_ratios(what, "jsonschema-rs `is_valid`", rs, 1.0),
        row_of_ratios(what, "fastjsonschema", fast, 0.2),
    ]


def _accepts(check: Any, payload: Any) -> bool:
    try:
        check(payload)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


def stream(samples: list[Sample], effort: Effort) -> list[Row]:
    """Measure valid calls of many tools in turn, each with caches cold from the others; the loop is counted."""
    known = [(sample, payload) for sample, payload in valid_payloads(samples) if sample.rs.is_valid(payload)]
    random.Random(7).shuffle(known)
    ours = Work(
        "for f, d in calls: f(d)", {"calls": [(sample.tool.validate, payload) for sample, payload in known]}
    )
    verdicts = {"calls": [(sample.rs.is_valid, payload) for sample, payload in known]}
    lists = {"calls": [(sample.rs.iter_errors, payload) for sample, payload in known]}
    what, note = "`validate`, calls of many tools in turn", f"{len(known)} valid payloads"
    verdict = ratio(ours, Work("for f, d in calls: f(d)", verdicts), effort)
    listed = ratio(ours, Work("for f, d in calls: list(f(d))", lists), effort)
    return [
        Row(what, "jsonschema-rs `is_valid`", verdict, 1.1, note),
        Row(what, "jsonschema-rs `iter_errors`, listed", listed, 0.6, note),
    ]


def invalid(samples: list[Sample], effort: Effort) -> list[Row]:
    """Measure the complete list of issues of an invalid payload."""
    ratios = []
    for sample, payload in invalid_payloads(samples):
        if sample.rs.is_valid(payload):
            continue
        ours = Work("validate(payload)", {"validate": sample.tool.validate, "payload": payload})
        listed = "[(e.message, list(e.instance_path)) for e in iter_errors(payload)]"
        theirs = Work(listed, {"iter_errors": sample.rs.iter_errors, "payload": payload})
        ratios.append(ratio(ours, theirs, effort))
    against = "jsonschema-rs `iter_errors`, message and path"
    return [row_of_ratios("`validate`, invalid payload: the list of issues", against, ratios, 0.4)]


def parse(samples: list[Sample], effort: Effort) -> list[Row]:
    """Measure the typed view of a valid payload, including the check, against a model that checks what it can."""
    ratios = []
    for sample, payload in valid_payloads(samples):
        if sample.model is None or not _models(sample.model, payload):
            continue
        ours = Work("parse(payload)", {"parse": sample.tool.parse, "payload": payload})
        theirs = Work("make(payload)", {"make": sample.model.model_validate, "payload": payload})
        sample.tool.parse(payload)
        ratios.append(ratio(ours, theirs, effort))
    return [row_of_ratios("`parse`, valid payload", "`model_validate` of a plain model", ratios, 1.2)]


def _models(model: Any, payload: Any) -> bool:
    try:
        model.model_validate(payload)
    except pydantic.ValidationError:
        return False
    return True


def text(samples: list[Sample], effort: Effort) -> list[Row]:
    """Measure the check of a JSON text, including repeated keys, against a parser that ignores them."""
    ratios = []
    for sample, payload in valid_payloads(samples):
        if not sample.rs.is_valid(payload):
            continue
        for text in (orjson.dumps(payload), json.dumps(payload)):
            if sample.tool.validate_json(text):
                raise WrongVerdict(f"{sample.id}: {text!r} should be valid")
            ours = Work("validate_json(text)", {"validate_json": sample.tool.validate_json, "text": text})
            names = {"is_valid": sample.rs.is_valid, "loads": orjson.loads, "text": text}
            ratios.append(ratio(ours, Work("is_valid(loads(text))", names), effort))
    against = "`orjson.loads` + jsonschema-rs `is_valid`"
    return [
        row_of_ratios(
            "`validate_json`, valid text", against, ratios, 1.5, "bytes without spaces, and str with spaces"
        )
    ]


_PYDANTIC_TEXT = """
try:
    make(payload)
except ValidationError as error:
    dumps(error.errors(), default=str)
"""


def hint(samples: list[Sample], effort: Effort) -> list[Row]:
    """Measure the way from an invalid payload to the text for the model."""
    ratios = []
    registry = Registry()
    registry.register({sample.id: sample.tool for sample in samples})
    for sample, payload in invalid_payloads(samples):
        if sample.model is None or _models(sample.model, payload):
            continue
        ours = Work(
            "hint(name, validate(payload), payload=payload).render()",
            {"hint": registry.hint, "name": sample.id, "validate": sample.tool.validate, "payload": payload},
        )
        names = {"make": sample.model.model_validate, "payload": payload, "dumps": json.dumps}
        theirs = Work(_PYDANTIC_TEXT, names | {"ValidationError": pydantic.ValidationError})
        ratios.append(ratio(ours, theirs, effort))
    against = "pydantic: `model_validate` + `errors()` + `json.dumps`"
    return [row_of_ratios("hint, from an invalid payload to its text", against, ratios, 2.0)]
