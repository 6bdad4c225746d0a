"""What several tests need: the shared data, tools from schemas, strict JSON equality."""

from __future__ import annotations

import base64
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

import pytest

import toolgen
import toolgen_adapters
import toolgen_runtime
import toolgen_templates
import toolgen_transcripts
from toolgen import compile_tools
from toolgen.compiler.diagnostics import Place
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.specs.load import read_value
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.package.build import BuildOptions, Built, build
from toolgen.package.output.plan import plan
from toolgen.package.output.write import write
from toolgen_runtime import RetryHint, Tool, build_hint

JsonObject = dict[str, Any]

SHARED = Path(os.environ.get("TOOLGEN_SHARED", Path(__file__).parents[3] / "shared"))
DATA = SHARED / "data"
SERVERS = DATA / "mcp-specs"
SUITE = DATA / "JSON-Schema-Test-Suite"
MASKBENCH = DATA / "maskbench-tools.jsonl"
ROOT = Path(__file__).parents[2]
TEST_DATA = ROOT / "tests" / "data"
EXAMPLES = ROOT / "examples"
EXAMPLE_SPECS = EXAMPLES / "specs"
GOLDEN = ROOT / "golden"
PACKAGES = {
    package.__name__: Path(str(package.__file__)).parent
    for package in (toolgen, toolgen_runtime, toolgen_transcripts, toolgen_adapters, toolgen_templates)
}
"""Where the packages under test lie: in this tree, or in `site-packages`."""


def table(name: str, folder: Path = TEST_DATA) -> Any:
    """Return the cases of a file in `tests/data`; `{"$bytes": ...}` are the bytes of a base64 text."""

    def native(value: JsonObject) -> Any:
        return base64.b64decode(value["$bytes"]) if value.keys() == {"$bytes"} else value

    return json.loads((folder / name).read_text("utf-8"), object_hook=native)


def for_each(table: Any, ids: Any = None) -> Callable[[Any], Any]:
    """Run a test for each row of a table; the keys of a mapping are the ids of its rows.

    The test's positional parameters get what is in the row, a single one the row itself; fixtures are keyword-only.
    """
    is_mapping = isinstance(table, Mapping)
    rows, ids = (table.values(), list(table)) if is_mapping else (list(table), ids)
    return lambda test: pytest.mark.parametrize(", ".join(_row_names(test)), rows, ids=ids)(test)


def for_each_at_once(table: Iterable[Any]) -> Callable[[Any], Any]:
    """Run a test for each row as `for_each` does, within one test, which is quicker for many rows."""
    cases = list(_cases_of(table))

    def decorate(test: Any) -> Any:
        is_spread = len(_row_names(test)) > 1

        @wraps(test)
        def run(subtests: pytest.Subtests, **fixtures: Any) -> None:
            if not cases:
                pytest.skip("the table is empty")
            for name, row in cases:
                with subtests.test(name):
                    test(*(row if is_spread else (row,)), **fixtures)

        given = [p for p in signature(test).parameters.values() if p.kind is p.KEYWORD_ONLY]
        own = Parameter("subtests", Parameter.KEYWORD_ONLY)
        run.__signature__ = Signature([own, *given])  # type: ignore[attr-defined]
        return run

    return decorate


def _row_names(test: Any) -> list[str]:
    return [name for name, p in signature(test).parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]


