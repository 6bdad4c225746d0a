"""The command line as it is used: exit codes, what goes where, settings, and what never gets out."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from helpers.commands import document, failure, toolgen
from helpers.spec_exports import HEAD, SCHEMA
from helpers.support import (
    EXAMPLE_SPECS,
    TEXT,
    JsonObject,
    for_each,
    hear_ctrl_c,
    obj,
    python,
    read_json,
    table,
    write_json,
)

from toolgen.cli import app
from toolgen.cli.options import SETTINGS, Setting, options
from toolgen.cli.position import position_of
from toolgen.cli.request import Command
from toolgen.cli.settings import read as read_settings
from toolgen.cli.terminal import inline, lines
from toolgen.commands.export.export import PROVIDERS
from toolgen.compiler.diagnostics import Place
from toolgen.compiler.python.layout import MANIFEST
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.package.build import BuildOptions
from toolgen_runtime.install import install_advice

pytestmark = pytest.mark.usefixtures("workplace")

SOUND = {
    "name": "ping",
    "description": "Pings.",
    "schema": obj(host=TEXT),
}
BROKEN = {"name": "bad", "schema": {"type": "strin"}}
HOSTILE = "x\x1b[31m\n::error::pwned\r##[error]\u202e\x9b"
"""A tool's name that tries the terminal, the lines of a log and GitHub's commands."""


def spec(*tools: Any, name: str = "spec.json") -> str:
    write_json(name, tools[0] if len(tools) == 1 else tools)
    return name


def tree(folder: str) -> dict[str, bytes]:
    root = Path(folder)
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def process(*args: str, **kwargs: Any) -> subprocess.Popen[str]:
    options: JsonObject = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | kwargs
    return subprocess.Popen(
        [sys.executable, "-m", "toolgen.__main__", *args], preexec_fn=hear_ctrl_c, **options
    )


# -- build ---------------------------------------------------------------------------------------------------


def test_build_says_what_it_wrote() -> None:
    first = toolgen("build", spec(SOUND), "-o", "out/tools")
    files = len(tree("out/tools"))
    wrote, use = first.stdout.splitlines()
    assert (first.exit_code, wrote) == (
        0,
        f"out/tools: 1 tool built (files: {files} created, 0 updated, 0 removed)",
    )
    assert use == "use it: from tools import toolset  # with out on Python's path"
    again = toolgen("build", "spec.json", "-o", "out/tools")
    assert (again.exit_code, again.stdout) == (0, f"out/tools: up to date (1 tool, {files} files)\n")
    spec({**SOUND, "description": "Pings a host."})
    changed = toolgen("build", "spec.json", "-o", "out/tools")
    assert (
        changed.stdout == "out/tools: 1 tool built (files: 0 created, 2 updated, 0 removed)\n"
    )  # and the manifest
    assert first.stderr == again.stderr == changed.stderr == ""


def test_check_and_diff_write_nothing() -> None:
    assert toolgen("build", spec(SOUND), "--check").exit_code == 1
    assert not Path("agent_tools").exists()
    toolgen("build", "spec.json")
    same = toolgen("build", "spec.json", "--check", "--diff")
    assert (same.exit_code, same.stdout) == (0, "agent_tools: up to date\n")
    Path("agent_tools/ping.py").write_text("edited\n")
    before = tree("agent_tools")
    drift = toolgen("build", "spec.json", "--check", "--diff")
    assert drift.exit_code == 1
    assert "--- agent_tools/ping.py\n+++ agent_tools/ping.py\n" in drift.stdout
    assert "\n-edited\n" in drift.stdout
    assert toolgen("build", "spec.json", "--diff").exit_code == 0
    assert tree("agent_tools") == before


def test_check_names_each_file_and_the_command_that_fixes_it() -> None:
    flags = ("spec.json", "-o", "out/tools", "--formats", "annotate", "--keep-going")
    toolgen("build", spec(SOUND, {**SOUND, "name": "old"}), *flags[1:])
    spec(SOUND, {**SOUND, "name": "new"})
    drift = toolgen("build", *flags, "--check")
    assert drift.exit_code == 1
    *files, counts, run = drift.stdout.splitlines()
    assert files == [
        "out/tools/_models/new.py: missing",
        "out/tools/new.py: missing",
        "out/tools/__init__.py: differs",
        "out/tools/__init__.pyi: differs",
        f"out/tools/{MANIFEST}: differs",
        "out/tools/_models/old.py: no longer generated",
        "out/tools/old.py: no longer generated",
    ]
    assert counts == "out/tools: differs; a build gives 2 created, 3 updated, 2 removed"
    assert toolgen("build", *flags, "--check", "-q").stdout == ""
    shown = toolgen("build", *flags, "--check", "--output-format", "github").stderr.splitlines()
    assert shown[2] == f"::error file=out/tools/__init__.py,title=toolgen drift::differs; {run}"
    assert f"run: {document('build', *flags, '--check')['result']['run']}" == run
    assert toolgen(*run.split()[2:]).exit_code == 0
    assert toolgen("build", *flags, "--check").exit_code == 0


def test_bad_specs_stop_the_build_with_every_problem_listed() -> None:
    *problems, last = failure(
        "build", spec(SOUND, BROKEN, {"name": 5, "schema": {}}, {"name": "worse", "schema": 3})
    ).splitlines()
    assert last == "Found 3 errors. Nothing was written."
    assert [line.partition(" ")[0] + line.rpartition(" ")[2] for line in problems] == [
        "spec.json:1:174:#/2/name", "spec.json:1:220:#/3/schema", "spec.json:1:154:#/1/schema/type",
    ]  # fmt: skip
    assert not Path("agent_tools").exists()


def test_keep_going_builds_what_is_sound_and_still_fails() -> None:
    result = toolgen("build", spec(SOUND, BROKEN), "--keep-going")
    assert result.exit_code == 2
    assert "error[invalid-keyword] tool 'bad': " in result.stderr
    assert "ping.py" in tree("agent_tools")
    assert "bad.py" not in tree("agent_tools")
    counts = "(files: 7 created, 0 updated, 0 removed)"
    assert result.stdout == f"agent_tools: 1 tool built {counts}; without bad\n"
    assert result.stderr.endswith("Found 1 error.\n")
    assert toolgen("build", "spec.json", "--keep-going").stdout.endswith("(1 tool, 7 files); without bad\n")
    assert toolgen("build", "spec.json", "--keep-going", "--check").exit_code == 2


def test_slow_patterns_are_allowed_for_single_tools_by_the_settings_alone() -> None:
    slow = {"type": "string", "pattern": r"^(a+)\1$"}
    tools = [{"name": name, "schema": {**slow, "allow-slow-patterns": [name]}} for name in ("one", "two")]
    spec(*tools)
    Path("pyproject.toml").write_text('\ufeff[tool.toolgen]\nallow-slow-patterns = ["one"]\n')
    result = toolgen("build", "spec.json")
    assert "warning[slow-pattern] tool 'one'" in result.stderr
    assert "error[slow-pattern] tool 'two'" in result.stderr
    failure("build", "spec.json", "--allow-slow-patterns", "two")


def test_ref_dirs_reach_the_pipeline() -> None:
    Path("schemas").mkdir()
    Path("schemas/host.json").write_text('{"type": "string"}')
    tool = {"name": "ping", "schema": {"properties": {"host": {"$ref": "https://x.test/host.json"}}}}
    failure("build", spec(tool))
    assert toolgen("build", "spec.json", "--ref-dir", "https://x.test/=schemas").exit_code == 0
    explained = toolgen(
        "explain", "ping", '{"host": 1}', "-s", "spec.json", "--ref-dir", "https://x.test/=schemas"
    )
    assert explained.exit_code == 1


REFUSED = {
    "a name that is none": (("spec.json", "-o", "my-tools"), "error[bad-package-name]"),
    "a keyword": (("spec.json", "-o", "out/class"), "error[bad-package-name]"),
    "a module of Python": (("spec.json", "-o", "src/json"), "error[bad-package-name]"),
    "a folder of somebody": (("spec.json", "-o", "mine"), "error[foreign-folder]"),
    "a folder below a file": (("spec.json", "-o", "spec.json/tools"), "error[write-failed]"),
    "a watch of standard input": (("-", "--watch"), "--watch"),
    "a watch that checks": (("spec.json", "--watch", "--check"), "--watch"),
}


@for_each(REFUSED)
def test_what_cannot_be_done_is_said_in_one_line(args: Any, said: Any) -> None:
    spec(SOUND)
    Path("mine").mkdir()
    Path("mine/file").touch()
    *lines, last = failure("build", *args).strip().splitlines()
    assert said in (lines[-1] if last == "Found 1 error. Nothing was written." else last)


@for_each([(), ("--namespace",)])
def test_a_build_keeps_the_client_that_a_package_has_until_it_is_told_otherwise(
    namespace: tuple[str, ...],
) -> None:
    def has_client(*flags: str) -> bool:
        toolgen(*built, *flags)
        return bool(list(Path("agent_tools").rglob("client.pyi")))

    built = ("build", spec(SOUND, {"name": "client", "schema": {}}), *namespace)
    assert [has_client(), has_client("--client")] == [False, True]
    with_client = tree("agent_tools")
    assert toolgen(*built, "--check").exit_code == 0
    assert has_client()
    assert tree("agent_tools") == with_client
    settings("client = false\n")
    assert toolgen(*built, "--check").exit_code == 1
    Path("pyproject.toml").unlink()
    assert not has_client("--no-client")


MISTYPED = ("export spec.json --to mcp -o", "docs agent_tools -o", "lint spec.json --sarif")


@for_each(MISTYPED)
def test_a_mistyped_folder_is_not_created(line: str) -> None:
    toolgen("build", spec(SOUND))
    result = toolgen(*line.split(), "ouut/file")
    assert result.exit_code == 2
    assert "ouut/file: error[write-failed] there is no such folder" in result.stderr
    assert not Path("ouut").exists()


def test_quiet_prints_errors_alone() -> None:
    hosted = {"type": "web_search_20250305", "name": "web_search"}
    result = toolgen("build", spec(SOUND, hosted), "-q")
    assert (result.exit_code, result.output) == (0, "")
    assert "note[hosted-tool]" in toolgen("build", "spec.json").stderr
    assert "error[" in toolgen("build", spec(BROKEN), "-q").stderr


def test_hosted_tools_are_noted_once_and_not_at_a_check() -> None:
    hosted = [{"type": f"web_search_2025030{day}", "name": f"search{day}"} for day in range(7)]
    built = toolgen("build", spec(SOUND, *hosted))
    assert built.stderr.count("note[hosted-tool]") == 1
    assert "so it has no schema, in 7 tools: 'search0'," in built.stderr
    assert toolgen("build", "spec.json", "--check").stderr == ""
    assert len(document("list", "spec.json")["diagnostics"]) == 1


def test_a_diff_leaves_the_manifest_out() -> None:
    toolgen("build", spec(SOUND))
    found = toolgen("build", spec(SOUND | {"description": "Another."}), "--diff")
    assert '+    description="Another.",' in found.stdout
    assert "toolgen-manifest.json" not in found.stdout
    manifest = Path("agent_tools/toolgen-manifest.json")
    toolgen("build", "spec.json")
    manifest.write_text(manifest.read_text() + " ")
    assert "toolgen-manifest.json" in toolgen("build", "spec.json", "--diff").stdout


EXCLUDED: list[tuple[list[str], list[str]]] = [
    (["package.json"], ["a.json", "b/a.json", "b/c.yaml"]),
    (["*.json"], ["b/c.yaml"]),
    (["b"], ["a.json", "package.json"]),
    (["./b/a.json"], ["a.json", "b/c.yaml", "package.json"]),
    (["b/", "package.json"], ["a.json"]),
]


@for_each(EXCLUDED)
def test_files_of_a_folder_can_be_left_out(patterns: list[str], kept: list[str]) -> None:
    Path("specs/b").mkdir(parents=True)
    for name in ("a.json", "package.json", "b/a.json", "b/c.yaml"):
        spec({"name": name.replace("/", "-"), "schema": {}}, name=f"specs/{name}")
    flags = [word for pattern in patterns for word in ("--exclude", pattern)]
    listed = document("list", "specs", *flags)["result"]["tools"]
    assert [tool["file"].removeprefix("specs/") for tool in listed] == kept
    settings(f"exclude = {patterns!r}\n")
    assert document("list", "specs")["result"]["tools"] == listed


USAGE_ERRORS = [
    (("bulid",), "Did you mean 'build'?"),
    (("lnit",), "Did you mean 'list' or 'lint'?"),
    (("frobnicate",), "Commands: audit, build, "),
    (("build", "--outptu", "x"), "--output"),
    (("build",), "no specs: pass files or folders"),
    (("pull", "--timeout", "0", "http://a"), "not in the range x>0"),
    (("diff", "-", "-"), "standard input can be used for one side only"),
    # A variable of the shell that is not set makes an empty value.
    (("build", "a.json", "-o", ""), "--output is empty"),
    (("build", "a.json", "--exclude", ""), "--exclude is empty"),
]


def test_the_folder_of_pull_is_named_where_no_settings_do() -> None:
    Path("specs").mkdir()
    assert "name the folder specs, or run: toolgen init" in " ".join(toolgen("lint").stderr.split())


@for_each(USAGE_ERRORS)
def test_usage_errors_say_what_was_meant_in_every_format(args: tuple[str, ...], said: str) -> None:
    text = toolgen(*args)
    assert (text.exit_code, text.stdout) == (2, "")
    assert said in text.stderr
    for flags in (("--output-format", "json"), ("--output-format=json",)):
        found = toolgen(*args, *flags)
        assert (found.exit_code, found.stderr) == (2, "")
        (diagnostic,) = json.loads(found.stdout)["diagnostics"]
        assert diagnostic["code"] == "bad-usage"
        assert said in diagnostic["message"]
    assert toolgen(*args, "--output-format", "github").stderr.startswith("::error ")


# -- output formats --------------------------------------------------------------------------------------------


def test_json_is_one_document() -> None:
    built = document("build", spec(SOUND))
    assert (built["command"], built["exit"], built["diagnostics"]) == ("build", 0, [])
    assert built["result"]["package"] == "agent_tools"
    assert "ping.py" in built["result"]["created"]
    Path("spec.json").write_text('[\n  {"name": "bad",\n   "schema": {\n     "type": "strin"}}]')
    failed = toolgen("build", "spec.json", "--output-format", "json")
    assert (failed.exit_code, failed.stderr) == (2, "")
    (found,) = json.loads(failed.stdout)["diagnostics"]
    texts = {key: found.pop(key) for key in ("code", "message", "hint")}
    assert all(texts.values())
    place = {"file": "spec.json", "pointer": "/0/schema/type", "line": 4, "column": 14}
    assert found == {**place, "level": "error", "tool": "bad"}


def test_github_annotates_the_line() -> None:
    Path("a,b:c.json").write_text('[\n  {"name": "50%",\n   "schema": 3}]')
    result = toolgen("build", "a,b:c.json", "--output-format", "github")
    (line,) = result.stderr.splitlines()
    assert line.startswith(
        "::error file=a%2Cb%3Ac.json,line=3,col=14,title=toolgen bad-schema::tool '50%25': the input"
    )


HOSTILE_COMMANDS = (
    ("list", "spec.json"),
    ("build", "spec.json", "--diff", "--keep-going"),
    ("explain", HOSTILE, json.dumps({HOSTILE: "##[x]\x1b", "::error::x": 1}), "-s", "spec.json"),
)


@pytest.mark.parametrize("output_format", ["text", "json", "github"])
@pytest.mark.parametrize("command", HOSTILE_COMMANDS, ids=lambda words: words[0])
def test_hostile_text_stays_text(command: tuple[str, ...], output_format: str) -> None:
    schema = {"properties": {HOSTILE: {"enum": [HOSTILE], "description": HOSTILE}}, "required": [HOSTILE]}
    tool = {"name": HOSTILE, "description": HOSTILE, "schema": schema}
    spec(tool, {"name": HOSTILE + "2", "schema": 3})
    result = toolgen(*command, "--output-format", output_format)
    assert result.exit_code in (1, 2)
    for stream in (result.stdout, result.stderr):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]|##\[", stream)
        commands = re.findall(r"^ *::.*", stream, re.M)
        assert all(line.startswith("::error file=spec.json,line=") for line in commands)
        assert len(commands) <= 1


def in_shell(redirection: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the program with its streams as a shell has them."""
    words = ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-m", "toolgen", *args]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@for_each(
    [
        (">/dev/full", "list spec.json", 2, "error[write-failed] "),
        (">/dev/full", "build --check --output-format json spec.json", 2, "No space left on device"),
        (">&-", "build spec.json", 0, ""),
        ("2>&-", "build spec.json --nosuch", 2, ""),
        ("<&-", "list -", 2, ""),
        ("<&- >&- 2>&-", "build spec.json", 0, ""),
    ]
)
def test_an_output_that_is_full_or_closed_is_no_bug(
    redirection: str, command: str, code: int, said: str
) -> None:
    spec({"name": "t", "inputSchema": {}})
    done = in_shell(redirection, *command.split())
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
    assert "internal-error" not in done.stderr


