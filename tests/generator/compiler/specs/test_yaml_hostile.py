"""YAML of strangers: aliases that multiply, tags that would make objects, numbers and dates that are not."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import toolgen
from helpers.support import bounded, for_each, for_each_at_once, write_json

from toolgen.compiler.specs.formats import json_values, yaml_text
from toolgen.compiler.specs.load import load

HEAD = "name: t\ndescription: d\nschema:\n  type: object\n"


def lists(levels: int, each: int) -> str:
    """Lists of aliases to the list before: each ** levels values in a few lines."""
    lines = ["x0: &x0 [a]"]
    lines += [f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * each)}]" for i in range(1, levels + 1)]
    return "\n".join([*lines, "tools:", f"  - {{name: t, description: d, schema: {{enum: *x{levels}}}}}"])


def objects(levels: int) -> str:
    """The same of objects, which merge two before them."""
    lines = ["x0: &x0 {a: 1}"]
    lines += [
        f"x{i}: &x{i} {{<<: [*x{i - 1}, *x{i - 1}], p{i}: *x{i - 1}, q{i}: *x{i - 1}}}"
        for i in range(1, levels + 1)
    ]
    return "\n".join([*lines, "tools:", f"  - {{name: t, description: d, schema: {{const: *x{levels}}}}}"])


BOMBS = {
    "exponential": lists(12, 10),
    "exponential, in a list of tools": "- &a {name: t, description: d, schema: {}}\n" + "- *a\n" * 3_000,
    "quadratic": f"x: &x [{'a, ' * 20_000}]\ntools: [{'*x, ' * 20_000}]",
    "merged": objects(40),
    "merged, quadratic": "x: &x {"
    + ", ".join(f"k{i}: 1" for i in range(20_000))
    + "}\ny: ["
    + "{<<: *x}, " * 20_000
    + "]",
    "deep": "[" * 100_000,
    "deep, in blocks": "".join(" " * i + "a:\n" for i in range(2_000)),
    "deep by aliases": "\n".join(["x0: &x0 [a]", *(f"x{i}: &x{i} [*x{i - 1}]" for i in range(1, 3_000))]),
    "an alias of itself": "&a [*a]",
    "an alias of what it is in": f"{HEAD}  const: &a {{b: *a}}",
    "anchors": "\n".join(f"k{i}: &a{i} 1" for i in range(20_000)),
    "an anchor on a key": f"{HEAD}  properties:\n    &k a: {{}}\n    *k : {{}}\n",
    "a list as a key": f"{HEAD}  const: {{? [a, b] : 1}}",
    "an alias of a list as a key": f"x: &x [a]\n{HEAD}  const:\n    *x : 1\n",
    "digits": f"{HEAD}  minimum: {'9' * 100_000}",
    "hexadecimal digits": f"{HEAD}  minimum: 0x{'f' * 100_000}",
    "octal digits": f"{HEAD}  minimum: 0o{'7' * 100_000}",
    "an exponent": f"{HEAD}  minimum: 1e{'9' * 1_000}",
    "not a number": f"{HEAD}  minimum: .nan",
    "infinite": f"{HEAD}  minimum: -.inf",
    "an object of Python": "!!python/object/apply:os.system ['touch made-by-yaml']",
    "a name of Python": f"{HEAD}  const: !!python/name:os.system",
    "a module of Python": f"{HEAD}  const: !!python/module:os",
    "a new object": f"{HEAD}  const: !!python/object/new:os.system [touch made-by-yaml]",
    "a tuple": f"{HEAD}  const: !!python/tuple [1]",
    "bytes": f"{HEAD}  const: !!binary aGk=",
    "a set": f"{HEAD}  const: !!set {{a, b}}",
    "pairs": f"{HEAD}  const: !!omap [a: 1]",
    "a date by its tag": f"{HEAD}  const: !!timestamp 2024-01-01",
    "an own tag": f"%TAG ! tag:evil.test,2024:\n---\n{HEAD}  const: !x 1",
    "a tag on a key": f"{HEAD}  const: {{!!python/name:os.system a: 1}}",
    "a second document": f"{HEAD}---\n{HEAD}",
}
"""Texts of which no tool comes."""


@for_each(BOMBS)
def test_hostile_yaml_is_refused_in_time(
    bomb: Any, *, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(json_values, "MAX_SPEC_VALUES", 100_000)
    monkeypatch.setattr(yaml_text, "MAX_SPEC_VALUES", 100_000)
    with bounded(5):
        loaded = load(["-"], stdin=BytesIO(bomb.encode()))
    assert loaded.tools == []
    assert loaded.failed
    assert all(len(str(diagnostic)) < 2_000 for diagnostic in loaded.diagnostics)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize(
    "words",
    [
        ("pull", "--config", "odd.yaml"),
        ("explain", "t", "odd.yaml", "-s", "spec.json"),
        ("audit", "odd.yaml", "-s", "spec.json"),
    ],
    ids=lambda words: words[0],
)
def test_hostile_yaml_is_no_other_file_either(
    words: tuple[str, ...], bomb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Configurations are read as JSON or YAML, payloads and recordings as JSON."""
    monkeypatch.chdir(tmp_path)
    write_json("spec.json", [{"name": "t", "description": "d", "schema": {"type": "object"}}])
    Path("odd.yaml").write_text(BOMBS[bomb])
    with bounded(5):
        result = toolgen(*words)
    assert "internal-error" not in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd.yaml", "spec.json"]


PLAIN = {
    "2024-01-01": "2024-01-01",
    "2024-01-01T00:00:00Z": "2024-01-01T00:00:00Z",
    "1:30": "1:30",
    "12:30:45": "12:30:45",
    **{word: word for word in ("on", "off", "yes", "no")},
    "1_000": "1_000",
    "0777": 777,
    "0o17": 15,
    "0x1F": 31,
    "1e3": 1000.0,
    "-1.5e3": -1500.0,
    "[\"1\", '2', true, null]": ["1", "2", True, None],
    "!!str 12": "12",
    "!!float 1": 1.0,
    "~": None,
    "<<": "<<",
    "{on: 1}": {"on": 1},
    '[&base {x: 1, y: 1}, {<<: *base, y: 2, "<<": z}]': [{"x": 1, "y": 1}, {"y": 2, "<<": "z", "x": 1}],
}


@for_each_at_once(PLAIN.items())
def test_scalars_mean_what_yaml_1_2_says(text: Any, value: Any) -> None:
    """Not what YAML 1.1 made of them: dates, sexagesimal numbers, booleans."""
    (tool,) = load(["-"], stdin=BytesIO(f"{HEAD}  const: {text}".encode())).tools
    assert isinstance(tool.schema, dict)
    assert json.dumps(tool.schema["const"]) == json.dumps(value)
