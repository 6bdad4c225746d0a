"""The schemas and labelled payloads for the measurements; each verdict is checked before the timing."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "hints"))

import fastjsonschema
import jsonschema_rs
from helpers.support import MASKBENCH, maskbench
from models import plain_model

from toolgen import compile_tools
from toolgen_runtime import Tool


class WrongVerdict(Exception):  # noqa: N818  a finding
    """A check contradicts the label of a payload."""


class NoData(Exception):  # noqa: N818  a finding
    """The schemas and payloads are missing."""


@dataclass(frozen=True)
class Sample:
    """One tool with its payloads; other validators are created on first use."""

    id: str
    schema: dict[str, Any]
    tool: Tool[Any]
    valid: tuple[Any, ...]
    invalid: tuple[Any, ...]

    @cached_property
    def rs(self) -> Any:
        """jsonschema-rs's validator, which also checks formats."""
        return jsonschema_rs.validator_for(self.schema, validate_formats=True)

    @cached_property
    def fast(self) -> Any:
        """fastjsonschema's compiled function; None if it refuses the schema."""
        try:
            return fastjsonschema.compile(self.schema, use_default=False)
        except Exception:  # any exception: this schema is not compared
            return None

    @cached_property
    def model(self) -> Any:
        """datamodel-code-generator's plain model; None if it cannot be generated."""
        return plain_model(self.schema)


def rows_with_objects() -> list[dict[str, Any]]:
    """Return all rows of the data whose schema is not a boolean.

    Raises:
        NoData: there are none.
    """
    if not MASKBENCH.is_file():
        raise NoData(f"no {MASKBENCH}; set TOOLGEN_SHARED to the folder that holds data/{MASKBENCH.name}")
    return [row for row in maskbench() if isinstance(row["schema"], dict)]


def samples(count: int) -> list[Sample]:
    """Return `count` random tools, the same in every run.

    Raises:
        NoData: there are none.
        WrongVerdict: a check is wrong about one of their payloads.
    """
    rows = rows_with_objects()
    random.Random(7).shuffle(rows)
    rows = rows[:count]
    tools = compile_tools([{"name": row["id"], "description": "", "schema": row["schema"]} for row in rows])
    return [_checked(row, tools[row["id"]]) for row in rows]


def _checked(row: dict[str, Any], tool: Tool[Any]) -> Sample:
    for test in row["tests"]:
        if (tool.validate(test["data"]) == []) != test["valid"]:
            raise WrongVerdict(f"{row['id']}: {test['data']!r} should be {_word(test['valid'])}")
    valid, invalid = (tuple(t["data"] for t in row["tests"] if t["valid"] is v) for v in (True, False))
    return Sample(row["id"], row["schema"], tool, valid, invalid)


def _word(valid: bool) -> str:
    return "valid" if valid else "invalid"


def valid_payloads(all_samples: list[Sample]) -> Iterator[tuple[Sample, Any]]:
    return ((sample, payload) for sample in all_samples for payload in sample.valid)


def invalid_payloads(all_samples: list[Sample]) -> Iterator[tuple[Sample, Any]]:
    return ((sample, payload) for sample in all_samples for payload in sample.invalid)
