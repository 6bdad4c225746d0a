"""What a hint says: each row is a payload, and the text that a model gets for it."""

from __future__ import annotations

from typing import Any

from helpers import support
from helpers.support import TEXT, WHOLE, JsonObject, for_each, for_each_at_once, hint_of, obj

from toolgen_runtime import RetryHint, ValidationIssue, build_hint
from toolgen_runtime.schema.facts import SchemaFacts


def tool_of(properties: JsonObject, *required: str, name: str = "tool", **more: Any) -> Any:
    return support.tool_of(
        {"type": "object", "properties": properties, "required": [*required], **more}, name
    )


def lines_of(hint: RetryHint) -> list[str]:
    """The lines of a rendering about fields, without what stands before the first."""
    head, *lines = hint._replace(corrected=None).render(2000).split("\n")
    return [line.removeprefix("- ") for line in lines] or [head.partition(" was not run. ")[2]]


CREATE_TICKET = tool_of(
    {
        "title": {"type": "string", "maxLength": 80, "description": "One-line summary."},
        "project_id": {"type": "integer", "description": "Numeric project id from list_projects."},
        "priority": {"type": "string", "enum": ["low", "medium", "high"]},
        "labels": {"type": "array", "items": TEXT},
    },
    "title",
    "project_id",
    name="create_ticket",
    additionalProperties=False,
)


ROW = obj("qty", "unit", closed=True, qty={"type": "integer", "minimum": 1}, unit={"enum": ["kg", "pcs"]})
ADD_ROWS = tool_of(
    {"rows": {"type": "array", "items": ROW}, "warehouse": TEXT},
    "rows",
    "warehouse",
    name="add_rows",
)

# -- one problem, one sentence ------------------------------------------------------------------------------

TABLES = support.table("hint_tables.json")
FIELDS: JsonObject = TABLES["fields"]
TOOL = tool_of(FIELDS, additionalProperties=False)


@for_each(TABLES["readings"], ids=lambda row: str(row["lines"]))
def test_the_reading_that_is_chosen(row: JsonObject) -> None:
    tool = tool_of(row["properties"], *row["required"], additionalProperties=False)
    lines = row["lines"]
    assert lines_of(hint_of(tool, row["sent"]))[: len(lines)] == lines


@for_each_at_once(TABLES["lines"])
def test_one_problem_is_one_line(row: Any) -> None:
    assert lines_of(hint_of(TOOL, row["sent"])) == [row["line"]]


def test_the_fields_of_a_hint_are_filled_from_issue_and_schema() -> None:
    tool = tool_of(
        {"size": FIELDS["size"], "n": {**FIELDS["n"], "description": "How many."}, "code": FIELDS["code"]}
    )
    size, n, code = hint_of(tool, {"size": "LARGE", "n": 10, "code": "ab"}).fields
    assert (size.field, size.constraint, size.got, size.did_you_mean) == ("size", "enum", "LARGE", "large")
    assert size.allowed_values == ("small", "medium", "large")
    assert (n.description, n.type, n.minimum, n.maximum, n.got) == ("How many.", "integer", 1, 9, 10)
    assert (code.pattern, code.type) == ("^[A-Z]{2}$", "string")
    assert hint_of(TOOL, {"when": "x"}).fields[0].format == "date-time"


def test_to_dict_is_plain_json() -> None:
    sent = {"name": "Login broken on Safari", "priority": "HIGH", "labels": '["auth","safari"]'}
    said = hint_of(CREATE_TICKET, sent).to_dict()
    assert said["tool"] == "create_ticket"
    assert (said["reason"], said["recovery"], said["omitted"]) == ("invalid_arguments", "correct", 0)
    assert said["missing_fields"] == ["title", "project_id"]
    assert said["fields"][0] == {
        "field": "title",
        "constraint": "required",
        "advice": 'change the key "name" to "title"?',
        "description": "One-line summary.",
        "type": "string",
        "expects": "string, max 80",
        "maximum": 80,
        "rename_from": "name",
    }
    assert said["edits"][0] == {"op": "rename", "path": ["name"], "to": ["title"], "certain": False}


# -- linking ------------------------------------------------------------------------------------------------


@for_each(TABLES["links"], ids=lambda row: str(row["sent"]))
def test_a_missing_key_is_linked_to_the_unknown_key_that_was_meant(row: JsonObject) -> None:
    keys, sent, renamed = row["keys"], row["sent"], row["renamed"]
    tool = tool_of(dict.fromkeys(keys, TEXT), *keys, additionalProperties=False)
    hint = hint_of(tool, sent)
    assert {f.rename_from: f.field for f in hint.fields if f.rename_from} == renamed
    assert {f.field for f in hint.fields if not f.rename_from} == ({*keys} - {*renamed.values()}) | (
        {*sent} - {*renamed}
    )