SEEN_BY_NOBODY = "\x7f\x85\x9b31m\xad\u061c\u200b\u200d\u2028\u202e\u2066\ufeff\ufff9\U000e0041"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_exported_can_be_printed(provider: str) -> None:
    """It is the same value: JSON has a way to write each of these characters that a terminal does not act on."""
    said = f"##[error]{SEEN_BY_NOBODY}::error::x \u00fc\u6f22\U0001f600"
    spec(
        {
            "name": "t",
            "description": said,
            "schema": obj(p={"description": said}),
        }
    )
    result = toolgen("export", "spec.json", "--to", provider)
    assert result.exit_code == 0
    assert "\u00fc\u6f22\U0001f600" in result.stdout
    assert "##[" not in result.stdout
    assert result.stdout.replace("\n", "").isprintable()
    assert json.dumps(json.loads(result.stdout)).count(json.dumps(said)[1:-1]) == 2
    toolgen("export", "spec.json", "--to", provider, "-o", "out.json")
    assert Path("out.json").read_text("utf-8") == result.stdout


@for_each(["[x](javascript:alert(1))", "](1)", "[a](0) [b](1)", "![i](https://x.test/i.png)"])
def test_no_text_is_a_link_in_sarif(text: str) -> None:
    """A message may have embedded links (SARIF 2.1.0, section 3.11.6)."""
    spec({"name": text, "inputSchema": {"properties": {text: {"enum": [text], "default": 5}}}})
    toolgen("lint", "spec.json", "--sarif", "found.sarif")
    (run,) = read_json("found.sarif")["runs"]
    messages = "\n".join(result["message"]["text"] for result in run["results"])
    assert text[-3:] in messages
    assert "](" not in messages


