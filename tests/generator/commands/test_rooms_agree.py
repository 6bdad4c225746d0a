"""`list`, `docs`, `lint`, `export`, `diff` and hints say what the compiled check does.

They are compared over generated, official and real schemas.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Literal

import pytest
from helpers.schemas import D7, D2019, D2020, Draft, payloads, quick, schemas
from helpers.support import MASKBENCH, SERVERS, SUITE, maskbench, needs_servers, needs_suite, specs_of, table
from hypothesis import given, strategies as st

from toolgen import compile_tools
from toolgen.commands.diff.changes import Side, changes, judge
from toolgen.commands.export.export import PROVIDERS, export
from toolgen.commands.lint.run import RULES
from toolgen.commands.lint.subject import Subject
from toolgen.commands.samples import payloads as samples
from toolgen.compiler.compiled_check import CompiledChecks, compiled_check
from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema.cycles import everything
from toolgen.compiler.schema.dialects import DIALECTS
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import kind_of, type_of
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.specs.load import load
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.compiler.value_description import Described
from toolgen_runtime import FieldHint, build_hint
from toolgen_runtime.schema.keywords import GRAPH, LIMITS, limits_of
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
    return not isinstance(payload, dict) or '": "#"' in json.dumps(schema) or "$id" in schema


DRAFT_04, DRAFT_06, DRAFT_07 = (f"http://json-schema.org/draft-0{n}/schema#" for n in (4, 6, 7))
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
OLDER = table("older_drafts.json")


@pytest.mark.parametrize("where", ["root", "field"])
@pytest.mark.parametrize("case", OLDER)
def test_an_older_draft_is_exported_with_its_meaning(case: str, where: str) -> None:
    dialect, schema, tried = OLDER[case]
    definitions = {"definitions": schema["definitions"]} if "definitions" in schema else {}
    if where == "field" and "$recursiveRef" not in json.dumps(schema):
        inner = {word: value for word, value in schema.items() if word != "definitions"}
        schema = {"type": "object", "properties": {"f": inner}, **definitions}
        tried = [{"f": each} for each in tried]
    spec = spec_of({"$schema": dialect, **schema})
    assert [text for is_so, text in exported(spec, tried) if not is_so] == []
    if where == "field" and case not in (
        "integers of draft-04",
        "contains evaluates",
        "a recursive reference",
    ):
        losses = [(shape, loss.message) for shape in PROVIDERS for loss in export([spec], shape).diagnostics]
        assert [(shape, message) for shape, message in losses if "root" not in message] == []


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
@pytest.mark.parametrize(
    ("draft", "step"),
    [
        ("2020-12", 3),
        *(pytest.param(draft, 1, marks=pytest.mark.long) for draft in ("7", "2019-09", "2020-12")),
    ],
)
def test_official_schemas_are_exported_with_their_meaning(draft: str, step: int) -> None:
    """By default those of each third group of tests."""
    uri = {"7": DRAFT_07, "2019-09": DRAFT_2019}.get(draft, D2020.uri)
    paths = sorted((SUITE / "tests" / f"draft{draft}").glob("*.json"))
    groups = [(path.name, group) for path in paths for group in json.loads(path.read_text("utf-8"))]
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
    """Whether the check bears out what is found about values, branches and limits, and nothing is missed."""
    root = side(spec).root
    nodes = {schema.pointer: schema for schema in everything(root) if not schema.document}
    found: set[tuple[str, str]] = set()
    for finding in (each for rule in RULES for each in rule(Subject(spec, root))):
        pointer = finding.place.pointer.removeprefix(spec.schema_place.pointer)
        found.add((finding.code, pointer))
        if (node := nodes.get(pointer)) is None:
            continue
        pool = [*tried, *made_of(node)[:12]]
        if finding.code == "unreachable-branch":
            yield from _unreachable(finding, node, nodes, pool)
        elif finding.code == "contradictory-bounds":
            kind, takes = finding.message.rpartition(" ")[2], compiled_check(node)
            of_kind = [sample for sample in pool if kind in (kind_of(sample).value, type_of(sample))]
            yield all(map(takes, of_kind)), f"{pointer} of {spec.schema!r}: {finding.message}"
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


def _unreachable(
    finding: Diagnostic, node: Schema, nodes: dict[str, Schema], pool: list[Any]
) -> Iterator[Statement]:
    above = node.pointer.rpartition("/")[0]
    others = [each for at, each in nodes.items() if at != node.pointer and at.rpartition("/")[0] == above]
    takes, checks = compiled_check(node), [compiled_check(each) for each in others]
    for sample in pool:
        if not takes(sample):
            is_alone = "accepts no values" in finding.message or all(check(sample) for check in checks)
            yield not is_alone, f"{sample!r} is taken by {node}: {finding.message}"


# -- hints

LIMITED = {"string": str, "array": list, "integer": int | float, "number": int | float}
"""What `FieldHint.minimum` and `maximum` measure, by the type that the hint states."""


def hinted(spec: ToolSpec, tried: list[Any]) -> Iterator[Statement]:
    """Whether the limits and values that hints state of a field `f` are kept by all valid payloads."""
    root = spec.schema if isinstance(spec.schema, dict) else {}
    held = {word: root[word] for word in ("$defs", "definitions", "$schema") if word in root}
    for schema in list((root.get("properties") or {}).values())[:4]:
        whole = {**held, "type": "object", "properties": {"f": schema}, "required": ["f"]}
        if "$id" not in json.dumps(whole) and lower(spec_of(whole), OPTIONS).root is not None:
            yield from _hinted(whole, tried)


def _hinted(schema: Any, tried: list[Any]) -> Iterator[Statement]:
    named = {"name": "t", "description": "A tool.", "schema": schema}
    tool = compile_tools([named], slow_patterns="allow")["t"]
    issues = [(payload, tool.validate(payload)) for payload in ({"f": each} for each in tried)]
    valid = [payload["f"] for payload, broken in issues if not broken]
    for payload, broken in issues:
        for hint in build_hint(tool, broken, payload=payload).fields if broken else ():
            if hint.field == "f" and not hint.choice:
                for is_so, text in _limits_of(hint, valid):
                    yield is_so, f"{text} after {payload!r} under {schema!r}"


def _limits_of(hint: FieldHint, valid: list[Any]) -> Iterator[Statement]:
    measured = LIMITED.get((hint.type or "").split(" ")[0], ())
    for value in valid:
        if isinstance(value, measured) and not isinstance(value, bool):
            size = len(value) if isinstance(value, str | list) else value
            yield hint.minimum is None or size >= hint.minimum, f"{value!r} is below {hint.minimum}"
            yield hint.maximum is None or size <= hint.maximum, f"{value!r} is above {hint.maximum}"
    listed = hint.allowed_values
    if listed is not None and "\u2026" not in listed and hint.constraint != "additionalProperties":
        for value in valid:
            yield value is None or any(equal(value, each) for each in listed), f"{value!r} is not in {listed}"


def limited(kind: Literal["string", "number", "array"]) -> st.SearchStrategy[Any]:
    """Schemas of one type with limits, some of which stand in `allOf`."""
    words = st.sampled_from([row.name for row in limits_of(kind)])
    limits = st.dictionaries(words, st.integers(1, 4), min_size=1, max_size=3)
    return st.tuples(limits, st.lists(limits, max_size=2)).map(
        lambda both: {"type": kind, **both[0], **({"allOf": both[1]} if both[1] else {})}
    )


@quick(60)
@given(limited("string") | limited("number") | limited("array"))
def test_limits_in_hints_are_those_that_decide(schema: Any) -> None:
    assert wrong("hints", [spec_of({"type": "object", "properties": {"f": schema}})], POOL) == []


# -- diff

EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "required": lambda schema: {**schema, "required": list(schema["properties"])},
    "nothing required": lambda schema: {word: v for word, v in schema.items() if word != "required"},
    "closed": lambda schema: {**schema, "additionalProperties": False},
    "one less": lambda schema: {**schema, "properties": dict(list(schema["properties"].items())[1:])},
    "other words": lambda schema: {**schema, "title": "Other", "description": "Other.", "default": {}},
    "shorter": lambda schema: {
        **schema, "properties": {name: {"allOf": [one], "maxLength": 1} for name, one in schema["properties"].items()}
    },
}  # fmt: skip


def compared(spec: ToolSpec, tried: list[Any]) -> Iterator[Statement]:
    """Whether both checks bear out what each edit of a schema is said to mean, in both directions."""
    if not isinstance(spec.schema, dict) or not spec.schema.get("properties"):
        return
    for name, edit in EDITS.items():
        other = replace(spec, schema=edit(spec.schema))
        if lower(other, OPTIONS).root is not None:
            for old, new in ((spec, other), (other, spec)):
                kinds = (
                    {change.kind for change in changes([old], [new], OPTIONS)}
                    if name == "other words"
                    else {}
                )
                for is_so, text in _compared(side(old), side(new), tried, set(kinds)):
                    yield is_so, f"{name}, {text} of {old.schema!r}"


def _compared(old: Side, new: Side, tried: list[Any], kinds: set[str]) -> Iterator[Statement]:
    verdict = judge(old, new)
    if verdict.meaning == "breaking" and not kinds:
        is_so = not old.validate(verdict.witness) and bool(new.validate(verdict.witness))
        yield is_so, f"{verdict}"
        return
    pool = [*tried, *samples(old.root, new.root)[:60]]
    breaking = [payload for payload in pool if not old.validate(payload) and new.validate(payload)]
    yield kinds <= {"annotation"} and not breaking, f"{kinds or verdict}: {breaking[:1]}"


# -- all of them

ROOMS: dict[str, Callable[[ToolSpec, list[Any]], Iterator[Statement]]] = {
    "docs and list": described,
    "lint": linted,
    "hints": hinted,
    "export": exported,
    "diff": compared,
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


@pytest.mark.parametrize("draft", [D7, D2019, D2020], ids=["draft-07", "2019-09", "2020-12"])
def test_rooms_say_of_generated_schemas_what_the_checks_do(draft: Draft) -> None:
    @quick(20)
    @given(schemas(draft), st.integers(0, 2**32))
    def check(schema: Any, seed: int) -> None:
        tried = payloads(schema, seed, 8)
        field = {"$schema": draft.uri, "type": "object", "properties": {"f": schema}}
        specs = {room: spec_of(field if room == "hints" else schema) for room in ROOMS}
        assert [text for room, spec in specs.items() for text in wrong(room, [spec], tried)] == []

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
