"""`list`, `docs`, `lint` and `export` say what the compiled check does.

They are compared over generated, official and real schemas.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import product
from typing import Any

import pytest
from helpers.schemas import D7, D2019, D2020, Draft, payloads, quick, schemas
from helpers.support import (
    MASKBENCH,
    SERVERS,
    SUITE,
    for_each,
    maskbench,
    needs_servers,
    needs_suite,
    read_json,
    specs_of,
    table,
)
from hypothesis import given, strategies as st

from toolgen.commands.diff.changes import Side
from toolgen.commands.export.export import PROVIDERS, export
from toolgen.commands.lint.run import RULES
from toolgen.commands.lint.subject import Subject
from toolgen.commands.samples import payloads as samples
from toolgen.compiler.compiled_check import CompiledChecks, compiled_check
from toolgen.compiler.schema.cycles import everything
from toolgen.compiler.schema.dialects import DIALECTS
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import kind_of, type_of
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.specs.load import load
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.compiler.value_description import Described
from toolgen_runtime.schema.keywords import GRAPH, LIMITS
from toolgen_runtime.validation.helpers import equal
from toolgen_transcripts.tools.drafts import SINCE

Statement = tuple[bool, str]
"""Whether something that a room says holds, and what it is."""
OPTIONS = LowerOptions(slow_patterns="allow")
WRAPPED = "_payload"


def spec_of(schema: Any) -> ToolSpec:
    (spec,) = specs_of([{"name": "t", "description": "A tool.", "schema": schema}])
    return spec


def graph(spec: ToolSpec) -> Schema:
    root = lower(spec, OPTIONS).root
    assert root is not None
    return root


@lru_cache(maxsize=100)
def _side(text: str) -> Side:
    root = graph(spec_of(json.loads(text)))
    return Side(root, compiled_check(root))


def side(spec: ToolSpec) -> Side:
    """The graph and the check of a tool's schema, made once for all who ask."""
    return _side(json.dumps(spec.schema))


@lru_cache(maxsize=100)
def made_of(root: Schema) -> list[Any]:
    return samples(root, root)[:30]


# -- export


def exported(spec: ToolSpec, tried: list[Any], shapes: Iterable[str] = PROVIDERS) -> Iterator[Statement]:
    """Whether each shape takes what the tool takes, and no more unless a loss is named."""
    before, seen = side(spec).validate, set()
    for shape in shapes:
        exported = export([spec], shape)
        (back,) = specs_of(exported.value)
        losses = " ".join(loss.message for loss in exported.diagnostics)
        if (outcome := (json.dumps(back.schema), losses)) in seen:
            continue  # as in another shape
        seen.add(outcome)
        after, is_wrapped = side(back).validate, "root-wrapped" in losses
        for payload in tried:
            was, now = not before(payload), not after({WRAPPED: payload} if is_wrapped else payload)
            is_so = was == now or (
                bool(losses) if now else "root-untyped" in losses and _has_another_root(payload, spec.schema)
            )
            text = "" if is_so else f"{was} {now} {payload!r} under {spec.schema!r} to {back.schema!r}"
            yield is_so, f"{shape}: {text} ({losses})"


def _has_another_root(payload: Any, schema: Any) -> bool:
    """Whether a payload, or a part of it that the root's schema is for too, is no object: that loss is named."""
    text = json.dumps(schema)
    refers = any(f'": "#{schema.get(key, "")}"' in text for key in ("", "$dynamicAnchor"))
    return not isinstance(payload, dict) or "$id" in schema or refers


OLDER = table("older_drafts.json")
LOSSY = ("integers of draft-04", "contains evaluates", "a recursive reference")


@for_each(product(OLDER, ["root", "field"]))
def test_an_older_draft_is_exported_with_its_meaning(case: str, where: str) -> None:
    dialect, schema, tried = OLDER[case]
    definitions = {"definitions": schema["definitions"]} if "definitions" in schema else {}
    if where == "field" and "$recursiveRef" not in json.dumps(schema):
        inner = {word: value for word, value in schema.items() if word != "definitions"}
        schema = {"type": "object", "properties": {"f": inner}, **definitions}
        tried = [{"f": each} for each in tried]
    spec = spec_of({"$schema": dialect, **schema})
    assert [text for is_so, text in exported(spec, tried) if not is_so] == []
    if where == "field" and case not in LOSSY:
        losses = [loss.message for shape in PROVIDERS for loss in export([spec], shape).diagnostics]
        assert [message for message in losses if "root" not in message] == []