def test_safe_text() -> None:
    assert inline("plain ünïcode 漢 ok") == "plain ünïcode 漢 ok"
    assert inline("a\tb\n\x1b[0m\x85\u2028\ud800") == "a\\tb\\n\\x1b[0m\\x85\\u2028\\ud800"
    assert inline("  ::add-mask::x ##[group]") == "  \\x3a:add-mask::x #\\x23[group]"
    assert lines("a\n\tb\r\n::c") == "a\n\tb\\r\n\\x3a:c"


def test_colour_is_for_terminals() -> None:
    pty = pytest.importorskip("pty", reason="no pseudo-terminals here")

    def has_colour(**env: str) -> bool:
        parent, child = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | env
        process("list", "none.json", stderr=child, env=environment).wait(60)
        os.close(child)
        text = os.read(parent, 65536)
        os.close(parent)
        assert b"error[" in text
        return b"\x1b[" in text

    assert [has_colour(), has_colour(NO_COLOR="1"), has_colour(TERM="dumb")] == [True, False, False]


LINES = """{
  "tools": [
    {"name": "a",
     "schema": {"x/y": [1,
        2], "~": {}}}
  ]
}"""
BLOCKS = "tools:\n- name: a\n  schema:\n    type: object\n"
POSITIONS = [
    *((name, LINES, "/tools/0/schema/x~1y/1", (5, 9)) for name in ("a.json", "a.yaml", "a.txt")),
    ("a.json", LINES, "", (1, 1)),
    ("a.json", LINES, "/tools/0/schema/~0", (5, 18)),
    ("a.json", LINES, "/tools/9", (2, 12)),
    ("a.yml", BLOCKS, "/tools/0/schema/type", (4, 11)),
    ("a.json", '{\n"a": \n}', "", (3, 1)),
    ("a.yaml", "a: 1\nb: [\n", "", (3, 1)),
    ("a.json", "[" * 9999, "", (1, 1)),
]


