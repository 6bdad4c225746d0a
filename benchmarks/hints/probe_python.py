"""What Python libraries make of wrong calls: tasks as JSON on stdin, rows as JSON on stdout.

Runs in an environment of its own (`rivals.py` makes it). An outcome is `{"value": ...}` or `{"error": ...}`, the text
that the library has for what it refuses.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import Any

import json_repair
import partial_json_parser
from instructor.utils.core import extract_json_from_codeblock
from models import plain_model

Task = dict[str, Any]


def guided(mode: Any) -> Callable[[Task], Any]:
    """Return json_repair with the tool's schema, in one of its two modes."""
    return lambda task: json_repair.loads(task["text"], schema=task["schema"], schema_repair_mode=mode)


@cache
def model_of(schema: str) -> Any:
    """Return the plain pydantic model of a schema, given as JSON."""
    return plain_model(json.loads(schema))


def validated(task: Task, text: str) -> Any:
    """Return what a plain pydantic model, lax as it is by default, makes of a text; None is what was not sent."""
    model = model_of(json.dumps(task["schema"]))
    if model is None:
        raise LookupError("no model could be generated")
    return model.model_validate_json(text).model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude_unset=True
    )


ROWS: dict[str, tuple[str, Callable[[Task], Any]]] = {
    "json_repair, without a schema": ("json-repair", lambda task: json_repair.loads(task["text"])),
    "json_repair, schema, standard": ("json-repair", guided("standard")),
    "json_repair, schema, salvage": ("json-repair", guided("salvage")),
    "partial-json-parser": ("partial-json-parser", lambda task: partial_json_parser.loads(task["text"])),
    "pydantic, lax": ("pydantic", lambda task: validated(task, task["text"])),
    "instructor's JSON from text, pydantic lax": (
        "instructor",
        lambda task: validated(task, extract_json_from_codeblock(task["text"])),
    ),
}


def outcome(run: Callable[[Task], Any], task: Task) -> dict[str, Any]:
    """Return the value that a library makes, or the text of what it raises."""
    try:
        return {"value": run(task)}
    except LookupError:
        return {}
    except Exception as error:  # each library raises its own
        return {"error": str(error)}


def main() -> None:
    tasks = json.load(sys.stdin)
    rows = [
        {"name": name, "version": version(package), "outcomes": [outcome(run, task) for task in tasks]}
        for name, (package, run) in ROWS.items()
    ]
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
