"""The index of a package: every tool is found by its own name, whatever the name, and nothing else is."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from helpers.support import cases_of, put_package
from hypothesis import given, settings, strategies as st

from toolgen.compiler.python.package import index_text
from toolgen_runtime import Toolset

HOSTILE = [
    'a"b', "a'b", '"""', "'''", '"""\'\'\'', "\\", 'a\\"', '\\"""', "a\nb", 'x": "y', '\n"a": "b', "a\x7f", "\u2028",
    "日本", "\U0001f600", "{", "}", '}"""', "\\u0061", "__name__", "os", "a.b", "../a", " ", "\t", "\0",
]  # fmt: skip


def toolset_of(text: str) -> Toolset:
    """The toolset that an index makes, given what it says instead of modules that could be loaded."""
    scope: dict[str, Any] = {"__name__": "package"}
    exec(compile(text, "index", "exec"), scope)
    toolset: Toolset = scope["toolset"]
    return toolset


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
    assert all(name in toolset for name in names)


def test_what_is_no_tool_is_not_found(subtests: pytest.Subtests) -> None:
    for case_1, absent in cases_of(
        ["b", "", "a b", '"', "_models", "toolset", 'a": "', "a\n", "\ud800", 5, None]
    ):
        for case_2, read in cases_of([False, True]):
            with subtests.test(f"{case_1}; {case_2}"):
                toolset = toolset_of(index_text({"a": "a", "a-b": "a_b"}))
                assert not read or len(toolset) == 2
                assert absent not in toolset
                assert toolset.get(absent) is None
                with pytest.raises(KeyError):
                    toolset[absent]
                assert "a-b" in toolset


@settings(max_examples=10)
@given(st.dictionaries(st.text(), st.from_regex(r"[a-z_]+", fullmatch=True)), st.text())
def test_an_index_says_the_names_and_the_modules(modules: dict[str, str], other: str) -> None:
    modules = {name: module for name, module in modules.items() if _can_be_a_name(name)}
    text = index_text(modules)
    assert text.isascii()
    assert all(line.isprintable() for line in text.splitlines())
    for name in [*modules, other]:
        loaded: list[str] = []
        toolset = toolset_of(text)
        toolset._load = loaded.append  # type: ignore[assignment,unused-ignore]
        assert (name in toolset) == (name in modules)
        if name in modules:
            toolset[name]
            assert loaded == [modules[name]]
        assert list(toolset) == sorted(modules)


def _can_be_a_name(name: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in name)