def test_a_misspelt_key_is_found_where_unknown_keys_are_allowed() -> None:
    hint = hint_of(tool_of({"startDate": TEXT}, "startDate"), {"start_date": "x", "other": "y"})
    assert lines_of(hint) == ['change the key "start_date" to "startDate"']


def test_an_unknown_key_lists_the_valid_keys_nearest_to_it() -> None:
    tool = tool_of({f"key{i}": {} for i in range(20)} | {"colour": {}}, additionalProperties=False)
    (field,) = hint_of(tool, {"colours_": 1, "colour": 2}).fields
    assert field.did_you_mean is None  # it is there already
    (field,) = hint_of(tool, {"zzz": 1}).fields
    assert field.allowed_values == ("key0", "key1", "key2", "…")
    (field,) = hint_of(tool, {"colur": 1}).fields
    assert (field.did_you_mean, field.allowed_values[0]) == ("colour", "colour")


# -- collapsing ---------------------------------------------------------------------------------------------


@for_each(
    [
        ([0], "rows[0].qty", 1),
        ([0, 1, 2], "rows[0-2].qty", 3),
        ([0, 4, 5, 9], "rows[0,4-5,9].qty", 4),
        ([*range(0, 12, 2)], "rows[0,2,4,6,8,10].qty", 6),
        ([*range(0, 20, 2)], "rows[0,2,4,6,8,10,…].qty", 10),
    ]
)
def test_the_same_problem_of_many_items_is_one_line(wrong: list[int], field: str, count: int) -> None:
    rows = [{"qty": "x" if i in wrong else 1, "unit": "kg"} for i in range(20)]
    (line,) = hint_of(ADD_ROWS, {"rows": rows, "warehouse": "w"}).fields
    assert (line.field, line.count) == (field, count)


def test_nested_lists_are_one_line_only_where_every_combination_is_wrong() -> None:
    tool = tool_of({"grid": {"type": "array", "items": {"type": "array", "items": WHOLE}}})
    assert [f.field for f in hint_of(tool, {"grid": [["a", "b"], ["c", "d"]]}).fields] == ["grid[0-1][0-1]"]
    assert [f.field for f in hint_of(tool, {"grid": [["a", 1], [1, "d"]]}).fields] == [
        "grid[0][0]",
        "grid[1][1]",
    ]
    assert hint_of(tool, {"grid": [["a", "b", "c"]]}).render().endswith('not "a", "b", "c"')
    hint = hint_of(tool, {"grid": [["a", "b", 1], [1, "d", "e"]]})
    assert [f.field for f in hint.fields] == ["grid[0][0-1]", "grid[1][1-2]"]


def test_items_of_one_line_show_up_to_three_of_their_values() -> None:
    rows = [{"qty": 1, "unit": unit} for unit in ("a1", "b2", "c3", "d4")]
    (line,) = lines_of(hint_of(ADD_ROWS, {"rows": rows, "warehouse": "w"}))
    assert line == 'rows[0-3].unit (4 items): "a1", "b2", "c3", … is not allowed. Allowed: kg, pcs'


# -- limits -------------------------------------------------------------------------------------------------


def test_what_the_limits_leave_out_is_counted() -> None:
    keys = [f"k{i}" for i in range(9)]
    tool = tool_of(dict.fromkeys(keys, TEXT), *keys)
    hint = hint_of(tool, {})
    assert hint.missing_fields == ("k0", "k1", "k2")
    assert (len(hint.fields), hint.omitted) == (5, 4)
    assert hint.render().endswith("+4 more: k5, k6, k7, k8")
    assert hint.render(160).endswith("+5 more")
    assert hint.clarifying_question == "What should the k0, k1 and k2 be?"


@for_each(["ITEM_150", "item-150", "itme150"])
def test_the_best_match_survives_the_cap_of_allowed_values(got: str) -> None:
    (field,) = hint_of(tool_of({"e": {"enum": [f"item{i}" for i in range(200)]}}), {"e": got}).fields
    assert len(field.allowed_values) == 6
    assert field.allowed_values[0] == "item150"
    assert field.allowed_values[-1] == "…"
    if got != "itme150":
        assert field.did_you_mean == "item150"


@for_each(
    [
        ({}, ["b"], "v: at least 1 of the items must match: a"),
        ({"minContains": 2}, ["a"], "v: at least 2 of the items must match: a"),
        ({"maxContains": 1}, ["a", "a"], "v: at most 1 of the items may match: a"),
    ]
)
def test_items_that_must_match_are_said_with_their_number(limits: Any, sent: Any, line: str) -> None:
    tool = tool_of({"v": {"type": "array", "contains": {"const": "a"}, **limits}})
    assert lines_of(hint_of(tool, {"v": sent})) == [line]