def test_the_drafts_have_the_keywords_that_the_generator_knows() -> None:
    years = {"4": 4, "6": 6, "7": 7, "2019-09": 2019, "2020-12": 2020, "v1": 2020}
    for uri, dialect in DIALECTS.items():
        draft = years[
            uri.removesuffix("/schema")
            .rpartition("draft")[2]
            .strip("/-")
            .removeprefix("0")
            .rpartition("/")[2]
        ]
        known = {word for word in GRAPH if SINCE.get(word, 0) <= draft}
        assert known - {"format"} == (dialect.keywords.keys() & GRAPH.keys()) - {"format"}, uri


@needs_suite
@for_each(
    [
        ("2020-12", 3),
        *(pytest.param(draft, 1, marks=pytest.mark.long) for draft in ("7", "2019-09", "2020-12")),
    ]
)
def test_official_schemas_are_exported_with_their_meaning(draft: str, step: int) -> None:
    """By default those of each third group of tests."""
    uri = {"7": D7.uri, "2019-09": D2019.uri, "2020-12": D2020.uri}[draft]
    paths = sorted((SUITE / "tests" / f"draft{draft}").glob("*.json"))
    groups = [(path.name, group) for path in paths for group in read_json(path)]
    found: list[str] = []
    tried = 0
    for name, group in groups[::step]:
        if not isinstance(group["schema"], dict):
            continue
        spec = spec_of({"$schema": uri, **group["schema"]})
        if lower(spec, OPTIONS).root is None:
            continue
        data = [test["data"] for test in group["tests"]]
        tried += len(data) * len(PROVIDERS)
        found += [
            f"{name} {group['description']} {text}" for is_so, text in exported(spec, data) if not is_so
        ]
    assert found == [], "\n".join(found)
    assert tried > 3_000 / step


# -- list and docs

POOL: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 7, -1, 1.0, 0.5, 1.5, 10, 1e20),
    *("", "a", "b", "ab", "abc", "abcdefgh", "\U0001f600", "x1", "2024-01-31", "a" * 200),
    *([], [1], [1, 1], ["a", "b"], [None, "a", 2], [[1], {}], list(range(12))),
    *({}, {"a": 1}, {"b": "x"}, {"a": "a", "b": 2}, {"zzz": 1}, {"a": {"b": []}, "kind": "a"}),
]


def values_below(value: Described, depth: int = 3) -> Iterator[Described]:
    """A value, its members and its items."""
    yield value
    if depth:
        below = [*value.members.values(), *value.prefix, *([value.items] if value.items is not None else [])]
        for each in below:
            yield from values_below(each, depth - 1)


def described(spec: ToolSpec, tried: list[Any]) -> Iterator[Statement]:
    """Whether what is stated of each value holds of all that its check takes, and says all limits that it has."""
    for value in values_below(Described([side(spec).root], CompiledChecks())):
        pool = [*tried, *(each for one in value.schemas for each in made_of(one)[:12])]
        taken = [sample for sample in pool if value.takes(sample)]
        for sample in taken:
            for is_so, text in _stated(value, sample):
                yield is_so, f"{sample!r} {text} at {value.schemas}"
        if len(value.parts) == 1 and not _patterns(value):
            refused = [sample for sample in pool if sample not in taken]
            yield from _unstated(value, [sample for sample in refused if type_of(sample) in value.types])


def _stated(value: Described, sample: Any) -> Iterator[Statement]:
    yield type_of(sample) in value.types, f"is no {value.type_names}"
    if value.values is not None:
        yield any(equal(sample, each) for each in value.values), f"is not in {value.values}"
    for row, limit in value.limits():
        if row.is_limit and row.kind == kind_of(sample).value:
            yield row.keeps(limit, sample), f"is not {row.said(limit)}"
    if isinstance(sample, dict):
        yield value.required <= sample.keys(), f"has not {value.required}"
        if value.refuses_other_keys and not _patterns(value):
            yield sample.keys() <= value.members.keys(), f"has other keys than {set(value.members)}"


