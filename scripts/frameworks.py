"""Run the tests of the adapters, each framework in a separate environment, because they cannot share one.

    python scripts/frameworks.py                        every framework, with its newest and oldest versions
    python scripts/frameworks.py mcp langchain-oldest   some of them
    python scripts/frameworks.py mcp-newest --keep -- -k parallel

An environment contains toolgen with the framework's extra and the versions in
`tests/adapters/constraints/FRAMEWORK-BOUND.txt`; `tests/adapters/test_FRAMEWORK.py` runs in it, and with the newest
versions mypy and pyright, if this Python has them, check the framework's example. The MCP servers for the tests
are installed once, from `servers.txt` (PyPI) and `servers.json` (npm) in the same folder.
A framework is skipped, with the reason, if it cannot be installed because a registry does not answer. Any other
problem is a failure. Exits with 0 without failures, 1 with failures, and 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from environments import BIN, NO_ANSWER, Environments, Failure, NoAnswer, default_folder

__all__ = ["NO_ANSWER", "main", "targets"]

ROOT = Path(__file__).resolve().parents[1]
ADAPTERS = ROOT / "tests" / "adapters"
CONSTRAINTS = ADAPTERS / "constraints"
BOUNDS = ("newest", "oldest")
FRAMEWORKS: dict[str, tuple[str, ...]] = {
    "mcp": ("mcp",),
    "fastmcp": ("fastmcp",),
    "pydantic_ai": ("pydantic-ai", "pydantic-ai-slim[mcp]"),
    "langchain": ("langchain", "langchain-mcp-adapters", "langgraph-checkpoint-sqlite"),
    "openai_agents": ("openai-agents",),
    "strands": ("strands",),
    "anthropic": ("anthropic", "mcp"),
    "google_adk": ("google-adk", "mcp"),
    "llama_index": ("llama-index", "llama-index-tools-mcp", "mcp"),
    "crewai": ("crewai",),
    "claude_agent": ("claude-agent",),
    "agno": ("agno", "openai", "fastmcp"),
    "agent_framework": ("agent-framework", "agent-framework-openai", "mcp", "tenacity"),
    "loop": ("", "anthropic", "openai", "boto3", "google-genai", "mcp"),
    "litellm": ("", "litellm", "mcp"),
    "others": ("langchain", "livekit-agents", "deepagents"),
}
"""The extra of toolgen that an environment has, and the other packages that its tests need."""
COMPILING = "dynamic"
"""The extra that every environment also has: the servers' tools are compiled at run time."""

TEST_SECONDS = 600


@dataclass(frozen=True)
class Target:
    """One environment: a framework at one end of its versions."""

    framework: str
    bound: str

    @property
    def name(self) -> str:
        """The name of the target on the command line and in file names."""
        return f"{self.framework}-{self.bound}"

    @property
    def constraints(self) -> Path:
        """The file with the versions to install."""
        return CONSTRAINTS / f"{self.name}.txt"

    @property
    def tests(self) -> Path:
        """The file with the tests of the adapter."""
        return ADAPTERS / f"test_{self.framework}.py"

    @property
    def files(self) -> list[Path]:
        """The test files to run; with the newest versions, also those of the types and of the page's code."""
        example = ROOT / "examples" / "agents" / f"{self.framework}_agent.py"
        typed = self.bound == "newest" and example.is_file()
        has_scenarios = (ADAPTERS / "seams" / f"{self.framework}.py").is_file()
        return [
            *([ADAPTERS / "test_scenarios.py"] if has_scenarios else []),
            *([self.tests] if self.tests.is_file() else []),
            *([ADAPTERS / "test_types.py", ADAPTERS / "test_pages.py"] if typed else []),
        ]


@dataclass(frozen=True)
class Result:
    """The outcome of one target: `passed`, `failed` or `skipped`, in one line and in full."""

    target: Target
    verdict: str
    summary: str
    output: str = ""
    seconds: float = 0.0


