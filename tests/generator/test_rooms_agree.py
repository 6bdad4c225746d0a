"""`list`, `docs`, `lint`, `export`, `diff` and hints say what the compiled check does.

They are compared over generated, official and real schemas; `test_audit.py` compares the calls that `audit` counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemas import D7, D2019, D2020, Draft, payloads, schemas
from support import SERVERS, SUITE, needs_servers, needs_suite

from toolgen import compile_tools
from toolgen.compiled_check import Check, CompiledChecks, compiled_check
from toolgen.described import Described
from toolgen.diff.samples import payloads as samples
from toolgen.diff.verdict import Side, judge
from toolgen.export import PROVIDERS, export
from toolgen.lint.run import lint
from toolgen.schema.cycles import everything
from toolgen.schema.dialects import DIALECTS
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import kind_of, type_of
from toolgen.schema.lower import LowerOptions, lower
from toolgen.specs.load import load, read_value
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime.hints.build import build_hint
from toolgen_runtime.hints.retry_hint import FieldHint
from toolgen_runtime.providers.shared.drafts import SINCE
from toolgen_runtime.schema.keywords import GRAPH, limits_of
from toolgen_runtime.validation.helpers import equal

OPTIONS = LowerOptions(slow_patterns="allow")
WRAPPED = "_payload"


def quick(examples: int) -> settings:
    checks = list(HealthCheck)
    phases = [Phase.generate, Phase.shrink]
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=checks,
        phases=phases,
    )


def spec_of(schema: Any) -> ToolSpec:
    (spec,) = read_value([{"name": "t", "description": "A tool.", "schema": schema}]).tools
    return spec


def graph(spec: ToolSpec) -> Schema:
    root = lower(spec, OPTIONS).root
    assert root is not None
    return root


# -- export


@lru_cache(maxsize=20)
def check_of(text: str) -> Check:
    """The check of a schema, compiled once for the shapes that give the same one back."""
    return compiled_check(graph(spec_of(json.loads(text))))


def wrongs_of_export(spec: ToolSpec, shape: str, tried: Iterable[Any]) -> Iterator[str]:
    """What an export makes of payloads without a word: refused ones that were taken, and the other way round."""
    exported = export([spec], shape)
    (back,) = read_value(exported.value).tools
    before, after = check_of(json.dumps(spec.schema)), check_of(json.dumps(back.schema))
    losses = " ".join(loss.message for loss in exported.diagnostics)
    is_wrapped = "root-wrapped" in losses
    for payload in tried:
        was, now = not before(payload), not after({WRAPPED: payload} if is_wrapped else payload)
        if was and not now and not ("root-untyped" in losses and _has_another_root(payload, spec.schema)):
            yield f"tightened: {payload!r} under {spec.schema!r} to {back.schema!r} ({losses})"
        if now and not was and not losses:
            yield f"loosened: {payload!r} under {spec.schema!r} to {back.schema!r}"


def _has_another_root(payload: Any, schema: Any) -> bool:
    """Whether a payload, or a part of it that the root's schema is for too, is no object: that loss is named."""
    return not isinstance(payload, dict) or '": "#"' in json.dumps(schema) or "$id" in schema


