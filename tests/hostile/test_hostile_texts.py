"""No text of a spec becomes code: generated files say the same, in one vocabulary, whatever the texts are.

`pytest -m long tests/hostile/test_hostile_texts.py` tries every text in every keyword.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.hostile_texts import (
    RESTRICTED,
    TEXTS,
    payloads_of,
    restricted_tools,
    tool_of_text,
)
from helpers.support import JsonObject, for_each, hint_of, python, write_json

from toolgen.compiler.python.package import index_text, namespaces_text
from toolgen.compiler.specs.load import read_value
from toolgen.package.build import BuildOptions, build
from toolgen.package.output.write import plan, write
from toolgen_runtime import repair

FREE = frozenset(
    (
        "AttributeError", "KeyError", "RecursionError", "__name__", "bool", "dict", "float", "int", "len", "list",
        "str", "type", "enumerate", "range", "set", "sum", "tuple", "zip", "sorted", "isinstance", "any", "all",
    )
)  # fmt: skip
"""Names that generated code takes from Python itself."""
ATTRIBUTES = frozenset(
    (
        "__class__", "append", "constraint", "expected", "extend", "get", "got", "items", "parse", "parse_json",
        "path", "payload_type", "validate_json",
    )
)  # fmt: skip
MODULES = {"__future__", "collections.abc", "typing", "pydantic", "toolgen_runtime.generated"}
FORBIDDEN = (
    *(ast.Import, ast.Global, ast.Nonlocal, ast.Delete, ast.With, ast.While, ast.Await, ast.Yield, ast.YieldFrom),
    *(ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Starred, ast.GeneratorExp),
)  # fmt: skip


def assert_is_data(path: str, source: str) -> None:
    """A generated file is ASCII, and outside its literals has nothing but toolgen's own words and new names."""
    assert source.isascii(), path
    assert source.isprintable() or {c for c in source if not c.isprintable()} == {"\n"}, path
    assert path == path.lower(), "no two files clash where case is not told apart"
    assert re.fullmatch(r"[a-z0-9_.]+(/[a-z0-9_.]+)*", path), path
    if not path.endswith((".py", ".pyi")):
        return
    assert tokenize.detect_encoding(io.BytesIO(source.encode()).readline)[0] == "utf-8"
    tree = ast.parse(source, path)
    bound, nodes = set[str](), list(ast.walk(tree))
    for node in nodes:
        assert not isinstance(node, FORBIDDEN), (path, ast.unparse(node)[:200])
        bound |= {*bound_by(node)}
        if isinstance(node, ast.ImportFrom):
            assert node.level or node.module in MODULES, path
    for node in nodes:
        if isinstance(node, ast.Name):
            assert node.id in bound | FREE, (path, node.id)
        elif isinstance(node, ast.Attribute):
            is_class = path.endswith("i") and re.fullmatch(r"[A-Z][A-Za-z0-9]*Payload", node.attr)
            assert node.attr in ATTRIBUTES or is_class, (path, node.attr)


def bound_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.arg(arg=name) | ast.MatchAs(name=str(name)):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name


