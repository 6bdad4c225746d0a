"""`toolgen lint --fix` and `--diff`: what is certain is written, and the rest of the file stays as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.commands import toolgen
from helpers.support import for_each

pytestmark = pytest.mark.usefixtures("workplace")


def spec(field: str, description: str = "One.", more: str = "") -> str:
    """One tool, in a layout that no program writes."""
    return (
        f'[ {{"name": "t",  "description": "{description}",\n\t"inputSchema": {{"type": "object",{more}'
        f'\n\t"properties": {{"a": {field} }}, "additionalProperties": false}} }} ]  \n'
    )


TEXT = '{"type": "string", "description": "é"}'
FIXES: dict[str, tuple[str, str]] = {
    "a zero width space": (spec(TEXT, "O\u200bne."), spec(TEXT)),
    "escapes": (spec(TEXT, r"\u200bOne\udb40\udc41.\u200B"), spec(TEXT)),
    "other escapes": (spec(TEXT, r"\"\u00e9\\u200b\n\u200b"), spec(TEXT, r"\"\u00e9\\u200b\n")),
    "a title": (
        spec('{"title": "A\u2060", "description": "A"}'),
        spec('{"title": "A", "description": "A"}'),
    ),
    "the last branch": (
        spec('{"anyOf": [{"type": "string"}, {"type": "null"},\n {"type": "string"}]}'),
        spec('{"anyOf": [{"type": "string"}, {"type": "null"}]}'),
    ),
    "two branches": (
        spec('{"anyOf": [ {"type": "string"}, {"type": "string"}, {"type": "null"}, {"type": "null"} ]}'),
        spec('{"anyOf": [ {"type": "string"}, {"type": "null"} ]}'),
    ),
    "an ignore": (
        spec(TEXT, more=' "x-toolgen-ignore": ["large-tool"],'),
        spec(TEXT, more=""),
    ),
    "an ignore as text": (
        spec(TEXT, more=' "x-toolgen-ignore": "large-tool",'),
        spec(TEXT, more=""),
    ),
    "one ignore of two": (
        spec(
            '{"default": 1, "type": "string"}', more=' "x-toolgen-ignore": ["large-tool", "invalid-default"],'
        ),
        spec('{"default": 1, "type": "string"}', more=' "x-toolgen-ignore": ["invalid-default"],'),
    ),
}
LEFT = {
    "another title": spec('{"anyOf": [{"type": "string"}, {"type": "string", "title": "B"}]}'),
    "exactly one of two": spec('{"oneOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}'),
    "a value": spec('{"type": "string", "default": "a\u200b", "enum": ["a\u200b"]}'),
    "a default": spec('{"type": "string", "default": 5}'),
    "an open object": spec(TEXT).replace(', "additionalProperties": false', ""),
    "a branch that a reference names": spec(
        '{"anyOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}, "b": {"$ref": '
        '"#/properties/a/anyOf/2"}'
    ),
}


def run(text: str, *flags: str, file: str = "specs.txt") -> Any:
    Path(file).write_bytes(text.encode())
    return toolgen("lint", file, "--fail-on", "never", *flags)


@for_each(FIXES)
def test_what_is_certain_is_fixed_and_nothing_else_changes(before: Any, after: Any) -> None:
    file = Path("specs.json")
    shown = run(before, "--diff", file=file.name)
    assert shown.exit_code == 1
    assert f"--- {file}\n+++ {file}\n" in shown.stdout
    assert file.read_bytes() == before.encode()
    fixed = run(before, "--fix", file=file.name)
    assert fixed.exit_code == 0
    assert f"{file}: fixed [" in fixed.stdout
    assert squeezed(file.read_bytes().decode()) == squeezed(after)
    assert toolgen("lint", file.name, "--diff").exit_code == 0


def squeezed(text: str) -> str:
    """Return a text without the space that a removed key leaves before its line's end."""
    return text.replace(", \n", ",\n").replace(",\n\t", ", ")


@pytest.mark.parametrize("case", LEFT)
def test_what_is_not_certain_is_left(case: str) -> None:
    result = run(LEFT[case], "--fix")
    assert result.exit_code == 0
    assert ": fixed [" not in result.stdout
    assert Path("specs.txt").read_bytes() == LEFT[case].encode()


def test_only_json_files_are_fixed() -> None:
    text = '- name: t\n  description: "O\\u200bne."\n  inputSchema: {type: object}\n'
    assert "not JSON in UTF-8" in run(text, "--fix", file="a.yaml").stdout
    assert Path("a.yaml").read_text() == text
    assert run("[{", "--diff", file="a.json").exit_code == 2
    assert "need files" in toolgen("lint", "-", "--fix").stderr


def test_a_file_that_cannot_be_written_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str, **_: bool) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("toolgen.cli.reports.write_text_file", full)
    before = FIXES["a title"][0]
    result = run(before, "--fix")
    assert (result.exit_code, "write-failed" in result.stderr) == (2, True)
    assert Path("specs.txt").read_bytes() == before.encode()
