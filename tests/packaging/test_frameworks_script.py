"""`scripts/frameworks.py`: what it runs, what it takes for a registry that does not answer, how it ends."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support import ROOT

SCRIPT = ROOT / "scripts" / "frameworks.py"


@pytest.fixture(scope="module")
def frameworks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("frameworks", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["frameworks"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["mcp-oldest"], ["mcp-oldest"]),
        (["langchain", "mcp-newest"], ["mcp-newest", "langchain-newest", "langchain-oldest"]),
    ],
)
def test_names_are_frameworks_or_environments(
    frameworks: ModuleType, names: list[str], found: list[str]
) -> None:
    assert [target.name for target in frameworks.targets(names)] == found


def test_all_that_have_constraints_are_run(frameworks: ModuleType) -> None:
    constrained = {path.stem for path in frameworks.CONSTRAINTS.glob("*.txt")} - {"servers"}
    assert {target.name for target in frameworks.targets([])} == constrained
    assert all(target.tests.is_file() for target in frameworks.targets([]))


def test_a_name_that_means_nothing_is_refused(frameworks: ModuleType) -> None:
    with pytest.raises(ValueError, match="no such framework: langchian"):
        frameworks.targets(["langchian"])


UNREACHABLE = [
    "error: Request failed after 3 retries in 6.6s\n  cause: error sending request for url",
    "  Caused by: client error (Connect)\n  Caused by: dns error: failed to lookup address information",
    "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError': Connection refused",
    "npm error code ECONNREFUSED\nnpm error syscall connect",
    "npm error code EAI_AGAIN",
    "HTTP status server error (503 Service Unavailable) for url (/simple/mcp/)",
    "error: operation timed out",
]
BROKEN = [
    "error: No solution found when resolving dependencies\n  cause: only mcp<=1.504.0 is available",
    "npm error code ETARGET\nnpm error notarget No matching version found for x@9.",
    "error: Failed to build `toolgen @ file:///x`",
    "HTTP status client error (404 Not Found) for url (/simple/mcpx/)",
]


@pytest.mark.parametrize(("texts", "is_no_answer"), [(UNREACHABLE, True), (BROKEN, False)])
def test_a_registry_that_does_not_answer_is_told_from_a_wrong_version(
    frameworks: ModuleType, texts: list[str], is_no_answer: bool
) -> None:
    for text in texts:
        assert bool(frameworks.NO_ANSWER.search(text)) == is_no_answer, text


def test_without_a_registry_all_is_skipped_with_the_reason(
    frameworks: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    failing = [sys.executable, "-c", f"raise SystemExit({UNREACHABLE[1]!r})"]
    monkeypatch.setattr(frameworks.Workshop, "install_installer", lambda shop: shop.install(failing))
    monkeypatch.setattr(sys, "argv", ["frameworks.py", "mcp-newest", "--folder", str(tmp_path)])
    assert frameworks.main() == 0
    said = capsys.readouterr().out
    assert said.startswith("skipped: all")
    assert "does not answer: Caused by: dns error" in said


def test_wrong_usage_is_an_exit_of_2(frameworks: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["frameworks.py", "langchian"])
    with pytest.raises(SystemExit) as ended:
        frameworks.main()
    assert ended.value.code == 2