@for_each(POSITIONS)
def test_the_position_of_a_pointer(name: str, text: str, pointer: str, position: tuple[int, int]) -> None:
    Path(name).write_text(text)
    assert position_of(Place(name, pointer)) == position
    assert position_of(Place("none.json")) is None


SYNTAX_SLIPS = table("syntax_slips.json")


@for_each(SYNTAX_SLIPS)
def test_a_slip_of_syntax_says_where_and_what_to_change(
    name: Any, text: Any, position: Any, fix: Any
) -> None:
    Path(name).write_text(text)
    said = failure("build", name)
    assert said.startswith(f"{name}{position}")
    assert fix in said


# -- list ------------------------------------------------------------------------------------------------------


def test_list_shows_tools_modules_and_fields() -> None:
    result = toolgen("list", spec({**HEAD, "inputSchema": SCHEMA}, {"name": "file-issue", "schema": True}))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "file_issue  title + 3 optional  spec.json:1",
        "file-issue  (no fields)         spec.json:1",
        "2 tools",
    ]
    first, *fields, second, count = toolgen("list", "spec.json", "--verbose").stdout.splitlines()
    assert first == "file_issue  title + 3 optional  spec.json:1  file_issue"
    assert fields == [
        "    title*: string (at most 80 characters)",
        '    state: "open" | "closed" | null',
        "    floor: 1 | 2",
        "    labels: array of string (at least 1 item)",
    ]
    assert re.fullmatch(r"file-issue  \(no fields\)         spec.json:1  file_issue_[0-9a-f]{8}", second)
    assert count == "2 tools"