def _cases_of(table: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a table, each with its name: its key or id, or its place and values."""
    if isinstance(table, Mapping):
        yield from table.items()
        return
    for at, row in enumerate(table):
        values, name = row, None
        if isinstance(row, type(pytest.param())):
            values, name = (row.values if len(row.values) > 1 else row.values[0]), row.id
        yield name or f"case {at}: {_short(values)}", values


def _short(value: Any) -> str:
    try:
        return repr(value)[:200]
    except ValueError:  # an integer of very many digits
        return type(value).__name__


needs_servers = pytest.mark.skipif(
    not SERVERS.is_dir(), reason="no specs of real servers here (set TOOLGEN_SHARED)"
)
needs_suite = pytest.mark.skipif(
    not SUITE.is_dir(), reason="no JSON Schema test suite here (set TOOLGEN_SHARED)"
)
needs_maskbench = pytest.mark.skipif(
    not MASKBENCH.is_file(), reason="no labelled payloads here (set TOOLGEN_SHARED)"
)


def require_data(*files: Path) -> None:
    """End a program that needs shared data which are not here: one line, exit code 2."""
    for file in files:
        if not file.exists():
            name = file.relative_to(SHARED)
            print(f"no {file}; set TOOLGEN_SHARED to the folder that holds {name}", file=sys.stderr)
            raise SystemExit(2)


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Fail on what takes more processor time than this: no measure, but a bound for what grows out of bounds.

    Ten times as much under coverage, which makes every line of Python cost more. No garbage is collected meanwhile: the
    collector looks at all that other tests have left, which costs seconds where they are many.
    """
    with no_collection():
        start = time.process_time()
        yield
        taken = time.process_time() - start
    assert taken < seconds * slowness(), f"{taken:.1f} s"


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no garbage: for tests that fill the stack.

    Python may collect at any allocation. At the recursion limit the finalizers of garbage that other tests left have no
    room to run in; what they raise goes to `sys.unraisablehook`, and pytest takes that for a failure of the test.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def slowness() -> int:
    """How many times as long Python code may take now."""
    coverage = sys.modules.get("coverage")
    return 10 if coverage is not None and coverage.Coverage.current() is not None else 1


def python(*words: str, check: bool = True, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run this Python in a process of its own; `check` expects that it succeeds."""
    command = [sys.executable, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0 or not check, done.stderr
    return done


def spec_of(schema: Any, name: str = "t") -> ToolSpec:
    """Return a spec of a tool with this input schema, from no file."""
    return ToolSpec(name, "", schema, Place(""), Place(""))


def lowered(schema: Any, options: LowerOptions | None = None) -> Schema:
    """Return what the schema of a tool is read as."""
    found = lower(spec_of(schema), options or LowerOptions())
    assert found.root is not None, found.diagnostics
    return found.root


def tool_of(schema: Any, name: str = "t", **options: Any) -> Tool[Any]:
    """A tool with this input schema, through the public way."""
    return compile_tools([{"name": name, "description": "d", "schema": schema}], **options)[name]


def hint_of(tool: Tool[Any], payload: Any, **options: Any) -> RetryHint:
    """The hint of a payload of which the tool's check has issues."""
    return build_hint(tool, tool.validate(payload), payload=payload, **options)


def specs_of(tools: Any) -> list[ToolSpec]:
    """The specs that a file with these tools has."""
    return read_value(tools).tools


def built_of(tools: Any, **options: Any) -> Built:
    """What a build makes of a file with these tools."""
    return build(read_value(tools).groups, BuildOptions(**options))


def files_of(tools: Any) -> dict[str, str]:
    """The files that a build makes of tools, by their paths in the package."""
    built = built_of(tools)
    assert [str(found) for found in built.diagnostics if found.level == "error"] == []
    return dict(built.files)


def put_package(folder: Path, package: str, tools: Any) -> None:
    """Build a package into a folder."""
    write(plan(files_of(tools), folder / package))


def found(schema: Any, payload: Any, **options: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """(path, constraint) of the issues of a payload."""
    return [(issue.path, issue.constraint) for issue in tool_of(schema, **options).validate(payload)]


def shown(tool: Tool[Any], payload: Any) -> Any:
    """Return what the model of a valid payload says, as JSON."""
    return tool.parse(payload).model_dump(mode="json", by_alias=True, exclude_unset=True)


def read_json(path: str | Path) -> Any:
    return json.loads(Path(path).read_text("utf-8"))


def write_json(path: str | Path, value: Any) -> None:
    Path(path).write_text(json.dumps(value), "utf-8")


def obj(*required: str, closed: bool = False, **properties: Any) -> JsonObject:
    """Return the schema of an object; one that is closed allows no other key."""
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = [*required]
    return schema | ({"additionalProperties": False} if closed else {})


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def servers() -> dict[str, list[JsonObject]]:
    """The tools of every real server, by the stem of its file."""
    return {
        path.stem: json.loads(path.read_text("utf-8"))["tools"] for path in sorted(SERVERS.glob("*.json"))
    }


def maskbench() -> list[JsonObject]:
    """Rows of schema and labelled payloads."""
    with MASKBENCH.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def same_json(left: Any, right: Any) -> bool:
    """JSON equality, written apart from the runtime's: 1 equals 1.0 and not true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    return (type(left) is type(right) and left == right) or _are_equal_numbers(left, right)


def _are_equal_numbers(left: Any, right: Any) -> bool:
    return isinstance(left, int | float) and isinstance(right, int | float) and left == right


def hear_ctrl_c() -> None:
    """A shell's background jobs ignore SIGINT, and all that they start does: tests may run in such a job."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
