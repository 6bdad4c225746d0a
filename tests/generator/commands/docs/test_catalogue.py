"""`toolgen docs`: the page of a package's tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.browser import browser, needs_browser
from helpers.commands import failure, toolgen
from helpers.html_page import seen
from helpers.support import (
    EXAMPLE_SPECS,
    SERVERS,
    TEXT,
    WHOLE,
    for_each,
    needs_servers,
    obj,
    read_json,
    write_json,
)

from toolgen import compile_tools
from toolgen.commands.docs.example import example_of
from toolgen.commands.docs.fields import MAX_FIELDS, MAX_VALUES_SHOWN, Field, fields_of
from toolgen.commands.docs.page import DANGER, entries, render
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.tool_graph import graph_of
from toolgen_runtime import Toolset, __version__

HIDDEN = "".join(chr(0xE0000 + ord(c)) for c in "ignore") + "\u200b\u2028\u202e\u2066"
HOSTILE = f"</script><img src=x onerror=alert(1)>\"'`{{{{ 7 * 7 }}}}{HIDDEN}\x00"
PAY = {
    "type": "object",
    "properties": {"amount": {"type": "integer", "minimum": 1}, "to": {"$ref": "#/$defs/account"}},
    "required": ["amount"],
    "$defs": {"account": {"type": "string", "pattern": "^[A-Z]{2}", "description": "An account."}},
}
KINDS = obj(
    target={
        "oneOf": [
            {"properties": {"kind": {"const": "user"}, "id": WHOLE}, "required": ["kind"]},
            {"title": "A team", "properties": {"kind": {"const": "team"}, "slug": TEXT}},
        ]
    },
    rows={"type": "array", "minItems": 1, "items": {"properties": {"unit": {"enum": ["pcs", "kg"]}}}},
)
TREE = {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}}
ALL = {"allOf": [{"properties": {"a": TEXT}, "required": ["a"]}, {"properties": {"b": {}}}]}


def toolset(*schemas: Any) -> Toolset:
    return compile_tools(
        [{"name": f"tool_{i}", "description": "", "inputSchema": schema} for i, schema in enumerate(schemas)]
    )


def fields(schema: Any) -> tuple[Field, ...]:
    return fields_of(graph(schema))[0]


def graph(schema: Any) -> Schema | None:
    return graph_of(toolset(schema)["tool_0"])


def shown(field: Field) -> str:
    marks = ["*" if field.required else "", f" ({'; '.join(field.constraints)})" if field.constraints else ""]
    return f"{field.path}{marks[0]}: {field.type}{marks[1]}"


def one(member: Any, **more: Any) -> Any:
    definitions = {"a": TEXT, "b": {"$anchor": "size", "type": "integer", "minimum": 4}}
    return {"properties": {"a": member}, "$defs": definitions, **more}


@for_each(
    [
        (KINDS, ["target: any", "rows: array (at least 1 item)"]),
        (ALL, ["b: any", "a*: string"]),
        (True, []),
        (
            one({"allOf": [{"minLength": 2}, {"minLength": 5}], "type": "string"}),
            ["a: string (at least 5 characters)"],
        ),
        (one({"type": "integer", "minimum": 1, "exclusiveMinimum": 3}), ["a: integer (more than 3)"]),
        (one({"$ref": "#size"}), ["a: integer (at least 4)"]),
        (one({"type": "object", "unevaluatedProperties": False}), ["a: object (no other keys)"]),
        (
            {"properties": {"a": {"type": ["string", "null"], "default": "x"}}},
            ['a: string | null (default "x")'],
        ),
        ({"properties": {"a": {"type": "array", "items": {"enum": [1, 2]}}}}, ["a: array of integer"]),
    ]
)
def test_fields(schema: Any, lines: list[str]) -> None:
    assert sorted(shown(field) for field in fields(schema)) == sorted(lines)


def test_the_values_are_those_that_the_check_takes_and_more_are_counted() -> None:
    (field,) = fields(one({"type": "integer", "enum": [1, "2", 3], "not": {"const": 3}}))
    assert field.values == ("1",)
    (field,) = fields(one({"anyOf": [{"enum": list(range(45))}, {"type": "null"}]}))
    assert (field.choices, len(field.values), field.values[-1]) == ((), MAX_VALUES_SHOWN + 1, "… 5 more")


def test_branches_are_told_apart() -> None:
    target, rows = fields(KINDS)
    assert [choice.title for choice in target.choices] == ['kind = "user"', "A team"]
    assert [field.path for field in target.choices[1].fields] == ["target.kind", "target.slug"]
    assert [field.path for field in rows.fields] == ["rows[].unit"]
    assert rows.fields[0].values == ('"pcs"', '"kg"')


def test_a_schema_that_grows_without_end_is_cut() -> None:
    def count(fields: tuple[Field, ...]) -> int:
        return sum(1 + count(field.fields) for field in fields)

    wide = {"properties": {f"f{i}": TREE["properties"]["left"] for i in range(50)}}
    assert 2 <= count(fields(TREE)) <= MAX_FIELDS
    assert count(fields(wide)) <= MAX_FIELDS


@needs_servers
def test_examples_of_real_tools_are_valid() -> None:
    made = 0
    for path in sorted(SERVERS.glob("*.json"))[:6]:
        tools = compile_tools(read_json(path), keep_going=True)
        for tool in tools.values():
            example = example_of(tool, graph_of(tool))
            assert example is not None, tool.name
            assert tool.validate(example) == []
            made += 1
    assert made > 50


LIKELY: list[tuple[Any, Any]] = [
    ({"type": "string", "description": "Type of resource (e.g., pods, deployments, etc.)"}, "pods"),
    ({"type": "string", "description": "A selector (e.g. 'app=nginx')"}, "app=nginx"),
    ({"type": "integer", "description": "Rows, for example 20."}, 20),
    ({"type": "string", "pattern": "^[0-9]+$", "description": "For example: all"}, "0"),
    ({"type": "string", "description": "A command, e.g. npm install it"}, "resource"),
    ({"type": "number", "minimum": -180, "maximum": 180}, 1),
    ({"type": "string", "format": "date"}, "2024-01-02"),
    (
        obj(mail={"format": "email", "type": "string"}),
        {"mail": "user@example.com"},
    ),
    ({"type": "array", "items": {"enum": ["bug", "task"]}, "minItems": 2}, ["bug", "bug"]),
    ({"type": "integer", "minimum": 5}, 5),
]


@for_each(LIKELY)
def test_an_example_has_a_likely_value(field: Any, value: Any) -> None:
    schema = obj("resource", resource=field)
    assert example_of(toolset(schema)["tool_0"], graph(schema)) == {"resource": value}


def test_the_search_finds_descriptions_values_and_joined_names() -> None:
    schema = {"properties": {"time_zone": {"description": "An IANA name.", "enum": ["UTC"]}}}
    tools = compile_tools([{"name": "read_file", "inputSchema": schema}])
    (entry,) = entries({"files": tools})
    assert all(word in entry["words"] for word in ("readfile", "iana", "utc", "timezone", "files"))
    assert 'files/</span><a href="#tool-files-read_file">' in render("t", [entry])


def test_results_are_shown_and_found() -> None:
    output = obj("etag", etag=TEXT, age={})
    tools = compile_tools([{"name": "read", "inputSchema": {"type": "object"}, "outputSchema": output}])
    (entry,) = entries({"": tools})
    assert [shown(field) for field in entry["results"]] == ["etag*: string", "age: any"]
    assert "etag" in entry["words"]
    html = render("t", [entry])
    assert "<h4>Returns</h4>" in html
    assert 'class="soft">always</span>' in html


def test_the_page_is_whole_and_asks_for_nothing() -> None:
    tools = compile_tools([read_json(EXAMPLE_SPECS / "tracker.json")][0])
    html = render("tracker", entries({"": tools}))
    page = seen(html)
    assert page.asked == []
    assert {f"tool-{name}" for name in tools} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert "<form" not in html


def test_hostile_texts_stay_texts() -> None:
    spec = {
        "name": "tool",
        "title": HOSTILE,
        "description": HOSTILE,
        "inputSchema": {"properties": {HOSTILE: {"enum": ["</pre><script>x</script>"]}}},
    }
    html = render(HOSTILE, entries({"": compile_tools([spec])}))
    page = seen(html)
    assert page.asked == []
    assert "img" not in page.tags
    assert html.count("<script>") == 1
    assert "&lt;style" not in html
    assert not {*HIDDEN} & {*html}
    assert "49" not in html.split("<main")[1].split("</main>")[0]
    html.encode("utf-8")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert toolgen("build", str(EXAMPLE_SPECS), "-o", "shown_tools", "--namespace", "-q").exit_code == 0
    (tmp_path / "out").mkdir()
    done = toolgen("docs", "shown_tools", "-o", "out/page.html")
    assert (done.exit_code, done.stdout) == (0, "out/page.html: written (18 tools)\n")
    page = seen((tmp_path / "out/page.html").read_text("utf-8"))
    assert "tool-tracker-create_issue" in page.ids
    assert "error[bad-package]" in failure("docs", "absent_tools")
    (tmp_path / "out/shown_tools").mkdir()
    assert "another package with this name" in toolgen("docs", "out/shown_tools").stderr
    (tmp_path / "shown_tools/tracker/create_issue").mkdir()
    assert "the folder 'create_issue' hides the module" in toolgen("docs", "shown_tools").stderr


@needs_browser
def test_in_a_browser(tmp_path: Path) -> None:
    shown = tmp_path / "page.html"
    shown.write_text(
        render("shop", entries({"": compile_tools([{"name": "pay", "inputSchema": PAY}])})), "utf-8"
    )
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 420, "height": 900}, color_scheme="dark")
        problems: list[Any] = []
        page.on("pageerror", lambda error: problems.append(error))
        page.goto(f"{shown.as_uri()}#tool-pay")
        page.keyboard.press("/")
        page.keyboard.type("nothing like it")
        assert page.inner_text("#found") == "0 found"
        assert not page.is_visible("#tool-pay")
        assert page.locator("nav h2:visible").count() == 0
        page.keyboard.press("Escape")
        for typed, is_found in (
            ("amuont", True),
            ("ammount", True),
            ("amont", True),
            ("omount", True),
            ("moment", False),
        ):
            page.fill("#search", typed)
            assert page.is_visible("#tool-pay") == is_found, typed
        page.keyboard.press("Escape")
        assert page.is_visible("#tool-pay")
        page.locator("button.copy").click()
        page.wait_for_function("document.querySelector('button.copy').textContent === 'Copied'")
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        assert problems == []


def test_many_tools_are_an_index_with_pages_of_each_server(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolgen.commands.docs.cli.MOST_ON_ONE_PAGE", 3)
    monkeypatch.setattr("toolgen.commands.docs.page.MAX_TOOLS", 2)
    for server, count in (("mail", 3), ("shop", 2)):
        tools = [
            {"name": f"{server}_{n}", "description": f"One {n}.\nTwo.", "schema": {}} for n in range(count)
        ]
        write_json(f"{server}.json", tools)
    Path("pyproject.toml").write_text(
        "[tool.toolgen]\nspecs = ['mail.json', 'shop.json']\noutput = 'paged_tools'\n"
    )
    assert toolgen("build", "-q").exit_code == 0
    done = toolgen("docs", "paged_tools")
    assert done.stdout == "tools.html: written (5 tools, 3 pages beside it)\n"
    index = Path("tools.html").read_text("utf-8")
    links = {"tools-mail-1.html": ("mail_0", "mail_1"), "tools-mail-2.html": ("mail_2",)}
    for file, names in links.items():
        page = Path(file).read_text("utf-8")
        assert all(f'id="tool-{name}"' in page and f"{file}#tool-{name}" in index for name in names)
        assert '<a href="tools.html">All tools</a>' in page
    assert {each.split("=")[1].split("#")[0] for each in seen(index).asked} == {*links, "tools-shop-1.html"}
    assert ("One 0." in index, "Two." in index) == (True, False)
    assert toolgen("docs", "paged_tools", "--one-page").stdout == "tools.html: written (5 tools)\n"
    monkeypatch.setattr("toolgen.commands.docs.cli.MOST_ON_ONE_PAGE", 5)
    assert toolgen("docs", "paged_tools").stdout == "tools.html: written (5 tools)\n"


def test_tools_are_grouped_by_the_files_of_the_settings(workplace: Path) -> None:
    source = {"name": "mailer", "version": "1.2"}
    mail = {"x-toolgen-source": source, "tools": [{"name": "z_mail", "inputSchema": {"type": "object"}}]}
    write_json("mail.json", mail)
    Path("shop.json").write_text('{"name": "a_shop", "schema": {}}')
    Path("pyproject.toml").write_text(
        "[tool.toolgen]\nspecs = ['mail.json', 'shop.json']\noutput = 'grouped_tools'\n"
    )
    assert toolgen("build", "-q").exit_code == 0
    assert toolgen("docs", "grouped_tools").exit_code == 0
    html = Path("tools.html").read_text("utf-8").split("<main")[1]
    headings = ["mail.json (mailer 1.2)", "tool-z_mail", "shop.json</small>", "tool-a_shop"]
    assert sorted(headings, key=html.index) == headings
    assert f"2 tools of grouped_tools, written by toolgen {__version__}" in html


def test_destructive_tools_are_marked() -> None:
    hints = (
        {"destructiveHint": True},
        {"destructiveHint": True, "readOnlyHint": True},
        {"destructiveHint": False},
        {},
    )
    specs = [{"name": f"t{n}", "inputSchema": {}, "annotations": each} for n, each in enumerate(hints)]
    listed = entries({"": compile_tools(specs)})
    assert [entry["danger"] for entry in listed] == [DANGER, "", "", ""]
    assert render("t", listed).count(DANGER) == 2