@for_each([3, 300])
def test_the_second_list_says_the_same(count: int) -> None:
    def listed(order: Iterable[int]) -> str:
        tools = [{"name": f"t{n}", "schema": {"required": [f"f{field}"]}} for n, field in enumerate(order)]
        return toolgen("list", spec(*tools)).stdout

    before = listed(range(count))
    assert listed(range(count)) == before
    assert f"f{count - 1}" in listed(reversed(range(count))).splitlines()[0]


def test_list_names_the_modules_that_build_makes() -> None:
    spec({"name": "a-b", "schema": {}}, {"name": "a_b", "schema": {}}, name="x-y.json")
    spec({"name": "a", "schema": {}}, name="z.json")
    toolgen("build", "x-y.json", "z.json", "--namespace")
    listed = document("list", "x-y.json", "z.json", "--namespace")
    modules = {tool["module"].replace(".", "/") + ".py" for tool in listed["result"]["tools"]}
    assert len(modules) == 3
    assert modules <= tree("agent_tools").keys()


LISTED = table("list.json")


@for_each(LISTED["fields"])
def test_a_field_in_a_few_words(schema: Any, said: Any, limits: Any) -> None:
    definitions = {
        "n/m": {"type": "number"},
        "count": {"$anchor": "count", "type": "integer"},
        "text": {"$id": "https://example.com/text", "type": "string"},
        "node": {"$dynamicAnchor": "node", "type": "boolean"},
        "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    }
    assert listed_fields({"properties": {"f": schema}, "$defs": definitions}) == [
        {"name": "f", "type": said, "required": False, "limits": limits}
    ]


def listed_fields(schema: Any) -> list[JsonObject]:
    listed = document("list", spec({"name": "t", "schema": schema}))
    return listed["result"]["tools"][0]["fields"]


@for_each(LISTED["roots"])
def test_the_fields_are_those_that_the_check_knows(schema: Any, names: Any) -> None:
    assert [f"{f['name']}{'*' * f['required']}" for f in listed_fields(schema)] == names


def test_a_tool_whose_schema_has_an_error_is_listed() -> None:
    shown = toolgen("list", spec({"name": "t", "schema": {"properties": {"a": {"$ref": "#/none"}}}}))
    assert "t  (the schema has an error; toolgen build shows it)  spec.json:1" in shown.stdout
    assert shown.exit_code == 0


# -- explain ---------------------------------------------------------------------------------------------------

ISSUE = ("explain", "create_issue")
AT = ("-s", str(EXAMPLE_SPECS))


def test_explain_shows_issues_hint_and_repair() -> None:
    result = toolgen(*ISSUE, '{"project": "OPS", "title": "x", "priority": "High"}', *AT)
    assert result.exit_code == 1
    head, first, rest = result.stdout.split("\n", 2)
    assert head == "create_issue: 1 issue"
    assert first == '  priority: must be one of "low", "medium", "high", "urgent", not "High" (enum)'
    assert "\nhint:\ncreate_issue was not run." in rest
    repaired = rest.partition("repaired payload:\n")[2]
    assert json.loads(repaired) == {"project": "OPS", "title": "x", "priority": "high"}


ISSUES: dict[str, tuple[Any, Any, str]] = {
    "a type": ({"type": ["string", "null"]}, 5, "f: must be a string or null, not 5 (type)"),
    "a limit": ({"minimum": 3}, 1, "f: must be at least 3, not 1 (minimum)"),
    "a constant": ({"const": "x"}, 1, 'f: must be "x", not 1 (const)'),
    "a pattern": ({"pattern": "^a"}, "b", 'f: must match ^a, not "b" (pattern)'),
    "a format": ({"format": "date"}, "b", 'f: must be a valid date, not "b" (format)'),
    "equal items": ({"uniqueItems": True}, [1, 1], "f: two items are equal (uniqueItems)"),
    "a key": ({"additionalProperties": False}, {"a": 1}, "f.a: not a field of this object (additionalProperties)"),
    "nothing": (False, 1, "f: is not allowed here (not)"),
    "a negation": ({"not": {}}, 1, "f: is not allowed here (not)"),
}  # fmt: skip


@for_each(ISSUES)
def test_explain_says_an_issue_in_words(schema: Any, value: Any, said: Any) -> None:
    spec({"name": "t", "schema": {"properties": {"f": schema}}})
    assert f"  {said}\n" in toolgen("explain", "t", json.dumps({"f": value}), "-s", "spec.json").stdout


def test_explain_says_that_a_rename_fixes_two_issues() -> None:
    said = toolgen(*ISSUE, '{"project": "OPS", "Title": "x"}', *AT).stdout
    assert "\nhint (a key with a wrong name is two issues, and one change):\n" in said


def test_explain_in_json() -> None:
    explained = document(*ISSUE, '{"title": ""}', *AT)
    assert explained["exit"] == 1
    assert [issue["constraint"] for issue in explained["result"]["issues"]] == ["required", "minLength"]
    assert explained["result"]["hint"].startswith("create_issue was not run.")
    assert explained["result"]["valid"] is False


PAYLOADS: dict[str, tuple[tuple[str, ...], str | None, int, str]] = {
    "valid": (('{"project": "OPS", "title": "x"}',), None, 0, "create_issue: the payload is valid"),
    "from a file": (("payload.json",), None, 0, "valid"),
    "piped": ((), '{"project": "OPS"}', 1, "title: missing (required)"),
    "cut off": (('{"project": "OPS"',), None, 1, "truncated"),
    "empty": (("-",), "", 1, "truncated"),
    "an empty argument": (("",), None, 1, "truncated"),
    "no file": (("none.json",), None, 2, "none.json: error[no-such-file] no such file or folder (pass JSON text"),
}  # fmt: skip


@for_each(PAYLOADS)
def test_explain_takes_a_payload(args: Any, stdin: Any, code: Any, said: Any) -> None:
    Path("payload.json").write_text('{"project": "OPS", "title": "x"}')
    result = toolgen(*ISSUE, *args, *AT, stdin=stdin)
    assert result.exit_code == code
    assert said in result.output


def test_explain_says_that_it_waits_for_a_payload() -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "toolgen", *ISSUE, *AT]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stderr is not None
        assert running.stderr.readline().startswith("waiting for the payload on standard input")
        assert running.communicate("[]")[0].startswith("create_issue: 1 issue")