# -- unions -------------------------------------------------------------------------------------------------


def test_a_value_that_fits_no_form_names_the_forms() -> None:
    tool = tool_of({"v": {"anyOf": [WHOLE, {"type": "array", "items": TEXT}]}})
    assert lines_of(hint_of(tool, {"v": True})) == ["v: change true to an integer or an array of strings"]
    issue = ValidationIssue(("v",), "anyOf", None, True)
    assert lines_of(build_hint(tool, [issue])) == ["v: fits none of the forms: integer; array of strings"]


# -- question and example -----------------------------------------------------------------------------------


def test_the_example_holds_the_missing_fields_only_where_they_belong() -> None:
    payload = {"rows": [{"qty": 1, "unit": "kg"}, {"unit": "kg"}]}
    assert hint_of(ADD_ROWS, payload).example_input == {
        "rows": [{"qty": "<qty>"}],
        "warehouse": "<warehouse>",
    }
    renamed = {"rows": [{"quantity": 2, "unit": "kg"}], "warehouse": "w"}
    assert hint_of(ADD_ROWS, renamed).example_input == {"rows": [{"qty": 2}]}
    assert hint_of(ADD_ROWS, {**payload, "rows": [], "warehouse": 5}).example_input is None


# -- reasons, recoveries, progress --------------------------------------------------------------------------


def test_progress_says_what_is_fixed_what_remains_and_what_is_new() -> None:
    first = hint_of(CREATE_TICKET, {"priority": "HIGH"})
    second = hint_of(CREATE_TICKET, {"title": "t", "priority": "HIGH", "labels": 5}, previous=first)
    assert second.render().startswith(
        "create_ticket was not run. You fixed 1 problem; 2 are still there and 1 is new. Fix 3 fields"
    )


def test_identical_failures_end() -> None:
    hint: RetryHint | None = None
    seen = []
    for _ in range(4):
        hint = hint_of(CREATE_TICKET, {"priority": "HIGH"}, previous=hint)
        seen.append((hint.attempts, hint.recovery, hint.example_input is None))
    assert seen == [(1, "correct", False), (2, "ask_user", False), (3, "give_up", True), (4, "give_up", True)]
    assert "It failed 4 times in the same way: do not call it again like this." in hint.render()
    assert "You sent the same arguments again." in hint.render()
    mended = hint_of(CREATE_TICKET, {"title": "t", "priority": "HIGH"}, previous=hint)
    assert (mended.attempts, mended.recovery) == (1, "correct")


def test_rows_that_are_mended_one_by_one_are_progress() -> None:
    rows = [{"qty": "x", "unit": "kg"} for _ in range(3)]
    first = hint_of(ADD_ROWS, {"rows": rows, "warehouse": "w"})
    rows[0]["qty"] = 1
    second = hint_of(ADD_ROWS, {"rows": rows, "warehouse": "w"}, previous=first)
    assert (second.progress, second.attempts) == ("", 1)
    first = hint_of(ADD_ROWS, {"rows": rows[:2], "warehouse": "w"})
    second = hint_of(ADD_ROWS, {"rows": rows[1::-1], "warehouse": "w"}, previous=first)
    assert "Nothing was fixed" not in second.render()  # in another item it is another mistake


# -- hostile input ------------------------------------------------------------------------------------------


def test_deep_and_enormous_payloads_give_short_hints_quickly() -> None:
    deep: Any = "x"
    for _ in range(10_000):
        deep = [deep]
    path = (0,) * 10_000
    hint = build_hint(TOOL, [ValidationIssue(path, "type", "integer", "x")], payload=deep)
    assert len(hint.render()) <= 600
    huge = {"n": "x" * 10_000_000, "size": ["y"] * 100_000, "s": 10**5000}
    assert len(hint_of(TOOL, huge).render()) <= 600
    assert len(hint_of(TOOL, {f"k{i}": i for i in range(20_000)}).render()) <= 600


def test_schemas_that_run_in_circles_are_walked_to_an_end() -> None:
    schema: JsonObject = {
        "$ref": "#",
        "anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/a"}, {"allOf": [{"$ref": "#"}]}],
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "object"}]}},
        "properties": {"x": {"$ref": "#"}},
    }
    assert (
        len(build_hint(SchemaFacts(schema), [ValidationIssue(("x",) * 50, "type", "object", 5)]).fields) == 1
    )


@for_each(TABLES["limits"], ids=lambda row: row["words"])
def test_stated_limits_are_those_of_the_check(row: JsonObject) -> None:
    whole = {**row["root"], "type": "object", "properties": {"a": row["schema"]}}
    hint = hint_of(support.tool_of(whole), {"a": row["sent"]})
    assert row["words"] in hint.render().replace('"', "")
    assert [hint.fields[0].minimum, hint.fields[0].maximum] == row["limits"]
