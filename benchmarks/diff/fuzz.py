"""Fuzz `toolgen diff`: edit the schemas of real tools at random, and look for wrong verdicts.

`python benchmarks/diff/fuzz.py SPECS... [--pairs N] [--seed S] [--show]`. A breaking pair must have a payload that,
also by jsonschema-rs, one schema accepts and the other refuses. For a safe pair, or one without a verdict, such a
payload is searched for among payloads made from both schemas. Output schemas are compared as well.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
from random_edits import VALUES, edited, subschemas

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from helpers.payloads import TEXTS, WRONG, example, places

from toolgen.commands.diff.changes import changes
from toolgen.compiler.diagnostics import SpecError
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.specs.load import load
from toolgen.compiler.specs.tool_spec import ToolSpec

OPTIONS: Final = LowerOptions(formats="annotate")
"""Formats are not compared, because jsonschema-rs may check them differently."""
TRIED: Final = 400
BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")


def validator(schema: Any) -> Any:
    """Return the validator that decides whether a payload is valid."""
    drafts = {"http://json-schema.org/draft-07/schema": jsonschema_rs.Draft7Validator}
    kind = drafts.get(str(schema.get("$schema", "")).rstrip("#") if isinstance(schema, dict) else "")
    return (kind or jsonschema_rs.Draft202012Validator)(schema, validate_formats=False)


class Payloads:
    """Payloads made from two schemas: examples of both, with one to three places changed."""

    def __init__(self, chance: random.Random, old: Any, new: Any) -> None:
        self._chance = chance
        self._starts = [value for schema in (old, new) for value in _examples(schema, schema)] or [{}]
        self._values = list(self._known(old, new))
        parts = [part for schema in (old, new) for part in subschemas(schema)]
        self._names = ["unknown_key", *(str(n) for part in parts for n in part.get("properties", {}))]
        self._parts = [value for part in parts for root in (old, new) for value in _examples(root, part)]

    def _known(self, *schemas: Any) -> Iterator[Any]:
        """Yield values at the limits of all parts."""
        for part in (part for schema in schemas for part in subschemas(schema)):
            yield from part.get("enum", ())
            yield from (part[word] for word in ("const", "default") if word in part)
            for word in (word for word in BOUNDS if isinstance(part.get(word), int | float)):
                yield from (part[word] + delta for delta in (-1, -0.5, 0, 0.5, 1))
            for word in (word for word in COUNTS if isinstance(part.get(word), int)):
                for count in range(max(0, part[word] - 1), min(part[word] + 2, 300)):
                    yield from (
                        "x" * count,
                        ["x"] * count,
                        [*range(count)],
                        {f"k{i}": 1 for i in range(count)},
                    )

    def __iter__(self) -> Iterator[Any]:
        """Yield payloads endlessly."""
        yield from self._starts
        yield from self._values
        while True:
            payload = deepcopy(self._chance.choice(self._starts))
            for _ in range(self._chance.choice((1, 1, 2, 3))):
                payload = self._changed(payload)
            yield payload

    def _changed(self, payload: Any) -> Any:
        path, value = self._chance.choice(list(places(payload)))
        made = self._value(value)
        if not path:
            return made
        holder = payload
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = made
        return payload

    def _value(self, value: Any) -> Any:
        match self._chance.randrange(6):
            case 0 if isinstance(value, dict):
                name = self._chance.choice(self._names)
                return {**value, name: deepcopy(self._chance.choice(self._parts or [1]))}
            case 1 if isinstance(value, dict) and value:
                gone = self._chance.choice(list(value))
                return {name: held for name, held in value.items() if name != gone}
            case 2 if isinstance(value, list):
                added = value[0] if value and self._chance.random() < 0.5 else self._chance.choice(VALUES)
                return [*value, deepcopy(added)]
            case 3 if self._values:
                return deepcopy(self._chance.choice(self._values))
            case 4 if self._parts:
                return deepcopy(self._chance.choice(self._parts))
            case _:
                return deepcopy(self._chance.choice((*WRONG, *TEXTS)))


def _examples(root: Any, part: Any) -> Iterator[Any]:
    """Yield the smallest and the fullest example of a schema; none if the schema is too unusual for that."""
    for full in (False, True):
        try:
            yield example(root, part, full)
        except (AttributeError, KeyError, RecursionError, TypeError):
            continue


def witness(chance: random.Random, old: Any, new: Any) -> tuple[Any] | None:
    """Return a payload that the old schema accepts and the new one refuses, if one is found."""
    before, after = validator(old), validator(new)
    for _, payload in zip(range(TRIED), Payloads(chance, old, new), strict=False):
        if before.is_valid(payload) and not after.is_valid(payload):
            return (payload,)
    return None


def judged(spec: ToolSpec, new: Any, part: str) -> tuple[str, list[Any]]:
    """Return diff's verdict on a pair, with its witnesses."""
    if part == "output":
        other = replace(spec, schema={}, output_schema=new)
        spec = replace(spec, schema={})
    else:
        other = replace(spec, schema=new, output_schema=None)
        spec = replace(spec, output_schema=None)
    found = list(changes([spec], [other], OPTIONS))
    kinds = {change.kind for change in found}
    if "addition" in kinds:
        kinds.add("breaking")
    verdict = next((kind for kind in ("breaking", "unknown") if kind in kinds), "safe")
    return verdict, [change.witness for change in found if change.kind in ("breaking", "addition")]


def outcome(chance: random.Random, spec: ToolSpec, old: Any, new: Any, part: str) -> tuple[str, Any]:
    """Return the verdict, after `wrong` if it is wrong, and the evidence."""
    verdict, witnesses = judged(spec, new, part)
    sender, receiver = (old, new) if part == "input" else (new, old)
    if verdict == "breaking":
        before, after = validator(sender), validator(receiver)
        wrong = [w for w in witnesses if not before.is_valid(w) or after.is_valid(w)]
        return ("wrong: breaking", wrong) if wrong else (verdict, None)
    found = witness(chance, sender, receiver)
    if found:
        return ("wrong: safe" if verdict == "safe" else "unknown, and it breaks"), found[0]
    return verdict, None


def main() -> None:
    """Fuzz and count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("specs", nargs="+", metavar="SPECS")
    parser.add_argument("--pairs", type=int, default=2_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--show", action="store_true", help="print what is wrong or cannot be told")
    given = parser.parse_args()
    specs = load(given.specs, namespace=True).tools
    counts: dict[str, Counter[str]] = {"input": Counter(), "output": Counter()}
    started = time.perf_counter()
    for number in range(given.pairs):
        chance = random.Random(f"{given.seed} {number}")
        spec = chance.choice(specs)
        part = "output" if spec.output_schema is not None and chance.random() < 0.4 else "input"
        old = spec.output_schema if part == "output" else spec.schema
        new = edited(chance, old)
        try:
            said, shown = outcome(chance, spec, old, new, part)
        except SpecError:
            said, shown = "does not build", None
        except ValueError as error:  # jsonschema-rs cannot compile the schema
            said, shown = "no oracle", str(error)
        counts[part][said] += 1
        if given.show and said not in ("safe", "breaking", "does not build"):
            print(json.dumps({"pair": number, "said": said, "tool": spec.name, "part": part, "shown": shown,
                              "old": old, "new": new}))  # fmt: skip
    seconds = time.perf_counter() - started
    for part, found in counts.items():
        print(
            f"{part}: {', '.join(f'{count:,} {said}' for said, count in found.most_common())}",
            file=sys.stderr,
        )
    print(f"{given.pairs:,} pairs in {seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