DRAFT_04, DRAFT_06, DRAFT_07 = (f"http://json-schema.org/draft-0{n}/schema#" for n in (4, 6, 7))
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
OLDER: dict[str, tuple[str, dict[str, Any], list[Any]]] = {
    "if in draft-06": (DRAFT_06, {"if": {"type": "string"}, "then": {"minLength": 2}}, ["1", "12"]),
    "const in draft-04": (DRAFT_04, {"const": 1}, [1, 2]),
    "contains in draft-04": (DRAFT_04, {"contains": {"type": "string"}}, [[], ["a"]]),
    "minContains in draft-07": (DRAFT_07, {"contains": {}, "minContains": 2}, [[1], [1, 2], []]),
    "dependentRequired in draft-07": (DRAFT_07, {"dependentRequired": {"a": ["b"]}}, [{"a": 1}]),
    "unevaluatedProperties in draft-07": (DRAFT_07, {"unevaluatedProperties": False}, [{"a": 1}]),
    "prefixItems in 2019-09": (DRAFT_2019, {"prefixItems": [{"type": "string"}]}, [[1]]),
    "dependencies": (
        DRAFT_07,
        {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
        [{"a": 1}, {"a": 1, "b": 1}, {"c": 1}, {"c": 1, "d": 1}],
    ),
    "a recursive reference": (
        DRAFT_2019,
        {"properties": {"n": {"$recursiveRef": "#"}}, "required": ["a"]},
        [{"a": 1, "n": {}}, {"a": 1, "n": {"a": 1}}],
    ),
    "integers of draft-04": (DRAFT_04, {"type": "integer"}, [1, 1.0, 1.5]),
    "a flag": (DRAFT_04, {"minimum": 3, "exclusiveMinimum": True}, [3, 4]),
    "beside a reference": (
        DRAFT_07,
        {"$ref": "#/definitions/a", "maxLength": 3, "definitions": {"a": {"type": "string"}}},
        ["abcdef", 1],
    ),
    "an anchor of draft-07": (
        DRAFT_07,
        {"properties": {"a": {"$ref": "#x"}}, "definitions": {"x": {"$id": "#x", "type": "string"}}},
        [{"a": "b"}, {"a": 1}],
    ),
    "an identifier of draft-04": (
        DRAFT_04,
        {
            "properties": {"a": {"$ref": "http://x.example/y"}},
            "definitions": {"x": {"id": "http://x.example/y", "type": "string"}},
        },
        [{"a": "b"}, {"a": 1}],
    ),
    "items and more": (
        DRAFT_07,
        {"items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
        [["a", 1], ["a", "b"], [1]],
    ),
    "contains evaluates": (
        DRAFT_2019,
        {"contains": {"type": "string"}, "unevaluatedItems": False},
        [["a"], [1], []],
    ),
}


@pytest.mark.parametrize("shape", PROVIDERS)
@pytest.mark.parametrize("where", ["root", "field"])
@pytest.mark.parametrize("case", OLDER)
def test_an_older_draft_is_exported_with_its_meaning(case: str, where: str, shape: str) -> None:
    dialect, schema, tried = OLDER[case]
    definitions = {"definitions": schema["definitions"]} if "definitions" in schema else {}
    if where == "field" and "$recursiveRef" not in json.dumps(schema):
        inner = {word: value for word, value in schema.items() if word != "definitions"}
        schema = {"type": "object", "properties": {"f": inner}, **definitions}
        tried = [{"f": each} for each in tried]
    spec = spec_of({"$schema": dialect, **schema})
    assert list(wrongs_of_export(spec, shape, tried)) == []
    if case not in ("integers of draft-04", "contains evaluates") and where == "field":
        assert [
            loss.message for loss in export([spec], shape).diagnostics if "root" not in loss.message
        ] == []


def test_the_drafts_have_the_keywords_that_the_generator_knows() -> None:
    years = {"4": 4, "6": 6, "7": 7, "2019-09": 2019, "2020-12": 2020}
    for uri, dialect in DIALECTS.items():
        draft = years[uri.removesuffix("/schema").rpartition("draft")[2].strip("/-").removeprefix("0")]
        known = {word for word in GRAPH if SINCE.get(word, 0) <= draft}
        assert known - {"format"} == (dialect.keywords.keys() & GRAPH.keys()) - {"format"}, uri


@pytest.mark.parametrize("draft", [D7, D2019, D2020], ids=["draft-07", "2019-09", "2020-12"])
def test_generated_schemas_are_exported_with_their_meaning(draft: Draft) -> None:
    @quick(80)
    @given(schemas(draft), st.integers(0, 2**32), st.sampled_from(tuple(PROVIDERS)))
    def check(schema: Any, seed: int, shape: str) -> None:
        spec = spec_of(schema)
        if lower(spec, OPTIONS).root is not None:
            assert list(wrongs_of_export(spec, shape, payloads(schema, seed, 8))) == []

    check()


@needs_suite
@pytest.mark.parametrize("folder", ["draft7", "draft2019-09", "draft2020-12"])
def test_official_schemas_are_exported_with_their_meaning(folder: str) -> None:
    draft = folder.removeprefix("draft")
    uri = (
        f"http://json-schema.org/draft-0{draft}/schema#"
        if len(draft) == 1
        else f"https://json-schema.org/draft/{draft}/schema"
    )
    found: list[str] = []
    tried = 0
    for path in sorted((SUITE / "tests" / folder).glob("*.json")):
        for group in json.loads(path.read_text("utf-8")):
            if not isinstance(group["schema"], dict):
                continue
            spec = spec_of({"$schema": uri, **group["schema"]})
            if lower(spec, OPTIONS).root is None:
                continue
            for shape in PROVIDERS:
                data = [test["data"] for test in group["tests"]]
                tried += len(data)
                try:
                    found += [
                        f"{path.name} {group['description']} {shape} {text}"
                        for text in wrongs_of_export(spec, shape, data)
                    ]
                except AssertionError:
                    found.append(f"{path.name} {group['description']} {shape}: does not build")
    assert found == [], "\n".join(found)
    assert tried > 3_000


@needs_servers
def test_real_tools_are_exported_with_their_meaning() -> None:
    for path in sorted(SERVERS.glob("*.json")):
        for spec in load([str(path)]).tools[::4]:
            root = graph(spec)
            tried = samples(root, root, 30)
            for shape in ("openai", "gemini", "mcp"):
                assert list(wrongs_of_export(spec, shape, tried)) == []


# -- list, docs and lint

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


def wrongs_of_description(value: Described, pool: list[Any]) -> Iterator[str]:
    """What is stated of a value, and is taken by its check all the same."""
    for sample in pool:
        if not value.takes(sample):
            continue
        if type_of(sample) not in value.types:
            yield f"{sample!r} is no {value.type_names} at {value.schemas}"
        if value.values is not None and not any(equal(sample, each) for each in value.values):
            yield f"{sample!r} is not in {value.values} at {value.schemas}"
        for row, limit in value.limits():
            if row.is_limit and row.kind == kind_of(sample).value and not row.keeps(limit, sample):
                yield f"{sample!r} is not {row.said(limit)} at {value.schemas}"
        if isinstance(sample, dict) and not value.required <= sample.keys():
            yield f"{sample!r} has not {value.required} at {value.schemas}"
        known = value.members.keys() if value.refuses_other_keys else sample
        if isinstance(sample, dict) and not sample.keys() <= set(known) and not _patterns(value):
            yield f"{sample!r} has other keys than {set(known)} at {value.schemas}"


def _patterns(value: Described) -> bool:
    """Whether keys may be allowed by something else than a name at the place itself."""
    return any(
        part.pattern_properties
        or part.listed
        or part.named.get("dependentSchemas")
        or part.single.keys() & {"if", "not"}
        for part in value.parts
    )


def wrongs_of_lint(spec: ToolSpec, pool: list[Any]) -> Iterator[str]:
    """Findings about values that the check does not bear out."""
    nodes = {schema.pointer: schema for schema in everything(graph(spec)) if not schema.document}
    for finding in lint([spec], OPTIONS).findings:
        pointer = finding.place.pointer.removeprefix(spec.schema_place.pointer)
        node = nodes.get(pointer)
        if node is None or finding.code != "unreachable-branch":
            continue
        takes = compiled_check(node)
        others = [
            compiled_check(each)
            for at, each in nodes.items()
            if at != pointer and at.rpartition("/")[0] == pointer.rpartition("/")[0]
        ]
        for sample in pool:
            if not takes(sample) and (
                "accepts no values" in finding.message or all(other(sample) for other in others)
            ):
                yield f"{sample!r} is taken by {pointer} of {spec.schema!r}: {finding.message}"


@pytest.mark.parametrize("draft", [D7, D2019, D2020], ids=["draft-07", "2019-09", "2020-12"])
def test_what_is_shown_of_generated_schemas_is_what_their_checks_do(draft: Draft) -> None:
    @quick(60)
    @given(schemas(draft), st.integers(0, 2**32))
    def check(schema: Any, seed: int) -> None:
        spec = spec_of(schema)
        root = lower(spec, OPTIONS).root
        if root is None:
            return
        pool = [*POOL, *payloads(schema, seed, 6)]
        for value in values_below(Described([root], CompiledChecks())):
            assert list(wrongs_of_description(value, pool)) == []
        assert list(wrongs_of_lint(spec, pool)) == []

    check()


@needs_servers
def test_what_is_shown_of_real_tools_is_what_their_checks_do() -> None:
    for path in sorted(SERVERS.glob("*.json")):
        for spec in load([str(path)]).tools[::6]:
            root = graph(spec)
            for value in values_below(Described([root], CompiledChecks())):
                assert list(wrongs_of_description(value, POOL)) == []
            assert list(wrongs_of_lint(spec, POOL)) == []


# -- hints


LIMITED = {"string": str, "array": list, "integer": int | float, "number": int | float}
"""What `FieldHint.minimum` and `maximum` measure, by the type that the hint states."""


def wrongs_of_limits(schema: Any, pool: list[Any]) -> Iterator[str]:
    """What hints state of the field `f` as limits or values, and valid payloads do not keep."""
    tool = compile_tools([{"name": "t", "description": "A tool.", "schema": schema}], slow_patterns="allow")[
        "t"
    ]
    payloads_of_f = [{"f": each} for each in pool]
    valid = [payload["f"] for payload in payloads_of_f if not tool.validate(payload)]
    for payload in payloads_of_f:
        if not (issues := tool.validate(payload)):
            continue
        for hint in build_hint(tool, issues, payload=payload).fields:
            if hint.field == "f" and not hint.choice:
                yield from (f"{text} after {payload!r} under {schema!r}" for text in _refuted(hint, valid))


def _refuted(hint: FieldHint, valid: list[Any]) -> Iterator[str]:
    of_type = [v for v in valid if not isinstance(v, bool) and isinstance(v, LIMITED.get(_word(hint), ()))]
    for value in of_type:
        measured = len(value) if isinstance(value, str | list) else value
        if hint.minimum is not None and measured < hint.minimum:
            yield f"{value!r} is below {hint.minimum}"
        if hint.maximum is not None and measured > hint.maximum:
            yield f"{value!r} is above {hint.maximum}"
    if (
        hint.allowed_values is not None
        and "\u2026" not in hint.allowed_values
        and hint.constraint != "additionalProperties"
    ):
        for value in valid:
            if value is not None and not any(equal(value, each) for each in hint.allowed_values):
                yield f"{value!r} is not in {hint.allowed_values}"


def _word(hint: FieldHint) -> str:
    return (hint.type or "").split(" ")[0]


def limited(kind: Literal["string", "number", "array"]) -> st.SearchStrategy[Any]:
    """Schemas of one type with limits, some of which stand in `allOf`."""
    words = st.sampled_from([row.name for row in limits_of(kind)])
    limits = st.dictionaries(words, st.integers(1, 4), min_size=1, max_size=3)
    return st.tuples(limits, st.lists(limits, max_size=2)).map(
        lambda both: {"type": kind, **both[0], **({"allOf": both[1]} if both[1] else {})}
    )


@quick(150)
@given(limited("string") | limited("number") | limited("array"))
def test_limits_in_hints_are_those_that_decide(schema: Any) -> None:
    whole = {"type": "object", "properties": {"f": schema}, "required": ["f"]}
    assert list(wrongs_of_limits(whole, POOL)) == []


@pytest.mark.parametrize("draft", [D7, D2019, D2020], ids=["draft-07", "2019-09", "2020-12"])
def test_limits_in_hints_on_generated_schemas_are_those_of_the_check(draft: Draft) -> None:
    @quick(60)
    @given(schemas(draft))
    def check(schema: Any) -> None:
        if not isinstance(schema, dict) or "$id" in schema:
            return
        inner = {word: value for word, value in schema.items() if word not in ("$schema", draft.definitions)}
        held = {word: schema[word] for word in ("$schema", draft.definitions) if word in schema}
        whole = {**held, "type": "object", "properties": {"f": inner}, "required": ["f"]}
        if lower(spec_of(whole), OPTIONS).root is not None:
            assert list(wrongs_of_limits(whole, POOL)) == []

    check()


@needs_servers
def test_limits_in_hints_on_real_tools_are_those_of_the_check() -> None:
    for path in sorted(SERVERS.glob("*.json")):
        for spec in load([str(path)]).tools[::8]:
            for name, member in list((spec.schema.get("properties") or {}).items())[:4]:
                held = {
                    word: spec.schema[word]
                    for word in ("$defs", "definitions", "$schema")
                    if word in spec.schema
                }
                whole = {**held, "type": "object", "properties": {"f": member}, "required": ["f"]}
                assert list(wrongs_of_limits(whole, POOL)) == [], name


# -- diff


EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "required": lambda schema: {**schema, "required": list(schema["properties"])},
    "nothing required": lambda schema: {word: v for word, v in schema.items() if word != "required"},
    "closed": lambda schema: {**schema, "additionalProperties": False},
    "one less": lambda schema: {**schema, "properties": dict(list(schema["properties"].items())[1:])},
    "shorter": lambda schema: {
        **schema, "properties": {name: {"allOf": [one], "maxLength": 1} for name, one in schema["properties"].items()}
    },
}  # fmt: skip


@needs_servers
@pytest.mark.parametrize("edit", EDITS)
def test_changes_of_real_tools_are_what_both_checks_make_of_them(edit: str) -> None:
    for path in sorted(SERVERS.glob("*.json")):
        for spec in load([str(path)]).tools[::8]:
            if not isinstance(spec.schema, dict) or not spec.schema.get("properties"):
                continue
            old = graph(spec)
            new = graph(replace(spec, schema=EDITS[edit](spec.schema)))
            checks = compiled_check(old), compiled_check(new)
            verdict = judge(Side(old, checks[0]), Side(new, checks[1]))
            if verdict.meaning == "breaking":
                assert not checks[0](verdict.witness)
                assert checks[1](verdict.witness)
            elif verdict.meaning == "safe":
                taken = [payload for payload in samples(old, new, 40) if not checks[0](payload)]
                assert [payload for payload in taken if checks[1](payload)] == []
