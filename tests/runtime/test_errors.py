"""The kinds of failure and their one table; who may read the wording of errors."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import PACKAGES, ROOT, python

from toolgen_runtime.calls import errors
from toolgen_runtime.calls.errors import (
    TOOL_ERROR_KIND_MEANINGS,
    MalformedCallError,
    MalformedResponseError,
    Recovery,
    ToolErrorKind,
    ToolExecutionError,
)
from toolgen_runtime.classify import wordings

RUNTIME = PACKAGES["toolgen_runtime"]

TABLE = {
    "unknown_tool": (False, "correct"),
    "not_permitted": (False, "give_up"),
    "invalid_parameters": (False, "correct"),
    "limit_exceeded": (False, "give_up"),
    "canceled": (False, "give_up"),
    "timeout": (True, "check_first"),
    "transport_error": (True, "check_first"),
    "execution_error": (True, "correct"),
    "internal_error": (True, "give_up"),
}


def test_the_table_is_whole() -> None:
    assert {k: (m.executed, m.recovery) for k, m in TOOL_ERROR_KIND_MEANINGS.items()} == TABLE
    assert set(TOOL_ERROR_KIND_MEANINGS) == set(ToolErrorKind)
    for meaning in TOOL_ERROR_KIND_MEANINGS.values():
        assert meaning.description.endswith(".")
        assert "\n" not in meaning.description


def test_the_documentation_shows_the_same_table() -> None:
    page = (ROOT / "docs" / "boundary.md").read_text()
    for kind, meaning in TOOL_ERROR_KIND_MEANINGS.items():
        executed = "yes" if meaning.executed else "no"
        assert f"| `{kind}` | {executed} | `{meaning.recovery}` | {meaning.description} |" in page


def test_nobody_changes_the_table() -> None:
    with pytest.raises(TypeError):
        TOOL_ERROR_KIND_MEANINGS[ToolErrorKind.TIMEOUT] = None  # type: ignore[index]


def test_a_kind_without_a_meaning_is_a_type_error_and_fails_at_import(tmp_path: Path) -> None:
    source = Path(errors.__file__).read_text()
    last = '    INTERNAL_ERROR = "internal_error"\n'
    assert last in source
    broken = tmp_path / "broken_errors.py"
    broken.write_text(source.replace(last, last + '    MELTED = "melted"\n'))
    imported = python(str(broken), check=False)
    assert "MELTED" in imported.stderr
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "c")]
    checked = subprocess.run([*mypy, str(broken)], capture_output=True, text=True, check=False)
    assert checked.returncode == 1
    assert "MELTED" in checked.stdout
    assert "assert_never" in checked.stdout


@pytest.mark.parametrize("kind", list(ToolErrorKind))
@pytest.mark.parametrize("recovery", [None, "ask_user"])
def test_an_execution_error_derives_what_follows_from_its_kind(
    kind: ToolErrorKind, recovery: Recovery | None
) -> None:
    executed, derived = TABLE[kind]
    error = ToolExecutionError(kind, "no such issue", code=404, recovery=recovery)
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert (one.kind, one.message, one.code, str(one)) == (kind, "no such issue", 404, "no such issue")
        assert (one.executed, one.recovery) == (executed, recovery or derived)


def test_a_kind_must_be_one() -> None:
    assert ToolExecutionError("timeout", "x").kind is ToolErrorKind.TIMEOUT  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="melted"):
        ToolExecutionError("melted", "x")  # type: ignore[arg-type]


def test_what_came_in_stays_out_of_the_text() -> None:
    raw = {"toolUseId": "", "secret": "hunter2"}
    error = MalformedCallError("id", "the call has no id", raw)
    assert (error.field, error.raw) == ("id", raw)
    assert str(error) == "id: the call has no id"
    assert "hunter2" not in repr(error)
    assert pickle.loads(pickle.dumps(error)).raw == raw
    response = MalformedResponseError("not a list", {"secret": "hunter2"})
    assert (str(response), response.result) == ("not a list", {"secret": "hunter2"})
    assert pickle.loads(pickle.dumps(response)).result == {"secret": "hunter2"}


# ---- the wording of foreign errors is read at the entrance and nowhere else --------------------------------

MAY_READ = {
    "classify": "its purpose",
    "hints/foreign": "reads validators' texts to find issues",
    "history": "maps a provider's message to the rule that it states",
}
TEXT_METHODS = {
    "startswith",
    "endswith",
    "find",
    "index",
    "count",
    "lower",
    "casefold",
    "removeprefix",
    "partition",
    "split",
}
PATTERN_METHODS = {"search", "match", "fullmatch", "findall", "finditer", "sub", "split", "compile"}


def readings_of_error_texts(tree: ast.AST) -> Iterator[int]:
    """Lines that look into the text of an exception, or for words that foreign errors use."""
    for scope in ast.walk(tree):
        names = _names_of_exceptions(scope)
        for node in ast.walk(scope) if names else ():
            if any(_is_text_of(part, names) for part in _searched(node)):
                yield getattr(node, "lineno", 0)
    for node in ast.walk(tree):
        if any(isinstance(word, ast.Constant) and _is_wording(word.value) for word in _sought(node)):
            yield getattr(node, "lineno", 0)


def _names_of_exceptions(scope: ast.AST) -> set[str]:
    if isinstance(scope, ast.ExceptHandler):
        return {scope.name or ""}
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        annotated = [(a.arg, ast.unparse(a.annotation)) for a in scope.args.args if a.annotation]
        return {name for name, kind in annotated if "Exception" in kind or "Error" in kind}
    return set()


def _searched(node: ast.AST) -> list[ast.expr]:
    """What is looked into: `"x" in HERE`, `HERE == "x"`, `HERE.startswith("x")`, `re.search("x", HERE)`."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inside = [node.func.value] if node.func.attr in TEXT_METHODS else []
        return inside + (node.args if node.func.attr in PATTERN_METHODS else [])
    return []