def _patterns(value: Described) -> bool:
    """Whether keys may be allowed by something else than a name at the place itself."""
    return any(
        part.pattern_properties
        or part.listed
        or part.named.get("dependentSchemas")
        or part.single.keys() & {"if", "not"}
        for part in value.parts
    )


def _unstated(value: Described, refused: list[Any]) -> Iterator[Statement]:
    check, said = compiled_check(value.schemas[0]), list(value.constraint_texts())
    for sample in refused:
        for issue in check(sample):
            if issue.path == () and (row := LIMITS.get(issue.constraint)) is not None:
                stronger = [
                    r for r, limit in value.limits() if r.kind == row.kind and not r.keeps(limit, sample)
                ]
                yield bool(stronger), f"{sample!r} breaks {row.said(issue.expected)}, said is {said}"


# -- lint


def linted(spec: ToolSpec, tried: list[Any]) -> Iterator[Statement]:
    """Whether each default and each allowed value that the check rejects is found, and no other."""
    root = side(spec).root
    nodes = {schema.pointer: schema for schema in everything(root) if not schema.document}
    findings = [each for rule in RULES for each in rule(Subject(spec, root))]
    found = {(each.code, each.place.pointer.removeprefix(spec.schema_place.pointer)) for each in findings}
    for pointer, node in nodes.items():
        if "default" in node.annotations:
            refused = bool(compiled_check(node)(node.annotations["default"]))
            told = {("null-default", pointer), ("invalid-default", pointer)} & found
            yield refused == bool(told), f"default at {pointer} of {spec.schema!r}: {told}"
        for word, values in node.choices:
            for index, value in enumerate(values):
                at = f"{pointer}/{word}" + (f"/{index}" if word == "enum" else "")
                told = {("impossible-value", at)} & found
                yield bool(compiled_check(node)(value)) == bool(told), f"{at} of {spec.schema!r}: {told}"


# -- all of them

ROOMS: dict[str, Callable[[ToolSpec, list[Any]], Iterator[Statement]]] = {
    "docs and list": described,
    "lint": linted,
    "export": exported,
}
COUNTED: Counter[str] = Counter()
"""The statements that were compared, by room."""


def wrong(room: str, specs: Iterable[ToolSpec], pool: Iterable[Any] = ()) -> list[str]:
    """Return the statements of a room about some tools that their checks do not bear out."""
    found = []
    for spec in specs:
        if lower(spec, OPTIONS).root is not None:
            for is_so, text in ROOMS[room](spec, [*(pool or made_of(side(spec).root)), *POOL]):
                COUNTED[room] += 1
                found += [] if is_so else [f"{room}: {text}"]
    return found


@for_each([D7, D2019, D2020], ids=["draft-07", "2019-09", "2020-12"])
def test_rooms_say_of_generated_schemas_what_the_checks_do(draft: Draft) -> None:
    @quick(20)
    @given(schemas(draft), st.integers(0, 2**32))
    def check(schema: Any, seed: int) -> None:
        tried = payloads(schema, seed, 8)
        assert [text for room in ROOMS for text in wrong(room, [spec_of(schema)], tried)] == []

    check()


@cache
def real_tools() -> list[tuple[ToolSpec, list[Any]]]:
    """The tools of real servers, and those of MaskBench with their payloads."""
    servers = [(spec, []) for path in sorted(SERVERS.glob("*.json")) for spec in load([str(path)]).tools]
    rows = maskbench() if MASKBENCH.is_file() else []
    return [*servers, *((spec_of(row["schema"]), [each["data"] for each in row["tests"]]) for row in rows)]


@needs_servers
@pytest.mark.parametrize("step", [180, pytest.param(1, marks=[pytest.mark.long, pytest.mark.timeout(7_200)])])
@pytest.mark.parametrize("room", ROOMS)
def test_rooms_say_of_real_tools_what_the_checks_do(room: str, step: int) -> None:
    """One tool in each `step`."""
    COUNTED.clear()
    found = [text for spec, pool in real_tools()[::step] for text in wrong(room, [spec], pool)]
    print(f"{room}: {COUNTED[room] - len(found):,} of {COUNTED[room]:,} statements hold")
    assert found == [], "\n".join(found[:20])