def test_explain_suggests_near_names() -> None:
    last = failure("explain", "create_isue", "{}", *AT).splitlines()[-1]
    assert last.startswith("error[no-such-tool] there is no tool 'create_isue' (did you mean 'create_issue'")


def test_explain_tells_files_apart() -> None:
    spec(SOUND, name="one.json")
    spec(SOUND, name="two.json")
    args = ("-s", "one.json", "-s", "two.json", "--namespace")
    assert "use one of one/ping, two/ping" in toolgen("explain", "ping", "{}", *args).stderr
    assert toolgen("explain", "two/ping", "{}", *args).exit_code == 0
    assert toolgen("explain", "one/ping", "{}", "-s", "one.json").exit_code == 0


def test_every_command_on_specs_knows_the_namespaces_of_the_settings() -> None:
    """Two servers have a tool of one name."""
    Path("specs").mkdir()
    spec(SOUND, name="specs/git.json")
    spec(SOUND, {**SOUND, "name": "log"}, name="specs/hub.json")
    settings('specs = ["specs"]\nnamespace = true\n')
    exported = json.loads(toolgen("export", "--to", "openai").stdout)
    assert [tool["function"]["name"] for tool in exported["tools"]] == ["git_ping", "hub_ping", "hub_log"]
    assert toolgen("diff", "specs", "specs").stdout == "no changes\n"
    Path("calls.jsonl").write_text('{"tool": "log"}\n{"tool": "git/ping"}\n')
    assert toolgen("audit", "calls.jsonl").stdout.startswith("2 calls of 2 tools")
    for line in ("list", "lint --fail-on error", "explain hub/ping {}", "build", "docs agent_tools"):
        assert toolgen(*line.split()).exit_code == 0, line
    assert (
        "hub/log: the tool was removed" in toolgen("diff", "specs", spec(SOUND, name="specs/git.json")).stdout
    )


def test_explain_is_not_held_up_by_other_tools() -> None:
    result = toolgen("explain", "ping", "{}", "-s", spec(SOUND, {"name": "bad", "schema": 3}))
    assert (result.exit_code, result.stderr) == (0, "")


# -- settings --------------------------------------------------------------------------------------------------


def settings(text: str, folder: str = ".") -> None:
    Path(folder, "pyproject.toml").write_text(f"[tool.toolgen]\n{text}")


def test_settings_hold_and_the_command_line_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("deep/er").mkdir(parents=True)
    spec(SOUND, name="specs.json")
    settings('specs = ["specs.json"]\noutput = "src/tools"\nnamespace = true\nquiet = true\n')
    monkeypatch.chdir("deep/er")
    assert toolgen("build").output == ""
    assert "specs/ping.py" in tree("../../src/tools")
    result = toolgen("build", "--no-namespace", "--no-quiet", "-o", "other")
    assert result.stdout.startswith("other: ")
    assert "ping.py" in tree("other")
    assert toolgen("explain", "ping", "{}").exit_code == 0


def other_value(setting: Setting) -> Any:
    """A value that a project could set instead of the default."""
    if isinstance(setting.type, click.Choice):
        return next(choice for choice in setting.type.choices if choice != setting.default)
    if isinstance(setting.type, click.IntRange):
        return 3
    return not setting.default if setting.type is click.BOOL else "x/y"


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_the_option_of_its_name(name: str) -> None:
    @click.command("probe", cls=Command)
    @options(*SETTINGS)
    def probe(report: object, **given: Any) -> int:
        click.echo(json.dumps(given))
        return 0

    def given(*args: str) -> JsonObject:
        result = CliRunner().invoke(probe, args)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout.splitlines()[0])  # type: ignore[no-any-return]

    setting, value = SETTINGS[name], other_value(SETTINGS[name])
    default, option = given(), [f"--{name}"] if value is True else [f"--{name}", str(value)]
    by_option = given(*option)
    settings(f"{name} = {json.dumps(value)}\n")
    assert given() == by_option
    assert {key for key in default if default[key] != by_option[key]} == {setting.parameter}
    assert default[setting.parameter] == ([] if setting.many else setting.default)
    if setting.many:
        settings(f"{name} = {json.dumps([value, value])}\n")
        assert given() == given(*option, *option) != by_option
    elif value is True:
        assert given(f"--no-{name}") == default
    elif setting.default is not None:
        assert given(f"--{name}", setting.default) == default