def _sought(node: ast.AST) -> list[ast.expr]:
    """What is looked for: `HERE in text`, `text.startswith(HERE)`, `re.compile(HERE)`."""
    if isinstance(node, ast.Compare) and any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
        return [node.left]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.args[:1] if node.func.attr in TEXT_METHODS | PATTERN_METHODS else []
    return []


def _is_text_of(node: ast.AST, names: set[str]) -> bool:
    for part in ast.walk(node):
        told = (
            isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in ("str", "repr")
        )
        held = isinstance(part, ast.Attribute) and part.attr in ("args", "message", "msg", "strerror")
        if (told or held) and any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(part)):
            return True
    return False


def _is_wording(value: object) -> bool:
    """Two words or more (one word alone may be anything) that a row of the tables knows."""
    rows = (*wordings.LLM_WORDINGS, *wordings.MCP_WORDINGS)
    return isinstance(value, str) and " " in value.strip() and any(p.search(value) for _, p in rows)


@pytest.mark.parametrize(
    "offence",
    [
        "try: f()\nexcept Exception as e:\n  if 'rate' in str(e): g()",
        "try: f()\nexcept Exception as e:\n  if 'rate' in str(e).lower(): g()",
        "try: f()\nexcept OSError as e:\n  if e.args[0] == 'x': g()",
        "try: f()\nexcept OSError as e:\n  if str(e).startswith('x'): g()",
        "import re\ntry: f()\nexcept OSError as e:\n  re.search('x', str(e))",
        "def f(e: Exception) -> bool:\n  return 'x' in str(e)",
        "def f(text):\n  return 'timed out' in text",
        "import re\nP = re.compile('too many requests')",
        "def f(text):\n  return text.startswith('connection refused')",
    ],
)
def test_the_search_for_readers_finds_them(offence: str) -> None:
    assert list(readings_of_error_texts(ast.parse(offence)))


def test_no_other_module_reads_the_wording_of_errors() -> None:
    offences = []
    for path in sorted(RUNTIME.rglob("*.py")):
        inside = path.relative_to(RUNTIME)
        if not any(inside.is_relative_to(room) for room in MAY_READ):
            lines = readings_of_error_texts(ast.parse(path.read_text()))
            offences += [f"{inside}:{line}" for line in lines]
    assert not offences, f"classify errors in classify/ and ask for the kind: {offences}"