class Workshop(Environments):
    """The folder with the servers and the environments of the frameworks."""

    def __init__(self, folder: Path, *, wheel: Path | None, keep: bool) -> None:
        super().__init__(folder)
        self.wheel = wheel
        self.keep = keep

    def install_tools(self) -> None:
        """Install the installer and the servers."""
        self.install_installer()
        wanted = CONSTRAINTS / "servers.txt"
        self.python("servers", ["-r", str(wanted)], wanted.read_text("utf-8"))
        self.node("node", (CONSTRAINTS / "servers.json").read_text("utf-8"))

    def environment(self, target: Target) -> Path:
        """Make the environment of a target, or find the one that was kept; return its folder."""
        wanted = _requirements(target.framework, self.wheel)
        project = (ROOT / "pyproject.toml").read_text("utf-8")
        name, constraints = f"envs/{target.name}", target.constraints
        if self.wheel is not None:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return self.python(name, ["-c", str(constraints), *wanted], constraints.read_text("utf-8"), project)

    def test(self, target: Target, arguments: list[str]) -> Result:
        """Make a target's environment and run its tests in it."""
        begun = time.monotonic()
        try:
            verdict, summary, output = self._tested(target, arguments)
        except NoAnswer as reason:
            verdict, summary, output = "skipped", f"a registry does not answer: {reason}", ""
        except Failure as reason:
            verdict, summary, output = "failed", "the environment cannot be made", str(reason)
        return Result(target, verdict, summary, output, time.monotonic() - begun)

    def _tested(self, target: Target, arguments: list[str]) -> tuple[str, str, str]:
        folder = self.environment(target)
        python = str(folder / BIN / "python")
        command = [
            python,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            f"--confcutdir={ADAPTERS}",
            *map(str, target.files),
        ]
        variables = {
            "TOOLGEN_SERVERS": str(self.folder),
            "TOOLGEN_FRAMEWORK": target.framework,
            "TOOLGEN_CHECKERS": sys.executable,
            "XDG_DATA_HOME": str(folder / "data"),  # CrewAI's database: its versions cannot read each other's
        }
        try:
            done = self.run([*command, *arguments], TEST_SECONDS, ROOT, **variables)
        except subprocess.TimeoutExpired as late:
            return "failed", f"the tests took more than {TEST_SECONDS} s", _text(late.stdout)
        finally:
            if not self.keep:
                shutil.rmtree(folder, ignore_errors=True)
        lines = done.stdout.strip().splitlines() or ["nothing was printed"]
        return ("failed" if done.returncode else "passed"), lines[-1].strip("= "), done.stdout


def _requirements(framework: str, wheel: Path | None) -> list[str]:
    """Return the installer's arguments for an environment; toolgen itself is the checkout or a wheel."""
    extra, *others = FRAMEWORKS[framework]
    extras = f"[{','.join(filter(None, (COMPILING, extra)))}]"
    if wheel is None:
        project = ["-e", str(ROOT / "runtime"), "-e", f"{ROOT}{extras}"]
    else:  # the wheel of the runtime was built beside it
        project = [*map(str, wheel.parent.glob("toolgen_runtime-*.whl")), f"{wheel}{extras}"]
    return [*project, *others, "pytest", "pytest-timeout"]


def _text(output: bytes | str | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def targets(names: list[str]) -> list[Target]:
    """Return the targets with these names (of frameworks or of environments); without names, all targets.

    Raises:
        ValueError: there is no such target, or it has no constraints.
    """
    every = [Target(framework, bound) for framework in FRAMEWORKS for bound in BOUNDS]
    found = [
        target
        for target in every
        if target.name in names or (target.constraints.is_file() and (not names or target.framework in names))
    ]
    unknown = set(names) - {t.framework for t in every} - {t.name for t in every}
    if unknown:
        raise ValueError(
            f"no such framework: {', '.join(sorted(unknown))}; there are {', '.join(FRAMEWORKS)}"
        )
    for target in found:
        if not target.constraints.is_file():
            raise ValueError(f"{target.name} has no constraints: {target.constraints.relative_to(ROOT)}")
    return found


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument(
        "names", nargs="*", help="frameworks (mcp) or environments (mcp-oldest); all by default"
    )
    parser.add_argument(
        "--wheel",
        type=Path,
        help="test this wheel of toolgen, and that of toolgen-runtime beside it, instead of the checkout",
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many environments at a time (2)")
    parser.add_argument("--keep", action="store_true", help="keep the environments for the next run")
    parser.add_argument(
        "--folder", type=Path, help="where to make the environments (TOOLGEN_FRAMEWORKS, or the user's cache)"
    )
    own, rest = sys.argv[1:], []
    if "--" in own:
        own, rest = own[: own.index("--")], own[own.index("--") + 1 :]
    parsed = parser.parse_args(own)
    parsed.pytest = rest
    try:
        parsed.targets = targets(parsed.names)
    except ValueError as error:
        parser.error(str(error))
    if parsed.wheel is not None:
        parsed.wheel = parsed.wheel.resolve()
    return parsed


def main() -> int:
    """Test every target; print failures in full and other results in one line each."""
    options = arguments()
    folder = options.folder or Path(os.environ.get("TOOLGEN_FRAMEWORKS") or default_folder("frameworks"))
    folder.mkdir(parents=True, exist_ok=True)
    workshop = Workshop(folder.resolve(), wheel=options.wheel, keep=options.keep)
    try:
        workshop.install_tools()
    except NoAnswer as reason:
        print(f"skipped: all of them: a registry does not answer: {reason}")
        return 0
    except Failure as reason:
        print(f"failed: what the tests need cannot be installed\n{reason}")
        return 1
    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda target: workshop.test(target, options.pytest), options.targets):
            failed += result.verdict == "failed"
            if result.verdict == "failed" or options.pytest:
                print(result.output)
            print(
                f"{result.target.name}: {result.verdict}: {result.summary} ({result.seconds:.0f} s)",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