def test_paths_of_settings_are_relative_to_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    settings("specs = ['-', 'a', '/b']\noutput = 'c'\nref-dir = ['d', 'https://x.test/=e']\n", "..")
    assert read_settings(Path.cwd()).values == {
        "specs": ["-", "../a", "/b"],
        "output": "../c",
        "ref_dir": ["../d", "https://x.test/=../e"],
    }


OPTIONS = {
    "formats": "annotate",
    "keep_going": True,
    "ref_dirs": (RefDir(Path("refs")),),
    "slow_patterns": "allow",
    "slow_tools": ("ping",),
    "client": True,
}


@for_each([field.name for field in fields_of(BuildOptions)])
def test_an_option_that_changes_a_text_is_in_the_fingerprint(field: str) -> None:
    Path("refs").mkdir()
    Path("refs/a.json").write_text("{}")
    changed = BuildOptions(**{field: OPTIONS[field]}).fingerprint() != BuildOptions().fingerprint()
    assert changed == (field not in ("keep_going", "client"))


WRONG_SETTINGS = {
    "unknown": ("out = 'x'\n", "unknown-setting", "/tool/toolgen/out", "did you mean 'output'?"),
    "prune, for one build alone": (
        "prune = true\n",
        "unknown-setting",
        "/tool/toolgen/prune",
        "no setting 'prune'",
    ),
    "a number": ("output = 5\n", "bad-settings", "/tool/toolgen/output", "give a path"),
    "a list of numbers": ("specs = [5]\n", "bad-settings", "/tool/toolgen/specs", "list of paths"),
    "a flag": ("quiet = 1\n", "bad-settings", "/tool/toolgen/quiet", "true or false"),
    "an empty path": ("output = ''\n", "bad-settings", "/tool/toolgen/output", "give a path"),
    "many of one": ("output = ['a']\n", "bad-settings", "/tool/toolgen/output", "give a path"),
    "a parameter": ("keep_going = true\n", "unknown-setting", "/tool/toolgen/keep_going", "'keep-going'"),
    "a choice": ("formats = 'no'\n", "bad-settings", "/tool/toolgen/formats", '"assert" or "annotate"'),
    "broken": ("= 5\n", "bad-settings", "", "correct the TOML syntax"),
    "no table": ("", "bad-settings", "/tool/toolgen", "[tool.toolgen]"),
}


@pytest.mark.parametrize("case", WRONG_SETTINGS)
def test_wrong_settings_are_diagnostics(case: str) -> None:
    text, code, pointer, said = WRONG_SETTINGS[case]
    settings(text)
    if case == "no table":
        Path("pyproject.toml").write_text("[tool]\ntoolgen = 1\n")
    for command in ("build", "list"):
        result = toolgen(command, spec(SOUND))
        assert result.exit_code == 2
        assert result.stderr.startswith(f"pyproject.toml:2:1: error[{code}] ")
        line, *last = result.stderr.splitlines()
        assert line.endswith(f" #{pointer}" if pointer else ")")
        assert last == (["Found 1 error. Nothing was written."] if command == "build" else [])
        assert said in result.stderr
    assert not Path("agent_tools").exists()


# -- the process -----------------------------------------------------------------------------------------------


def test_version_and_help_load_nothing_heavy() -> None:
    heavy = {"jinja2", "jsonschema", "datamodel_code_generator", "pydantic", "yaml", "referencing"}
    code = (
        "import sys\nfrom toolgen.__main__ import main\nsys.argv = ['toolgen', sys.argv[1]]\n"
        "try:\n    main()\nfinally:\n    print(sorted(sys.modules), file=sys.stderr)"
    )
    for option, said in (("--version", "toolgen "), ("--help", "Usage: toolgen ")):
        ran = python("-c", code, option)
        assert ran.stdout.startswith(said)
        assert not heavy.intersection(re.findall(r"\w+", ran.stderr))


def test_help_names_every_command() -> None:
    folders = {path.parent.name for path in Path(app.__file__).parents[1].glob("commands/*/cli.py")}
    assert {*app.COMMANDS} == folders
    bare = toolgen()
    assert (bare.exit_code, "Usage: toolgen" in bare.output) == (2, True)
    said = toolgen("--help").stdout
    for name in app.COMMANDS:
        assert re.search(rf"^  {name}  +\w", said, re.M)
        assert toolgen(name, "--help").stdout.startswith(f"Usage: toolgen {name} ")


def test_a_checkout_with_crlf_is_up_to_date() -> None:
    text = "One line.\r\nAnother.\rA third.\n"
    schema = {"title": text, "properties": {text: {"description": text, "const": text}}}
    build = ("build", spec({"name": "a", "description": text, "schema": schema}))
    assert toolgen(*build).exit_code == 0
    for path in filter(Path.is_file, Path("agent_tools").rglob("*")):
        assert b"\r" not in path.read_bytes(), path
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = tree("agent_tools")
    assert toolgen(*build, "--check", "--diff").exit_code == toolgen(*build).exit_code == 0
    assert tree("agent_tools") == before
    python(
        "-c", f"from agent_tools import toolset; assert toolset['a'].validate({{{text!r}: {text!r}}}) == []"
    )


