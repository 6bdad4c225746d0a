"""`toolgen diff`: what each kind of change means, proved or shown by a payload, and never wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import failure, toolgen
from helpers.schemas import D7, D2019, D2020, payloads, plain_schemas, schemas
from helpers.support import (
    TEXT,
    WHOLE,
    JsonObject,
    for_each,
    lowered,
    obj,
    specs_of,
    table,
    tool_of,
    write_json,
)
from hypothesis import HealthCheck, given, settings, strategies as st

from toolgen import SpecError
from toolgen.commands.diff.changes import Change, Side, changes, judge
from toolgen.commands.diff.narrowing import Narrowing
from toolgen.commands.samples import MAX_MATCHES, payloads as sampled
from toolgen.compiler.schema.lower import LowerOptions

pytestmark = pytest.mark.usefixtures("workplace")


def side(schema: Any) -> Side:
    validate = tool_of(schema).validate
    return Side(lowered(schema), validate)


CASES = table("diff.json")


@for_each(CASES["meanings"])
def test_a_change_is_what_it_means(old: Any, new: Any, meaning: Any) -> None:
    before, after = side(old), side(new)
    verdict = judge(before, after)
    assert verdict.meaning == meaning
    if meaning == "breaking":
        assert before.validate(verdict.witness) == []
        assert after.validate(verdict.witness) != []


def check(old: Any, new: Any, seed: int) -> None:
    """A proof must hold for every payload at hand, a witness must be one; anything may be left open."""
    try:
        before, after = side(old), side(new)
    except SpecError:
        return
    verdict = judge(before, after)
    if verdict.meaning == "safe":
        for payload in (*payloads(old, seed, 60), *payloads(new, seed, 60)):
            assert before.validate(payload) or not after.validate(payload), payload
    elif verdict.meaning == "breaking":
        assert not before.validate(verdict.witness)
        assert after.validate(verdict.witness)


GROWN = st.sampled_from([D7, D2019, D2020]).flatmap(lambda draft: st.tuples(schemas(draft), schemas(draft)))
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@FEW
@given(GROWN | st.tuples(plain_schemas(), plain_schemas()), st.integers(0, 1000))
def test_no_schema_is_called_safe_or_breaking_without_being_so(pair: tuple[Any, Any], seed: int) -> None:
    check(*pair, seed)


@pytest.mark.long
@settings(FEW, max_examples=3_000)
@given(GROWN, st.integers(0, 1000))
def test_many_grown_schemas(pair: tuple[Any, Any], seed: int) -> None:
    check(*pair, seed)


# -- changes of tools


def tool(schema: Any = None, **more: Any) -> JsonObject:
    return {"name": "t", "description": "One.", "inputSchema": schema or obj(a=TEXT), **more}


def kinds(old: list[JsonObject], new: list[JsonObject]) -> list[tuple[str, str, str]]:
    found = changes(
        specs_of({"tools": old}) if old else [],
        specs_of({"tools": new}) if new else [],
        LowerOptions(),
    )
    return [(change.part, change.kind, change.message) for change in found]


@for_each(CASES["not annotations"])
def test_what_changes_a_constraint_is_no_annotation(old: Any, new: Any) -> None:
    found = {kind for _, kind, _ in kinds([tool(old)], [tool(new)])}
    assert "breaking" in found
    assert "annotation" not in found


def test_an_id_that_nothing_depends_on_is_an_annotation() -> None:
    old, new = obj(a=TEXT) | {"$id": "https://x.test/a"}, obj(a=TEXT) | {"$id": "https://x.test/b"}
    assert [kind for _, kind, _ in kinds([tool(old)], [tool(new)])] == ["annotation"]


@for_each(CASES["together"])
def test_what_is_shown_breaks_all_changes_together(one: Any, other: Any) -> None:
    before, after = side(one), side(other)
    for part, sender, receiver in (("input", before, after), ("output", after, before)):
        key = "inputSchema" if part == "input" else "outputSchema"
        old, new = (specs_of({"tools": [{**tool(), key: schema}]}) for schema in (one, other))
        found = [c for c in changes(old, new, LowerOptions()) if c.kind == "breaking"]
        assert all(c.part == part for c in found)
        assert bool(found) is (judge(sender, receiver).meaning == "breaking")
        for change in found:
            assert sender.validate(change.witness) == []
            assert receiver.validate(change.witness) != []


@for_each(CASES["tools"])
def test_the_changes_of_a_tool(old: Any, new: Any, expected: Any) -> None:
    assert kinds(old, new) == [tuple(each) for each in expected]


# -- the command


def write(name: str, *tools: JsonObject) -> str:
    write_json(name, {"tools": tools})
    return name


def test_a_breaking_change_shows_a_payload_and_exits_1() -> None:
    old, new = write("old.json", tool()), write("new.json", tool(obj(a={**TEXT, "maxLength": 3})))
    result = toolgen("diff", old, new)
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "breaking  t: input properties.a.maxLength: added 3"
    assert lines[1] == '    was valid: {"a": "aaaa"}'
    assert lines[2] == "    breaks: a: maxLength"
    assert lines[-1] == "1 breaking"
    found = json.loads(toolgen("diff", old, new, "--output-format", "json").stdout)["result"]
    assert found["counts"] == {"breaking": 1, "addition": 0, "unknown": 0, "safe": 0, "annotation": 0}
    assert found["changes"][0]["witness"] == {"a": "aaaa"}
    assert toolgen("diff", old, new, "--output-format", "github").stderr.startswith(
        "::error file=new.json,line=1,col=135,title=toolgen breaking::"
    )
    place = {key: found["changes"][0][key] for key in ("file", "line", "column")}
    assert place == {"file": "new.json", "line": 1, "column": 135}


def test_a_new_optional_field_shows_its_payload_and_exits_0() -> None:
    result = toolgen("diff", write("old.json", tool()), write("new.json", tool(obj(a=TEXT, b=TEXT))))
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (
        0,
        [
            '    was valid, with the key still unknown: {"b": 1}',
            "    breaks: b: type",
            "1 addition",
        ],
    )


def test_safe_changes_exit_0_and_are_counted() -> None:
    old, new = write("old.json", tool(obj("a", a=TEXT))), write("new.json", tool())
    result = toolgen("diff", old, new)
    assert (result.exit_code, result.stdout) == (0, "1 safe\n")
    assert "safe  t: input required: removed" in toolgen("diff", old, new, "--all").stdout
    assert toolgen("diff", old, old).stdout == "no changes\n"


def test_what_was_committed_is_compared(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def code(folder: Path, *words: str) -> int:
        monkeypatch.chdir(folder)
        return toolgen("diff", *words).exit_code

    Path("specs").mkdir()
    write("specs/a.json", tool())
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], check=True)
    head = ("--against", "git:HEAD")
    assert toolgen("diff", "specs", *head).stdout == "no changes\n"
    write("specs/a.json", tool(obj("a", a=TEXT)))
    specs = workplace / "specs"
    places = [(workplace, "specs"), (specs, str(specs)), (specs, "."), (specs, "../specs")]
    assert [code(folder, path, *head) for folder, path in (*places, (workplace.parent, str(specs)))] == [
        1
    ] * 5
    monkeypatch.chdir(workplace)
    assert "error[bad-commit]" in failure("diff", "specs", "--against", "git:no-such-branch")
    failure("diff", "specs", "--against", "svn:1")


def objects_of(kind: str, count: int, length: int) -> JsonObject:
    """An object of which each property, or each pattern, has a limit."""
    limit = {"type": "string", "minLength": length}
    match kind:
        case "properties":
            return obj(**{f"p{i}": limit for i in range(count)})
        case "required properties":
            names = [f"p{i}" for i in range(count)]
            return obj(*names, closed=True, **dict.fromkeys(names, limit))
        case "properties of items":
            return obj(rows={"type": "array", "items": objects_of("properties", count, length)})
        case "properties that refer to definitions":
            refs = {f"p{i}": {"$ref": "#/$defs/text", "minLength": length} for i in range(count)}
            return obj(**refs) | {"$defs": {"text": {"type": "string", "maxLength": 9}}}
        case "renamed patterns":
            return obj(closed=True) | {"patternProperties": {f"^{length}k{i}_": TEXT for i in range(count)}}
        case _:
            patterns = {f"^k{i}_[0-9]$": limit for i in range(count)}
            return obj(closed=True, **{f"k{i}": TEXT for i in range(count)}) | {"patternProperties": patterns}


MANY = (
    "properties",
    "required properties",
    "properties of items",
    "properties that refer to definitions",
    "patterns",
)


def input_changes(old: Any, new: Any) -> list[Change]:
    tools = [specs_of({"tools": [tool(schema)]}) for schema in (old, new)]
    return list(changes(tools[0], tools[1], LowerOptions()))


@for_each(MANY)
def test_each_of_many_changes_is_judged(kind: str) -> None:
    found = input_changes(objects_of(kind, 150, 1), objects_of(kind, 150, 2))
    assert [change.kind for change in found] == ["breaking"] * 150
    before, after = side(objects_of(kind, 150, 1)), side(objects_of(kind, 150, 2))
    for change in found:
        assert before.validate(change.witness) == []
        assert after.validate(change.witness) != []


def test_renamed_patterns_are_judged_one_by_one() -> None:
    found = input_changes(objects_of("renamed patterns", 60, 1), objects_of("renamed patterns", 60, 2))
    assert [change.kind for change in found] == ["breaking"] * 60 + ["safe"] * 60


def test_patterns_without_a_common_beginning_are_judged_together() -> None:
    old = {"type": "object", "patternProperties": {"^ab?": WHOLE, "^c|b$": TEXT, "a$": TEXT, "^x": TEXT}}
    part = Narrowing(old).part(old, ("patternProperties", "^ac"))
    assert [*part["patternProperties"]] == ["^ab?", "^c|b$", "a$"]


def test_objects_that_are_tried_have_few_keys_if_there_are_many_patterns() -> None:
    root = side(objects_of("patterns", 500, 1)).root
    assert max(map(len, sampled(root, root))) * 1_000 <= MAX_MATCHES


def test_changes_beyond_the_limit_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.commands.diff.changes.MAX_JUDGED", 600)
    found = input_changes(objects_of("properties", 30, 1), objects_of("properties", 30, 2))
    kinds = [change.kind for change in found]
    assert (len(kinds), {*kinds[:9]}, {*kinds[12:]}) == (30, {"breaking"}, {"unknown"})


@for_each(CASES["not alone"])
def test_no_property_is_left_out_if_others_depend_on_it(case: Any) -> None:
    schema = obj(a=TEXT, b=TEXT) | case
    assert Narrowing(schema).part(schema, ("properties", "a", "type")) is schema


def words_of(draw: st.DataObject) -> JsonObject:
    return draw.draw(
        st.sampled_from([
            TEXT, WHOLE, {**TEXT, "minLength": 1}, {"minimum": 1}, {**TEXT, "minLength": 2}, {}, {"enum": ["a", 1]},
        ])
    )  # fmt: skip


@FEW
@given(st.data(), st.integers(0, 1000))
def test_a_part_decides_like_the_whole(draw: st.DataObject, seed: int) -> None:
    """What is judged safe by its part breaks no payload of the whole, and each witness breaks the whole."""

    def made() -> JsonObject:
        names = draw.draw(st.sets(st.sampled_from(["a", "b", "ab"]), min_size=1))
        inner = obj(**{name: words_of(draw) for name in names})
        schema = obj(
            *draw.draw(st.sets(st.sampled_from(sorted(names)))),
            closed=draw.draw(st.booleans()),
            **{name: words_of(draw) for name in names},
            o=draw.draw(st.sampled_from([inner, {"type": "array", "items": inner}])),
        )
        patterns = draw.draw(st.lists(st.sampled_from(["^a", "^ab", "^b", "b$"]), unique=True, max_size=3))
        return schema | {"patternProperties": {pattern: words_of(draw) for pattern in patterns}}

    old, new = made(), made()
    before, after = side(old), side(new)
    found = input_changes(old, new)
    for change in found:
        if change.kind == "breaking":
            assert before.validate(change.witness) == []
            assert after.validate(change.witness) != []
    if {change.kind for change in found} <= {"safe"}:
        for payload in (*payloads(old, seed, 60), *payloads(new, seed, 60)):
            assert before.validate(payload) or not after.validate(payload), (old, new, payload)
