"""`toolgen pull`: tools of servers that answer, page, hang, exit and print garbage, over stdio and HTTP."""

from __future__ import annotations

import json
import os
import shutil
import sys
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result
from helpers.commands import failure, toolgen
from helpers.mcp_server_under_test import COUNT, TOOLS
from helpers.support import ROOT, JsonObject, for_each, read_json, table, write_json

from toolgen import SpecError
from toolgen.commands.pull.cli import next_step
from toolgen.commands.pull.source import SOURCE, source_of
from toolgen.commands.servers.address import as_file_name, as_json, of_command_line
from toolgen.commands.servers.client_config import of_config

pytestmark = pytest.mark.usefixtures("workplace")

SERVER = str(ROOT / "tests" / "helpers" / "mcp_server_under_test.py")


def pull(mode: str, *args: str) -> Result:
    return toolgen("pull", *args, "--", sys.executable, SERVER, mode)


def by_name(tools: list[JsonObject]) -> list[JsonObject]:
    return sorted(tools, key=lambda tool: str(tool["name"]))


@for_each(["pages", "noise"])
def test_the_spec_file_has_every_tool_as_it_was_listed_in_order_of_names(mode: str) -> None:
    result = pull(mode, "-o", "notes.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "notes.json: written (3 tools of " in result.stdout
    assert "next: toolgen build notes.json" in result.stdout
    text = Path("notes.json").read_text("utf-8")
    assert json.loads(text)["tools"] == by_name(TOOLS)
    assert "Résumé ☃." in text
    assert "up to date" in pull(mode, "-o", "notes.json").stdout
    assert toolgen("build", "notes.json").exit_code == 0


def test_a_tool_is_written_as_the_server_sends_it() -> None:
    schema = {"type": "object", "properties": {"x": {"default": None, "enum": [None, 1.0]}}, "x-own": None}
    kept = {"icons": [], "annotations": {"ownHint": [None]}, "inputSchema": schema, "name": "a", "own": 1}
    sent = {**kept, "title": None}
    result = pull(json.dumps({"tools": [sent, sent, {**sent, "own": 2}], "_meta": {}}), "-o", "notes.json")
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("notes.json:1:1: warning[duplicate-tool] tool 'a': ")
    assert line.endswith("lists 2 different tools with this name (keep one of them)")
    tools = read_json("notes.json")["tools"]
    assert tools == [kept, {**kept, "own": 2}]
    assert list(tools[0]) == ["name", "inputSchema", "annotations", "icons", "own"]


def test_a_file_that_another_formatter_laid_out_is_up_to_date() -> None:
    pull("plain", "-o", "notes.json")
    file = Path("notes.json")
    pulled = read_json(file)
    tools = [dict(reversed(tool.items())) for tool in pulled["tools"]]
    other = json.dumps({"tools": tools, SOURCE: pulled[SOURCE]})
    file.write_text(other, "utf-8")
    assert pull("plain", "-o", "notes.json", "--check").exit_code == 0
    assert "up to date" in pull("plain", "-o", "notes.json").stdout
    assert file.read_text("utf-8") == other
    file.write_bytes(b"\xff\xfe")
    assert "written" in pull("plain", "-o", "notes.json").stdout


CASES = table("pull.json")
FAILURES: dict[str, str] = CASES["failures"]


@pytest.mark.parametrize("mode", FAILURES)
def test_a_server_that_fails_is_one_line_and_leaves_no_file(mode: str) -> None:
    seconds = "0.5" if "0.5 s" in FAILURES[mode] else "60"
    result = pull(mode, "-o", "specs/notes.json", "--timeout", seconds)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert "error[server-failed]" in line
    assert FAILURES[mode] in line
    assert not Path("specs").exists()


def test_the_time_is_for_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = SimpleNamespace(monotonic=count().__next__)
    monkeypatch.setattr("toolgen.commands.servers.tools_list.time", seconds)
    assert "no response within 3 s" in pull("pages", "--timeout", "3").stderr


NO_LISTS = {
    "tools.0.inputSchema: ": {"tools": [{"name": "a", "inputSchema": [1]}]},
    "tools.0.inputSchema: Field required": {"tools": [{"name": "a"}]},
    "tools: ": {"tools": "x"},
    "nextCursor: ": {"tools": [], "nextCursor": 7},
}


@pytest.mark.parametrize("said", NO_LISTS)
def test_a_list_that_is_not_one_says_where(said: str) -> None:
    result = pull(json.dumps(NO_LISTS[said]), "-o", "notes.json")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert f"the response is not one of MCP: {said}" in line
    assert "(correct the server's response" in line


def test_the_environment_reaches_the_server_and_not_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_SECRET", "s3cret")
    seen = json.loads(pull("secret", "-o", "-", "--env", "NOTES_TOKEN=${NOTES_SECRET}").stdout)
    assert seen["tools"][0]["description"] == "Saw s3cret."  # the server's own doing
    pull("plain", "-o", "notes.json", "--env", "NOTES_TOKEN=${NOTES_SECRET}")
    assert "s3cret" not in Path("notes.json").read_text("utf-8")
    wrong = pull("plain", "--env", "NOT_SET_ANYWHERE")
    assert (wrong.exit_code, "NOT_SET_ANYWHERE" in wrong.stderr) == (2, True)


CONFIGS: JsonObject = {
    "Claude Desktop": lambda servers: {"mcpServers": servers, "globalShortcut": ""},
    "VS Code": lambda servers: {"servers": servers, "inputs": []},
    "VS Code settings": lambda servers: {"mcp": {"servers": servers}},
}


@for_each(CONFIGS)
def test_the_servers_of_a_configuration_are_found(client: Any) -> None:
    servers = {"My Notes": {"command": "a"}, "paged": {"type": "stdio", "command": "${NO_SUCH_MODE:-b}"}}
    Path("mcp.json").write_text("// servers\n" + json.dumps(client(servers)))
    assert [(server.name, server.command) for server in of_config("mcp.json")] == [
        ("My Notes", ("a",)),
        ("paged", ("b",)),
    ]


def test_servers_of_a_configuration_are_pulled_each_into_its_file() -> None:
    modes = {"My Notes": "plain", "broken": "exits", "paged": "pages"}
    servers = {name: {"command": sys.executable, "args": [SERVER, mode]} for name, mode in modes.items()}
    write_json("mcp.json", {"mcpServers": servers})
    config = ("pull", "--config", "mcp.json")
    result = toolgen(*config)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert sorted(path.name for path in Path("specs").iterdir()) == ["my_notes.json", "paged.json"]
    assert toolgen(*config, "--server", "paged", "-o", "one.json").exit_code == 0
    assert Path("one.json").is_file()
    assert "its servers are: My Notes, broken, paged" in toolgen(*config, "--server", "page").stderr


@for_each(CASES["wrong configurations"])
def test_a_wrong_configuration_says_what_is_wrong(value: Any, said: Any) -> None:
    write_json("mcp.json", value)
    with pytest.raises(SpecError) as caught:
        of_config("mcp.json")
    assert said in str(caught.value)


ENV_FILE = """# comment
A=file
export B='two words'  # said
C = x#y
D=
E="a # b"
not a variable
"""


@for_each(CASES["entries"])
def test_an_entry_is_read_as_its_client_reads_it(entry: Any, expected: Any) -> None:
    Path(".vscode").mkdir()
    Path(".env").write_text(ENV_FILE)
    text = '{ /* servers,} */ "servers": {"s": %s,}, // "x": 1\n "inputs": ["//",],}'
    Path(".vscode/mcp.json").write_text(text % json.dumps(entry))
    given = {"TOKEN": "given"} if "env" in entry and "${" in str(entry["env"]) else {}
    headers = {"X-Key": "given"} if "headers" in entry else {}
    (address,) = of_config(".vscode/mcp.json", environment=given, headers=headers)
    project = json.dumps(str(Path.cwd()))[1:-1]
    found = json.loads(json.dumps({name: getattr(address, name) for name in expected}))
    wanted = json.dumps(expected).replace("{project}", project).replace("{home}", str(Path.home()))
    assert found == json.loads(wanted)
    assert address.place.pointer == "/servers/s"


def test_a_server_that_is_disabled_is_left_out_unless_it_is_named() -> None:
    entry = {"command": "s"}
    write_json("mcp.json", {"mcpServers": {"a": {**entry, "disabled": True}, "b": entry}})
    assert [server.name for server in of_config("mcp.json")] == ["b"]
    assert [server.name for server in of_config("mcp.json", ["a"])] == ["a"]


def test_what_is_wrong_with_an_entry_is_said_at_its_line() -> None:
    Path("mcp.json").write_text(
        '{\n  // notes\n  "mcpServers": {\n    "a": {"command": "s", "cwd": 5}\n  }\n}\n'
    )
    assert failure("pull", "--config", "mcp.json").startswith(
        "mcp.json:4:34: error[bad-server] cwd is not a string"
    )


SECRETS = {
    "a header": (("https://a.test/m",), {}, {"Authorization": "Bearer t0ken"}, "refused Bearer t0ken, t0ken"),
    "a query": (("https://a.test/m?key=t0ken&x=1",), {}, {}, "for https://a.test/m?key=t0ken&x=1"),
    "a user": (("https://me:t0ken@a.test/m",), {}, {}, "for https://me:t0ken@a.test/m"),
    "a variable": (("server",), {"KEY": "t0ken"}, {}, "bad key t0ken"),
    "one within another": (("server",), {"A": "abcd", "KEY": "abcd-t0ken"}, {}, "bad key abcd-t0ken"),
}


@for_each(SECRETS)
def test_what_lets_a_client_in_is_not_shown(words: Any, environment: Any, headers: Any, text: Any) -> None:
    server = of_command_line(words, environment, headers)
    assert "t0ken" not in server.without_secrets(text)
    assert "t0ken" not in server.name


@pytest.mark.parametrize("words", CASES["names"])
def test_a_spec_file_is_named_after_the_server(words: str) -> None:
    assert as_file_name(of_command_line(words.split(), {}, {}).name) == CASES["names"][words]


def test_the_spec_of_another_server_is_not_replaced() -> None:
    assert pull("plain").exit_code == 0
    (file,) = Path("specs").iterdir()
    before = file.read_bytes()
    other = pull(json.dumps({"tools": [COUNT]}))
    assert (other.exit_code, "contains other tools, so it may belong to another server" in other.stderr) == (
        2,
        True,
    )
    assert file.read_bytes() == before
    assert pull(json.dumps({"tools": [COUNT]}), "-o", file.as_posix()).exit_code == 0


NEXT = {
    "no settings": ("", "toolgen build specs/notes.json"),
    "settings that name the folder": ('specs = ["specs"]', "toolgen build"),
    "settings that name the file": ('specs = "specs/notes.json"', "toolgen build"),
    "settings that leave it out": (
        'specs = ["specs"]\nexclude = ["notes.json"]',
        "add specs/notes.json to specs in pyproject.toml, and run toolgen build",
    ),
}


@for_each(NEXT)
def test_the_next_step_builds_all_that_the_settings_name(settings: Any, said: Any) -> None:
    if settings:
        Path("pyproject.toml").write_text(f"[tool.toolgen]\n{settings}\n")
    Path("specs").mkdir()
    Path("specs/notes.json").write_text("{}")
    assert next_step([{"file": "specs/notes.json"}, None]) == said


NO_TYPE = [] if find_spec("mcp_types") is None else [{"name": "no type", "inputSchema": {"properties": {}}}]
"""What the session of mcp 2.x refuses, and its model of a tool does not."""


def test_a_tool_that_is_not_of_mcp_is_left_out_by_name_where_that_is_asked_for() -> None:
    wrong = [{"name": "bad", "inputSchema": [1]}, {"name": "worse"}, *NO_TYPE]
    listed = json.dumps({"tools": [*wrong, *TOOLS]})
    refused = pull(listed, "-o", "notes.json")
    assert (refused.exit_code, Path("notes.json").exists()) == (2, False)
    *problems, last = refused.stderr.splitlines()
    assert last == f"Found {len(wrong)} errors."
    assert [line.split("'")[1] for line in problems] == [tool["name"] for tool in wrong]
    kept = pull(listed, "-o", "notes.json", "--keep-going")
    assert kept.exit_code == 2
    assert kept.stderr.count("it is left out (correct the server's response)\n") == len(wrong)
    assert read_json("notes.json")["tools"] == by_name(TOOLS)


SAYINGS = {
    "its input": (
        "for line in sys.stdin: print(line, flush=True)",
        "it sends back what it receives, so it is not an MCP server (name the command",
    ),
    "garbage": (
        "for line in sys.stdin: print('<html>no</html>', flush=True)",
        "no response within 2 s; it printed: <html>no</html>",
    ),
    "many lines": (
        "sys.exit(''.join(f'npm error {n}\\n\\n' for n in range(9)))",
        "it wrote: npm error 4 | npm error 5 | npm error 6 | npm error 7 | npm error 8",
    ),
    "an error of Node": (
        "sys.exit('node:internal/x:1\\n    throw new E();\\n\\nError [ERR_NO]: Cannot find package \\'x\\'\\n"
        "    at load (node:internal/x:9:1) {\\n  code: \\'ERR_NO\\'\\n}\\n\\nNode.js v20')",
        "it wrote: Error [ERR_NO]: Cannot find package 'x' (",
    ),
    "an error of Python": (
        "import json\njson.loads('x')",
        "it wrote: json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0) (",
    ),
    "an error of Rust": (
        "sys.exit('starting\\nError: no such file: x\\nstack backtrace:\\n  0: a')",
        "it wrote: Error: no such file: x (",
    ),
}


@for_each(SAYINGS)
def test_what_a_server_said_last_is_shown(code: Any, said: Any) -> None:
    assert said in failure("pull", "--timeout", "2", "--", sys.executable, "-c", f"import sys\n{code}")


def test_streamable_http_is_pulled_like_stdio() -> None:
    """The other tests here need no server of mcp 2.x."""
    from helpers.http_under_test import WithLifespan, serving
    from helpers.proxy_client import notes

    with serving(WithLifespan(notes().streamable_http_app())) as address:
        result = toolgen("pull", f"{address}/mcp", "--header", "Authorization: Bearer s3cret")
    assert result.exit_code == 0, result.output
    (file,) = Path("specs").iterdir()
    assert file.name == "notes.json"
    text = file.read_text("utf-8")
    assert [tool["name"] for tool in json.loads(text)["tools"]] == ["write_note"]
    assert json.loads(text)[SOURCE]["url"] == f"{address}/mcp"
    assert json.loads(text)[SOURCE]["headers"] == {"Authorization": "${AUTHORIZATION}"}
    assert "s3cret" not in text


@for_each(CASES["sources"])
def test_a_source_has_variables_in_place_of_secrets(words: Any, expected: Any) -> None:
    environment, headers = ("A=t0ken", "B", "C=${D}"), ("X-Key: t0ken", "Authorization: Bearer ${E}")
    source = source_of(of_command_line(words, {"A": "t0ken"}, {"X-Key": "t0ken"}), environment, headers)
    rest = {
        "env": {"A": "${A}", "B": "${B}", "C": "${D}"},
        "headers": {"X-Key": "${X_KEY}", "Authorization": "Bearer ${E}"},
    }
    assert source == {**expected, **rest}


def server_project(name: str, *modes: str) -> None:
    """Write a project with a server that lies in it, and pull its tools in several modes."""
    Path(name).mkdir()
    os.chdir(name)
    Path("server.py").write_text(Path(SERVER).read_text("utf-8"), "utf-8")
    Path("pyproject.toml").write_text('[tool.toolgen]\nspecs = ["specs"]\n')
    for mode in modes:
        assert (
            toolgen("pull", "-o", f"specs/{mode}.json", "--", sys.executable, "server.py", mode).exit_code
            == 0
        )


def test_what_was_pulled_is_renewed_from_any_folder_of_any_checkout(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_project("mine", "plain", "pages")
    written = read_json("specs/plain.json")
    assert list(written) == [SOURCE, "tools"]
    command = [sys.executable, "server.py", "plain"]
    assert written[SOURCE] == {"name": "notes", "version": "1", "command": command, "cwd": ".."}
    shutil.copytree(workplace / "mine", workplace / "ci-checkout-7")
    monkeypatch.chdir(workplace / "ci-checkout-7" / "specs")
    current = toolgen("pull", "--check")
    assert (current.exit_code, current.stdout.count("up to date (3 tools")) == (0, 2), current.output
    file = Path("pages.json")
    text = file.read_text("utf-8")
    file.write_text(text.replace("List the notes.", "List all.").replace('"a_note"', '"b_note"'), "utf-8")
    changed = toolgen("pull", "--check")
    assert changed.exit_code == 1
    assert changed.stdout.partition("pages.json: ")[2].splitlines() == [
        "differs (3 tools of notes)",
        "  added: a_note",
        "  removed: b_note",
        "  changed: list_notes",
        "../specs/plain.json: up to date (3 tools of notes)",
        "next: toolgen pull",
    ]
    assert "next: toolgen build" in toolgen("pull").stdout
    assert file.read_text("utf-8") == text


def test_a_source_that_cannot_be_asked_is_reported_and_the_others_are_renewed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    server_project("mine", "plain")
    pulled = ("pull", "-o", "specs/secret.json", "--env", "NOTES_TOKEN=${MY_TOKEN}")
    toolgen(*pulled, "--", sys.executable, "server.py", "secret")
    write_json("specs/odd.json", {SOURCE: {"command": "rm -rf"}, "tools": []})
    write_json("specs/none.json", {SOURCE: {"cwd": "."}, "tools": []})
    monkeypatch.delenv("MY_TOKEN")
    result = toolgen("pull", "--check")
    assert result.exit_code == 2
    assert "specs/plain.json: up to date" in result.stdout
    assert sorted(line.partition("] ")[2] for line in result.stderr.splitlines()[:-1]) == [
        "the environment variable MY_TOKEN is not set (set MY_TOKEN) #/x-toolgen-source",
        "this is not a source that toolgen pull wrote (pull again, with -o) #/x-toolgen-source",
        "this is not a source that toolgen pull wrote (pull again, with -o) #/x-toolgen-source",
    ]


def test_servers_of_a_configuration_are_renewed_from_it() -> None:
    entry = {"command": sys.executable, "args": [SERVER, "secret"], "env": {"NOTES_TOKEN": "s3cret-1"}}
    write_json(".mcp.json", {"mcpServers": {"My Notes": entry}})
    toolgen("pull", "--config", ".mcp.json")
    written = read_json("specs/my_notes.json")
    assert written[SOURCE] == {
        "name": "notes",
        "version": "1",
        "config": "../.mcp.json",
        "server": "My Notes",
    }
    os.chdir("specs")
    assert toolgen("pull", "--check").exit_code == 2  # no settings say where the project is
    Path("../pyproject.toml").write_text("[project]\n")
    assert toolgen("pull", "--check").exit_code == 0


OWN_NAMES = {"notes": "notes", "Acme / Notes": "acme_notes", "../../etc": "etc", "x" * 99: "x" * 64}


@pytest.mark.parametrize("name", OWN_NAMES)
def test_a_spec_file_has_the_name_that_the_server_gives_itself(name: str, workplace: Path) -> None:
    listed = json.dumps({"tools": TOOLS, "serverInfo": {"name": name, "version": "2"}})
    assert pull(listed).exit_code == 0
    assert [path.name for path in Path("specs").iterdir()] == [f"{OWN_NAMES[name]}.json"]
    assert [path.name for path in workplace.iterdir()] == ["specs"]


@for_each([{"name": "mcp-server"}, {"name": "服务器"}, {"name": 1}, {}, "notes", None])
def test_a_server_whose_name_says_nothing_is_named_after_its_command(info: object) -> None:
    assert pull(json.dumps({"tools": TOOLS, "serverInfo": info})).exit_code == 0
    assert Path("specs/mcp_server_under_test.json").is_file()


def test_a_file_that_is_not_there_is_missing() -> None:
    result = pull("plain", "--check")
    assert (result.exit_code, "specs/notes.json: missing (3 tools" in result.stdout) == (1, True)
    assert not Path("specs").exists()


def test_findings_that_are_ignored_stay_ignored() -> None:
    pull("plain")
    file = Path("specs/notes.json")
    written = read_json(file)
    schema = written["tools"][2]["inputSchema"]
    ignored = {"x-toolgen-ignore": ["open-object"]}
    schema |= ignored
    schema["properties"]["text"] |= ignored
    file.write_text(as_json(written), "utf-8")
    assert pull("plain", "--check").exit_code == 0
    written["tools"][2]["description"] = "Old."
    schema["properties"]["gone"] = ignored
    file.write_text(as_json(written), "utf-8")
    assert "specs/notes.json: written" in pull("plain").stdout
    renewed = read_json(file)["tools"][2]["inputSchema"]
    assert renewed["x-toolgen-ignore"] == ["open-object"]
    assert renewed["properties"] == {"text": {"type": "string", **ignored}}


@for_each([(1, True), (1, 1.0), (0, False), ("a", "A")])
def test_a_default_of_another_type_is_a_change(before: object, after: object) -> None:
    for value in (before, after):
        schema = {"type": "object", "properties": {"a": {"default": value}}}
        assert "written" in pull(json.dumps({"tools": [{"name": "t", "inputSchema": schema}]})).stdout


def test_a_new_version_with_the_same_tools_is_no_drift_and_is_recorded() -> None:
    infos = [{"name": "notes", "version": version} for version in "12"]
    old, new = (json.dumps({"tools": TOOLS, "serverInfo": info}) for info in infos)
    pull(old)
    assert pull(new, "--check").exit_code == 0
    assert "written" in pull(new).stdout
    assert read_json("specs/notes.json")[SOURCE]["version"] == "2"


def test_no_spec_file_has_the_name_of_a_device() -> None:
    names = {name: as_file_name(name) for name in ("CON", "nul", "com1", "LPT9", "console", "com")}
    assert names == {
        "CON": "con_server.json",
        "nul": "nul_server.json",
        "com1": "com1_server.json",
        "LPT9": "lpt9_server.json",
        "console": "console.json",
        "com": "com.json",
    }