@for_each(["click", "jinja2"])
def test_without_the_extra_one_line_says_what_to_install(missing: str) -> None:
    Path("spec.yaml").write_text("name: a\nschema: {}\n")
    code = (
        f"import sys\nsys.modules[{missing!r}] = None\nfrom toolgen.__main__ import main\n"
        "sys.argv = ['toolgen', 'build', 'spec.yaml']\nmain()"
    )
    ran = python("-c", code, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"toolgen: {missing} is not installed; {install_advice('generator')}\n"


def test_an_unexpected_error_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("out of\ncheese")

    monkeypatch.setattr("toolgen.cli.request.load", broken)
    said = failure("list", spec(SOUND))
    assert said.startswith("error[internal-error] RuntimeError: out of\\ncheese (")
    assert said.count("\n") == 1
    monkeypatch.setenv("TOOLGEN_DEBUG", "1")
    assert isinstance(toolgen("list", "spec.json").exception, RuntimeError)


@for_each([("list", 1000, 0), ("build --diff", 5, 50_000)])
def test_a_reader_that_goes_away_is_no_traceback(line: str, tools: int, title: int) -> None:
    """Either way there is more to print than a pipe holds."""
    spec(*[{"name": f"t{i}", "schema": {**SCHEMA, "title": "x" * title}} for i in range(tools)])
    child = process(*line.split(), "spec.json")
    child.stdout.readline()  # type: ignore[union-attr]
    child.stdout.close()  # type: ignore[union-attr]
    with child.stderr as errors:  # type: ignore[union-attr]
        assert errors.read() == ""
    assert child.wait(60) == 2


def test_ctrl_c_is_130() -> None:
    child = process("build", "-", stdin=subprocess.PIPE)
    child.stdin.write(" " * 2**18)  # more than a pipe holds: it is written when the program reads
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in err


def test_watch_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pause is the moment of an edit."""
    ref = Path("schemas")
    ref.mkdir()

    def edits() -> Iterator[None]:
        spec({**SOUND, "description": "Again."})
        yield  # seen as changed,
        yield  # the same a pause later: built
        Path("spec.json").write_text("{")
        yield
        Path("spec.json").write_text("[")  # still being written
        yield
        Path("spec.json").write_text("[[[")
        yield
        yield
        (ref / "host.json").write_text("{}")
        Path("spec.json").unlink()
        yield
        yield

    turns = edits()

    def pause(_: float) -> None:
        if next(turns, "over") == "over":
            raise KeyboardInterrupt

    monkeypatch.setattr("toolgen.commands.build.watch.time.sleep", pause)
    result = toolgen("build", spec(SOUND), "--watch", "--ref-dir", "schemas")
    assert result.exit_code == 130
    assert [line.partition(" (files")[0] for line in result.stdout.splitlines()] == [
        "agent_tools: 1 tool built",
        "agent_tools: 1 tool built",
        "build failed; waiting for a change",
        "build failed; waiting for a change",
    ]
    assert re.findall(r"error\[([a-z-]+)\]", result.stderr) == ["bad-json", "no-such-file"]
    assert result.stderr.count("Found 1 error. Nothing was written.") == 2


def test_a_folder_that_cannot_be_read_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    spec(SOUND)
    Path("shut").mkdir()
    listed = os.scandir

    def scandir(path: str) -> Any:
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    result = toolgen("list", ".")
    assert (result.exit_code, result.stderr) == (
        2,
        "shut: error[unreadable-file] Permission denied (make the folder readable)\n",
    )
    assert "ping" in result.stdout


def test_the_current_folder_is_not_pulled_away(monkeypatch: pytest.MonkeyPatch) -> None:
    toolgen("build", spec(SOUND))
    monkeypatch.chdir("agent_tools")
    for output in (".", "../agent_tools"):
        assert "error[output-in-use]" in failure("build", "../spec.json", "-o", output, "--check")


def test_a_build_of_a_part_of_the_specs_does_not_remove_most_of_the_package() -> None:
    Path("specs").mkdir()
    for name in ("a", "b", "c", "d"):
        spec({**SOUND, "name": name}, name=f"specs/{name}.json")
    settings('specs = ["specs"]\n')
    assert toolgen("build").exit_code == 0
    before = tree("agent_tools")
    for words in (("build", "specs/a.json"), ("build", "--check", "./specs/a.json")):
        assert "agent_tools has 4 tools, but the given specs have 1: this would remove 3" in failure(*words)
    assert tree("agent_tools") == before
    assert toolgen("build", "specs").exit_code == 0  # all that the settings name
    assert toolgen("build", "specs/a.json", "specs/b.json", "--check").exit_code == 1  # half of it
    pruned = toolgen("build", "--check", "--prune", "specs/a.json")
    assert (pruned.exit_code, "run: toolgen build --prune specs/a.json" in pruned.stdout) == (1, True)
    assert toolgen("build", "--prune", "specs/a.json").exit_code == 0
    assert not Path("agent_tools/b.py").exists()
    toolgen("build")
    for name in ("b", "c", "d"):
        Path(f"specs/{name}.json").unlink()
    assert toolgen("build").exit_code == 0  # the specs are gone, none was left out
