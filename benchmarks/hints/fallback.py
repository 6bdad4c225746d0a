"""The share of another validator's texts that lead to the same first field; see README.md."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import fastjsonschema
import jsonschema
import jsonschema_rs
import msgspec
import pydantic
from datamodel_code_generator import DataModelType
from helpers.support import MASKBENCH, maskbench, require_data
from models import plain_model

from toolgen import compile_tools
from toolgen_runtime import MISSING, Registry

FirstError = Callable[[Any], str | None]


def first_errors(schema: Any) -> dict[str, FirstError]:
    """Return, for each library, a function from a payload to the text of its first error, or None."""
    plain = plain_model(schema)
    struct = plain_model(schema, DataModelType.MsgspecStruct)
    checker = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    rust = jsonschema_rs.validator_for(schema, validate_formats=True)
    functions: dict[str, FirstError] = {
        "jsonschema": lambda payload: _first(checker.iter_errors(payload)),
        "jsonschema-rs": lambda payload: _first(rust.iter_errors(payload)),
        "fastjsonschema": lambda payload: _raised(
            lambda: fastjsonschema.compile(schema, use_default=False)(payload)
        ),
    }
    if plain is not None:
        functions["pydantic"] = lambda payload: _raised(lambda: plain.model_validate(payload))
    if struct is not None:
        functions["msgspec"] = lambda payload: _raised(lambda: msgspec.convert(payload, struct))
    return functions


def _first(errors: Any) -> str | None:
    error = next(iter(errors), None)
    return None if error is None else str(error)


def _raised(run: Callable[[], Any]) -> str | None:
    try:
        run()
    except (
        fastjsonschema.JsonSchemaValueException,
        pydantic.ValidationError,
        msgspec.ValidationError,
    ) as error:
        return str(error)
    except Exception:  # a library that cannot read the schema has no text for the payload
        return None
    return None


def measure(limit: int) -> dict[str, dict[str, Any]]:
    """Return, for each library, the number of texts and the shares that lead to the same first field."""
    rows = [
        r for r in maskbench() if isinstance(r["schema"], dict) and not all(t["valid"] for t in r["tests"])
    ][:limit]
    tools = compile_tools(
        [{"name": f"t{i}", "description": "", "schema": r["schema"]} for i, r in enumerate(rows)]
    )
    registry = Registry()
    registry.register(tools)
    counts: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        name = f"t{index}"
        functions = first_errors(row["schema"])
        for test in row["tests"]:
            wanted = {issue.field for issue in tools[name].validate(test["data"])}
            for library, first_error in functions.items() if wanted else ():
                text = first_error(test["data"])
                if text is None:
                    continue
                count = counts.setdefault(library, [0, 0, 0])
                count[0] += 1
                for place, payload in ((1, test["data"]), (2, MISSING)):
                    hint = registry.hint(name, text, payload=payload)
                    count[place] += bool(hint.fields) and hint.fields[0].field in wanted
    return {
        library: {"texts": n, "with the payload": a / n, "text alone": b / n}
        for library, (n, a, b) in sorted(counts.items())
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="schemas to take")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    require_data(MASKBENCH)
    figures = measure(options.rows)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    print("| library | texts | text and payload | text alone |\n| --- | --- | --- | --- |")
    for library, row in figures.items():
        print(f"| {library} | {row['texts']} | {row['with the payload']:.1%} | {row['text alone']:.1%} |")


if __name__ == "__main__":
    main()