def comments(source: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def built(tools: Any) -> tuple[dict[str, str], set[str]]:
    """The files of tools, and the codes of what was refused."""
    read = read_value(tools)
    made = build(read.groups, BuildOptions(keep_going=True))
    return dict(made.files), {d.code for d in (*read.diagnostics, *made.diagnostics)}


Package = tuple[Path, Mapping[str, str]]


@pytest.fixture(scope="module", params=[9, pytest.param(1, marks=pytest.mark.long)], ids=["some", "all"])
def texts(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Each ninth text by default."""
    return TEXTS[:: request.param]


@pytest.fixture(scope="module")
def package(texts: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Package:
    """One package of a tool for each text, on disk: the folder and its files."""
    folder = tmp_path_factory.mktemp("hostile")
    files, refused = built({"tools": [tool_of_text(text) for text in texts]})
    assert refused == set()
    write(plan(files, folder / "agent_tools"))
    return folder, files


def test_generated_files_are_toolgens_own_words(package: Package, texts: tuple[str, ...]) -> None:
    _, files = package
    assert len(files) == 2 * len(texts) + 4
    plain, _ = built({"tools": [tool_of_text("plain text")]})
    said = {re.sub(r"[0-9a-f]{64}", "", c) for text in plain.values() for c in comments(text)}
    statements = kinds(plain["plain_text.py"])
    for path, source in files.items():
        assert_is_data(path, source)
        if path.endswith(".py"):
            assert {re.sub(r"[0-9a-f]{64}", "", c) for c in comments(source)} <= said, path
        if "/" not in path and path.endswith(".py") and path != "__init__.py":
            assert kinds(source) == statements, path


def kinds(source: str) -> list[str]:
    """The statements of a module at its top, in each class and in `validate`, by their kinds."""
    return [type(node).__name__ for node in ast.parse(source).body]


RUN = """
import json, sys
cases = json.load(open("cases.json"))
import pydantic, agent_tools, toolgen_runtime.generated
from agent_tools import toolset
bad = ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect")
bad += ("os.remove", "os.rename", "os.mkdir")
def watch(event, args):
    if event in bad or event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        sys.stderr.write(f"{event} {args}\\n")
sys.dont_write_bytecode = True
sys.addaudithook(watch)
for name, valid, invalid in cases:
    tool = toolset[name]
    assert tool.name == tool.description == tool.title == name, ascii(name)
    assert tool.validate(valid) == [], (ascii(name), tool.validate(valid))
    assert tool.validate_json(json.dumps(valid)) == [], ascii(name)
    model = tool.parse(valid)
    assert model.model_dump(mode="json", by_alias=True, exclude_unset=True) == valid, ascii(name)
    for payload, constraint in invalid:
        found = {issue.constraint for issue in tool.validate(payload)}
        assert constraint in found, (ascii(name), constraint, found)
print(len(cases))
"""


def test_what_is_generated_imports_and_judges_right(package: Package, texts: tuple[str, ...]) -> None:
    folder, _ = package
    write_json(folder / "cases.json", [(text, *payloads_of(text)) for text in texts])
    done = python("-c", RUN, check=False, cwd=folder)
    assert (done.stdout, done.stderr) == (f"{len(texts)}\n", "")
    assert sorted(path.name for path in folder.iterdir()) == ["agent_tools", "cases.json"]


def some_restricted(text: str, number: int) -> list[JsonObject]:
    """Tools of a few of the keywords that not every text can stand in; all of them come in turn."""
    tools = restricted_tools(text)
    return [tools[(number * 3 + step) % len(tools)] for step in range(3)]


def assert_restricted(tools: list[JsonObject]) -> int:
    """Check what is built of the tools, and return how many files that is."""
    files, refused = built({"tools": tools})
    assert refused <= {"invalid-keyword", "unresolvable-reference", "obsolete-keyword", "invalid-pattern"}
    for path, source in files.items():
        assert_is_data(path, source)
    return len(files)


def test_keywords_that_take_some_texts_only() -> None:
    tools = [tool for n, text in enumerate(TEXTS) for tool in some_restricted(text, n)][::5]
    assert assert_restricted(tools) > len(tools)


@pytest.mark.long
@for_each(range(len(RESTRICTED)), ids=RESTRICTED)
def test_every_text_in_every_keyword(keyword: int) -> None:
    assert (
        assert_restricted([restricted_tools(text)[keyword] for text in TEXTS]) >= 4
    )  # some take no such text


def test_names_of_files_and_namespaces_are_only_names() -> None:
    read = read_value([{"name": "t", "inputSchema": {}}]).groups
    made = build(dict.fromkeys(TEXTS[::2], next(iter(read.values()))), BuildOptions())
    assert not [d for d in made.diagnostics if d.level == "error"]
    assert len({path.partition("/")[0] for path in made.files if "/" in path}) == len(TEXTS[::2])
    for path, source in made.files.items():
        assert_is_data(path, source)
    for source in (index_text(dict.fromkeys(TEXTS, "m")), namespaces_text(dict.fromkeys(TEXTS, "p"))):
        assert_is_data("__init__.py", source)


def test_hints_of_hostile_tools_are_one_line_each() -> None:
    from toolgen import compile_tools

    some = TEXTS[::9]
    tools = compile_tools({"tools": [tool_of_text(text) for text in some]})
    for text in some:
        tool = tools[text]
        for payload, _ in payloads_of(text)[1]:
            said = hint_of(tool, payload).render()
            assert len(said) <= 600
            odd = {c for c in said if c != "\n" and (not c.isprintable() or unicodedata.category(c) == "Cf")}
            assert odd == set(), ascii(text)
            repair(tool, payload)
