"""The index of a package: every tool is found by its own name, whatever the name, and nothing else is."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from helpers.support import put_package

HOSTILE = [
    'a"b', "a'b", '"""', "'''", '"""\'\'\'', "\\", 'a\\"', '\\"""', "a\nb", 'x": "y', '\n"a": "b', "a\x7f", "\u2028",
    "日本", "\U0001f600", "{", "}", '}"""', "\\u0061", "__name__", "os", "a.b", "../a", " ", "\t", "\0",
]  # fmt: skip


def package(folder: Path, names: list[str], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    tools = [{"name": name, "schema": {"const": name}} for name in names]
    name = f"indexed_{folder.name}"
    put_package(folder, name, tools)
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module(name)


def test_every_tool_is_found_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [*HOSTILE, "create-issue", "create_issue", "createIssue"]
    toolset = package(tmp_path, names, monkeypatch).toolset
    for name in names:  # asked for before the names are read, and so again after
        assert toolset[name].name == name
        assert toolset[name].validate(name) == []
    assert list(toolset) == sorted(names)
    assert len(toolset) == len(names)
    assert {name: tool.name for name, tool in toolset.items()} == {name: name for name in names}
    for absent in ("b", "", "a b", "_models", "toolset", "create-issue\n", "\ud800", 5, None):
        assert absent not in toolset
        assert toolset.get(absent) is None
        with pytest.raises(KeyError):
            toolset[absent]
