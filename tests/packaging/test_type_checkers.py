"""Type checkers accept what the docs show and what toolgen generates, and refuse slips.

Each runs once over all files, because it reads their imports once: about a minute, with `-m long`.
`scripts/frameworks.py` checks the examples of the frameworks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from helpers.support import EXAMPLE_SPECS, EXAMPLES, GOLDEN, SERVERS, for_each, needs_servers
from helpers.type_checkers import CHECKERS, errors, tsc_strict

from toolgen.commands.export.stubs import stubs
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.specs.load import load
from toolgen.package.build import BuildOptions, build

pytest.importorskip("mcp")

USE = """
from mcp import Client, ClientSession

from agent_tools import toolset
from agent_tools.create_issue import CreateIssuePayload
from toolgen import compile_tools
from toolgen_runtime import Conversation, Registry, Tool, Toolset, ValidationIssue, spread
from toolgen_adapters import loop
from toolgen_adapters.mcp import CheckedSession, checked, to_output

tool = toolset["create_issue"]
exact: Tool[CreateIssuePayload] = tool
payload = tool.parse({"title": "t"})
title: str = payload.title
payload.titel  # error: has no attribute|Cannot access attribute
payload.title = "u"  # error: read-only|Cannot assign
number: int = payload.title  # error: Incompatible types|not assignable
toolset["create_isue"].parse({}).title  # error: has no attribute|Cannot access attribute
everything: Toolset = toolset
found: list[list[ValidationIssue]] = [toolset[name].validate({}) for name in toolset]
made: CreateIssuePayload = CreateIssuePayload(project="OPS", title="t").model_copy()
same: CreateIssuePayload = CreateIssuePayload.from_checked({"title": "t"})
CreateIssuePayload(project="OPS", title=5)  # error: incompatible type|Argument of type


async def in_a_session(session: ClientSession, client: Client, written: str) -> None:
    session = checked(session, repair=True)
    same: CheckedSession = session
    for arguments in (written, written.encode(), {"title": "t"}, None):
        result = await session.call_tool("create_issue", arguments)
        text: str | None = result.structured_content and str(result.structured_content)
    names: list[str] = [tool.name for tool in (await session.list_tools()).tools]
    await session.call_tool("create_issue", 5)  # error: No overload|No overloads|Argument of type
    await session.call_tol("create_issue")  # error: has no attribute|Cannot access attribute
    async with checked(client) as entered:
        output = to_output(await entered.call_tool("create_issue", written), tool="create_issue")
    failed: bool = not output.ok


def create(payload: CreateIssuePayload) -> str:
    return payload.title


async def pay(title: str, amount: int = 0) -> str:
    return f"{title} {amount}"


async def in_a_conversation(response: object, written: str) -> None:
    registry = Registry(on_call=lambda call: print(call.tool))
    registry.register(toolset)
    conversation = Conversation(toolset)
    for run in (registry, conversation):
        first = run.call("create_issue", written, create)
        text: str = first.text()
    await conversation.acall("create_issue", {"title": "t"}, spread(pay))
    conversation.call("create_issue", written, "create")  # error: incompatible type|Argument of type
    results = await loop.aresults(response, conversation, {"create_issue": create}, provider="openai")
    loop.results(response, conversation, {}, provider="openal")  # error: incompatible type|Argument of type
    waiting: list[str | None] = [call.id for call in results.left]
    said: list[str] = [note.message for note in compile_tools([]).diagnostics]
"""
"""A use; each line that is an error says what checkers call it."""

EXAMPLE = EXAMPLES / "agents" / "mcp_agent.py"
GOLDENS = sorted(GOLDEN.glob("*/*_tools"))


SERVER_FILES = sorted(SERVERS.glob("*.json"))
"""None without the shared data."""


def write_package(specs: Iterable[Path], out: Path, **options: bool) -> None:
    loaded = load([str(path) for path in specs], stdin=None, **options)
    built = build(loaded.groups, BuildOptions())
    assert [str(d) for d in (*loaded.diagnostics, *built.diagnostics) if d.level == "error"] == []
    assert len(built.modules) == sum(map(len, loaded.groups.values()))
    for path, text in built.files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, "utf-8")


@pytest.fixture(scope="module")
def use(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file beside the package that is built from the examples' specs."""
    folder = tmp_path_factory.mktemp("typed")
    write_package([EXAMPLE_SPECS], folder / "agent_tools")
    (folder / "use.py").write_text(USE, "utf-8")
    return folder / "use.py"


def write_stubs(specs: Iterable[Path], folder: Path) -> None:
    folder.mkdir()
    for path in specs:
        text = stubs(load([str(path)]).tools, "python-stubs", LowerOptions())
        (folder / f"of_{path.stem.replace('-', '_')}.pyi").write_text(text, "utf-8")


def expected() -> Mapping[int, str]:
    """What each line that is an error must be called."""
    lines = enumerate(USE.splitlines(), 1)
    return {n: found[1] for n, line in lines if (found := re.search("# error: (.*)", line))}


@pytest.mark.long
@for_each(CHECKERS)
def test_right_uses_and_generated_files_are_accepted_and_slips_are_refused(
    checker: str, *, use: Path, tmp_path: Path
) -> None:
    """All real servers, or the examples without the shared data, are one package with a toolset each."""
    servers, specs = tmp_path / "server_tools", SERVER_FILES or [EXAMPLE_SPECS]
    write_package(specs, servers, namespace=True)
    assert not SERVER_FILES or len([*servers.rglob("*.py")]) > 500
    write_stubs(specs, tmp_path / "stubs")
    found = errors(checker, [use, EXAMPLE], tmp_path, strict=[*GOLDENS, servers, tmp_path / "stubs"])
    assert {place: found[place] for place in found if place[0] != use.name} == {}
    assert {line for _, line in found} == set(expected()), found
    for line, called in expected().items():
        assert re.search(called, found[use.name, line]), found[use.name, line]


@pytest.mark.long
@needs_servers
def test_typescript_stubs_of_real_servers_pass_tsc_strict(tmp_path: Path) -> None:
    for file in SERVER_FILES:
        text = stubs(load([str(file)]).tools, "typescript-stubs", LowerOptions())
        (tmp_path / f"{file.stem}.ts").write_text(f"{text}\nexport {{}};\n", "utf-8")
    tsc_strict(sorted(tmp_path.glob("*.ts")))


def test_no_example_of_an_agent_gives_its_types_up() -> None:
    """A declaration as `Any` hides from a reader what an adapter takes and gives."""
    for script in EXAMPLE.parent.glob("*_agent.py"):
        assert not re.search(r": Any\b|\bAny\]?\(", script.read_text("utf-8")), script.name
