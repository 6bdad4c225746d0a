"""The results of a Python library for wrong calls: tasks as JSON on stdin, rows as JSON on stdout.

`python probe_python.py LIBRARY` in an environment that has it (`rivals.py` makes it). An outcome is `{"value": ...}` or
`{"error": ...}`, the library's text for a call that it refuses.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import Any

Task = dict[str, Any]
Rows = dict[str, Callable[[Task], Any]]


def json_repair() -> Rows:
    """Return json_repair without a schema, and in its two modes with one."""
    from json_repair import loads

    def guided(mode: Any) -> Callable[[Task], Any]:
        return lambda task: loads(task["text"], schema=task["schema"], schema_repair_mode=mode)

    return {
        "json_repair, without a schema": lambda task: loads(task["text"]),
        "json_repair, schema, standard": guided("standard"),
        "json_repair, schema, salvage": guided("salvage"),
    }


def partial_json_parser() -> Rows:
    """Return partial-json-parser."""
    from partial_json_parser import loads

    return {"partial-json-parser": lambda task: loads(task["text"])}


def pydantic() -> Rows:
    """Return pydantic with plain models."""
    return {"pydantic, lax": lambda task: validated(task, task["text"])}


def instructor() -> Rows:
    """Return instructor's conversion of a text to a model."""
    from instructor.utils.core import extract_json_from_codeblock

    return {
        "instructor's JSON from text, pydantic lax": lambda task: validated(
            task, extract_json_from_codeblock(task["text"])
        )
    }


@cache
def model_of(schema: str) -> Any:
    """Return the plain pydantic model of a schema, given as JSON."""
    from models import plain_model

    return plain_model(json.loads(schema))


def validated(task: Task, text: str) -> Any:
    """Return a text as a plain pydantic model reads it, lax as by default; None means that a value was not sent."""
    model = model_of(json.dumps(task["schema"]))
    if model is None:
        raise LookupError("no model could be generated")
    return model.model_validate_json(text).model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude_unset=True
    )


LIBRARIES = {
    "json-repair": json_repair,
    "partial-json-parser": partial_json_parser,
    "pydantic": pydantic,
    "instructor": instructor,
}


def outcome(run: Callable[[Task], Any], task: Task) -> dict[str, Any]:
    """Return the value that a library returns, or the text of its exception."""
    try:
        return {"value": run(task)}
    except LookupError:
        return {}
    except Exception as error:  # each library raises its own exceptions
        return {"error": str(error)}


def main() -> None:
    tasks, library = json.load(sys.stdin), sys.argv[1]
    rows = [
        {"name": name, "version": version(library), "outcomes": [outcome(run, task) for task in tasks]}
        for name, run in LIBRARIES[library]().items()
    ]
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
